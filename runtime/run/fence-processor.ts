/** Strips the wrapping of a command: a trigger and a code fence; refuses the legacy prefix. Text in, text out. */

import { type TextFault, textFault } from "./fault.js";
import { TRIGGERS } from "./triggers.js";

const LEGACY = "!onetool";
const WORD = /^[\p{L}\p{N}_]/u;
const CALL_START = /^\(\s*command\s*=/;
const LANGUAGE = /^[\w+#.-]*[ \t]*$/;
/** The first word of a fence in one line, if spaces or the end follow it. */
const FIRST_WORD = /^[\w+#.-]+(?= |$)/;
/** The code of a command. */
export interface FencedCode {
  readonly kind: "code";
  readonly code: string;
  /** The language that the fence names; absent without a fence, and without a word in it. */
  readonly fence?: string;
}

/** What wraps the code of a language. */
export interface Wrapping {
  /** Words that name a language in a fence of one line; other words there are code. */
  readonly words: readonly string[];
  /** The code alone, for the advice about a refused prefix: `the Python code itself`. */
  readonly itself: string;
  /** The value of a string literal; undefined for other code. */
  literal(code: string): string | undefined;
}

/**
 * Strips one trigger and one fence from a command. The legacy prefix is refused, around them or inside, whatever
 * follows it. Lines are counted from the first line of the code: the lines of a trigger and of a fence do not count.
 */
export function unwrapCommand(command: string, { words, itself, literal }: Wrapping): FencedCode | TextFault {
  const { code, fence } = withoutFence(withoutTrigger(command, literal), words);
  if ([command, code].some((text) => text.trimStart().startsWith(LEGACY)))
    return textFault("SyntaxError", `invalid syntax: the '${LEGACY}' prefix is not accepted`, `Next: send ${itself}`);
  return { kind: "code", code, ...(fence === "" ? {} : { fence }) };
}

/** Code in a fence with this word. */
export function fencedCode(word: string, code: string): string {
  const longest = Math.max(2, ...(code.match(/`+/g) ?? []).map(({ length }) => length));
  const ticks = "`".repeat(longest + 1);
  return `${ticks}${word}\n${code}\n${ticks}`;
}

/** What to do about code that does not parse and contains a fence, which means that there is text around the code. */
export function fenceHint(code: string): string | undefined {
  return code.includes("```") ? "send the code alone, without text around the fence" : undefined;
}

function withoutTrigger(command: string, literal: Wrapping["literal"]): string {
  const text = command.trimStart();
  const trigger = TRIGGERS.find((one) => text.startsWith(one) && !WORD.test(text.slice(one.length)));
  if (!trigger) return command;
  const rest = text.slice(trigger.length);
  return calledWith(rest, literal) ?? rest.replace(/^[ \t]*(?:\r?\n)?/, "");
}

/** The value of the single string literal in `(command="...")`. */
function calledWith(text: string, literal: Wrapping["literal"]): string | undefined {
  const call = text.trimEnd();
  const start = CALL_START.exec(call)?.[0];
  return start !== undefined && call.endsWith(")") ? literal(call.slice(start.length, -1).trim()) : undefined;
}

/** Code, and the language that its fence names. */
interface Unfenced {
  readonly code: string;
  readonly fence: string;
}

function withoutFence(code: string, words: readonly string[]): Unfenced {
  const text = code.trim();
  const open = ticksAtStart(text);
  if (open === 0) return { code, fence: "" };
  // An empty fence; an unclosed one is left unchanged.
  if (open === text.length) return { code: open % 2 === 0 ? "" : code, fence: "" };
  const body = open >= 3 ? blockBody(text, open) : undefined;
  return body ?? inlineBody(text, open, words) ?? { code, fence: "" };
}

function ticksAtStart(text: string): number {
  let count = 0;
  while (text[count] === "`") count++;
  return count;
}

/** The text between an opening line and a last line of as many backticks. Fence lines in between are code. */
function blockBody(text: string, open: number): Unfenced | undefined {
  const first = text.indexOf("\n");
  const word = text.slice(open, first).replace(/\r$/, "");
  if (first < 0 || !LANGUAGE.test(word)) return undefined;
  const last = text.lastIndexOf("\n");
  if (text.slice(last + 1).trim() !== "`".repeat(open)) return undefined;
  return { code: last === first ? "" : text.slice(first + 1, last).replace(/\r$/, ""), fence: word.trim() };
}

/** The text enclosed by backticks, if none of them is left inside. Two may enclose one. */
function inlineBody(text: string, open: number, words: readonly string[]): Unfenced | undefined {
  if (text.length < 2 * open || !text.endsWith("`".repeat(open)) || (open >= 3 && text.includes("\n")))
    return undefined;
  // Leading empty lines stay, because lines are counted.
  const inside = text
    .slice(open, -open)
    .trimEnd()
    .replace(/^[ \t]+/, "");
  if (open === 2 && inside.startsWith("`")) return inlineBody(inside, 1, words);
  if (inside.includes("`")) return undefined;
  const [word = ""] = open >= 3 ? (FIRST_WORD.exec(inside) ?? []) : [];
  return words.includes(word)
    ? { code: inside.slice(word.length).replace(/^ +/, ""), fence: word }
    : { code: inside, fence: "" };
}
