/** `ot.result` shows pages of a stored result, and searches it; `ot.load` reads it back whole; `ot.keep` stores a value. */

import { canCall } from "../../catalog/advice.js";
import { writeJson } from "../../contract/exact-number.js";
import { fail } from "../../contract/handler.js";
import type { ProgramLanguage } from "../../contract/program-language.js";
import { readJson } from "../../contract/read-json.js";
import { withoutKeys } from "../../contract/scrub.js";
import { MAX_LINE_LENGTH, pagedLines, readableJson } from "../../run/result-text.js";
import { newResult } from "../../run/results.js";
import { newBoundary, redactedText } from "../../run/sanitize.js";
import { tablesText } from "../../run/sql/table-text.js";
import type { HostContext } from "../host.js";
import { shownLanguage } from "./catalogue.js";
import { errorText, valueError } from "./info.js";
import { type Stored, storedResult } from "./read-result.js";

/** A query of a stored result. */
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
  /** Set for a search. */
  readonly matched_lines?: number;
  /** Set for a search: at which `offset` of pages without it the lines are, in their order. */
  readonly line_numbers?: readonly number[];
  /** Set if the page was cut to fit, or has pieces of long lines: what is missing, and how to request it. */
  readonly note?: string;
}

/** The page, or the error text. */
export async function resultPage(
  asked: Omit<ResultQuery, "handle"> & { readonly handle: Stored },
  ctx: HostContext,
): Promise<ResultPage | string> {
  const { offset, limit, search } = asked;
  if (offset < 1) valueError(`offset must be >= 1 (1-indexed), got ${offset}`);
  if (limit < 1) valueError(`limit must be >= 1, got ${limit}`);
  if (asked.fuzzy && search === "") valueError("fuzzy needs search");
  const { pageBytes: maxInlineSize = ctx.host.project.settings.run.output.maxInlineSize } = ctx;
  const found = await storedResult(asked.handle, ctx);
  if (typeof found === "string") return errorText(ctx, "NOT_FOUND", found);
  const query = { ...asked, handle: found.meta.handle };
  const paged = pagedLines(found.text);
  const first = offset - 1;
  const matched = search === "" ? undefined : await matchesIn(found.text.split("\n"), query, ctx);
  const count = matched?.length ?? paged.length;
  const wanted = (matched ?? paged).slice(first, first + limit).map(({ text }) => text);
  const fitted = fitting(wanted, maxInlineSize, {
    ...query,
    language: shownLanguage(ctx.host.project.settings),
    canLoad: canCall(ctx.host.view(ctx.principal))("ot.load"),
  });
  const { lines } = fitted;
  const starts = paged.flatMap(({ isContinued }, at) => (isContinued ? [] : [at + 1]));
  const line_numbers = matched?.slice(first, first + lines.length).map(({ at }) => starts[at] ?? 1);
  const note = [fitted.note, matched ? undefined : piecesNote(paged, first, lines.length)].filter(Boolean).join(". ");
  ctx.host.statistics?.handedOut(lines.reduce((sum, line) => sum + Buffer.byteLength(line), 0));
  return {
    lines,
    total_lines: paged.length,
    returned: lines.length,
    offset,
    has_more: first + lines.length < count,
    ...(line_numbers ? { matched_lines: count, line_numbers } : {}),
    ...(note === "" ? {} : { note }),
  };
}

/**
 * The value of a stored result, or its text if it is no JSON.
 *
 * @throws ToolFailure NOT_FOUND, since a program would take the text of an error for its value
 */
export async function loadResult(handle: Stored, ctx: HostContext): Promise<unknown> {
  const found = await storedResult(handle, ctx);
  if (typeof found === "string") return fail("NOT_FOUND", found);
  try {
    return readJson(found.text);
  } catch (error) {
    if (error instanceof SyntaxError) return found.text;
    throw error;
  }
}

/** What `ot.keep` answers. */
export interface Kept {
  readonly handle: string;
  readonly size_bytes: number;
  /** Its tables with their columns, as SQL sees them; absent for a value without rows. */
  readonly table?: string;
}

/**
 * Stores a value for its caller, as a reply that is too large is stored.
 *
 * @throws ToolFailure if it is too large, or cannot be stored
 */
export async function keepResult(value: unknown, ctx: HostContext): Promise<Kept> {
  const { called = [], foreign = [] } = ctx.record ?? {};
  // What may hold untrusted text is sanitised when it is read again.
  const sources = new Set([...[...called].filter(ctx.host.project.settings.run.sanitizes), ...foreign]);
  const [source = "run"] = sources;
  const text = typeof value === "string" ? value : writeJson(value);
  const content = withoutKeys(readableJson(sources.size > 0 ? redactedText(text) : text));
  const boundary = sources.size > 0 ? { boundary: newBoundary([...sources]) } : {};
  const meta = await ctx.host.results.keep(
    newResult(content, { tool: sources.size === 1 ? source : "run", ...boundary, caller: ctx.principal.id }),
  );
  const table = typeof value === "string" ? undefined : tablesText(value);
  return { handle: meta.handle, size_bytes: meta.size_bytes, ...(table === undefined ? {} : { table }) };
}

/** The lines that are searched for; a long one from shortly before its match on. */
async function matchesIn(
  lines: readonly string[],
  { search, fuzzy }: ResultQuery,
  { signal }: HostContext,
): Promise<readonly { readonly at: number; readonly text: string }[]> {
  const { fuzzyLines, matchingLines } = await import("./line-search.js");
  const found = await (fuzzy ? fuzzyLines : matchingLines)(lines, search, signal);
  return found.map(({ at, from }) => ({ at, text: fromMatch(lines[at] ?? "", from) }));
}

/** Ranges of pieces that a note names. */
const MAX_RANGES = 3;

