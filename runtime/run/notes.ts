/** Notes about a program that ended well: arguments that were repaired, and pages that it may have taken for all there is. */

import { propertiesOf } from "../call/arguments/schema.js";
import { canonicalJson } from "../contract/canonical.js";
import { isObject, own } from "../contract/json.js";
import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";
import { clip } from "../contract/scrub.js";

/** The notes about one program. */
export interface RunNotes {
  /** A call begins; the function that it returns takes the result, and the warnings of the envelope. */
  begins(tool: Tool, args: JsonObject): (result: JsonValue, warnings: readonly string[]) => void;
  /** The notes, one a line; undefined without any. */
  text(): string | undefined;
}

/** Most notes of a text, their size in bytes, the length of one in characters, and most that are counted. */
const MAX_NOTES = 5;
const MAX_BYTES = 600;
const MAX_LENGTH = 200;
const MAX_KEPT = 200;

/** Warnings about what a program does not send. */
const NOT_ITS_OWN = /^idempotency_/;

/** The pages of one list: a program reads it with the same arguments, but for those of the page. */
interface Series {
  /** The place of the call among those of the program. */
  readonly order: number;
  readonly page: string;
  /** What is said if no other page is read; undefined for the last page. */
  readonly cut: string | undefined;
}

/** Begins the notes about a program. */
export function newRunNotes(): RunNotes {
  const repairs = new Map<string, number>();
  const series = new Map<string, Series>();
  const listing = new Set<string>();
  let made = 0;
  const answeredPage = (tool: Tool, args: JsonObject, result: JsonValue, order: number): void => {
    // Pages of `ot` say themselves how to go on.
    const cut = tool.kind === "read" && tool.group !== "ot" ? cutOf(tool, args, result) : undefined;
    if (cut === undefined && !listing.has(tool.op)) return;
    listing.add(tool.op);
    const { page, others } = dividedArgs(args);
    const key = `${tool.op} ${canonicalJson(others)}`;
    const known = series.get(key);
    const one = { order, page: canonicalJson(page), cut };
    const isLater = known !== undefined && known.order > order && known.page !== one.page;
    if (!isLater && (known || series.size < MAX_KEPT)) series.set(key, one);
  };
  return {
    begins(tool, args) {
      made += 1;
      const order = made;
      return (result, warnings) => {
        for (const warning of warnings.filter((one) => !NOT_ITS_OWN.test(one)))
          if (repairs.size < MAX_KEPT) addTo(repairs, `${tool.op}: ${warning.replace(/^\w+: /, "")}`);
        answeredPage(tool, args, result, order);
      };
    },
    text() {
      const all = new Map(repairs);
      for (const { cut } of series.values()) if (cut !== undefined) addTo(all, cut);
      return textOf([...all]);
    },
  };
}

const addTo = (counts: Map<string, number>, text: string): void => void counts.set(text, (counts.get(text) ?? 0) + 1);

function textOf(all: readonly (readonly [text: string, count: number])[]): string | undefined {
  const lines: string[] = [];
  let left = MAX_BYTES;
  for (const [text, count] of all.slice(0, MAX_NOTES)) {
    const line = `Note: ${clip(text, MAX_LENGTH)}${count > 1 ? ` (${count} times)` : ""}.`;
    left -= Buffer.byteLength(line) + 1;
    if (left < 0) break;
    lines.push(line);
  }
  return lines.length === 0 ? undefined : lines.join("\n");
}

/** Names of arguments and of members, without case and underscores. */
const folded = (name: string): string => name.replaceAll(/[_-]/g, "").toLowerCase();

/** Names of arguments that choose a page, by what they say of it. */
const PAGE_ARGUMENTS = {
  offset: new Set(["offset", "skip", "startat", "startindex"]),
  page: new Set(["page", "pagenumber"]),
  cursor: new Set(["cursor", "after", "startingafter", "pagetoken", "nextcursor", "nextpagetoken", "startcursor"]),
  limit: new Set(["limit", "perpage", "pagesize", "maxresults", "first", "top"]),
} as const;

const isOfPage = (name: string): boolean => Object.values(PAGE_ARGUMENTS).some((names) => names.has(folded(name)));

function dividedArgs(args: JsonObject): { readonly page: JsonObject; readonly others: JsonObject } {
  const entries = Object.entries(args);
  return {
    page: Object.fromEntries(entries.filter(([name]) => isOfPage(name))),
    others: Object.fromEntries(entries.filter(([name]) => !isOfPage(name))),
  };
}

/** An argument of a page: its name in programs, what the call gives it, and the most that it takes. */
interface PageArgument {
  readonly name: string;
  readonly value: JsonValue | undefined;
  readonly maximum: number | undefined;
}

function pageArgument({ parameters, parameters_schema }: Tool, args: JsonObject, kind: keyof typeof PAGE_ARGUMENTS) {
  const found = parameters.find(({ original }) => PAGE_ARGUMENTS[kind].has(folded(original)));
  if (!found) return undefined;
  const property = propertiesOf(parameters_schema).get(found.original) ?? {};
  const { default: usual, maximum } = property as JsonObject;
  const value = own(args, found.original) ?? usual;
  return { name: found.name, value, maximum: numberIn(maximum) } satisfies PageArgument;
}

