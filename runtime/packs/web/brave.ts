/** Brave's search API as a provider of `util.web.search`. */

import type { Context } from "../../contract/handler.js";
import { listOrEmpty } from "../../contract/json.js";
import { type Json, objectOrEmpty, stringOf } from "../../http-client/client.js";
import { askBrave, fittingQuery, type Parameters } from "../brave/request.js";
import type { Hit, ProviderHits, SearchProvider, SearchQuery } from "./search.js";
import { htmlToText } from "./text.js";

/** Options of the provider. */
export interface BraveOptions {
  /** URL of the web search; absent or empty: Brave's own. */
  readonly url?: string | undefined;
}

const MAX_HITS = 20;
const MAX_SNIPPET_LENGTH = 1000;
const MAX_ANSWER_LENGTH = 4000;

/** Creates the provider. The key is the secret `BRAVE_API_KEY`, read at the first search. */
export function braveSearch({ url }: BraveOptions = {}): SearchProvider {
  return {
    search: async (query, ctx) =>
      foundIn(await askBrave({ search: "web", parameters: parametersOf(query, ctx), url }, ctx), query),
  };
}

function parametersOf(query: SearchQuery, ctx: Context): Parameters {
  const filtered = query.include.length + query.exclude.length > 0;
  return {
    q: wordsOf(query, ctx),
    count: filtered || query.advanced ? MAX_HITS : query.count,
    result_filter: query.answer ? "web,infobox" : "web",
    text_decorations: false,
    extra_snippets: query.advanced ? true : undefined,
  };
}

/** The query with its domains as operators; results are filtered afterwards anyway. */
function wordsOf({ text, include, exclude }: SearchQuery, ctx: Context): string {
  const sites = include.map((host) => `site:${host}`);
  const only = sites.length > 1 ? [`(${sites.join(" OR ")})`] : sites;
  return fittingQuery(text, [...only, ...exclude.map((host) => `-site:${host}`)], ctx);
}

async function foundIn(answer: Json, query: SearchQuery): Promise<ProviderHits> {
  const hits = await Promise.all(listOrEmpty(objectOrEmpty(answer["web"])["results"]).slice(0, MAX_HITS).map(hitOf));
  const [box] = listOrEmpty(objectOrEmpty(answer["infobox"])["results"]).map(objectOrEmpty);
  const text =
    query.answer && box
      ? await htmlToText((stringOf(box["long_desc"]) || stringOf(box["description"])).slice(0, MAX_ANSWER_LENGTH))
      : "";
  return text === "" ? { hits } : { hits, answer: text };
}

async function hitOf(value: unknown): Promise<Hit> {
  const hit = objectOrEmpty(value);
  const snippets = [hit["description"], ...listOrEmpty(hit["extra_snippets"])].map(stringOf);
  const texts = await Promise.all(snippets.map((snippet) => htmlToText(snippet.slice(0, MAX_SNIPPET_LENGTH))));
  return {
    title: await htmlToText(stringOf(hit["title"]).slice(0, MAX_SNIPPET_LENGTH)),
    url: stringOf(hit["url"]),
    snippet: texts.filter((text) => text !== "").join("\n"),
  };
}
