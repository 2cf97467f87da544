/** Strips the wrapping of a command: a trigger and a code fence; refuses the legacy prefix. Text in, text out. */

import { type TextFault, textFault } from "./fault.js";
import { stringValue } from "./python-literal.js";

/** Names by which texts call the tool: case-sensitive, the longest first. */
export const TRIGGERS = ["mcp__onetool__run", "__onetool__run", "__onetool", "__ot__run", "__ot"] as const;

const LEGACY = "!onetool";
const WORD = /^[\p{L}\p{N}_]/u;
const CALL_START = /^\(\s*command\s*=/;
const LANGUAGE = /^[\w+#.-]*[ \t]*$/;
const ONE_LINE_LANGUAGE = /^(?:python3|python|py)(?: +|$)/;

/** The code of a command. */
export interface Code {
  readonly kind: "code";
  readonly code: string;
}

/**
 * Strips one trigger and one fence from a command. The legacy prefix is refused, around them or inside, whatever
 * follows it. Lines are counted from the first line of the code: the lines of a trigger and of a fence do not count.
 */
export function unwrapCommand(command: string): Code | TextFault {
  const code = withoutFence(withoutTrigger(command));
  if ([command, code].some((text) => text.trimStart().startsWith(LEGACY)))
    return textFault(
      "SyntaxError",
      `invalid syntax: the '${LEGACY}' prefix is not accepted`,
      'Next: send the Python code itself, for example upper(text="hello")',
    );
  return { kind: "code", code };
}

/** The hint for code that does not parse and contains a fence, which means that there is text around the code. */
export function fenceHint(code: string): string | undefined {
  return code.includes("```") ? "Send the code alone, without text around the fence." : undefined;
}

function withoutTrigger(command: string): string {
  const text = command.trimStart();
  const trigger = TRIGGERS.find((one) => text.startsWith(one) && !WORD.test(text.slice(one.length)));
  if (!trigger) return command;
  const rest = text.slice(trigger.length);
  return calledWith(rest) ?? rest.replace(/^[ \t]*(?:\r?\n)?/, "");
}

/** The value of the single string literal in `(command="...")`. */
function calledWith(text: string): string | undefined {
  const call = text.trimEnd();
  const start = CALL_START.exec(call)?.[0];
  return start !== undefined && call.endsWith(")") ? stringValue(call.slice(start.length, -1).trim()) : undefined;
}

function withoutFence(code: string): string {
  const text = code.trim();
  const open = ticksAtStart(text);
  if (open === 0) return code;
  // An empty fence; an unclosed one is left unchanged.
  if (open === text.length) return open % 2 === 0 ? "" : code;
  const body = open >= 3 ? blockBody(text, open) : undefined;
  return body ?? inlineBody(text, open) ?? code;
}

function ticksAtStart(text: string): number {
  let count = 0;
  while (text[count] === "`") count++;
  return count;
}

/** The text between an opening line and a last line of as many backticks. Fence lines in between are code. */
function blockBody(text: string, open: number): string | undefined {
  const first = text.indexOf("\n");
  if (first < 0 || !LANGUAGE.test(text.slice(open, first).replace(/\r$/, ""))) return undefined;
  const last = text.lastIndexOf("\n");
  if (text.slice(last + 1).trim() !== "`".repeat(open)) return undefined;
  return last === first ? "" : text.slice(first + 1, last).replace(/\r$/, "");
}

/** The text enclosed by backticks, if none of them is left inside. Two may enclose one. */
function inlineBody(text: string, open: number): string | undefined {
  if (text.length < 2 * open || !text.endsWith("`".repeat(open)) || (open >= 3 && text.includes("\n")))
    return undefined;
  // Leading empty lines stay, because lines are counted.
  const inside = text
    .slice(open, -open)
    .trimEnd()
    .replace(/^[ \t]+/, "");
  if (open === 2 && inside.startsWith("`")) return inlineBody(inside, 1);
  if (inside.includes("`")) return undefined;
  return open >= 3 ? inside.replace(ONE_LINE_LANGUAGE, "") : inside;
}
