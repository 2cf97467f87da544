/** Sends a request and follows redirects, but never to another host: credentials and arguments are for that one only. */

import { type Context, type Fetch, fail, isToolFailure } from "../../contract/handler.js";
import { unavailable } from "../web/errors.js";
import type { HttpRequest } from "./request.js";

const MOST_REDIRECTS = 5;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** An answer, and the address that gave it. */
export interface Sent {
  readonly response: Response;
  readonly url: URL;
}

/**
 * Sends a request.
 *
 * @throws ToolFailure UNAVAILABLE where there is no answer, or it leads to another host
 */
export async function send(request: HttpRequest, fetch: Fetch, ctx: Context): Promise<Sent> {
  let at = request;
  for (let redirects = 0; ; redirects++) {
    const response = await attempt(at, fetch, ctx);
    const location = REDIRECTS.has(response.status) ? response.headers.get("location") : null;
    if (location === null) return { response, url: at.url };
    await response.body?.cancel();
    const next = URL.canParse(location, at.url.href) ? new URL(location, at.url) : undefined;
    if (!next || !isSameHost(at.url, next))
      return unavailable(at.url.host, "redirects to another host, which is not followed", {
        status: response.status,
        ...(next ? { location: next.origin } : {}),
      });
    if (redirects === MOST_REDIRECTS) return unavailable(at.url.host, `redirects more than ${MOST_REDIRECTS} times`);
    at = onward(at, next, response.status);
  }
}

/** The same host and port; from http to https, each at its usual port, is the same host too, and never back. */
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

/** 303, and 301 or 302 after a POST, mean that the answer is to be fetched; otherwise the request is sent again as it was. */
function onward(request: HttpRequest, url: URL, status: number): HttpRequest {
  const fetches = status === 303 || (status < 303 && request.method === "POST");
  if (!fetches || request.method === "HEAD") return { ...request, url };
  const { body: _, headers, ...rest } = request;
  const { "content-type": __, ...kept } = headers;
  return { ...rest, url, method: "GET", headers: kept };
}

async function attempt({ url, method, headers, body }: HttpRequest, fetch: Fetch, ctx: Context): Promise<Response> {
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
    return restate(error, url, method !== "GET" && method !== "HEAD");
  }
}

/** Failures before a connection was there; after any other, a write may have taken effect. */
const NEVER_SENT: ReadonlySet<unknown> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** The web client speaks of an argument `url`, which these ops do not have. */
function restate(
  error: Error & { readonly code?: unknown; readonly details?: object | undefined },
  url: URL,
  writes: boolean,
): never {
  const details: object = error.details ?? {};
  if (error.code === "VALIDATION_ERROR") {
    const remedy = "name the API under `server` in its source, or its host under web.allow_private, in toolwright.yaml";
    return fail("UNAVAILABLE", `${url.host} is not called, since its address is not public: ${remedy}.`, {
      server: url.host,
    });
  }
  const reason = "reason" in details ? details.reason : undefined;
  const uncertain = writes && !NEVER_SENT.has(reason);
  return fail("UNAVAILABLE", error.message, { ...details, ...(uncertain ? { outcome: "unknown" } : {}) });
}
