/** Edits the table of one server in a TOML text, preserving every other byte. */

import { type Edit, layoutOf, withEdits } from "../../runtime/contract/text-edits.js";

type Toml = typeof import("smol-toml");
type Path = readonly string[];

/** A table header, or a key with its value. */
interface Statement {
  readonly kind: "table" | "value";
  /** From the root of the document. */
  readonly path: Path;
  readonly start: number;
  /** The offset after its line. */
  readonly end: number;
}

/** A string of any kind, a comment, a line end, a bracket, an equals sign, or the text between them. */
const TOKEN =
  /"""(?:\\.|[^\\])*?"""(?:"{0,2})|'''.*?'''(?:'{0,2})|"(?:\\.|[^"\\\r\n])*"|'[^'\r\n]*'|#[^\n]*|\n|[[\]{}=]|[^"'#\n[\]{}=]+/gsy;
const DEPTH: Readonly<Record<string, number>> = { "[": 1, "{": 1, "]": -1, "}": -1 };

/**
 * Sets members of the table at a path in a valid text. Existing members among `owned` are replaced or removed,
 * everything else stays. A missing table is added at the end.
 */
export async function changedToml(
  text: string,
  path: Path,
  members: Readonly<Record<string, unknown>>,
  owned: readonly string[],
): Promise<string> {
  const toml = await import("smol-toml");
  const { eol } = layoutOf(text);
  const statements = statementsIn(toml, text);
  const isOwned = ({ path: at }: Statement): boolean => begins(at, path) && owned.includes(at[path.length] ?? "");
  const gone: readonly Edit[] = statements
    .filter(isOwned)
    .map(({ start, end }) => ({ from: start, to: end, text: "" }));
  const lines = toml.stringify(members).trimEnd().split("\n").join(eol) + eol;
  const table = statements.find(
    (one) => one.kind === "table" && one.path.length === path.length && begins(one.path, path),
  );
  if (!table) return appended(withEdits(text, gone), `${headerOf(path)}${eol}${lines}`, eol);
  const brk = text.slice(0, table.end).endsWith("\n") ? "" : eol;
  return withEdits(text, [{ from: table.end, to: table.end, text: brk + lines }, ...gone]);
}

const begins = (path: Path, start: Path): boolean => start.every((key, i) => path[i] === key);
const headerOf = (path: Path): string =>
  `[${path.map((key) => (/^[\w-]+$/.test(key) ? key : JSON.stringify(key))).join(".")}]`;

/** Takes the table or value at a path out of a valid text, with all tables below it. */
export async function withoutToml(text: string, path: Path): Promise<string> {
  const gone = statementsIn(await import("smol-toml"), text).filter((one) => begins(one.path, path));
  return withEdits(
    text,
    gone.map(({ start, end }) => ({ from: start, to: end, text: "" })),
  );
}

/** Appends a document of tables to a text. */
export const appendedToml = (text: string, document: string): string => {
  const { eol } = layoutOf(text);
  return appended(text, document.trimEnd().split("\n").join(eol) + eol, eol);
};

/** Appends a block after an empty line. */
function appended(text: string, block: string, eol: string): string {
  if (/^\s*$/.test(text)) return text + block;
  const line = text.endsWith("\n") ? "" : eol;
  const gap = /\n[ \t\r]*\n$/.test(text + line) ? "" : eol;
  return text + line + gap + block;
}

function statementsIn(toml: Toml, text: string): readonly Statement[] {
  const found: Statement[] = [];
  let table: Path = [];
  for (const line of logicalLines(text)) {
    const isTable = line.head.startsWith("[");
    const keys = pathIn(toml, isTable ? line.head : `${line.head} = 0`);
    if (isTable) table = keys;
    found.push({
      kind: isTable ? "table" : "value",
      path: isTable ? keys : [...table, ...keys],
      start: line.start,
      end: line.end,
    });
  }
  return found;
}

interface Line {
  /** The complete header, or the key of a value. */
  readonly head: string;
  readonly start: number;
  readonly end: number;
}

/** The logical lines; a value that spans several lines is one. */
function* logicalLines(text: string): Generator<Line> {
  let [start, depth, head, equals] = [0, 0, "", false];
  const flush = (end: number): Line[] => {
    const line = { head: head.trim(), start, end };
    [start, head, equals] = [end, "", false];
    return line.head === "" ? [] : [line];
  };
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (token === "\n" && depth === 0) yield* flush(index + 1);
    else if (token === "=" && depth === 0) equals = true;
    else {
      depth += DEPTH[token] ?? 0;
      if (!equals && !token.startsWith("#")) head += token;
    }
  }
  yield* flush(text.length);
}

/** The keys of a header, or of a key with a value. */
function pathIn(toml: Toml, line: string): Path {
  const path: string[] = [];
  for (let at: unknown = toml.parse(line); typeof at === "object" && at !== null; ) {
    const [entry] = Object.entries(at);
    if (!entry) break;
    if (!Array.isArray(at)) path.push(entry[0]);
    at = entry[1];
  }
  return path;
}
