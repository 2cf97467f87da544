/** Prepares a large result for paging: its lines, a preview, and a one-sentence summary. */

/** Longest line that a page shows whole, in characters. */
export const MAX_LINE_LENGTH = 2000;

/**
 * Breaks one-line JSON into one line for each element or key, and lines that are longer than {@link MAX_LINE_LENGTH} in
 * the same way; any other text is unchanged.
 */
export function readableJson(text: string): string {
  if (text.includes("\n") || !collectionOf(text)) return text;
  const starts = [0, ...jsonLineStarts(text)];
  return starts.map((start, at) => text.slice(start, starts[at + 1]).trimStart()).join("\n");
}

/** A line of a page: a line of the text, or a piece of a longer one. */
interface PagedLine {
  readonly text: string;
  /** Whether it continues the line before. */
  readonly isContinued: boolean;
}

/** The lines of a text as pages have them: one that is longer than {@link MAX_LINE_LENGTH} is broken behind spaces, else anywhere. */
export const pagedLines = (text: string): readonly PagedLine[] =>
  text.split("\n").flatMap((line) => piecesOf(line).map((piece, at) => ({ text: piece, isContinued: at > 0 })));

/** The pieces of a line; together they are the line. */
function piecesOf(line: string): readonly string[] {
  const pieces: string[] = [];
  let from = 0;
  while (line.length - from > MAX_LINE_LENGTH) {
    const most = from + MAX_LINE_LENGTH;
    const behindSpace = line.lastIndexOf(" ", most - 1) + 1;
    const isSplit = /[\ud800-\udbff]/.test(line[most - 1] ?? "");
    const end = behindSpace > from ? behindSpace : isSplit ? most - 1 : most;
    pieces.push(line.slice(from, end));
    from = end;
  }
  return [...pieces, line.slice(from)];
}

/** The non-empty list or object that a JSON text contains. */
export function collectionOf(text: string): object | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as object;
    return Object.keys(value).length > 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Where lines begin in valid JSON, but for the first: after every comma of the outermost brackets, and in lines that are
 * still too long after those of the next level.
 */
export function jsonLineStarts(json: string): readonly number[] {
  let level = 1;
  let { starts, deepest } = startsAt(json, level, []);
  while (level < deepest && hasLongLine(json, starts)) {
    level++;
    ({ starts, deepest } = startsAt(json, level, starts));
  }
  return starts;
}

const hasLongLine = (json: string, starts: readonly number[]): boolean =>
  [...starts, json.length].some((end, at) => end - (starts[at - 1] ?? 0) > MAX_LINE_LENGTH);

/** The starts, and those after the commas of one level in lines that are too long; on the first level, in every line. */
function startsAt(json: string, level: number, starts: readonly number[]) {
  const found: number[] = [];
  const isBroken = (line: number): boolean =>
    level === 1 || (starts[line] ?? json.length) - (starts[line - 1] ?? 0) > MAX_LINE_LENGTH;
  let [depth, deepest, line, breaks] = [0, 0, 0, isBroken(0)];
  for (let at = 0; at < json.length; at++) {
    if (at === starts[line]) {
      found.push(at);
      line++;
      breaks = isBroken(line);
    }
    const one = json[at];
    if (one === '"') at = endOfText(json, at);
    else if (one === "[" || one === "{") deepest = Math.max(deepest, ++depth);
    else if (one === "]" || one === "}") depth--;
    else if (one === "," && depth === level && breaks) found.push(at + 1);
  }
  return { starts: found, deepest };
}

/** The end of the string that starts here. */
function endOfText(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at;
}

/** The first lines of a text, up to a number of bytes; a line that is cut ends in `...`. */
export function firstLines(text: string, lines: number, bytes: number): string {
  const first = Number.isFinite(lines) ? text.split("\n", lines).join("\n") : text;
  if (Buffer.byteLength(first) <= bytes) return first;
  const cut = Buffer.from(first).subarray(0, Math.max(0, bytes - 3));
  // A character that is cut in half is dropped.
  return `${new TextDecoder("utf-8", { fatal: false }).decode(cut, { stream: true })}...`;
}

/** The subject of a summary. */
export interface Summed {
  readonly text: string;
  readonly lines: number;
  /** The op that it comes from. */
  readonly tool: string;
  /** Whether it is untrusted text, which must not appear in the summary. */
  readonly foreign: boolean;
}

/** One sentence about a result: the number of items, keys, matches or lines. */
export function resultSentence({ text, lines, tool, foreign }: Summed, value = collectionOf(text)): string {
  if (Array.isArray(value)) return `${value.length} items from ${tool}`;
  const keys = Object.keys(value ?? {});
  if (value) return `object with ${keys.length} keys${foreign ? "" : ` (${keysOf(keys)})`} from ${tool}`;
  const matches = matchesIn(text);
  return matches ? `${matches.count} matches in ${matches.files} files` : `${lines} lines from ${tool}`;
}

/** Names of the first keys. */
function keysOf(names: readonly string[]): string {
  const keys = names.slice(0, 8).map((key) => (key.length > 40 ? `${key.slice(0, 37)}...` : key));
  return [...keys, ...(names.length > 8 ? ["..."] : [])].join(", ");
}

/** Counts lines of the form `path:line:text`, if all lines have it. */
function matchesIn(text: string): { readonly count: number; readonly files: number } | undefined {
  const files = new Set<string>();
  const lines = text.split("\n").filter((line) => line !== "");
  for (const line of lines) {
    const path = /^([^\s:][^:]*):\d+:/.exec(line)?.[1];
    if (path === undefined) return undefined;
    files.add(path);
  }
  return lines.length > 0 ? { count: lines.length, files: files.size } : undefined;
}
