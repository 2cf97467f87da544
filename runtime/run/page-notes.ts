/** Finds the lists that a program read in part, by the pages of its requests and by their answers. */

import { propertiesOf } from "../call/arguments/schema.js";
import { canonicalJson } from "../contract/canonical.js";
import { isObject, own } from "../contract/json.js";
import type { JsonObject, JsonValue, Tool } from "../contract/registry.js";

/** A call that was answered. */
interface AnsweredCall {
  readonly tool: Tool;
  readonly args: JsonObject;
  readonly result: JsonValue;
  /** The place of the call among those of the program. */
  readonly order: number;
}

/** What is said of the lists of one program. */
export interface PageNotes {
  answered(call: AnsweredCall): void;
  /** A text for each list that was read in part. */
  texts(): readonly string[];
}

/** Most lists that are kept. */
const MAX_KEPT = 200;

/** Begins the notes about the pages of a program. A list is read with the same arguments, but for those of the page. */
export function newPageNotes(): PageNotes {
  const cuts = new Map<string, { readonly order: number; readonly text: string }>();
  // Lists whose last page was read. Calls at once are answered in any order, so it may come before the first one.
  const ended = new Set<string>();
  const ends = (key: string): void => {
    cuts.delete(key);
    if (ended.size < MAX_KEPT) ended.add(key);
  };
  const goesOn = (key: string, order: number, text: string): void => {
    const known = cuts.get(key);
    if (known ? known.order < order : cuts.size < MAX_KEPT && !ended.has(key)) cuts.set(key, { order, text });
  };
  return {
    answered({ tool, args, result, order }) {
      // Pages of `ot` say themselves how to go on.
      if (tool.kind !== "read" || tool.group === "ot") return;
      const text = cutOf(tool, args, result);
      const { page, others } = dividedArgs(args);
      if (text === undefined && cuts.size === 0 && Object.keys(page).length === 0) return;
      const key = `${tool.op} ${canonicalJson(others)}`;
      if (text === undefined) ends(key);
      else goesOn(key, order, text);
    },
    texts: () => [...cuts.values()].map(({ text }) => text),
  };
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

const KINDS = Object.keys(PAGE_ARGUMENTS) as (keyof typeof PAGE_ARGUMENTS)[];

const isOfPage = (name: string): boolean => Object.values(PAGE_ARGUMENTS).some((names) => names.has(folded(name)));

function dividedArgs(args: JsonObject): { readonly page: JsonObject; readonly others: JsonObject } {
  const entries = Object.entries(args);
  return {
    page: Object.fromEntries(entries.filter(([name]) => isOfPage(name))),
    others: Object.fromEntries(entries.filter(([name]) => !isOfPage(name))),
  };
}

/** An argument of a page: its name in programs, what the call gives it, whether it is given, and its bounds. */
interface PageArgument {
  readonly name: string;
  readonly value: JsonValue | undefined;
  readonly isGiven: boolean;
  readonly maximum: number | undefined;
  /** Number of the first page. */
  readonly first: number;
}

function pageArgument(
  { parameters, parameters_schema }: Tool,
  args: JsonObject,
  kind: keyof typeof PAGE_ARGUMENTS,
): PageArgument | undefined {
  const found = parameters.find(({ original }) => PAGE_ARGUMENTS[kind].has(folded(original)));
  if (!found) return undefined;
  const property = propertiesOf(parameters_schema).get(found.original) ?? {};
  const { default: usual, maximum, minimum } = property as JsonObject;
  const given = own(args, found.original) ?? undefined;
  const first = [given, usual, minimum].includes(0) ? 0 : 1;
  return { name: found.name, value: given ?? usual, isGiven: given !== undefined, maximum: numberIn(maximum), first };
}

const numberIn = (value: JsonValue | undefined): number | undefined => (typeof value === "number" ? value : undefined);

/**
 * What is said of an answer that is a part of a list; undefined for all other answers. The answer says it outright, or by the
 * cursor of the next page, or by its total; else a page of the greatest size may have others after it.
 */
function cutOf(tool: Tool, args: JsonObject, result: JsonValue): string | undefined {
  const argument: ArgumentOf = (kind) => pageArgument(tool, args, kind);
  const facts = pageFacts(result);
  if (!facts) return undefined;
  const size = numberIn(argument("limit")?.value);
  // Code that asks for one item does not take it for all.
  if (size !== undefined && size <= 1) return undefined;
  const { items, total } = facts;
  const start = facts.offset ?? startOf(argument, size ?? items);
  const reached = (start ?? 0) + items;
  const isBeyond = total === undefined ? undefined : total > reached;
  // Of an op that gives no pages, a total is an amount.
  if (isBeyond && KINDS.every((kind) => argument(kind) === undefined)) return undefined;
  const isMore = facts.isMore ?? moreByCursor(facts, argument) ?? isBeyond ?? (items === size ? "perhaps" : false);
  if (isMore === false) return undefined;
  const next = nextText(argument, start ?? 0, facts);
  if (isMore === "perhaps") return `${tool.op} answered ${items}, the size of a page: more may exist${next}`;
  const of = start !== undefined && isBeyond ? ` of ${total}` : ", and there are more";
  return `${tool.op} answered ${reached}${of}${next}`;
}

type ArgumentOf = (kind: keyof typeof PAGE_ARGUMENTS) => PageArgument | undefined;

/** Whether there are more, as the cursor of the next page says it; undefined if the op is not read by cursor. */
function moreByCursor({ cursor, isCursorNull }: Partial<PageFacts>, argument: ArgumentOf): boolean | undefined {
  if (cursor !== undefined) return true;
  const hasOtherWay = argument("offset") !== undefined || argument("page") !== undefined;
  return argument("cursor")?.isGiven || (isCursorNull && !hasOtherWay) ? false : undefined;
}

/** How many items are before those of the page; undefined after a cursor. */
function startOf(argument: ArgumentOf, size: number): number | undefined {
  const [offset, page] = [argument("offset"), argument("page")];
  if (argument("cursor")?.isGiven) return undefined;
  return numberIn(offset?.value) ?? (page ? ((numberIn(page.value) ?? page.first) - page.first) * size : 0);
}

/** How the rest is read. */
function nextText(
  argument: ArgumentOf,
  start: number,
  { items, total, cursor }: Pick<PageFacts, "items" | "total" | "cursor">,
): string {
  const [offset, page, token, limit] = [argument("offset"), argument("page"), argument("cursor"), argument("limit")];
  const size = numberIn(limit?.value) ?? items;
  const most = limit?.maximum ?? total ?? 0;
  const ways = [
    ...(token && cursor !== undefined ? [`${token.name}=its ${cursor}`] : []),
    ...(offset ? [`${offset.name}=${start + items}`] : []),
    ...(page ? [`${page.name}=${(numberIn(page.value) ?? page.first) + 1}`] : []),
    ...(limit && most > size ? [`${limit.name}=${most}`] : []),
  ];
  return ways.length === 0 ? "" : `; pass ${ways.slice(0, 2).join(" or ")}`;
}

/** What an answer says of its page. */
interface PageFacts {
  readonly items: number;
  readonly total?: number | undefined;
  readonly offset?: number | undefined;
  /** Name of the member with the cursor of the next page. */
  readonly cursor?: string | undefined;
  /** Whether the answer has such a member without a cursor. */
  readonly isCursorNull?: boolean;
  /** Whether there are more, if the answer says it. */
  readonly isMore?: boolean | undefined;
}

/** Members that say something of the page. */
const ABOUT = ["pagination", "page_info", "pageInfo", "paging", "page", "meta", "metadata", "response_metadata"];
const CURSORS = ["next_cursor", "nextCursor", "next_page_token", "nextPageToken"];
const TOTALS = ["total", "total_count", "totalCount"];

function pageFacts(result: JsonValue): PageFacts | undefined {
  if (Array.isArray(result)) return { items: result.length };
  if (!isObject(result)) return undefined;
  const lists = Object.entries(result).filter(([, value]) => Array.isArray(value));
  const parts = [result, ...ABOUT.map((name) => own(result, name)).filter(isObject)];
  const member = (names: readonly string[]): readonly [string, JsonValue] | undefined =>
    parts.flatMap((part) => names.flatMap((name) => named(part, name)))[0];
  const [, list] = lists.find(([name]) => name !== "links") ?? [];
  if (!Array.isArray(list)) return undefined;
  const [cursor, token] = member(CURSORS) ?? [];
  const [, more] = member(["has_more", "hasMore"]) ?? [];
  const isNone = token === null || token === "";
  return {
    items: list.length,
    total: numberIn(member(TOTALS)?.[1]),
    offset: numberIn(member(["offset"])?.[1]),
    cursor: isNone ? undefined : cursor,
    isCursorNull: isNone,
    isMore: typeof more === "boolean" ? more : linksNext(result),
  };
}

function named(part: JsonObject, name: string): readonly (readonly [string, JsonValue])[] {
  const value = own(part, name);
  return value === undefined ? [] : [[name, value]];
}

/** Whether an answer links to its next page, as `rel="next"`; undefined if it links to no page. */
function linksNext(result: JsonObject): boolean | undefined {
  const links = own(result, "links") ?? own(result, "link");
  const named =
    typeof links === "string" ? [...links.slice(0, 5000).matchAll(/\brel="?(\w+)/g)].map(([, rel]) => rel) : [];
  const listed = Array.isArray(links)
    ? links
        .slice(0, 20)
        .filter(isObject)
        .map((one) => one["rel"])
    : [];
  const pages = [...named, ...listed].filter((rel) => rel === "next" || rel === "prev" || rel === "first");
  return pages.length === 0 ? undefined : pages.includes("next");
}
