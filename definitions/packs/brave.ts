/** The shipped pack `brave`: searches of the web, news and places through Brave's search API. The key is `BRAVE_API_KEY`. */

import type { Context } from "toolwright/codegen";
import type {
  BatchFound,
  Count,
  Filters,
  NewsFound,
  PlacesFound,
  Query,
  Region,
  Units,
  WebFound,
} from "../../runtime/packs/brave/types.js";

export const pack = { summary: "Search the web, news and places with Brave." };

interface NewsCount {
  /**
   * Articles at most.
   * @integer
   * @minimum 1
   * @maximum 50
   */
  count?: number;
}

interface Queries {
  /**
   * What to look for, up to ten queries.
   * @minItems 1
   * @maxItems 10
   * @example ["tide tables", "moon phases"]
   */
  queries: string[];
}

/**
 * Search the web. Suits facts that are recent or not known; web.fetch reads a hit.
 *
 * @returns hits, the best first; their texts are foreign
 * @example { "query": "tide tables Bremerhaven", "count": 5 }
 * @kind read
 * @open_world
 */
export async function web_search(
  { count = 5, ...args }: Query & Count & Filters & Region,
  ctx: Context,
): Promise<WebFound> {
  const { searchWeb } = await import("../../runtime/packs/brave/search.js");
  return searchWeb({ ...args, count }, ctx);
}

/**
 * Search the news. With freshness pd only the last day.
 *
 * @returns articles, the best first; their texts are foreign
 * @example { "query": "storm surge", "freshness": "pw" }
 * @kind read
 * @open_world
 */
export async function news(
  { count = 5, ...args }: Query & NewsCount & Filters & Region,
  ctx: Context,
): Promise<NewsFound> {
  const { searchNews } = await import("../../runtime/packs/brave/search.js");
  return searchNews({ ...args, count }, ctx);
}

/**
 * Find places and businesses, with address, hours, rating and description. Name the town in the query.
 *
 * Takes three requests; the key's plan must have local search.
 *
 * @returns places, the best first; their texts are foreign
 * @example { "query": "bakery in Bremerhaven" }
 * @kind read
 * @open_world
 */
export async function local(
  { count = 5, ...args }: Query & Count & Region & Units,
  ctx: Context,
): Promise<PlacesFound> {
  const { searchLocal } = await import("../../runtime/packs/brave/local.js");
  return searchLocal({ ...args, count }, ctx);
}

/**
 * Search the web for several queries at once. A query that fails has its error, the others their hits.
 *
 * @returns an entry for each query, in their order; texts are foreign
 * @example { "queries": ["tide tables", "moon phases"], "count": 3 }
 * @kind read
 * @open_world
 */
export async function batch(
  { count = 5, ...args }: Queries & Count & Filters & Region,
  ctx: Context,
): Promise<BatchFound> {
  const { searchAll } = await import("../../runtime/packs/brave/search.js");
  return searchAll({ ...args, count }, ctx);
}
