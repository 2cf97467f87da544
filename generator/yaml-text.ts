/** Parses the text of a YAML file within bounds: nothing that stands in one takes more than linear time, or ends the process. */

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

/** Levels of maps and lists: the library goes into them by recursion, and the whole process ends where its stack does. */
const MAX_DEPTH = 200;
/** Values that all aliases together may stand for. */
const MAX_REPEATED = 200_000;

/** The library looks for a key among all others, which takes minutes for many; {@link repeatedKeys} finds one that stands twice. */
const OPTIONS = { merge: true, uniqueKeys: false, logLevel: "error", prettyErrors: false } as const;

/** Why a text is of no use: at least one fault. */
export interface YamlFaults {
  readonly faults: readonly YamlFault[];
}

const fault = (reason: string, offset: number): YamlFaults => ({ faults: [{ reason, offset }] });

/** Parses a text; the faults where it is no YAML, has more than one document, or goes beyond a bound. */
export function parseYamlText(text: string, lines: LineCounter): YamlText | YamlFaults {
  const tokens = tokensOf(text, lines);
  if (typeof tokens === "number") return fault("it nests too deeply", tokens);
  const [document, another] = new Composer({ ...OPTIONS, lineCounter: lines }).compose(tokens, true, text.length);
  if (!document) return fault("it holds nothing", 0);
  if (another) return fault("it has more than one document", another.range[0]);
  if (document.errors.length > 0)
    return { faults: document.errors.map(({ message, pos }) => ({ reason: message, offset: pos[0] })) };
  const faults = [...repeatedKeys(document as Document, lines), ...repeatedValues(document as Document)];
  if (faults.length > 0) return { faults };
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

/** Keys that stand twice in one map. */
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
    return [{ reason: `the key ${name} stands twice in one map, first in line ${line}`, offset }];
  });
}

/** The alias with which too many values are repeated: a few lines of aliases can stand for thousands of millions. */
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

/** The document as plain data. An alias without an anchor, or one that holds itself: the error. */
function plain(document: Document): unknown {
  try {
    const value: unknown = document.toJS({ maxAliasCount: -1 });
    JSON.stringify(value);
    return value;
  } catch (cause) {
    return cause instanceof TypeError ? new Error("an alias refers to what encloses it") : cause;
  }
}
