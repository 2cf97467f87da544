/** One chat completion of an OpenAI-compatible endpoint: URL, key, status handling. */

import type { LlmSettings } from "../../config/settings.js";
import { fieldError, invalid } from "../../contract/error-body.js";
import { type Context, type Fetch, fail } from "../../contract/handler.js";
import { memoizeAsync } from "../../contract/memoize-async.js";
import { clip } from "../../contract/scrub.js";
import {
  failThrottled,
  failUnavailable,
  headerSecret,
  type Json,
  MAX_BYTES,
  objectOrEmpty,
  readBody,
  retryAfterMs,
  stringOf,
  withoutKey,
} from "../../http-client/client.js";
import { guardedFetch } from "../../http-client/guard.js";
import { type Patience, withRetries } from "../web/retry.js";

const KEY = "LLM_API_KEY";
const PATIENCE: Patience = { attempts: 4 };
const MAX_REASON_LENGTH = 300;
const KEY_REFUSED: ReadonlySet<number> = new Set([401, 403]);
/** Error texts for an input that is too long. */
const TOO_LONG = /context_length|context length|maximum context|too (?:long|large|many tokens)/i;

/** The body of a request. */
export type CompletionRequest = Readonly<Record<string, unknown>>;

/** Adapts a request for endpoints and models that reject a part of it; `names` matches their error text. */
interface Adaptation {
  readonly names: RegExp;
  readonly change: (body: CompletionRequest) => CompletionRequest;
}

const ADAPTATIONS: readonly Adaptation[] = [
  {
    names: /max_completion_tokens/,
    change: ({ max_tokens, ...body }) => ({ ...body, max_completion_tokens: max_tokens }),
  },
  { names: /response_format/, change: ({ response_format: _, ...body }) => body },
];

/** Only the configured host may be private. The time limit of an answer is that of the call. */
const fetchOf = memoizeAsync(async (host): Promise<Fetch> => guardedFetch({ allowPrivate: [host], silenceMs: 0 }));

/**
 * Requests a completion, with retries for temporary failures and adaptations for rejected parts.
 *
 * @throws ToolFailure UNAVAILABLE without URL, key or answer; RATE_LIMITED; VALIDATION_ERROR for an input that is too
 * long
 */
export async function requestCompletion({ url }: LlmSettings, body: CompletionRequest, ctx: Context): Promise<Json> {
  if (url === "")
    fail("UNAVAILABLE", "llm.url is not set in toolwright.yaml: name an endpoint in OpenAI's form there.");
  const address = addressOf(url);
  const key = headerSecret(ctx, KEY);
  const fetch = await fetchOf(address.hostname.replace(/^\[|\]$/g, ""));
  const left = new Set(ADAPTATIONS);
  for (let asked = body; ; ) {
    const answer = await withRetries(ctx, address.host, PATIENCE, (attempt) =>
      send(fetch, address, key, asked, attempt),
    );
    if (!("refused" in answer)) return answer.json;
    const found = [...left].find(({ names }) => names.test(answer.refused));
    if (!found) return refuseBody(address.host, answer.status, answer.refused);
    left.delete(found);
    asked = found.change(asked);
  }
}

/** `/chat/completions` below the base URL, or the URL itself if it ends with that. */
function addressOf(base: string): URL {
  const address = new URL(base);
  const path = address.pathname.replace(/\/+$/, "");
  address.pathname = path.endsWith("/chat/completions") ? path : `${path}/chat/completions`;
  return address;
}

/** An answer, or why the endpoint rejects the request. */
type Answer = { readonly json: Json } | { readonly refused: string; readonly status: number };

async function send(fetch: Fetch, address: URL, key: string, body: CompletionRequest, ctx: Context): Promise<Answer> {
  const { host } = address;
  const headers = { accept: "application/json", "content-type": "application/json", authorization: `Bearer ${key}` };
  const request = {
    method: "POST",
    headers,
    body: JSON.stringify(body),
    redirect: "error",
    signal: ctx.signal,
  } as const;
  const response = await fetch(address.href, request);
  const { bytes, cut } = await readBody(response, ctx);
  const text = withoutKey(new TextDecoder().decode(bytes), key);
  const { status, headers: told } = response;
  const reason = reasonIn(text);
  if (status === 400 || status === 422) return { refused: reason, status };
  if (status >= 300) refuse(host, status, reason, retryAfterMs(told, Date.now()));
  if (cut) failUnavailable(host, `answers more than ${MAX_BYTES} bytes`);
  return { json: parsed(text) ?? failUnavailable(host, "answers something that is no JSON") };
}

function refuse(server: string, status: number, reason: string, wait: number | undefined): never {
  if (KEY_REFUSED.has(status))
    return fail("UNAVAILABLE", `${server} refuses the key in ${KEY} (${status}).`, { server, secret: KEY, status });
  // An exhausted quota also has status 429, but waiting does not help.
  if (status === 429 && !reason.startsWith("insufficient_quota")) return failThrottled(server, wait);
  if (status < 400) return failUnavailable(server, "redirects, which is not accepted here", { status });
  if (status === 413) return refuseBody(server, status, `too large ${reason}`);
  const more = wait === undefined ? {} : { retry_after_ms: wait };
  return failUnavailable(server, `answers ${status}${reason === "" ? "" : ` (${reason})`}`, { status, ...more });
}

function refuseBody(server: string, status: number, reason: string): never {
  if (TOO_LONG.test(reason))
    return invalid([
      fieldError("input", "maxLength", `input is too long: ${reason}`, "less text, or less data", status),
    ]);
  return failUnavailable(server, `does not accept the request (${status})${reason === "" ? "" : `: ${reason}`}`, {
    status,
  });
}

/** `code: message` of an answer's `error`, which is an object or a text. */
function reasonIn(text: string): string {
  const { error, message } = parsed(text) ?? {};
  const { code, type, message: inner } = objectOrEmpty(error);
  const parts = [stringOf(code) || stringOf(type), stringOf(error) || stringOf(inner) || stringOf(message)];
  return clip(parts.filter((part) => part !== "").join(": "), MAX_REASON_LENGTH);
}

function parsed(text: string): Json | undefined {
  try {
    return objectOrEmpty(JSON.parse(text));
  } catch {
    return undefined;
  }
}
