/** Web and news searches of the pack `brave`, one or several. */

import type { Context } from "../../contract/handler.js";
import { type Json, listOf, objectOf, present, stringOf } from "../json-answer.js";
import { eachOf } from "../web/each.js";
import type { Patience } from "../web/retry.js";
import { textOf } from "../web/text.js";
import { askBrave, fittingQuery, type Parameters } from "./request.js";
import type {
  BatchEntry,
  BatchFound,
  Count,
  Filters,
  NewsFound,
  NewsHit,
  Query,
  Region,
  WebFound,
  WebHit,
} from "./types.js";

/** How long Brave is borne with: an attempt that hangs leaves time for another one. */
export const PATIENCE: Patience = { attempts: 4, attemptMs: 12_000 };
const LONGEST_TITLE = 500;
const LONGEST_TEXT = 2000;
const LONGEST_URL = 2000;
const MOST_SNIPPETS = 5;
/** Searches of a batch at once; most plans allow few a second. */
const AT_ONCE = 3;

/** Where Brave is reached, if not at its own address. */
export const braveUrl = (): string | undefined => process.env["BRAVE_API_URL"];

type Shared = Required<Count> & Filters & Region;

/** Searches the web. */
export async function searchWeb(args: Query & Shared, ctx: Context): Promise<WebFound> {
  const parameters = { ...filtersOf(args, ctx), result_filter: "web" };
  const answer = await askBrave({ search: "web", parameters, url: braveUrl() }, ctx, PATIENCE);
  const results = await hitsOf(objectOf(answer["web"])["results"], args.count, webHit);
  const more = objectOf(answer["query"])["more_results_available"] === true;
  return { query: args.query, ...(await alteredIn(answer)), results, more };
}

/** Searches the news. */
export async function searchNews(args: Query & Shared, ctx: Context): Promise<NewsFound> {
  const answer = await askBrave({ search: "news", parameters: filtersOf(args, ctx), url: braveUrl() }, ctx, PATIENCE);
  const results = await hitsOf(answer["results"], args.count, newsHit);
  return { query: args.query, ...(await alteredIn(answer)), results };
}

/** Runs several web searches. */
export async function searchAll(
  { queries, ...shared }: Shared & { readonly queries: readonly string[] },
  ctx: Context,
): Promise<BatchFound> {
  const pieces = await eachOf(ctx, queries, AT_ONCE, (query, own) => searchWeb({ ...shared, query }, own));
  const results = pieces.map((piece, index): BatchEntry => {
    const query = queries[index] ?? "";
    if ("error" in piece) return { query, error: piece.error };
    const { more: _, ...found } = piece.value;
    return found;
  });
  const failed = results.filter(({ error }) => error !== undefined).length;
  return { results, succeeded: results.length - failed, failed };
}

function filtersOf(args: Query & Shared, ctx: Context): Parameters {
  const { query, count, country, search_lang, safesearch, freshness, offset, extra_snippets } = args;
  return {
    q: fittingQuery(query, [], ctx),
    count,
    country: country?.toUpperCase(),
    search_lang: search_lang?.toLowerCase(),
    safesearch,
    freshness,
    offset: offset === 0 ? undefined : offset,
    extra_snippets: extra_snippets ? true : undefined,
    text_decorations: false,
  };
}

async function alteredIn(answer: Json): Promise<{ readonly altered?: string }> {
  const altered = await plain(objectOf(answer["query"])["altered"], LONGEST_TITLE);
  return altered === "" ? {} : { altered };
}

/** Text of a member that may hold markup, clipped before it is read. */
export const plain = async (value: unknown, longest = LONGEST_TEXT): Promise<string> =>
  textOf(stringOf(value).slice(0, longest));

/** An address that a reader may follow; anything else is none. */
export function addressIn(value: unknown): string {
  const url = stringOf(value);
  return url.length <= LONGEST_URL && /^https?:\/\//i.test(url) && URL.canParse(url) ? url : "";
}

async function hitsOf<H extends WebHit>(value: unknown, count: number, hitOf: (hit: Json) => Promise<H>): Promise<H[]> {
  const hits = listOf(value)
    .map(objectOf)
    .filter(({ url }) => addressIn(url) !== "");
  return Promise.all(hits.slice(0, count).map(hitOf));
}

async function webHit(hit: Json): Promise<WebHit> {
  const snippets = listOf(hit["extra_snippets"]).slice(0, MOST_SNIPPETS);
  const texts = await Promise.all(snippets.map((one) => plain(one)));
  const more = present({
    age: await plain(hit["age"], LONGEST_TITLE),
    published: stringOf(hit["page_age"]).slice(0, LONGEST_TITLE),
    language: stringOf(hit["language"]).slice(0, LONGEST_TITLE),
    extra_snippets: texts.filter((text) => text !== ""),
  });
  return {
    title: await plain(hit["title"], LONGEST_TITLE),
    url: addressIn(hit["url"]),
    description: await plain(hit["description"]),
    ...more,
  };
}

async function newsHit(hit: Json): Promise<NewsHit> {
  const { source } = hit;
  // An older form of the answer has the name alone.
  const name =
    stringOf(source) || stringOf(objectOf(source)["name"]) || stringOf(objectOf(hit["meta_url"])["hostname"]);
  const own = present({ source: await plain(name, LONGEST_TITLE) });
  return { ...(await webHit(hit)), ...own, ...(hit["breaking"] === true ? { breaking: true } : {}) };
}
