/** Web and news searches of the pack `brave`, single or as a batch. */

import type { Context } from "../../contract/handler.js";
import { listOrEmpty } from "../../contract/json.js";
import { type Json, nonEmptyMembers, objectOrEmpty, stringOf } from "../../http-client/client.js";
import { parallelMap } from "../web/parallel-map.js";
import type { Patience } from "../web/retry.js";
import { htmlToText } from "../web/text.js";
import { askBrave, fittingQuery, type Parameters } from "./request.js";
import type {
  BatchedQuery,
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

/** Retries of a search; an attempt that hangs leaves time for another one. */
export const PATIENCE: Patience = { attempts: 4, attemptMs: 12_000 };
const MAX_TITLE_LENGTH = 500;
const MAX_TEXT_LENGTH = 2000;
const MAX_URL_LENGTH = 2000;
const MAX_SNIPPETS = 5;
/** Parallel searches of a batch; most plans allow few per second. */
const MAX_PARALLEL_SEARCHES = 3;

/** The URL of Brave's API, if it is replaced. */
export const braveUrl = (): string | undefined => process.env["BRAVE_API_URL"];

type Shared = Required<Count> & Filters & Region;

/** Searches the web. */
export async function searchWeb(args: Query & Shared, ctx: Context): Promise<WebFound> {
  const parameters = { ...filtersOf(args, ctx), result_filter: "web" };
  const answer = await askBrave({ search: "web", parameters, url: braveUrl() }, ctx, PATIENCE);
  const results = await hitsOf(objectOrEmpty(answer["web"])["results"], args.count, webHit);
  const more = objectOrEmpty(answer["query"])["more_results_available"] === true;
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
  const pieces = await parallelMap(ctx, queries, MAX_PARALLEL_SEARCHES, (query, own) =>
    searchWeb({ ...shared, query }, own),
  );
  const results = pieces.map((piece, index): BatchedQuery => {
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
  const altered = await plainMember(objectOrEmpty(answer["query"])["altered"], MAX_TITLE_LENGTH);
  return altered === "" ? {} : { altered };
}

/** Plain text of a member that may contain markup, clipped before it is parsed. */
export const plainMember = async (value: unknown, longest = MAX_TEXT_LENGTH): Promise<string> =>
  htmlToText(stringOf(value).slice(0, longest));

/** An http or https URL; any other value becomes an empty text. */
export function addressIn(value: unknown): string {
  const url = stringOf(value);
  return url.length <= MAX_URL_LENGTH && /^https?:\/\//i.test(url) && URL.canParse(url) ? url : "";
}

async function hitsOf<H extends WebHit>(value: unknown, count: number, hitOf: (hit: Json) => Promise<H>): Promise<H[]> {
  const hits = listOrEmpty(value)
    .map(objectOrEmpty)
    .filter(({ url }) => addressIn(url) !== "");
  return Promise.all(hits.slice(0, count).map(hitOf));
}

async function webHit(hit: Json): Promise<WebHit> {
  const snippets = listOrEmpty(hit["extra_snippets"]).slice(0, MAX_SNIPPETS);
  const texts = await Promise.all(snippets.map((one) => plainMember(one)));
  const more = nonEmptyMembers({
    age: await plainMember(hit["age"], MAX_TITLE_LENGTH),
    published: stringOf(hit["page_age"]).slice(0, MAX_TITLE_LENGTH),
    language: stringOf(hit["language"]).slice(0, MAX_TITLE_LENGTH),
    extra_snippets: texts.filter((text) => text !== ""),
  });
  return {
    title: await plainMember(hit["title"], MAX_TITLE_LENGTH),
    url: addressIn(hit["url"]),
    description: await plainMember(hit["description"]),
    ...more,
  };
}

async function newsHit(hit: Json): Promise<NewsHit> {
  const { source } = hit;
  // An older form of the answer has only the name.
  const name =
    stringOf(source) || stringOf(objectOrEmpty(source)["name"]) || stringOf(objectOrEmpty(hit["meta_url"])["hostname"]);
  const own = nonEmptyMembers({ source: await plainMember(name, MAX_TITLE_LENGTH) });
  return { ...(await webHit(hit)), ...own, ...(hit["breaking"] === true ? { breaking: true } : {}) };
}
