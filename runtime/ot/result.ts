/** `ot.result`: pages through a result that was stored, and searches it (`ot-pack.md` 2, D23). */

import { readResult } from "../run/results.js";
import type { HostContext } from "../shipped.js";
import { valueError } from "./info.js";

/** What is asked of a stored result. */
export interface ResultQuery {
  readonly handle: string;
  readonly offset: number;
  readonly limit: number;
  readonly search: string;
  readonly fuzzy: boolean;
}

/** A page of lines. */
export interface ResultPage {
  readonly lines: readonly string[];
  readonly total_lines: number;
  readonly returned: number;
  readonly offset: number;
  readonly has_more: boolean;
  /** Where something was searched. */
  readonly matched_lines?: number;
}

/** The page, or why there is none. */
export async function resultPage(query: ResultQuery, ctx: HostContext): Promise<ResultPage | string> {
  const { handle, offset, limit, search } = query;
  if (offset < 1) valueError(`offset must be >= 1 (1-indexed), got ${offset}`);
  if (limit < 1) valueError(`limit must be >= 1, got ${limit}`);
  if (query.fuzzy && search === "") valueError("fuzzy needs search");
  const { project, now } = ctx.host;
  const { resultTtl, maxInlineSize } = project.settings.run.output;
  const found = await readResult(project.root, handle, resultTtl, now(), ctx.principal.id);
  if (found.kind === "expired") return `Error: Result '${handle}' has expired. Run the code again.`;
  if (found.kind === "unknown") return unknown(handle, resultTtl);
  if (found.meta.sanitized) ctx.record?.foreign.add(found.meta.tool);
  const all = found.text.split("\n");
  const matched = search === "" ? undefined : await matchesIn(all, query, ctx);
  const count = matched?.length ?? all.length;
  const first = offset - 1;
  const indexes = matched?.slice(first, first + limit);
  const wanted = indexes ? indexes.map((at) => all[at] ?? "") : all.slice(first, first + limit);
  const lines = fitting(wanted, maxInlineSize);
  ctx.host.statistics?.handedOut(lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0));
  return {
    lines,
    total_lines: all.length,
    returned: lines.length,
    offset,
    has_more: first + lines.length < count,
    ...(matched ? { matched_lines: count } : {}),
  };
}

const unknown = (handle: string, ttl: number): string =>
  `Error: Result '${handle.slice(0, 40)}' not found. ${ttl > 0 ? `Results are kept ${ttl} s; run` : "Run"} the code again.`;

async function matchesIn(lines: readonly string[], { search, fuzzy }: ResultQuery, { signal }: HostContext) {
  if (fuzzy) return (await import("./fuzzy-lines.js")).fuzzyLines(lines, search, signal);
  return (await import("./line-search.js")).matchingLines(lines, search, signal);
}

const LONGEST_LINE = 2000;
/** Bytes of a reply beside its lines, with what a format or a boundary may add. */
const FRAME = 400;
/** Bytes that a character may take where it is escaped. */
const WIDEST = 6;

/** As many lines as a reply may hold that is not to be stored itself; one at least, so that paging gets on. */
function fitting(lines: readonly string[], maxInlineSize: number): readonly string[] {
  const room = maxInlineSize === 0 ? Number.POSITIVE_INFINITY : maxInlineSize - FRAME;
  const longest = Math.min(LONGEST_LINE, Math.max(1, Math.floor(room / WIDEST)));
  const kept: string[] = [];
  let size = 0;
  for (const line of lines) {
    const short = cut(line, longest);
    size += sizeOf(short);
    if (size > room && kept.length > 0) break;
    kept.push(short);
  }
  return kept;
}

/** Bytes of a line in the widest of the formats, with its quotes, its indentation and its newline. */
const sizeOf = (line: string): number =>
  Math.max(Buffer.byteLength(JSON.stringify(line)), Buffer.byteLength(line) + (line.match(/'/g)?.length ?? 0) + 2) + 6;

/** The beginning of a long line, and how much is missing. */
function cut(line: string, longest: number): string {
  if (line.length <= longest) return line;
  const isSplit = /[\ud800-\udbff]/.test(line[longest - 1] ?? "");
  const start = line.slice(0, isSplit ? longest - 1 : longest);
  return `${start}... (+${line.length - start.length} characters)`;
}
