/** Brave's search API as a provider. */

import { type Context, fail } from "../../contract/handler.js";
import { get, readBody, refuseStatus, throttled } from "./client.js";
import { unavailable } from "./errors.js";
import type { Found, Hit, SearchProvider, SearchQuery } from "./search.js";
import { textOf } from "./text.js";

/** How Brave is reached. */
export interface BraveOptions {
  /** Address of the web search; absent or empty: Brave's own. */
  readonly url?: string | undefined;
}

const BRAVE_URL = "https://api.search.brave.com/res/v1/web/search";
const KEY = "BRAVE_API_KEY";
const MOST_HITS = 20;
const LONGEST_QUERY = 400;
const MOST_WORDS = 50;
const LONGEST_SNIPPET = 1000;
const LONGEST_ANSWER = 4000;
/** Answers to a key that is wrong, or is not for this plan. */
const KEY_REFUSED: ReadonlySet<number> = new Set([401, 403]);

/** Makes the provider. The key is the secret `BRAVE_API_KEY`, asked for at the first search. */
export function braveSearch(options: BraveOptions = {}): SearchProvider {
  const url = options.url || BRAVE_URL;
  return {
    async search(query, ctx) {
      const key = ctx.secret(KEY);
      const headers = { accept: "application/json", "x-subscription-token": key };
      // A redirect would carry the key on.
      const response = await get(ctx, addressOf(url, query, ctx), headers, "error");
      await refuseAnswer(response, new URL(url).host);
      const { bytes } = await readBody(response, ctx);
      return foundIn(parsed(bytes, new URL(url).host), query);
    },
  };
}

function addressOf(url: string, query: SearchQuery, ctx: Context): string {
  const address = new URL(url);
  const filtered = query.include.length + query.exclude.length > 0;
  const parameters = {
    q: wordsOf(query, ctx),
    count: String(filtered || query.advanced ? MOST_HITS : query.count),
    result_filter: query.answer ? "web,infobox" : "web",
    text_decorations: "false",
    ...(query.advanced ? { extra_snippets: "true" } : {}),
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  return address.href;
}

/** The query with its domains as operators, as far as Brave's limits allow; the filter afterwards does not depend on them. */
function wordsOf({ text, include, exclude }: SearchQuery, ctx: Context): string {
  const sites = include.map((host) => `site:${host}`);
  const only = sites.length > 1 ? [`(${sites.join(" OR ")})`] : sites;
  const words = [text, ...only, ...exclude.map((host) => `-site:${host}`)].join(" ");
  if (fits(words)) return words;
  if (fits(text)) return text;
  ctx.warn(`query_cut: the provider takes ${LONGEST_QUERY} characters and ${MOST_WORDS} words; the rest was left out`);
  return text.trim().split(/\s+/).slice(0, MOST_WORDS).join(" ").slice(0, LONGEST_QUERY);
}

const fits = (text: string): boolean => text.length <= LONGEST_QUERY && text.trim().split(/\s+/).length <= MOST_WORDS;

async function refuseAnswer(response: Response, server: string): Promise<void> {
  const { status, headers } = response;
  if (KEY_REFUSED.has(status)) {
    await response.body?.cancel();
    fail("UNAVAILABLE", `${server} refuses the key in ${KEY} (${status}).`, { server, secret: KEY, status });
  }
  const wait = status === 429 && !headers.has("retry-after") ? resetMs(headers) : undefined;
  if (wait !== undefined) {
    await response.body?.cancel();
    throttled(server, wait);
  }
  await refuseStatus(response, response.url, Date.now());
}

/** Brave counts in several windows, such as a second and a month: the longest one that is used up decides. */
function resetMs(headers: Headers): number | undefined {
  const numbers = (name: string): readonly number[] =>
    (headers.get(name) ?? "").split(",").map((part) => Number(part.trim() || Number.NaN));
  const remaining = numbers("x-ratelimit-remaining");
  const resets = numbers("x-ratelimit-reset").filter(
    (seconds, window) => seconds >= 0 && !(Number(remaining[window]) > 0),
  );
  return resets.length === 0 ? undefined : Math.max(...resets) * 1000;
}

type Json = Readonly<Record<string, unknown>>;

const objectOf = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
const stringOf = (value: unknown): string => (typeof value === "string" ? value : "");

function parsed(bytes: Uint8Array, server: string): Json {
  try {
    return objectOf(JSON.parse(new TextDecoder().decode(bytes)));
  } catch {
    return unavailable(server, "answers something that is no JSON");
  }
}

async function foundIn(answer: Json, query: SearchQuery): Promise<Found> {
  const hits = await Promise.all(listOf(objectOf(answer["web"])["results"]).slice(0, MOST_HITS).map(hitOf));
  const [box] = listOf(objectOf(answer["infobox"])["results"]).map(objectOf);
  const text =
    query.answer && box
      ? await textOf((stringOf(box["long_desc"]) || stringOf(box["description"])).slice(0, LONGEST_ANSWER))
      : "";
  return text === "" ? { hits } : { hits, answer: text };
}

async function hitOf(value: unknown): Promise<Hit> {
  const hit = objectOf(value);
  const snippets = [hit["description"], ...listOf(hit["extra_snippets"])].map(stringOf);
  const texts = await Promise.all(snippets.map((snippet) => textOf(snippet.slice(0, LONGEST_SNIPPET))));
  return {
    title: await textOf(stringOf(hit["title"]).slice(0, LONGEST_SNIPPET)),
    url: stringOf(hit["url"]),
    snippet: texts.filter((text) => text !== "").join("\n"),
  };
}
