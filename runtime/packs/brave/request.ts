/** One request to Brave's search API: URL, key, status handling, JSON. */

import { type Context, fail } from "../../contract/handler.js";
import { listOrEmpty } from "../../contract/json.js";
import { readJson } from "../../contract/read-json.js";
import { clip } from "../../contract/scrub.js";
import {
  failThrottled,
  failUnavailable,
  headerSecret,
  type Json,
  MAX_BYTES,
  objectOrEmpty,
  readBody,
  refuseStatus,
  sendGet,
  stringOf,
  withoutKey,
} from "../../http-client/client.js";
import { type Patience, withRetries } from "../web/retry.js";

/** URL of the web search; the other searches are relative to it. `BRAVE_API_URL` replaces it. */
const BRAVE_URL = "https://api.search.brave.com/res/v1/web/search";
const KEY = "BRAVE_API_KEY";
/** Statuses for an invalid key, or one that the plan does not cover. */
const KEY_REFUSED: ReadonlySet<number> = new Set([401, 403]);
/** Statuses whose body contains the reason. */
const EXPLAINED: ReadonlySet<number> = new Set([400, 422]);
const MAX_REASON_LENGTH = 20_000;
const MAX_PLACES = 3;
const MAX_QUERY_LENGTH = 400;
const MAX_WORDS = 50;

/** The searches, relative to the web search. */
const SEARCHES = {
  web: "",
  news: "../news/search",
  pois: "../local/pois",
  descriptions: "../local/descriptions",
} as const;

/** Query parameters; an absent value is left out, and each value of a list is sent. */
export type Parameters = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/** A request to Brave. */
export interface BraveRequest {
  readonly search: keyof typeof SEARCHES;
  readonly parameters: Parameters;
  /** URL of the web search; absent or empty: Brave's own. */
  readonly url?: string | undefined;
}

/**
 * Sends a request to Brave, with retries for temporary failures. The key is the secret `BRAVE_API_KEY`.
 *
 * @throws ToolFailure UNAVAILABLE without a key or an answer, RATE_LIMITED
 */
export async function askBrave(
  question: BraveRequest,
  ctx: Context,
  patience: Patience = { attempts: 1 },
): Promise<Json> {
  const address = addressOf(question);
  const key = headerSecret(ctx, KEY);
  const { host } = address;
  return withRetries(ctx, host, patience, async (attempt) => {
    const headers = { accept: "application/json", "x-subscription-token": key };
    // A redirect could send the key to another host.
    const response = await sendGet(attempt, address.href, headers, "error");
    await refuseAnswer(response, host, attempt);
    const { bytes, cut } = await readBody(response, attempt);
    if (cut) failUnavailable(host, `answers more than ${MAX_BYTES} bytes`);
    const answer = parsedOr(withoutKey(new TextDecoder().decode(bytes), key), undefined);
    return answer ?? failUnavailable(host, "answers something that is no JSON");
  });
}

function addressOf({ search, parameters, url }: BraveRequest): URL {
  if (url && !URL.canParse(url)) fail("UNAVAILABLE", "BRAVE_API_URL is no address.");
  const address = new URL(SEARCHES[search], url || BRAVE_URL);
  for (const [name, value] of Object.entries(parameters))
    for (const one of value === undefined ? [] : [value].flat()) address.searchParams.append(name, String(one));
  return address;
}

/** A query with operators, within Brave's limits; what does not fit is left out with a warning. */
export function fittingQuery(text: string, operators: readonly string[], ctx: Context): string {
  const words = [text, ...operators].join(" ");
  if (fits(words)) return words;
  if (fits(text)) return text;
  ctx.warn(
    `query_cut: the provider takes ${MAX_QUERY_LENGTH} characters and ${MAX_WORDS} words; the rest was left out`,
  );
  return text.trim().split(/\s+/).slice(0, MAX_WORDS).join(" ").slice(0, MAX_QUERY_LENGTH);
}

const fits = (text: string): boolean => text.length <= MAX_QUERY_LENGTH && text.trim().split(/\s+/).length <= MAX_WORDS;

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
    failThrottled(server, wait);
  }
  await refuseStatus(response, response.url, Date.now());
}

const refuseKey = (server: string, status: number): never =>
  fail("UNAVAILABLE", `${server} refuses the key in ${KEY} (${status}).`, { server, secret: KEY, status });

/**
 * Reports the reason from the body: an invalid key, or arguments that Brave rejects although they match the schema,
 * such as a country.
 */
async function refuseExplained(response: Response, server: string, ctx: Context): Promise<void> {
  const { status } = response;
  const { bytes } = await readBody(response, ctx, MAX_REASON_LENGTH);
  const { code, detail, meta } = objectOrEmpty(parsedOr<Json>(new TextDecoder().decode(bytes), {})["error"]);
  if (code === "SUBSCRIPTION_TOKEN_INVALID") refuseKey(server, status);
  const faults = listOrEmpty(objectOrEmpty(meta)["errors"]).map(objectOrEmpty);
  const places = faults.map(({ loc, msg }) => `${stringOf(listOrEmpty(loc).at(-1))}: ${stringOf(msg)}`);
  const reason = clip([stringOf(detail), ...places.slice(0, MAX_PLACES)].filter((text) => text !== "").join("; "), 500);
  if (code === "VALIDATION") fail("VALIDATION_ERROR", `${server} does not accept the arguments: ${reason}`, { status });
  failUnavailable(server, `answers ${status}${reason === "" ? "" : ` (${reason})`}`, { status });
}

/** Brave has several rate-limit windows, such as a second and a month; the longest exhausted one decides. */
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
    return objectOrEmpty(readJson(text));
  } catch {
    return otherwise;
  }
}
