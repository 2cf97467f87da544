/**
 * The console's own HTTP routes besides the gateway tools (`api.ts`): login, registry, run, statistics, recent calls,
 * servers.
 */

import type { Context, Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { parse } from "hono/utils/cookie";
import { principalOfKey } from "../../access/callers.js";
import { INVALID_KEY } from "../../access/key-store.js";
import { readConfigChange } from "../../contract/config-change.js";
import { isToolFailure, type Principal } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import { isUsageError } from "../../contract/usage-error.js";
import type { Gateway } from "../../gateway/gateway.js";
import { isPeriod } from "../../packs/ot/stats.js";
import { PERIODS } from "../../stats/figures.js";
import type { PrincipalOf } from "../http/callers.js";
import {
  type ApiCall,
  type ApiOptions,
  admitBare,
  apiRefusal,
  type Bindings,
  enterApi,
  enterAsStranger,
  takeCalls,
} from "./api.js";
import { answerRun } from "./run.js";
import { registryTag, seenRegistry, seenTool } from "./visible-registry.js";

/** What the routes need. */
export interface ConsoleOptions extends ApiOptions {
  readonly gateway: ApiOptions["gateway"] &
    Pick<Gateway, "index" | "consoleData" | "run" | "check" | "settings" | "keys">;
  /** Whether users can log in, and whether the cookie needs TLS. */
  readonly login: "off" | "plain" | "secure";
}

type Asked = Context<Bindings>;
type Answering = (options: ConsoleOptions, principal: Principal, asked: Asked) => Response | Promise<Response>;

/**
 * The name of the login cookie. It differs by the port that the browser knows, since browsers share cookies between the
 * ports of a host and two servers would overwrite each other's logins; servers behind one `public_url` have one name.
 * With the prefix `__Host-`, no other host of a domain can set it.
 */
function cookieName(request: Request, { login, settings }: Pick<ConsoleOptions, "login" | "settings">): string {
  const { port } = settings().publicUrl ?? new URL(request.url);
  return `${login === "secure" ? "__Host-" : ""}toolwright_login${port === "" ? "" : `_${port}`}`;
}

const GETS: readonly (readonly [path: string, answer: Answering])[] = [
  ["/api/registry", registry],
  ["/api/op", op],
  ["/api/search", search],
  ["/api/connect", connect],
  ["/api/stats", stats],
  ["/api/calls", calls],
  ["/api/servers", servers],
  ["/api/config", config],
];

const POSTS: readonly (readonly [
  path: string,
  answer: (options: ConsoleOptions, call: ApiCall) => Promise<Response>,
])[] = [
  ["/api/servers/restart", restart],
  ["/api/config/preview", previewChange],
  ["/api/config/write", writeChange],
];

/** Adds the routes to the HTTP transport, which has checked Host and Origin already. */
export function addConsole(app: Hono<Bindings>, options: ConsoleOptions): void {
  for (const [path, answer] of GETS) {
    app.get(path, (c) =>
      orOutage(async () => {
        const principal = await admitBare(c, options);
        return principal instanceof Response ? principal : answer(options, principal, c);
      }),
    );
    app.all(path, () => apiRefusal(405, "Only GET is allowed.", { headers: { Allow: "GET, HEAD" } }));
  }
  post(app, "/api/run", async (c) => {
    const call = await enterApi(c, options);
    return call instanceof Response ? call : Response.json(await answerRun(options.gateway, call));
  });
  for (const [path, answer] of POSTS)
    post(app, path, async (c) => {
      const call = await enterApi(c, options);
      return call instanceof Response ? call : answer(options, call);
    });
  if (options.login === "off") return;
  // Login and logout need no principal.
  post(app, "/api/login", async (c) => {
    const entered = await enterAsStranger(c, options);
    return entered instanceof Response ? entered : login(c, entered.body, options);
  });
  post(app, "/api/logout", async (c) => {
    const entered = await enterAsStranger(c, options);
    return entered instanceof Response ? entered : logout(c, options);
  });
}

function post(app: Hono<Bindings>, path: string, answer: (c: Asked) => Promise<Response>): void {
  app.post(path, (c) => orOutage(() => answer(c)));
  app.all(path, () => apiRefusal(405, "Only POST is allowed.", { headers: { Allow: "POST" } }));
}

async function orOutage(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    return outage(error);
  }
}

/** @throws errors other than a tool failure */
function outage(error: unknown): Response {
  if (!isToolFailure(error) || error.code !== "UNAVAILABLE") throw error;
  return apiRefusal(503, error.message, { headers: { "Retry-After": "5" } });
}

/** Resolves the principal of a request: a bearer key first, then the login cookie, otherwise `principalOf`. */
export const orLoggedIn =
  ({
    principalOf,
    gateway,
    ...own
  }: Pick<ConsoleOptions, "principalOf" | "gateway" | "login" | "settings">): PrincipalOf =>
  async (request) => {
    const name = cookieName(request, own);
    const id = parse(request.headers.get("cookie") ?? "", name)[name];
    if (id === undefined || request.headers.has("authorization")) return principalOf(request);
    try {
      return (await gateway.consoleData.logins.principal(id)) ?? (await principalOf(request));
    } catch (error) {
      return outage(error);
    }
  };