const numberIn = (value: JsonValue | undefined): number | undefined => (typeof value === "number" ? value : undefined);

/** What is said of an answer that is a part of a list; undefined for all other answers. */
function cutOf(tool: Tool, args: JsonObject, result: JsonValue): string | undefined {
  const argument = (kind: keyof typeof PAGE_ARGUMENTS) => pageArgument(tool, args, kind);
  const limit = argument("limit");
  if (Array.isArray(result)) {
    const isFull = result.length > 1 && result.length === limit?.value;
    const start = startOf(argument, result.length);
    return isFull
      ? `${tool.op} answered ${result.length}, the size of a page: more may exist${nextText(argument, start)}`
      : undefined;
  }
  const facts = isObject(result) ? pageFacts(result) : undefined;
  if (!facts) return undefined;
  const { items, total, offset, cursor, isMore } = facts;
  const start = offset ?? startOf(argument, numberIn(limit?.value) ?? items);
  const reached = start + items;
  const isCut = isMore ?? (cursor !== undefined || (total !== undefined && total > reached));
  if (!isCut) return undefined;
  const of = total !== undefined && total > reached ? ` of ${total}` : ", and there are more";
  return `${tool.op} answered ${reached}${of}${nextText(argument, start, { items, total, cursor })}`;
}

type ArgumentOf = (kind: keyof typeof PAGE_ARGUMENTS) => PageArgument | undefined;

/** How many items are before those of the page. */
const startOf = (argument: ArgumentOf, size: number): number =>
  numberIn(argument("offset")?.value) ?? ((numberIn(argument("page")?.value) ?? 1) - 1) * size;

/** How the rest is read. */
function nextText(
  argument: ArgumentOf,
  start: number,
  { items, total, cursor }: Partial<Pick<PageFacts, "items" | "total" | "cursor">> = {},
): string {
  const [offset, page, token, limit] = [argument("offset"), argument("page"), argument("cursor"), argument("limit")];
  const size = numberIn(limit?.value) ?? items ?? 0;
  const most = limit?.maximum ?? total ?? 0;
  const ways = [
    ...(token && cursor !== undefined ? [`${token.name}=its ${cursor}`] : []),
    ...(offset ? [`${offset.name}=${start + (items ?? size)}`] : []),
    ...(page ? [`${page.name}=${(numberIn(page.value) ?? 1) + 1}`] : []),
    ...(limit && most > size ? [`${limit.name}=${most}`] : []),
  ];
  return ways.length === 0 ? "" : `; pass ${ways.slice(0, 2).join(" or ")}`;
}

/** What an answer says of its page. */
interface PageFacts {
  readonly items: number;
  readonly total: number | undefined;
  readonly offset: number | undefined;
  /** Name of the member with the cursor of the next page. */
  readonly cursor: string | undefined;
  /** Whether there are more, if the answer says it. */
  readonly isMore: boolean | undefined;
}

/** Members that say something of the page. */
const ABOUT = ["pagination", "page_info", "pageInfo", "paging", "page", "meta", "metadata", "response_metadata"];
const CURSORS = ["next_cursor", "nextCursor", "next_page_token", "nextPageToken"];
const TOTALS = ["total", "total_count", "totalCount"];

function pageFacts(result: JsonObject): PageFacts | undefined {
  const lists = Object.entries(result).filter(([, value]) => Array.isArray(value));
  const parts = [result, ...ABOUT.map((name) => own(result, name)).filter(isObject)];
  const member = (names: readonly string[]): readonly [string, JsonValue] | undefined =>
    parts.flatMap((part) => names.flatMap((name) => named(part, name)))[0];
  const [, list] = lists.find(([name]) => name !== "links") ?? [];
  if (!Array.isArray(list)) return undefined;
  const [cursor, token] = member(CURSORS) ?? [];
  const [, more] = member(["has_more", "hasMore"]) ?? [];
  const isMore = typeof more === "boolean" ? more : linksNext(result) ? true : undefined;
  return {
    items: list.length,
    total: numberIn(member(TOTALS)?.[1]),
    offset: numberIn(member(["offset"])?.[1]),
    cursor: token === undefined || token === null || token === "" ? undefined : cursor,
    isMore,
  };
}

function named(part: JsonObject, name: string): readonly (readonly [string, JsonValue])[] {
  const value = own(part, name);
  return value === undefined ? [] : [[name, value]];
}

/** Whether an answer links to its next page, as `rel="next"`. */
function linksNext(result: JsonObject): boolean {
  const links = own(result, "links") ?? own(result, "link");
  if (typeof links === "string") return /\brel="?next\b/.test(links.slice(0, 5000));
  return Array.isArray(links) && links.slice(0, 20).some((one) => isObject(one) && one["rel"] === "next");
}
