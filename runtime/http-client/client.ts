/**
 * What packs use to call external services: one request through `ctx.fetch`, with error statuses converted and the body
 * read up to a limit; its failures as codes of the envelope; API keys, read from the secrets and removed from answers;
 * and JSON read member by member, in which a member of an unexpected type counts as absent.
 */

import { fieldError, invalid } from "../contract/error-body.js";
import { isExact } from "../contract/exact-number.js";
import { type Context, fail } from "../contract/handler.js";
import { isRecord } from "../contract/json.js";

/** Most bytes of a body that are read, after decompression. */
export const MAX_BYTES = 5_000_000;

/** Default waiting time for a server that sends 429 without `Retry-After`. */
const RETRY_MS = 10_000;
const MAX_RETRY_MS = 86_400_000;
const USER_AGENT = "Mozilla/5.0 (compatible; toolwright)";

/** The bytes of a body, up to the limit. */
export interface BoundedBody {
  readonly bytes: Uint8Array;
  /** Whether the body was longer. */
  readonly cut: boolean;
}

/** Sends a GET that is cancelled with the call. */
export function sendGet(
  ctx: Context,
  url: string,
  headers: Readonly<Record<string, string>>,
  redirect: "follow" | "manual" | "error",
): Promise<Response> {
  return ctx.fetch(url, { headers: { "user-agent": USER_AGENT, ...headers }, redirect, signal: ctx.signal });
}

/**
 * Fails the call for an error status.
 *
 * @throws ToolFailure NOT_FOUND for 404 and 410, RATE_LIMITED for 429, UNAVAILABLE for any other from 400 on
 */
export async function refuseStatus(response: Response, url: string, now: number): Promise<void> {
  const { status, headers } = response;
  if (status < 400) return;
  await response.body?.cancel();
  const server = new URL(url).host;
  if (status === 404 || status === 410) fail("NOT_FOUND", `${server} has no such page (${status}).`, { status, url });
  const wait = retryAfterMs(headers, now);
  if (status === 429) failThrottled(server, wait);
  failUnavailable(server, `answers ${status}`, { status, ...(wait === undefined ? {} : { retry_after_ms: wait }) });
}

/**
 * Fails the call because a server limits requests.
 *
 * @param told waiting time in milliseconds, if the server gives one
 * @throws ToolFailure RATE_LIMITED with `details.retry_after_ms`; with `details.estimated` if the server gives no time
 */
export function failThrottled(server: string, told: number | undefined): never {
  const wait = told ?? RETRY_MS;
  return fail("RATE_LIMITED", `${server} takes no more requests for now; try again in ${Math.ceil(wait / 1000)} s.`, {
    server,
    retry_after_ms: Math.min(wait, MAX_RETRY_MS),
    ...(told === undefined ? { estimated: true } : {}),
  });
}

/** Parses `Retry-After`, seconds or a date, to milliseconds from now; at most one day. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Math.max(0, Date.parse(text) - now);
  return Number.isNaN(wait) ? undefined : Math.min(wait, MAX_RETRY_MS);
}

/**
 * Reads a body up to {@link MAX_BYTES} and discards the rest.
 *
 * @throws ToolFailure UNAVAILABLE if the connection breaks or decompression fails
 */
export async function readBody(
  response: Response,
  ctx: Pick<Context, "signal">,
  limit = MAX_BYTES,
): Promise<BoundedBody> {
  if (!response.body) return { bytes: new Uint8Array(), cut: false };
  const reader = response.body.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    while (size <= limit) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      size += value.byteLength;
    }
  } catch (error) {
    if (ctx.signal.aborted) throw error;
    return failUnavailable(new URL(response.url).host, "broke off while answering", { reason: "BROKEN_OFF" });
  }
  await reader.cancel().catch(() => undefined);
  return { bytes: Buffer.concat(parts).subarray(0, limit), cut: size > limit };
}

/**
 * Fails the call because its `url` is not allowed or unreadable.
 *
 * @throws ToolFailure VALIDATION_ERROR with a field error on `url`
 */
export const refuseUrl = (keyword: string, message: string, expected: string, url: string): never =>
  invalid([fieldError("url", keyword, message, expected, url)]);

/**
 * Fails the call because a server is unreachable or faulty.
 *
 * @param server host name that the caller sent, never a resolved address
 * @throws ToolFailure UNAVAILABLE with `details.server`
 */
export const failUnavailable = (server: string, what: string, details: object = {}): never =>
  fail("UNAVAILABLE", `${server} ${what}.`, { server, ...details });

/** Characters that a header can carry. */
const PRINTABLE = /^[\x21-\x7e]+$/;
/** Shortest key that is removed: a shorter one could be any word of an answer. */
const MIN_REMOVED_LENGTH = 8;

/**
 * The value of a key, checked for use in a header.
 *
 * @throws ToolFailure UNAVAILABLE naming the secret, if it is not set or no header can carry it
 */
export function headerSecret(ctx: Context, secret: string): string {
  const key = ctx.secret(secret).trim();
  return PRINTABLE.test(key)
    ? key
    : fail("UNAVAILABLE", `The secret ${secret} is not a valid key: it contains spaces or non-ASCII characters.`, {
        secret,
      });
}

/** Removes the key from a text in which a service repeats it. */
export const withoutKey = (text: string, key: string): string =>
  key.length < MIN_REMOVED_LENGTH ? text : text.replaceAll(key, "***");

/** A JSON object from a service. */
export type Json = Readonly<Record<string, unknown>>;

/** The value, or an empty object. */
export const objectOrEmpty = (value: unknown): Json => (isRecord(value) ? value : {});

/** The value, or an empty text. */
export const stringOf = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * The value, if it is a number. An exact number is passed on unchanged: results may contain it, and arithmetic uses
 * the nearest number.
 */
export const numberOf = (value: unknown): number | undefined => {
  if (isExact(value)) return value as unknown as number;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
};

/** The members that are not empty: no empty text, no empty list. */
export const nonEmptyMembers = <T extends object>(value: T): Partial<T> =>
  Object.fromEntries(
    Object.entries(value).filter(
      ([, member]) => member !== undefined && member !== "" && !(Array.isArray(member) && member.length === 0),
    ),
  ) as Partial<T>;
