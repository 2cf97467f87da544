/** Inserts values into a snippet's TypeScript, as literals. The compiler says what stands around each of them. */

import type { ts as Compiler } from "@ts-morph/common";
import type { JsonValue } from "../../runtime/contract/registry.js";
import { type TypescriptQuote, typescriptLiteral, typescriptText } from "../../runtime/contract/typescript-text.js";
import type { Marks, PlacedText } from "../../runtime/run/languages/language.js";
import { CODE_START, programFault, programTree } from "./compile.js";

/** Stands for a value when the code is parsed: an expression, whose parentheses join with what may not stand before it. */
const STAND_IN = "(v)";

const invalid = (reason: string): PlacedText => ({ kind: "invalid", reason });

/** A value of the template, at its place in the parsed code. */
interface MarkedValue {
  readonly at: number;
  readonly value: JsonValue;
}

/** Inserts the marked values; each is in a literal of a text, or an expression of its own. */
export async function placeLiterals(text: string, marks: Marks): Promise<PlacedText> {
  const { code, values } = withStandIns(text, marks);
  if (values.length === 0) return { kind: "text", text: code };
  const written = await writersIn(code);
  if (typeof written === "string") return invalid(written);
  const parts: string[] = [];
  let end = 0;
  for (const { at, value } of values) {
    const literal = written.get(at + CODE_START)?.(value);
    if (literal === undefined) return invalid(refusal(code.slice(0, at).split("\n").length));
    parts.push(code.slice(end, at), literal);
    end = at + STAND_IN.length;
  }
  return { kind: "text", text: parts.join("") + code.slice(end) };
}

const refusal = (line: number): string =>
  `line ${line} of its code: a value stands in a text in quotes, in the text of a template literal, or alone as an expression`;

/** The code with stand-ins for its values. */
function withStandIns(text: string, { open, close }: Marks): { code: string; values: readonly MarkedValue[] } {
  const values: MarkedValue[] = [];
  let code = "";
  let end = 0;
  for (const {
    0: { length },
    1: json,
    2: value = "",
    index,
  } of text.matchAll(new RegExp(`${open}(${open})?([^${close}]*)${close}`, "g"))) {
    code += text.slice(end, index);
    values.push({ at: code.length, value: json === undefined ? value : JSON.parse(value) });
    code += STAND_IN;
    end = index + length;
  }
  return { code: code + text.slice(end), values };
}

/** Writes a value at its place. */
type Writer = (value: JsonValue) => string;

const inText =
  (quote: TypescriptQuote): Writer =>
  (value) =>
    typescriptText(typeof value === "string" ? value : typescriptLiteral(value), quote);

const inParentheses: Writer = (value) => `(${typescriptLiteral(value)})`;

/** Whether an escape before this place goes on with what follows it: a backslash, or one with digits. */
function isInEscape(text: string, at: number): boolean {
  let end = at;
  while (/\d/.test(text[end - 1] ?? "")) end--;
  let start = end;
  while (text[start - 1] === "\\") start--;
  return (end - start) % 2 === 1;
}

/** The stand-ins whose place can have a value, by their positions in the tree; or why the code cannot be read. */
async function writersIn(code: string): Promise<ReadonlyMap<number, Writer> | string> {
  const { ts } = await import("@ts-morph/common");
  try {
    const file = programTree(ts, code);
    const fault = programFault(ts, file);
    return fault ? `line ${fault.line} of its code: ${fault.message}` : writersOf(ts, file);
  } catch (error) {
    if (error instanceof RangeError) return "its code is nested too deeply";
    throw error;
  }
}

function writersOf(ts: typeof Compiler, file: Compiler.SourceFile): ReadonlyMap<number, Writer> {
  const writers = new Map<number, Writer>();
  const inside = (start: number, source: string): void => {
    const [first] = source;
    const write = inText(first === '"' || first === "'" ? first : "`");
    for (let at = source.indexOf(STAND_IN); at >= 0; at = source.indexOf(STAND_IN, at + 1))
      if (!isInEscape(source, at)) writers.set(start + at, write);
  };
  const visit = (node: Compiler.Node): void => {
    if (ts.isStringLiteral(node) || isTemplateText(ts, node)) inside(node.getStart(file), node.getText(file));
    else if (ts.isParenthesizedExpression(node) && node.getText(file) === STAND_IN)
      writers.set(node.getStart(file), isAlone(ts, node) ? typescriptLiteral : inParentheses);
    ts.forEachChild(node, visit);
  };
  visit(file);
  return writers;
}

/** Whether a node is text of a template literal; of one with a tag, the function of the tag sees the escapes. */
function isTemplateText(ts: typeof Compiler, node: Compiler.Node): boolean {
  if (!ts.isTemplateLiteralToken(node)) return false;
  const whole = ts.isTemplateSpan(node.parent) ? node.parent.parent : node.parent;
  return !ts.isTaggedTemplateExpression(ts.isTemplateExpression(whole) ? whole.parent : whole);
}

/** Whether an expression stands between punctuation, so that it needs no parentheses. */
const isAlone = (ts: typeof Compiler, node: Compiler.Expression): boolean =>
  (ts.isCallExpression(node.parent) && node.parent.expression !== node) ||
  ts.isArrayLiteralExpression(node.parent) ||
  ts.isPropertyAssignment(node.parent) ||
  ts.isVariableDeclaration(node.parent) ||
  ts.isTemplateSpan(node.parent);
