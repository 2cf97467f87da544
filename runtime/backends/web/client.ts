/** One request through `ctx.fetch`: what a status means, and a body read up to a bound. */

import { type Context, fail } from "../../contract/handler.js";
import { unavailable } from "./errors.js";

/** Bytes of a body that are read, after decompression. */
export const MOST_BYTES = 5_000_000;

/** Waiting time where a throttled server names none. */
const RETRY_MS = 10_000;
const LONGEST_RETRY_MS = 86_400_000;
const USER_AGENT = "Mozilla/5.0 (compatible; toolwright)";

/** What a body held, up to the bound. */
export interface Body {
  readonly bytes: Uint8Array;
  /** Whether there was more. */
  readonly cut: boolean;
}

/** Sends a GET that ends with the call. */
export function get(
  ctx: Context,
  url: string,
  headers: Readonly<Record<string, string>>,
  redirect: "follow" | "manual" | "error",
): Promise<Response> {
  return ctx.fetch(url, { headers: { "user-agent": USER_AGENT, ...headers }, redirect, signal: ctx.signal });
}

/**
 * Ends the call where the status says that there is no answer.
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
 * Ends the call because a server takes no more for now.
 *
 * @param told waiting time in milliseconds, where the server names one
 * @throws ToolFailure RATE_LIMITED with `details.retry_after_ms`; `details.estimated` where nobody named it
 */
export function throttled(server: string, told: number | undefined): never {
  const wait = told ?? RETRY_MS;
  return fail("RATE_LIMITED", `${server} takes no more requests for now; try again in ${Math.ceil(wait / 1000)} s.`, {
    server,
    retry_after_ms: Math.min(wait, LONGEST_RETRY_MS),
    ...(told === undefined ? { estimated: true } : {}),
  });
}

/** `Retry-After` in milliseconds from now: seconds, or a date; a day at most. */
export function retryAfterMs(headers: Headers, now: number): number | undefined {
  const text = headers.get("retry-after")?.trim() ?? "";
  const wait = /^\d{1,9}$/.test(text) ? Number(text) * 1000 : Math.max(0, Date.parse(text) - now);
  return Number.isNaN(wait) ? undefined : Math.min(wait, LONGEST_RETRY_MS);
}

/**
 * Reads a body up to {@link MOST_BYTES} and leaves the rest.
 *
 * @throws ToolFailure UNAVAILABLE when the connection breaks, or the body is not compressed as it says
 */
export async function readBody(response: Response, ctx: Context, limit = MOST_BYTES): Promise<Body> {
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
