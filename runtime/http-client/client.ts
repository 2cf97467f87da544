/** One request through `ctx.fetch`: converts error statuses and reads the body up to a limit. */

import { type Context, fail } from "../contract/handler.js";
import { unavailable } from "./errors.js";

/** Most bytes of a body that are read, after decompression. */
export const MAX_BYTES = 5_000_000;

/** Default waiting time for a server that sends 429 without `Retry-After`. */
const RETRY_MS = 10_000;
const MAX_RETRY_MS = 86_400_000;
const USER_AGENT = "Mozilla/5.0 (compatible; toolwright)";

/** The bytes of a body, up to the limit. */
export interface Body {
  readonly bytes: Uint8Array;
  /** Whether the body was longer. */
  readonly cut: boolean;
}

/** Sends a GET that is cancelled with the call. */
export function get(
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
  if (status === 429) throttled(server, wait);
  unavailable(server, `answers ${status}`, { status, ...(wait === undefined ? {} : { retry_after_ms: wait }) });
}

/**
 * Fails the call because a server limits requests.
 *
 * @param told waiting time in milliseconds, if the server gives one
 * @throws ToolFailure RATE_LIMITED with `details.retry_after_ms`; with `details.estimated` if the server gives no time
 */
export function throttled(server: string, told: number | undefined): never {
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
export async function readBody(response: Response, ctx: Context, limit = MAX_BYTES): Promise<Body> {
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
    return unavailable(new URL(response.url).host, "broke off while answering", { reason: "BROKEN_OFF" });
  }
  await reader.cancel().catch(() => undefined);
  return { bytes: Buffer.concat(parts).subarray(0, limit), cut: size > limit };
}
