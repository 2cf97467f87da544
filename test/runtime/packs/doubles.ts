/** Test doubles of the services behind the shipped packs: they implement the protocol, and fail as scripted. */

import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { Json } from "../../support/project.js";
import { type Loopback, serving } from "./web/loopback.js";

/** The keys that the doubles accept. */
export const KEYS = { BRAVE_API_KEY: "BSAtest-key-0123456789", LLM_API_KEY: "sk-test-key-0123456789" };

/** A service on loopback. */
export interface Double extends Loopback {
  /** What the pack is configured with. */
  readonly url: string;
  /** Bodies of requests, as JSON. */
  readonly bodies: readonly Json[];
  /** Adds steps: each one is the answer to the next request, in place of the service's own. */
  script(...steps: readonly RequestListener[]): void;
}

/** Answers with JSON. */
export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  (_, response) =>
    void response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(body));

/** A failure in the service's own words. */
export const status = (code: number, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  json(code, { error: { code: "FAULT", detail: "scripted", message: "scripted" } }, headers);

/** Answers never. */
export const hanging: RequestListener = () => {};

/** Breaks the connection off before it answers. */
export const broken: RequestListener = (request) => void request.socket.destroy();

/** Announces more than it sends. */
export const truncated: RequestListener = (request, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "1000" });
  response.write('{"web":', () => request.socket.destroy());
};

/** Invalid JSON. */
export const malformed: RequestListener = (_, response) =>
  void response.writeHead(200, { "content-type": "application/json" }).end('{"web": {"results": [');

/** More than any client should read. */
export const huge: RequestListener = (_, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end(`{"padding": "${"x".repeat(6_000_000)}"}`);
};

/** Leads somewhere else. */
export const redirect =
  (location: string, code = 302): RequestListener =>
  (_, response) =>
    void response.writeHead(code, { location }).end();

type Service = (url: URL, body: Json, request: IncomingMessage, response: ServerResponse) => void;

async function startDouble(path: string, service: Service): Promise<Double> {
  const steps: RequestListener[] = [];
  const bodies: Json[] = [];
  const loopback = await serving(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const text = Buffer.concat(parts).toString();
    bodies.push(text === "" ? undefined : JSON.parse(text));
    const step = steps.shift();
    if (step) step(request, response);
    else service(new URL(request.url ?? "", "http://double"), bodies.at(-1), request, response);
  });
  return { ...loopback, url: `${loopback.origin}${path}`, bodies, script: (...more) => void steps.push(...more) };
}

/** A hit as Brave gives it, with additional members. */
export const hit = (n: number, more: object = {}): object => ({
  type: "search_result",
  subtype: "generic",
  title: `Hit <strong>${n}</strong> &amp; more`,
  url: `https://example.com/${n}`,
  description: `About &#x27;${n}&#x27;`,
  age: "2 days ago",
  page_age: "2026-11-20T08:00:00",
  language: "en",
  family_friendly: true,
  profile: { name: "Example", img: "https://imgs.example.com/a" },
  meta_url: { scheme: "https", hostname: "example.com" },
  ...more,
});

const many = (count: number, one: (n: number) => object): readonly object[] =>
  Array.from({ length: count }, (_, index) => one(index + 1));

/** A place as the local search of Brave gives it. */
const place = (id: string): object => ({
  type: "location_result",
  id,
  title: `Bakery ${id}`,
  url: "https://bakery.example.com/",
  provider_url: "https://provider.example.com/x",
  coordinates: [53.55, 8.58],
  zoom_level: 15,
  postal_address: { type: "PostalAddress", displayAddress: "Am Deich 1, 27568 Bremerhaven", country: "DE" },
  contact: { telephone: "+49 471 0000", email: "hello@bakery.example.com" },
  rating: { ratingValue: 4.5, bestRating: 5, reviewCount: 12 },
  price_range: "€€",
  distance: { value: 1.2, units: "km" },
  categories: ["bakery", "cafe"],
  opening_hours: {
    current_day: [],
    days: [
      [
        { abbr_name: "Mon", full_name: "Monday", opens: "07:00", closes: "12:00" },
        { opens: "14:00", closes: "18:00" },
      ],
      [{ abbr_name: "Tue", full_name: "Tuesday", opens: "07:00", closes: "18:00" }],
    ],
  },
  timezone: "Europe/Berlin",
});

