/** Writes signatures for people: valid Python, with one argument per line if they are long. */

import type { Tool } from "./registry.js";

/** Longest signature on one line. */
const WIDTH = 76;

const OPENING = "([{<";
const CLOSING = ")]}>";

/** Offsets at which a signature may be broken. */
interface Breaks {
  /** After the opening bracket of the arguments. */
  readonly open: number;
  /** After each separator. */
  readonly between: readonly number[];
  /** Before the closing bracket. */
  readonly close: number;
}

/** The signature, with one argument per line if it is long. */
export function signatureLines(signature: string): string {
  const breaks = signature.length > WIDTH ? breaksOf(signature) : undefined;
  if (!breaks) return signature;
  const { open, close } = breaks;
  const parts = cutAt(signature, breaks).map((one) => one.trim());
  return `${signature.slice(0, open)}\n${parts.map((one) => `  ${one}\n`).join("")}${signature.slice(close)}`;
}

/** The Python signature of an op as valid Python: an argument that may be left out is `parent: dict | None = None`. */
export function readableSignature(tool: Pick<Tool, "signature" | "parameters">): string {
  const { python } = tool.signature;
  const breaks = breaksOf(python);
  return breaks ? python.slice(0, breaks.open) + partsOf(tool, breaks).join("") + python.slice(breaks.close) : python;
}

/** The readable signature, with the bounds of its numbers as help writes them: `a.list(limit: int = 20)  # limit 1..50`. */
export function boundedSignature(tool: Pick<Tool, "signature" | "parameters">): string {
  const bounds = tool.parameters.flatMap(({ name, type }) => {
    const [, range] = /^(?:integer|number) (\S+?)\??$/.exec(type) ?? [];
    return range === undefined ? [] : [`${name} ${range}`];
  });
  return `${readableSignature(tool)}${bounds.length === 0 ? "" : `  # ${bounds.join(", ")}`}`;
}

/**
 * The type of each argument as the signature has it: `limit` is `int = 20` in Python, and `number` in TypeScript.
 *
 * @param language - of the signature; default: Python
 */
export function argumentTypes(
  tool: Pick<Tool, "signature" | "parameters">,
  language: keyof Tool["signature"] = "python",
): ReadonlyMap<string, string> {
  const text = tool.signature[language];
  const breaks = breaksOf(text);
  const parts = breaks ? (language === "python" ? partsOf(tool, breaks) : cutAt(text, breaks)) : [];
  return new Map(
    parts.flatMap((part) => {
      const [, name, type] = /^\s*(\w+)\??: (.*?)[,;]?\s*$/su.exec(part) ?? [];
      return name === undefined || type === undefined ? [] : [[name, type] as const];
    }),
  );
}

const cutAt = (signature: string, { open, between, close }: Breaks): readonly string[] =>
  [open, ...between].map((from, at) => signature.slice(from, between[at] ?? close));

/** The arguments of the Python signature. */
function partsOf(
  { signature: { python }, parameters }: Pick<Tool, "signature" | "parameters">,
  breaks: Breaks,
): readonly string[] {
  return cutAt(python, breaks).map((part, at) => {
    const parameter = parameters[at];
    const isLeftOut = parameter?.required === false && parameter.default === undefined;
    return isLeftOut
      ? part.replace(/^(.*) = '\.\.\.'(,?)$/s, (_, typed: string, comma: string) => `${orNone(typed)}${comma}`)
      : part;
  });
}

/** `name: dict` as `name: dict | None = None`. */
const orNone = (typed: string): string => `${typed}${/(?:\| None|: Any|: None)$/.test(typed) ? "" : " | None"} = None`;

/** TypeScript's arguments are one object, `(args: { a: string; b?: number })`; Python's are in the parentheses. */
function breaksOf(signature: string): Breaks | undefined {
  const [object] = /\(args\??: \{/.exec(signature) ?? [];
  const open = object === undefined ? signature.indexOf("(") + 1 : signature.indexOf(object) + object.length;
  const separator = object === undefined ? "," : ";";
  const between: number[] = [];
  let depth = 0;
  for (let at = open; at < signature.length && depth >= 0; at = afterOne(signature, at)) {
    const one = signature.charAt(at);
    depth += stepOf(signature, at);
    if (one === separator && depth === 0) between.push(at + 1);
    if (depth < 0) return open < at ? { open, between, close: at } : undefined;
  }
  return undefined;
}

/** Change of nesting depth at a character; the `>` of an arrow `=>` does not close a bracket. */
function stepOf(text: string, at: number): number {
  const one = text.charAt(at);
  if (OPENING.includes(one)) return 1;
  const isArrow = one === ">" && /[-=]/.test(text.charAt(at - 1));
  return CLOSING.includes(one) && !isArrow ? -1 : 0;
}

/** The offset after a character, or after a whole quoted text with its escapes. */
function afterOne(text: string, from: number): number {
  const quote = text.charAt(from);
  if (quote !== "'" && quote !== '"') return from + 1;
  for (let at = from + 1; at < text.length; at++) {
    if (text.charAt(at) === "\\") at++;
    else if (text.charAt(at) === quote) return at + 1;
  }
  return text.length;
}
