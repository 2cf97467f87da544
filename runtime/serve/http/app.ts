/** The routes of the HTTP transport, and the checks that every request passes first. */

import type { ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { HttpBindings } from "@hono/node-server";
import { hostHeaderValidationResponse, originValidationResponse } from "@modelcontextprotocol/server";
import { type Context, Hono } from "hono";
import { ofClientAt } from "../../access/access-log.js";
import { tooMany } from "../../access/callers.js";
import type { Watched } from "../../access/key-watch.js";
import type { Rates } from "../../access/rate.js";
import { type BadKeyDelay, createBadKeyDelay } from "../../access/rate.js";
import type { HttpSettings } from "../../config/transport-settings.js";
import { capabilitiesOf } from "../../contract/capabilities.js";
import { isUnboundGrant } from "../../contract/grant.js";
import { guardBy } from "../../contract/guard.js";
import type { Logger, Principal } from "../../contract/handler.js";
import { hint } from "../../contract/own-command.js";
import { metricsText } from "../../metrics/metrics.js";
import { addApi, outageResponse } from "../console/api.js";
import { type LoginOptions, orLoggedIn } from "../console/login.js";
import { addPages } from "../console/pages.js";
import { addConsole } from "../console/routes.js";
import { metadataPath, ORIGIN_METADATA, type PrincipalOf, resourceMetadata } from "./callers.js";
import { compressResponses } from "./compress.js";
import { addressOfClient } from "./forwarded.js";
import { asksToListen, callsOf, discardBody, idFault, messageCount, readPostedMessage, refusal } from "./message.js";
import type { OpenRequests } from "./requests.js";

/** The caller of a request, and the signal that the server is shutting down. */
export interface HttpCaller {
  readonly principal: Principal;
  readonly ending: AbortSignal;
  /** Arrival time by `performance.now()`; default: when the call is read. */
  readonly arrived?: number;
}

/** What the routes need. */
export interface HttpAppOptions {
  /** Hosts allowed in the `Host` and `Origin` headers, read at each request. */
  readonly hosts: () => string[];
  /** Proxies whose `X-Forwarded-For` is believed, and the URL that clients know, read at each request. */
  readonly settings: () => Pick<HttpSettings, "trustedProxies" | "publicUrl" | "metrics" | "signIn">;
  readonly principalOf: PrincipalOf;
  /** The gateway behind `/api`. */
  readonly live: LoginOptions["live"];
  readonly gatewayTools: LoginOptions["gatewayTools"];
  /** Whether users can log in at the console, and how; `off` without a console. */
  readonly login: LoginOptions["login"];
  readonly loginRoutes: LoginOptions["loginRoutes"];
  readonly rates: () => Rates;
  /** Watches whether the key of a caller is still live. */
  readonly watch: (principal: Principal) => Watched | undefined;
  readonly requests: OpenRequests;
  /** Answers a message. */
  readonly answer: (request: Request, body: unknown, caller: HttpCaller) => Promise<Response>;
  /** Largest body in bytes, read at each request. */
  readonly bodyBytes: () => number;
  readonly isEnding: () => boolean;
  readonly isReady: () => Promise<boolean>;
  /** What `/readyz?verbose` adds. */
  readonly readiness: () => object;
  readonly log: Logger;
}

/** The routes as one `fetch` handler. */
export type HttpApp = Hono<{ Bindings: HttpBindings }>;

/** Headers of every response. */
const HEADERS: Readonly<Record<string, string>> = {
  "Content-Security-Policy": "default-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'",
  "Referrer-Policy": "no-referrer",
  "X-Content-Type-Options": "nosniff",
};

/** Paths of the protected resource metadata (RFC 9728): for the endpoint, and for the origin. */
const RESOURCE_METADATA = [`${ORIGIN_METADATA}/mcp`, `${ORIGIN_METADATA}/mcp/`, ORIGIN_METADATA];

/** Paths of MCP: clients and proxies may add a slash. */
const MCP = ["/mcp", "/mcp/"];

const INTERNAL = -32_603;
const busy = (why: string): Response => refusal(503, why, { headers: { "Retry-After": "1" } });

/** Creates the routes. */
export function httpApp(options: HttpAppOptions): HttpApp {
  const { isEnding, isReady, log } = options;
  const app: HttpApp = new Hono();
  const delay = createBadKeyDelay(() => performance.now());
  app.use(async (c, next) => {
    const { raw } = c.req;
    const refused = PROBES.has(c.req.path) ? undefined : hostFault(raw, c.env.incoming.url, options.hosts());
    const remote = c.env.incoming.socket.remoteAddress ?? "";
    const client = addressOfClient(remote, raw.headers.get("x-forwarded-for"), options.settings().trustedProxies);
    if (refused) c.res = refused;
    else await ofClientAt(client, next);
    if (c.res.status === 401 && raw.headers.has("authorization")) await slowDown(c.res, client, delay);
    for (const [name, value] of Object.entries(HEADERS)) c.res.headers.set(name, value);
    if (!c.res.headers.has("cache-control")) c.res.headers.set("Cache-Control", "no-store");
    // The SDK writes `keep-alive` into its event streams, also for a client that asked to close. Node knows better.
    if (isEnding()) c.res.headers.set("Connection", "close");
    else if (c.res.headers.get("connection") === "keep-alive") c.res.headers.delete("connection");
    const { incoming, outgoing } = c.env;
    const closes = !outgoing.shouldKeepAlive || c.res.headers.get("connection") === "close";
    if (closes && !incoming.complete) await discardBody(incoming);
  });
  app.use(compressResponses);
  for (const path of MCP) app.post(path, (c) => answerMessage(c, options));
  app.on("ALL", MCP, () => refusal(405, "Only POST is allowed.", { headers: { Allow: "POST" } }));
  addSurfaces(app, options);
  for (const path of RESOURCE_METADATA) app.get(path, (c) => resourceMetadata(c.req.raw, options.settings()));
  app.get(`${ORIGIN_METADATA}/*`, (c, next) => {
    const { signIn } = options.settings();
    const isOwn = signIn !== undefined && c.req.path === metadataPath(signIn.resource);
    return isOwn ? resourceMetadata(c.req.raw, options.settings()) : next();
  });
  app.get("/metrics", (c) => answerMetrics(c, options));
  app.get("/healthz", (c) => c.json({ ok: true }));
  app.get("/readyz", async (c) => {
    const ok = !isEnding() && (await isReady());
    const details = c.req.query("verbose") === undefined ? {} : options.readiness();
    return c.json({ ok, ...details }, ok ? 200 : 503);
  });
  app.notFound(() => refusal(404, "There is nothing here; MCP is at /mcp."));
  app.onError((error) => {
    const away = outageResponse(error);
    if (away) return away;
    log.error("http request failed", { error: error.stack ?? error.message });
    return refusal(500, "Internal error.", { code: INTERNAL });
  });
  return app;
}

/**
 * Asked by balancers and orchestrators, by the address or any name; the answers to the first two say nothing about the
 * project, and {@link answerMetrics} checks its callers itself.
 */
const PROBES: ReadonlySet<string> = new Set(["/healthz", "/readyz", "/metrics"]);

/** The names of ops are among the labels, so a key that is bound to projects, packs or ops may not read them. */
async function answerMetrics(c: Context<{ Bindings: HttpBindings }>, options: HttpAppOptions): Promise<Response> {
  const { metrics } = options.settings();
  if (metrics === "off") return refusal(404, `Metrics are off${hint(": set metrics: keys in toolwright.yaml", "")}.`);
  if (metrics === "keys") {
    const principal = await options.principalOf(c.req.raw);
    if (principal instanceof Response) return principal;
    // Only a key tells a scraper, which may call the server by any name, from a page of another site.
    const fault = capabilitiesOf(principal).hasCredential
      ? undefined
      : hostFault(c.req.raw, c.env.incoming.url, options.hosts());
    if (fault) return fault;
    if (!isUnboundGrant(principal.grant))
      return refusal(
        403,
        "This key is bound to projects, packs or ops; metrics are of the whole server: use a key of scope read.",
      );
  }
  return c.body(metricsText(), 200, { "Content-Type": "text/plain; version=0.0.4; charset=utf-8" });
}

const hostFault = (request: Request, target: string | undefined, hosts: string[]): Response | undefined =>
  targetFault(target, hosts) ??
  hostHeaderValidationResponse(request, hosts) ??
  originValidationResponse(request, hosts);

/** Refuses an absolute request target that names another host, since it takes precedence over the `Host` header. */
function targetFault(target: string | undefined, hosts: readonly string[]): Response | undefined {
  if (target === undefined || target.startsWith("/") || target === "*") return undefined;
  const url = URL.canParse(target) ? new URL(target) : undefined;
  const isOurs = url !== undefined && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  if (isOurs && hosts.includes(url.hostname)) return undefined;
  return refusal(403, `Invalid Host: the request names ${url?.hostname ?? "no host of this server"}.`);
}

/** Delays the response to an invalid key. */
async function slowDown(res: Response, client: string, delay: BadKeyDelay): Promise<void> {
  const wait = delay.waitOf(client);
  if (wait === "full") res.headers.set("Connection", "close");
  else if (wait > 0) await sleep(wait);
}

/** Adds the routes besides MCP: `/api` for bearer keys, and the console for users. */
function addSurfaces(app: HttpApp, options: HttpAppOptions): void {
  const { login, log } = options;
  const principalOf = login === "off" ? options.principalOf : orLoggedIn(options);
  addApi(app, { ...options, principalOf });
  addConsole(app, { ...options, principalOf });
  if (login !== "off" && !addPages(app)) log.warn("the console's pages are not built: npm run build");
}

async function answerMessage(
  { req, env }: Context<{ Bindings: HttpBindings }>,
  options: HttpAppOptions,
): Promise<Response> {
  const { principalOf, requests, answer, bodyBytes, isEnding } = options;
  if (isEnding()) return busy("The server is ending.");
  const arrived = performance.now();
  // The request counts while its key is verified, which may take as long as the database does.
  const open = requests.enter(env.outgoing);
  if (!open) return busy("Too many requests at once.");
  const principal = await principalOf(req.raw);
  if (principal instanceof Response) return principal;
  if (capabilitiesOf(principal).isShared && !open.belongTo(principal.id)) return busy("Too many requests at once.");
  const message = await readPostedMessage(req.raw, bodyBytes());
  if (message instanceof Response) return message;
  const fault = idFault(message);
  if (fault) return fault;
  const isRated = capabilitiesOf(principal).isRated;
  const wait = isRated ? await options.rates().take(principal.id, callsOf(message, options.gatewayTools)) : 0;
  if (wait > 0) return tooOften(wait);
  if (!open.more(messageCount(message) - 1)) return busy("Too many requests at once.");
  // The client decides how long a subscription stream stays open, so shutdown does not wait for it.
  if (asksToListen(message)) {
    if (!open.listen()) return busy("Too many streams of changes with this key.");
    endWithKey(env.outgoing, options.watch(principal));
  }
  return answer(req.raw, message.body, { principal, ending: open.ending, arrived });
}

const tooOften = (wait: number): Response =>
  refusal(429, tooMany(wait), {
    headers: { "Retry-After": String(Math.ceil(wait / 1000)) },
    data: { code: "RATE_LIMITED", retry_after_ms: wait },
  });

/** Ends a subscription stream when its key expires or is revoked. */
function endWithKey(answer: ServerResponse, watched: Watched | undefined): void {
  if (!watched) return;
  const guard = guardBy(() => answer.destroy());
  const end = guard(() => answer.destroy());
  watched.signal.addEventListener("abort", end, { once: true });
  if (watched.signal.aborted) end();
  const release = guard(() => {
    watched.signal.removeEventListener("abort", end);
    watched.release();
  });
  answer.once("close", release);
}