type Answering = (url: URL) => object;

const BRAVE: Readonly<Record<string, Answering>> = {
  "/res/v1/web/search": ({ searchParams }) =>
    searchParams.get("result_filter") === "locations"
      ? {
          type: "search",
          query: { original: searchParams.get("q"), is_geolocal: true },
          locations: {
            type: "locations",
            results: [
              { id: "loc1=", title: "One" },
              { id: "loc2=", title: "Two" },
            ],
          },
        }
      : {
          type: "search",
          query: { original: searchParams.get("q"), altered: "mended", more_results_available: true },
          mixed: { type: "mixed", main: [] },
          web: { type: "search", results: many(Number(searchParams.get("count")) + 1, hit) },
        },
  "/res/v1/news/search": ({ searchParams }) => ({
    type: "news",
    query: { original: searchParams.get("q") },
    results: many(Number(searchParams.get("count")), (n) =>
      hit(n, { type: "news_result", source: { name: "The Gazette" }, breaking: n === 1 }),
    ),
  }),
  "/res/v1/local/pois": ({ searchParams }) => ({ type: "local_pois", results: searchParams.getAll("ids").map(place) }),
  "/res/v1/local/descriptions": ({ searchParams }) => ({
    type: "local_descriptions",
    results: searchParams
      .getAll("ids")
      .map((id) => ({ type: "local_description", id, description: `Bread of **${id}**` })),
  }),
};

/** Brave's search API. Errors have Brave's form. */
export const startBrave = (): Promise<Double> =>
  startDouble("/res/v1/web/search", (url, _, { method, headers }, response) => {
    const refuse = (code: number, error: object): void =>
      json(code, { type: "ErrorResponse", error })(null as never, response);
    if (headers["x-subscription-token"] !== KEYS.BRAVE_API_KEY)
      return refuse(422, { code: "SUBSCRIPTION_TOKEN_INVALID", detail: "The provided token is invalid.", status: 422 });
    const answer = BRAVE[url.pathname];
    if (method !== "GET" || !answer) return refuse(404, { code: "NOT_FOUND", status: 404 });
    const limits = {
      "x-ratelimit-limit": "1, 15000",
      "x-ratelimit-remaining": "0, 14523",
      "x-ratelimit-reset": "1, 1419704",
    };
    return json(200, answer(url), limits)(null as never, response);
  });

/** What a chat completion says. */
export const completion = (content: unknown, more: object = {}): object => ({
  id: "chatcmpl-1",
  object: "chat.completion",
  created: 1,
  model: "double-1",
  choices: [
    {
      index: 0,
      message: { role: "assistant", content, refusal: null },
      logprobs: null,
      finish_reason: "stop",
      ...more,
    },
  ],
  usage: { prompt_tokens: 40, completion_tokens: 9, total_tokens: 49 },
  system_fingerprint: "fp_1",
});

/** A refusal in OpenAI's form. */
export const refusal = (code: number, error: object, headers: Readonly<Record<string, string>> = {}): RequestListener =>
  json(code, { error: { message: "", type: "invalid_request_error", param: null, code: null, ...error } }, headers);

/** An endpoint in OpenAI's form that answers with what it was asked, or with JSON where that is wanted. */
export const startLlm = (): Promise<Double> =>
  startDouble("/v1", (url, body, { method, headers }, response) => {
    if (headers.authorization !== `Bearer ${KEYS.LLM_API_KEY}`) {
      const message = `Incorrect API key provided: ${headers.authorization?.slice(7)}.`;
      return refusal(401, { message, code: "invalid_api_key" })(null as never, response);
    }
    const known =
      method === "POST" && url.pathname === "/v1/chat/completions" && headers["content-type"] === "application/json";
    if (!known) return refusal(404, { message: "Unknown request URL" })(null as never, response);
    const text = body.response_format ? '{"high": "12:31"}' : `Asked: ${body.messages.at(-1).content}`;
    return json(200, completion(text))(null as never, response);
  });
