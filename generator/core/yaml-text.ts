/** Parses YAML text within limits, so that no input takes more than linear time or ends the process. */

import {
  Composer,
  type CST,
  type Document,
  isAlias,
  isCollection,
  isPair,
  isScalar,
  Lexer,
  type LineCounter,
  type Node,
  Parser,
  visit,
  type YAMLMap,
} from "yaml";
import { isRecord } from "../../runtime/contract/json.js";

/** Why a text cannot be used, and where. */
export interface YamlFault {
  readonly reason: string;
  readonly offset: number;
}

/** A parsed text as plain data, beside its nodes. */
export interface YamlText {
  readonly document: Document;
  readonly value: unknown;
}

/** Most levels of maps and lists: the library is recursive, and a stack overflow ends the whole process. */
const MAX_DEPTH = 200;
/** Most values that all aliases together may expand to. */
const MAX_REPEATED = 200_000;

/** `uniqueKeys` of the library takes quadratic time; {@link repeatedKeys} finds duplicate keys instead. */
const OPTIONS = { merge: true, uniqueKeys: false, logLevel: "error", prettyErrors: false } as const;

/** Faults of a text, at least one. */
export interface YamlFaults {
  readonly faults: readonly YamlFault[];
}

const fault = (reason: string, offset: number): YamlFaults => ({ faults: [{ reason, offset }] });

/**
 * Parses a text; returns faults if it is not YAML, has several documents, or exceeds a limit.
 *
 * @param amend may change the nodes before the plain data is made of them
 */
export function parseYamlText(
  text: string,
  lines: LineCounter,
  amend: (document: Document) => void = () => undefined,
): YamlText | YamlFaults {
  const tokens = tokensOf(text, lines);
  if (typeof tokens === "number") return fault("it nests too deeply", tokens);
  const [document, another] = new Composer({ ...OPTIONS, lineCounter: lines }).compose(tokens, true, text.length);
  if (!document) return fault("it holds nothing", 0);
  if (another) return fault("it has more than one document", another.range[0]);
  if (document.errors.length > 0) return { faults: syntaxFaults(document.errors, tokens) };
  const faults = [...repeatedKeys(document as Document, lines), ...repeatedValues(document as Document)];
  if (faults.length > 0) return { faults };
  amend(document as Document);
  const value = plain(document as Document);
  return value instanceof Error ? fault(value.message, 0) : { document: document as Document, value };
}

/** The tokens of a text, or the offset at which it nests too deeply. */
function tokensOf(text: string, lines: LineCounter): readonly CST.Token[] | number {
  const parser = new Parser(lines.addNewLine);
  const tokens: CST.Token[] = [];
  lines.addNewLine(0);
  for (const lexeme of new Lexer().lex(text)) {
    tokens.push(...parser.next(lexeme));
    if (parser.stack.length > MAX_DEPTH) return parser.offset;
  }
  return [...tokens, ...parser.end()];
}

/** What opens a value that must be closed, and the character that closes it. */
const CLOSED_BY: Readonly<Record<string, readonly [what: string, mark: string]>> = {
  "{": ["map", "}"],
  "[": ["list", "]"],
  '"': ["text", '"'],
  "'": ["text", "'"],
};

/** The faults of the library; what is not closed is reported where it opens, which the library does where it first notices. */
function syntaxFaults(errors: Document["errors"], tokens: readonly CST.Token[]): readonly YamlFault[] {
  const open = openings(tokens);
  return errors.map(({ message, pos: [offset] }) => {
    const mark = /^Flow .* end with a (.)|^Missing closing (.)/.exec(message)?.slice(1).find(Boolean);
    const found = open.findLastIndex((one) => one.offset <= offset && CLOSED_BY[one.by]?.[1] === mark);
    const [opening] = found < 0 ? [] : open.splice(found, 1);
    const [what] = opening ? (CLOSED_BY[opening.by] ?? []) : [];
    if (!opening || what === undefined) return { reason: message, offset };
    return { reason: `this ${what} is not closed: ${mark} is missing`, offset: opening.offset };
  });
}

interface Opening {
  readonly by: string;
  readonly offset: number;
}

/** The maps and lists in braces and brackets that are not closed, and all quoted texts, in the order of the text. */
function openings(tokens: readonly CST.Token[]): Opening[] {
  const found: Opening[] = [];
  const walk = (value: unknown): void => {
    if (typeof value !== "object" || value === null) return;
    const opening = isRecord(value) ? openingOf(value) : undefined;
    if (opening) found.push(opening);
    for (const one of Object.values(value)) walk(one);
  };
  walk(tokens);
  return found.sort((a, b) => a.offset - b.offset);
}

function openingOf({ type, offset, start, end, source }: Readonly<Record<string, unknown>>): Opening | undefined {
  const mark = type === "flow-collection" && isRecord(start) ? start["source"] : String(source ?? "")[0];
  const by = String(mark);
  const isQuoted = type === "double-quoted-scalar" || type === "single-quoted-scalar";
  if (!isQuoted && type !== "flow-collection") return undefined;
  const isClosed = Array.isArray(end) && end.some((one) => one.source === CLOSED_BY[by]?.[1]);
  return isClosed ? undefined : { by, offset: Number(offset) };
}

/** Duplicate keys of a map. */
function repeatedKeys(document: Document, lines: LineCounter): readonly YamlFault[] {
  const faults: YamlFault[] = [];
  visit(document, { Map: (_, map) => void faults.push(...repeatedIn(map, lines)) });
  return faults;
}

function repeatedIn({ items }: YAMLMap, lines: LineCounter): readonly YamlFault[] {
  const own = new Map<string, number>();
  return items.flatMap((pair) => {
    if (!isPair(pair) || !isScalar(pair.key) || !pair.key.range) return [];
    const name = String(pair.key.value);
    const offset = pair.key.range[0];
    const first = name === "<<" ? undefined : own.get(name);
    own.set(name, offset);
    if (first === undefined) return [];
    const { line } = lines.linePos(first);
    return [{ reason: `the key ${name} occurs twice in one map, first in line ${line}`, offset }];
  });
}

/** The alias that exceeds the limit on repeated values: a few lines of aliases can expand to billions of values. */
function repeatedValues(document: Document): readonly YamlFault[] {
  const sizes = new Map<string, number>();
  const faults: YamlFault[] = [];
  let repeated = 0;
  const sizeOf = (node: unknown): number => {
    if (isPair(node)) return sizeOf(node.key) + sizeOf(node.value);
    if (isAlias(node)) {
      const size = sizes.get(node.source) ?? 1;
      repeated += size;
      if (repeated > MAX_REPEATED && faults.length === 0)
        faults.push({ reason: TOO_MANY, offset: node.range?.[0] ?? 0 });
      return size;
    }
    const size = isCollection(node)
      ? (node.items as readonly unknown[]).reduce<number>((sum, one) => sum + sizeOf(one), 1)
      : 1;
    const anchor = (node as Node | null)?.anchor;
    if (anchor !== undefined) sizes.set(anchor, size);
    return size;
  };
  sizeOf(document.contents);
  return faults;
}

const TOO_MANY = `aliases up to this one repeat more than ${MAX_REPEATED} values`;

/** The document as plain data, or the error for an alias without an anchor or one that contains itself. */
function plain(document: Document): unknown {
  try {
    const value: unknown = document.toJS({ maxAliasCount: -1 });
    JSON.stringify(value);
    return value;
  } catch (cause) {
    return cause instanceof TypeError ? new Error("an alias refers to what encloses it") : cause;
  }
}