async function login(c: Asked, body: unknown, options: ConsoleOptions): Promise<Response> {
  const { gateway, login } = options;
  const { logins } = gateway.consoleData;
  const key = isObject(body) ? body["key"] : undefined;
  const principal = typeof key === "string" ? await principalOfKey(gateway.keys, key) : undefined;
  const refused = principal && (await takeCalls(principal, options, 1));
  if (refused) return refused;
  const made = principal && (await logins.open(principal.id));
  if (!made) return apiRefusal(401, INVALID_KEY);
  // A new login replaces the earlier one of the browser.
  const name = cookieName(c.req.raw, options);
  const before = getCookie(c, name);
  if (before) await logins.close(before);
  setCookie(c, name, made.id, {
    path: "/",
    httpOnly: true,
    sameSite: "Strict",
    secure: login === "secure",
    expires: new Date(made.end),
  });
  return c.json({ ok: true, expires_at: new Date(made.end).toISOString() });
}

async function logout(c: Asked, options: ConsoleOptions): Promise<Response> {
  const { gateway, login } = options;
  const name = cookieName(c.req.raw, options);
  const id = getCookie(c, name);
  if (id) await gateway.consoleData.logins.close(id);
  deleteCookie(c, name, { path: "/", httpOnly: true, sameSite: "Strict", secure: login === "secure" });
  return c.json({ ok: true });
}

function registry({ gateway }: ConsoleOptions, principal: Principal, { req }: Asked): Response {
  const tag = registryTag(gateway.index, principal);
  // Private to the caller, and revalidated at each use.
  const headers = { ETag: tag, "Cache-Control": "private, no-cache", Vary: "Authorization, Cookie" };
  if (req.header("if-none-match") === tag) return new Response(null, { status: 304, headers });
  return Response.json(seenRegistry(gateway.index, principal), { headers });
}

function op({ gateway }: ConsoleOptions, principal: Principal, { req }: Asked): Response {
  const { name = "" } = req.query();
  const tool = seenTool(gateway.index, principal, name);
  return tool ? Response.json(tool) : apiRefusal(404, "There is no op of this name, or you may not use it.");
}

/** Longest query of a search, in characters. */
const MAX_QUERY_LENGTH = 200;

async function search({ gateway }: ConsoleOptions, principal: Principal, { req }: Asked): Promise<Response> {
  const { query = "" } = req.query();
  if (query.length > MAX_QUERY_LENGTH) return apiRefusal(400, `query has at most ${MAX_QUERY_LENGTH} characters.`);
  return Response.json({ found: await gateway.consoleData.search(query, principal) });
}

async function connect({ gateway }: ConsoleOptions, principal: Principal, { req }: Asked): Promise<Response> {
  const url = req.query("url") ?? new URL("/mcp", gateway.settings.http.publicUrl ?? req.url).href;
  try {
    return Response.json({ clients: await gateway.consoleData.clientEntries(url, principal) });
  } catch (error) {
    if (!isUsageError(error)) throw error;
    return apiRefusal(400, error.message);
  }
}

const OFF = "Statistics are switched off. Set stats.enabled: true in toolwright.yaml.";

async function stats({ gateway }: ConsoleOptions, principal: Principal, { req }: Asked): Promise<Response> {
  const { period = "day", tool = "" } = req.query();
  if (!isPeriod(period)) return apiRefusal(400, `period is one of ${Object.keys(PERIODS).join(", ")}.`);
  const found = await gateway.consoleData.stats(period, tool, principal);
  return found ? Response.json(found) : apiRefusal(404, OFF);
}

/** Default and largest number of recent calls in an answer. */
const CALLS = 50;
const MAX_CALLS = 500;

async function calls({ gateway }: ConsoleOptions, principal: Principal, { req }: Asked): Promise<Response> {
  const { limit = String(CALLS) } = req.query();
  const wanted = Number(limit);
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > MAX_CALLS)
    return apiRefusal(400, `limit is a whole number from 1 to ${MAX_CALLS}.`);
  return Response.json(await gateway.consoleData.calls(wanted, principal));
}

async function restart({ gateway }: ConsoleOptions, { body, principal }: ApiCall): Promise<Response> {
  const name = isObject(body) ? body["name"] : undefined;
  return orRefusal(async () => {
    const fault = await gateway.consoleData.restart(typeof name === "string" ? name : "", principal);
    return Response.json(fault === undefined ? { ok: true } : { ok: false, message: fault });
  });
}

/** Answers a refusal of the console data. */
async function orRefusal(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    if (isUsageError(error)) return apiRefusal(409, error.message);
    if (!isToolFailure(error) || error.code === "UNAVAILABLE") throw error;
    return apiRefusal(error.code === "PERMISSION_DENIED" ? 403 : 404, error.message);
  }
}

function config({ gateway }: ConsoleOptions, principal: Principal): Promise<Response> {
  return orRefusal(async () => Response.json(await gateway.consoleData.config.view(principal)));
}

const NO_CHANGE = "change is no change of the configuration that the console can make.";

function previewChange({ gateway }: ConsoleOptions, { body, principal }: ApiCall): Promise<Response> {
  const change = readConfigChange(isObject(body) ? body["change"] : undefined);
  return orRefusal(async () =>
    change ? Response.json(await gateway.consoleData.config.preview(change, principal)) : apiRefusal(400, NO_CHANGE),
  );
}

function writeChange({ gateway }: ConsoleOptions, { body, principal }: ApiCall): Promise<Response> {
  const { change: sent, digest } = isObject(body) ? body : {};
  const change = readConfigChange(sent);
  return orRefusal(async () => {
    if (!change || typeof digest !== "string") return apiRefusal(400, NO_CHANGE);
    return Response.json(await gateway.consoleData.config.write(change, digest, principal));
  });
}

async function servers({ gateway }: ConsoleOptions, principal: Principal): Promise<Response> {
  const seen = await gateway.consoleData.servers(principal);
  const isDegraded = seen.some(({ state }) => state === "disconnected");
  return Response.json({ status: isDegraded ? "degraded" : "ok", server_count: seen.length, servers: seen });
}
