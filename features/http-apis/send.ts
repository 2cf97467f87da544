/**
 * Sends a request and follows redirects on the same host only, because credentials and arguments are meant for that
 * host.
 */

import { type Context, type Fetch, isToolFailure } from "../../runtime/contract/handler.js";
import { refuseAddress } from "../../runtime/http-client/check-address.js";
import { failUnavailable } from "../../runtime/http-client/client.js";
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
    return refuseAddress(error, url, writes);
  }
}
