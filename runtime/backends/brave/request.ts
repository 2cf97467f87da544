/** One request to Brave's search API: address, key, what a status means, JSON. */

import { type Context, fail } from "../../contract/handler.js";
import { readJson } from "../../contract/read-json.js";
import { clip } from "../../observe/scrub.js";
import { type Json, listOf, objectOf, stringOf } from "../json-answer.js";
import { keyOf, withoutKey } from "../secret-key.js";
import { get, MOST_BYTES, readBody, refuseStatus, throttled } from "../web/client.js";
import { unavailable } from "../web/errors.js";
import { type Patience, retrying } from "../web/retry.js";

/** Address of the web search; those of the other searches lie beside it. `BRAVE_API_URL` replaces it. */
const BRAVE_URL = "https://api.search.brave.com/res/v1/web/search";
const KEY = "BRAVE_API_KEY";
/** Answers to a key that is wrong, or is not for this plan. */
const KEY_REFUSED: ReadonlySet<number> = new Set([401, 403]);
/** Answers whose body says why. */
const EXPLAINED: ReadonlySet<number> = new Set([400, 422]);
const LONGEST_REASON = 20_000;
const MOST_PLACES = 3;
const LONGEST_QUERY = 400;
const MOST_WORDS = 50;

/** The searches, relative to the web search. */
const SEARCHES = {
  web: "",
  news: "../news/search",
  pois: "../local/pois",
  descriptions: "../local/descriptions",
} as const;

/** Names and values of a query string; a value that is absent is left out, each of a list is sent. */
export type Parameters = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** What Brave is asked. */
export interface Question {
  readonly search: keyof typeof SEARCHES;
  readonly parameters: Parameters;
  /** Address of the web search; absent or empty: Brave's own. */
  readonly url?: string | undefined;
}

/**
 * Asks Brave once, and again for passing reasons as far as patience goes. The key is the secret `BRAVE_API_KEY`.
 *
 * @throws ToolFailure UNAVAILABLE without a key or an answer, RATE_LIMITED
 */
export async function askBrave(question: Question, ctx: Context, patience: Patience = { attempts: 1 }): Promise<Json> {
  const address = addressOf(question);
  const key = keyOf(ctx, KEY);
  const { host } = address;
  return retrying(ctx, host, patience, async (attempt) => {
    const headers = { accept: "application/json", "x-subscription-token": key };
    // A redirect would carry the key on.
    const response = await get(attempt, address.href, headers, "error");
    await refuseAnswer(response, host, attempt);
    const { bytes, cut } = await readBody(response, attempt);
    if (cut) unavailable(host, `answers more than ${MOST_BYTES} bytes`);
    const answer = parsedOr(withoutKey(new TextDecoder().decode(bytes), key), undefined);
    return answer ?? unavailable(host, "answers something that is no JSON");
  });
}

function addressOf({ search, parameters, url }: Question): URL {
  if (url && !URL.canParse(url)) fail("UNAVAILABLE", "BRAVE_API_URL is no address.");
  const address = new URL(SEARCHES[search], url || BRAVE_URL);
  for (const [name, value] of Object.entries(parameters))
    for (const one of value === undefined ? [] : [value].flat()) address.searchParams.append(name, String(one));
  return address;
}

/** A query with operators behind it, as far as Brave's limits allow; what does not fit is left out with a warning. */
export function fittingQuery(text: string, operators: readonly string[], ctx: Context): string {
  const words = [text, ...operators].join(" ");
  if (fits(words)) return words;
  if (fits(text)) return text;
  ctx.warn(`query_cut: the provider takes ${LONGEST_QUERY} characters and ${MOST_WORDS} words; the rest was left out`);
  return text.trim().split(/\s+/).slice(0, MOST_WORDS).join(" ").slice(0, LONGEST_QUERY);
}

const fits = (text: string): boolean => text.length <= LONGEST_QUERY && text.trim().split(/\s+/).length <= MOST_WORDS;

async function refuseAnswer(response: Response, server: string, ctx: Context): Promise<void> {
  const { status, headers } = response;
  if (KEY_REFUSED.has(status)) {
    await response.body?.cancel();
    refuseKey(server, status);
  }
  if (EXPLAINED.has(status)) await refuseExplained(response, server, ctx);
  const wait = status === 429 && !headers.has("retry-after") ? resetMs(headers) : undefined;
  if (wait !== undefined) {
    await response.body?.cancel();
    throttled(server, wait);
  }
  await refuseStatus(response, response.url, Date.now());
}

const refuseKey = (server: string, status: number): never =>
  fail("UNAVAILABLE", `${server} refuses the key in ${KEY} (${status}).`, { server, secret: KEY, status });

/** Brave says why in `error`: a wrong key, or arguments that fit their schema and yet are none, such as a country. */
async function refuseExplained(response: Response, server: string, ctx: Context): Promise<void> {
  const { status } = response;
  const { bytes } = await readBody(response, ctx, LONGEST_REASON);
  const { code, detail, meta } = objectOf(parsedOr<Json>(new TextDecoder().decode(bytes), {})["error"]);
  if (code === "SUBSCRIPTION_TOKEN_INVALID") refuseKey(server, status);
  const faults = listOf(objectOf(meta)["errors"]).map(objectOf);
  const places = faults.map(({ loc, msg }) => `${stringOf(listOf(loc).at(-1))}: ${stringOf(msg)}`);
  const reason = clip(
    [stringOf(detail), ...places.slice(0, MOST_PLACES)].filter((text) => text !== "").join("; "),
    500,
  );
  if (code === "VALIDATION") fail("VALIDATION_ERROR", `${server} does not accept the arguments: ${reason}`, { status });
  unavailable(server, `answers ${status}${reason === "" ? "" : ` (${reason})`}`, { status });
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

function parsedOr<T>(text: string, otherwise: T): Json | T {
  try {
    return objectOf(readJson(text));
  } catch {
    return otherwise;
  }
}
