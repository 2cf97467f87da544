/** What can follow at a place in code: ops by their path, and the arguments of the op whose call is open. */

import type { Parameter } from "../../../contract/registry.js";
import type { EditorLanguage } from "./languages.js";
import type { ListedOp } from "./listed-ops.js";

/** One completion: what it puts in place of the text before the caret. */
export interface Completion {
  readonly text: string;
  /** How it is listed. */
  readonly label: string;
  readonly about: string;
}

/** A place in code. */
export interface CodePlace {
  /** The dotted name before the caret; empty for none. */
  readonly word: string;
  /** The name whose call is open at the caret; empty for none. */
  readonly call: string;
  /** Arguments that the open call names already. */
  readonly given: readonly string[];
  /** Whether the object of the arguments is still to be opened. */
  readonly isBefore?: true;
}

type Syntax = Pick<EditorLanguage, "texts" | "given" | "isObject" | "argument">;

/** Most completions that are listed. */
const MAX_COMPLETIONS = 8;
/** Characters before the caret that are read. */
const MAX_READ_LENGTH = 5000;

const WORD = /[$\p{L}_][\p{L}\p{N}_.]*$/u;

/** Reads the place at the end of the code before the caret; undefined within a text or a comment. */
export function codePlace(before: string, { texts, given: named, isObject }: Syntax): CodePlace | undefined {
  const near = before.slice(-MAX_READ_LENGTH);
  const open = [...near.matchAll(texts)].at(-1);
  if (open && open.index + open[0].length === near.length && isOpen(open[0])) return undefined;
  const code = near.replace(texts, (text) => " ".repeat(text.length));
  const word = WORD.exec(code)?.[0] ?? "";
  const start = openBracket(code);
  const opened = start < 0 ? "" : code.charAt(start);
  const outer = code.slice(0, Math.max(start, 0)).trimEnd();
  const isArguments = opened === "{" && isObject && outer.endsWith("(");
  if (opened !== "(" && !isArguments) return { word, call: "", given: [] };
  const call = WORD.exec((isArguments ? outer.slice(0, -1) : outer).trimEnd())?.[0] ?? "";
  if (isObject && !isArguments) return { word, call, given: [], isBefore: true };
  const given = [...topLevel(code.slice(start + 1)).matchAll(named)].map(([, name = ""]) => name);
  return { word, call, given };
}

/** Whether a text or comment goes on at its end. */
function isOpen(text: string): boolean {
  if (/^(?:#|\/\/)/.test(text)) return true;
  if (text.startsWith("/*")) return text.length < 4 || !text.endsWith("*/");
  const quote = /^("""|'''|"|'|`)/.exec(text)?.[0] ?? "";
  return text.length < 2 * quote.length || !text.endsWith(quote);
}

const CLOSING: ReadonlyMap<string, string> = new Map(
  ["()", "[]", "{}"].map(([open, close]) => [close ?? "", open ?? ""]),
);

/** The offset of the bracket that is open at the end; -1 for none. */
function openBracket(code: string): number {
  let depth = 0;
  for (let at = code.length - 1; at >= 0; at--) {
    const one = code.charAt(at);
    if (CLOSING.has(one)) depth++;
    else if ("([{".includes(one)) depth--;
    if (depth < 0) return at;
  }
  return -1;
}

/** A text without what stands in brackets. */
function topLevel(code: string): string {
  let depth = 0;
  return [...code]
    .filter((one) => {
      if ("([{".includes(one)) depth++;
      else if (CLOSING.has(one)) depth--;
      return depth === 0;
    })
    .join("");
}

/** The completions at a place; `parameters` are those of the op whose call is open. */
export function completionsAt(
  { word, given, isBefore }: CodePlace,
  ops: Iterable<ListedOp>,
  parameters: readonly Parameter[],
  { isObject, argument }: Syntax,
): readonly Completion[] {
  const named = parameters.flatMap((one): readonly Completion[] => {
    const name = argument(one);
    if (given.includes(name) || !name.startsWith(word)) return [];
    const text = isObject ? `${isBefore ? "{ " : ""}${name}: ` : `${name}=`;
    return [{ text, label: name, about: `${one.type}${one.required ? ", required" : ""}` }];
  });
  // An argument may be a call, too, but not before a letter is typed.
  const paths = word.length < 2 ? [] : pathsOf(word, ops);
  return [...named, ...paths].slice(0, MAX_COMPLETIONS);
}

function pathsOf(word: string, ops: Iterable<ListedOp>): readonly Completion[] {
  const starts: ListedOp[] = [];
  const holds: ListedOp[] = [];
  const asked = word.toLowerCase();
  for (const one of ops) {
    const path = one.op.toLowerCase();
    if (path.startsWith(asked)) starts.push(one);
    else if (path.includes(asked)) holds.push(one);
    if (starts.length >= MAX_COMPLETIONS) break;
  }
  return [...starts, ...holds]
    .slice(0, MAX_COMPLETIONS)
    .map(({ op, summary }) => ({ text: `${op}(`, label: op, about: summary }));
}
