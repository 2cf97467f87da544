/** A large result as text to page through: its lines, a preview, a sentence on what it is. */

/** JSON on one line becomes JSON with an element of its list, or a key of its object, a line; any other text stays as it is. */
export function readable(text: string): string {
  return text.includes("\n") || !collectionOf(text) ? text : withLines(text);
}

/** The list or object with members that a text is as JSON. */
function collectionOf(text: string): object | undefined {
  if (!/^[[{]/.test(text)) return undefined;
  try {
    const value = JSON.parse(text) as object;
    return Object.keys(value).length > 0 ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Valid JSON with a newline after every comma of its outermost brackets. */
function withLines(json: string): string {
  const parts: string[] = [];
  let [start, depth] = [0, 0];
  for (let at = 0; at < json.length; at++) {
    const one = json[at];
    if (one === '"') at = endOfText(json, at);
    else if (one === "[" || one === "{") depth++;
    else if (one === "]" || one === "}") depth--;
    else if (one === "," && depth === 1) {
      parts.push(json.slice(start, at + 1));
      start = at + 1;
    }
  }
  return [...parts, json.slice(start).trimStart()].join("\n");
}

/** Where the text that starts here ends. */
function endOfText(json: string, start: number): number {
  let at = start + 1;
  while (at < json.length && json[at] !== '"') at += json[at] === "\\" ? 2 : 1;
  return at;
}

/** The first lines of a text, at most so many bytes; a line that is cut ends in `...`. */
export function preview(text: string, lines: number, bytes: number): string {
  const first = Number.isFinite(lines) ? text.split("\n", lines).join("\n") : text;
  if (Buffer.byteLength(first) <= bytes) return first;
  const cut = Buffer.from(first).subarray(0, Math.max(0, bytes - 3));
  // A character that is cut in half is dropped.
  return `${new TextDecoder("utf-8", { fatal: false }).decode(cut, { stream: true })}...`;
}

/** What a summary is about. */
export interface Summed {
  readonly text: string;
  readonly lines: number;
  /** The op that it comes from. */
  readonly tool: string;
  /** Foreign text, of which none may stand in a sentence of ours. */
  readonly foreign: boolean;
}

/** One sentence on a result: how many items, keys, matches or lines, and of what. */
export function summaryOf({ text, lines, tool, foreign }: Summed): string {
  const value = collectionOf(text);
  if (Array.isArray(value)) return `${value.length} items from ${tool}`;
  const keys = Object.keys(value ?? {});
  if (value) return `object with ${keys.length} keys${foreign ? "" : ` (${keysOf(keys)})`} from ${tool}`;
  const matches = matchesIn(text);
  return matches ? `${matches.count} matches in ${matches.files} files` : `${lines} lines from ${tool}`;
}

/** Names of keys, as many as a sentence bears. */
function keysOf(names: readonly string[]): string {
  const keys = names.slice(0, 8).map((key) => (key.length > 40 ? `${key.slice(0, 37)}...` : key));
  return [...keys, ...(names.length > 8 ? ["..."] : [])].join(", ");
}

/** Lines of the form `path:line:text`, where all are. */
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