/** Which lines of a page are pieces of longer ones; "" if none is. */
function piecesNote(paged: ReturnType<typeof pagedLines>, first: number, count: number): string {
  const ranges: [from: number, to: number][] = [];
  for (let at = first; at < first + count; at++) {
    const last = ranges.at(-1);
    if (paged[at]?.isContinued && last?.[1] === at) last[1] = at + 1;
    else if (paged[at]?.isContinued || paged[at + 1]?.isContinued) ranges.push([at + 1, at + 1]);
  }
  if (ranges.length === 0) return "";
  const from = paged[first]?.isContinued ? `${first + 1} goes on from ${first}` : "";
  const to = paged[first + count]?.isContinued ? `${first + count} goes on in ${first + count + 1}` : "";
  const named = ranges.slice(0, MAX_RANGES).map(([one, last]) => (one === last ? `${one}` : `${one}-${last}`));
  const shown = [...named, ...(ranges.length > MAX_RANGES ? ["…"] : []), from, to].filter((text) => text !== "");
  return `Lines over ${MAX_LINE_LENGTH} characters are broken into several, to be joined without a line break: ${shown.join(", ")}.`;
}

/** Characters before a match that are shown of a long line. */
const BEFORE_MATCH = 200;

/** A long line from shortly before its match on, so that the match is shown. */
function fromMatch(line: string, from: number): string {
  const start = line.length <= MAX_LINE_LENGTH || from <= BEFORE_MATCH ? 0 : from - BEFORE_MATCH;
  return start === 0 ? line : `(+${start} characters) ...${line.slice(start)}`;
}

/** Bytes of a reply besides its lines, including what a format or a boundary may add. */
const FRAME_BYTES = 400;
/** Most bytes of an escaped character. */
const MAX_CHARACTER_BYTES = 6;

/** The lines of a reply, with a note about missing ones. */
interface Fitted {
  readonly lines: readonly string[];
  readonly note?: string;
}

/** A query, and whether its caller can load the whole result. */
interface Paged extends ResultQuery {
  readonly canLoad: boolean;
  readonly language: ProgramLanguage;
}

/** Cuts the lines so that the reply is not stored itself. A note names the next call if lines are missing. */
function fitting(wanted: readonly string[], maxInlineSize: number, query: Paged): Fitted {
  const room = maxInlineSize === 0 ? Number.POSITIVE_INFINITY : maxInlineSize - FRAME_BYTES;
  const all = within(wanted, room);
  if (isWhole(all, wanted)) return { lines: all };
  const noteOf = (lines: readonly string[]): string => cutNote({ lines, wanted, maxInlineSize, room, query });
  // With a low limit, half of the space is reserved for the lines.
  const lines = within(wanted, Math.max(room / 2, room - sizeOf(noteOf(all))));
  return { lines, note: noteOf(lines) };
}

const isWhole = (lines: readonly string[], wanted: readonly string[]): boolean =>
  lines.length === wanted.length && lines.every((line, at) => line === wanted[at]);

/** The lines that fit into the space; at least one, so that paging proceeds. */
function within(wanted: readonly string[], room: number): readonly string[] {
  const longest = longestIn(room);
  const kept: string[] = [];
  let size = 0;
  for (const line of wanted) {
    const isLong = line.length > MAX_LINE_LENGTH || sizeOf(line) > room;
    const short = isLong ? cut(line, longest) : line;
    size += sizeOf(short);
    if (size > room && kept.length > 0) break;
    kept.push(short);
  }
  return kept;
}

/** Longest line in characters that is not cut. */
const longestIn = (room: number): number =>
  Math.min(MAX_LINE_LENGTH, Math.max(1, Math.floor(room / MAX_CHARACTER_BYTES)));

/** Input of a note. */
interface Cut {
  readonly lines: readonly string[];
  readonly wanted: readonly string[];
  readonly maxInlineSize: number;
  readonly room: number;
  readonly query: Paged;
}

/** A note that names the missing part of the page, and how to request it. */
function cutNote({ lines, wanted, maxInlineSize, room, query }: Cut): string {
  const { length } = lines;
  const next = query.offset + length;
  const call = nextCall(query, next);
  const longLine = lines.find((line, at) => line !== wanted[at]);
  const missing = `Cut to output.max_inline_size (${maxInlineSize} bytes): ${length} of ${wanted.length} lines. Next: `;
  return [
    ...(length < wanted.length ? [missing + (call.length > room / 4 ? `the same with offset=${next}` : call)] : []),
    ...(longLine === undefined
      ? []
      : [
          `Long lines are cut; pages without search have the rest${query.canLoad ? ", and ot.load(handle) gives a program all of it" : ""}.`,
        ]),
  ].join(" ");
}

const DEFAULT_LIMIT = 100;

/** The call for the next page, as code. */
function nextCall({ handle, limit, search, fuzzy, language }: Paged, offset: number): string {
  const more = {
    ...(limit === DEFAULT_LIMIT ? {} : { limit }),
    ...(search === "" ? {} : { search }),
    ...(fuzzy ? { fuzzy } : {}),
  };
  return language.call("ot.result", { handle, offset, ...more });
}

/** Bytes of a line in the largest format, with quotes, indentation and newline. */
const sizeOf = (line: string): number =>
  Math.max(Buffer.byteLength(JSON.stringify(line)), Buffer.byteLength(line) + (line.match(/'/g)?.length ?? 0) + 2) + 6;

/** The beginning of a long line, and the number of missing characters. */
function cut(line: string, longest: number): string {
  if (line.length <= longest) return line;
  const isSplit = /[\ud800-\udbff]/.test(line[longest - 1] ?? "");
  const start = line.slice(0, isSplit ? longest - 1 : longest);
  return `${start}... (+${line.length - start.length} characters)`;
}
