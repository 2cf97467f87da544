/**
 * Sends a request and follows redirects on the same host only, because credentials and arguments are meant for that
 * host.
 */

import { type Context, type Fetch, fail, isToolFailure } from "../contract/handler.js";
import { hint } from "../contract/own-command.js";
import { failUnavailable } from "./client.js";
import { isNeverSent } from "./proxy.js";
import type { HttpRequest } from "./request.js";

const MAX_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** An answer, and the address it came from. */
export interface Sent {
  readonly response: Response;
  readonly url: URL;
}

/**
 * Sends a request.
 *
 * @throws ToolFailure UNAVAILABLE if there is no answer, or the answer redirects to another host
 */
export async function send(request: HttpRequest, fetch: Fetch, ctx: Context): Promise<Sent> {
  let at = request;
  for (let redirects = 0; ; redirects++) {
    const response = await requestOnce(at, fetch, ctx);
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
    if (location === null) return { response, url: at.url };
    await response.body?.cancel();
    const next = URL.canParse(location, at.url.href) ? new URL(location, at.url) : undefined;
    if (!next || !isSameHost(at.url, next))
      return failUnavailable(at.url.host, "redirects to another host, which is not followed", {
        status: response.status,
        ...(next ? { location: next.origin } : {}),
      });
    if (redirects === MAX_REDIRECTS) return failUnavailable(at.url.host, `redirects more than ${MAX_REDIRECTS} times`);
    at = onward(at, next, response.status);
  }
}

/**
 * Whether two addresses have the same host and port. A change from http to https on the default ports counts as the
 * same host; the reverse does not.
 */
function isSameHost(from: URL, to: URL): boolean {
  if (to.username !== "" || to.password !== "") return false;
  if (from.origin === to.origin) return true;
  return (
    from.protocol === "http:" &&
    to.protocol === "https:" &&
    from.hostname === to.hostname &&
    from.port === "" &&
    to.port === ""
  );
}

/**
 * The next request of a redirect: 303, and 301 or 302 after a POST, become a GET; other redirects repeat the request.
 */
function onward(request: HttpRequest, url: URL, status: number): HttpRequest {
  const fetches = status === 303 || (status < 303 && request.method === "POST");
  if (!fetches || request.method === "HEAD") return { ...request, url };
  const { body: _, headers, ...rest } = request;
  const { "content-type": __, ...kept } = headers;
  return { ...rest, url, method: "GET", headers: kept };
}

async function requestOnce(
  { url, method, headers, body, writes }: HttpRequest,
  fetch: Fetch,
  ctx: Context,
): Promise<Response> {
  const init = {
    method,
    headers,
    redirect: "manual" as const,
    signal: ctx.signal,
    ...(body === undefined ? {} : { body }),
  };
  try {
    return await fetch(url.href, init as RequestInit);
  } catch (error) {
    if (ctx.signal.aborted || !isToolFailure(error)) throw error;
    return restate(error, url, writes);
  }
}

/**
 * Checks an address before anything is sent to it, a token is asked for included.
 *
 * @param check throws as the web client
 * @throws ToolFailure UNAVAILABLE, as {@link send}
 */
export async function checkAddress(url: URL, check: (url: URL) => Promise<void>): Promise<void> {
  try {
    await check(url);
  } catch (error) {
    if (!isToolFailure(error)) throw error;
    restate(error, url, false);
  }
}

/** Errors before a connection existed; after any other error, a write may have taken effect. */
const NEVER_SENT: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** Rewrites an error of the web client, which names an argument `url` that these ops do not have. */
function restate(
  error: Error & { readonly code?: unknown; readonly details?: object | undefined },
  url: URL,
  writes: boolean,
): never {
  const details: object = error.details ?? {};
  if (error.code === "VALIDATION_ERROR") {
    const remedy = hint(
      "name the API under `server` in its source, or its host under web.allow_private, in toolwright.yaml",
      "name the API with --server to allow it",
    );
    return fail("UNAVAILABLE", `${url.host} is not called, since its address is not public: ${remedy}.`, {
      server: url.host,
    });
  }
  const reason = "reason" in details ? details.reason : undefined;
  const uncertain = writes && !NEVER_SENT.has(reason) && !isNeverSent(reason);
  return fail("UNAVAILABLE", error.message, { ...details, ...(uncertain ? { outcome: "unknown" } : {}) });
}
