/**
 * What the console asks the server for beside the gateway tools (`api.ts`): login, registry, run, statistics, recent calls, servers.
 * Rules: `surfaces.md` 1.
 */

import type { Context, Hono } from "hono";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import { parse } from "hono/utils/cookie";
import type { PrincipalOf } from "../access/http-callers.js";
import { INVALID_KEY } from "../access/key-store.js";
import { isToolFailure, type Principal } from "../contract/handler.js";
import type { Gateway } from "../gateway.js";
import { isObject } from "../json.js";
import { isPeriod } from "../ot/stats.js";
import { PERIODS } from "../stats/figures.js";
import { type ApiCall, type ApiOptions, admitBare, apiRefusal, type Bindings, enterApi } from "./api.js";
import { answerRun } from "./run.js";
import { registryTag, seenRegistry } from "./seen-registry.js";

/** What the routes lead to. */
export interface ConsoleOptions extends ApiOptions {
  readonly gateway: ApiOptions["gateway"] & Pick<Gateway, "index" | "sights" | "run" | "check" | "settings">;
  /** Whether people can log in, and whether their cookie is sent over TLS only. */
  readonly login: "off" | "plain" | "secure";
}

type Asked = Context<Bindings>;
type Answering = (options: ConsoleOptions, principal: Principal, asked: Asked) => Response | Promise<Response>;

/** Holds the id of a login. */
const COOKIE = "toolwright_login";

const GETS: readonly (readonly [path: string, answer: Answering])[] = [
  ["/api/registry", registry],
  ["/api/stats", stats],
  ["/api/calls", calls],
  ["/api/servers", servers],
];

/** Adds the routes to those of the HTTP door, which has checked Host and Origin by then. */
export function addConsole(app: Hono<Bindings>, options: ConsoleOptions): void {
  for (const [path, answer] of GETS) {
    app.get(path, (c) =>
      orOutage(async () => {
        const principal = await admitBare(c, options);
        return principal instanceof Response ? principal : kept(await answer(options, principal, c));
      }),
    );
    app.all(path, () => apiRefusal(405, "Only GET is allowed.", { headers: { Allow: "GET, HEAD" } }));
  }
  const posts: [path: string, options: ApiOptions, answer: (c: Asked, call: ApiCall) => Promise<Response>][] = [
    ["/api/run", options, async (_, call) => Response.json(await answerRun(options.gateway, call))],
  ];
  // Who logs in or out need not be anybody.
  const forAll = { ...options, principalOf: async () => NOBODY };
  if (options.login !== "off")
    posts.push(
      ["/api/login", forAll, (c, call) => login(c, call, options)],
      ["/api/logout", forAll, (c) => logout(c, options)],
    );
  for (const [path, given, answer] of posts) {
    app.post(path, (c) =>
      orOutage(async () => {
        const call = await enterApi(c, given);
        return call instanceof Response ? call : answer(c, call);
      }),
    );
    app.all(path, () => apiRefusal(405, "Only POST is allowed.", { headers: { Allow: "POST" } }));
  }
}

const NOBODY: Principal = { kind: "local", id: "", grant: { level: "read", projects: [] }, allowWrite: false };

/** Only its caller may keep an answer, and has to ask whether it still holds. */
function kept(answer: Response): Response {
  answer.headers.set("Cache-Control", "private, no-cache");
  answer.headers.set("Vary", "Authorization, Cookie");
  return answer;
}

async function orOutage(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    return outage(error);
  }
}

/** @throws what is none */
function outage(error: unknown): Response {
  if (!isToolFailure(error) || error.code !== "UNAVAILABLE") throw error;
  return apiRefusal(503, error.message, { headers: { "Retry-After": "5" } });
}

/** Who sends a request: whoever is logged in on a browser, and else as `principalOf` says. A key that is shown comes first. */
export const orLoggedIn =
  (principalOf: PrincipalOf, gateway: Pick<Gateway, "sights">): PrincipalOf =>
  async (request) => {
    const id = parse(request.headers.get("cookie") ?? "", COOKIE)[COOKIE];
    if (id === undefined || request.headers.has("authorization")) return principalOf(request);
    try {
      return (await gateway.sights.logins.principal(id)) ?? (await principalOf(request));
    } catch (error) {
      return outage(error);
    }
  };

async function login(c: Asked, { body }: ApiCall, { gateway, login }: ConsoleOptions): Promise<Response> {
  const key = isObject(body) ? body["key"] : undefined;
  const made = typeof key === "string" ? await gateway.sights.logins.open(key) : undefined;
  if (!made) return apiRefusal(401, INVALID_KEY);
  // A browser that logs in again does so instead of its earlier login.
  const before = getCookie(c, COOKIE);
  if (before) await gateway.sights.logins.close(before);
  setCookie(c, COOKIE, made.id, {
    path: "/",
    httpOnly: true,
    sameSite: "Strict",
    secure: login === "secure",
    expires: new Date(made.end),
  });
  return c.json({ ok: true, expires_at: new Date(made.end).toISOString() });
}

async function logout(c: Asked, { gateway, login }: ConsoleOptions): Promise<Response> {
  const id = getCookie(c, COOKIE);
  if (id) await gateway.sights.logins.close(id);
  deleteCookie(c, COOKIE, { path: "/", httpOnly: true, sameSite: "Strict", secure: login === "secure" });
  return c.json({ ok: true });
}

function registry({ gateway }: ConsoleOptions, principal: Principal, { req }: Asked): Response {
  const tag = registryTag(gateway.index, principal);
  const headers = { ETag: tag };
  if (req.header("if-none-match") === tag) return new Response(null, { status: 304, headers });
  return Response.json(seenRegistry(gateway.index, principal), { headers });
}

const OFF = "Statistics are switched off. Set stats.enabled: true in toolwright.yaml.";

async function stats({ gateway }: ConsoleOptions, principal: Principal, { req }: Asked): Promise<Response> {
  const { period = "day", tool = "" } = req.query();
  if (!isPeriod(period)) return apiRefusal(400, `period is one of ${Object.keys(PERIODS).join(", ")}.`);
  const found = await gateway.sights.stats(period, tool, principal);
  return found ? Response.json(found) : apiRefusal(404, OFF);
}

/** Recent calls that are told unless asked for fewer or more, and at most. */
const CALLS = 50;
const MOST_CALLS = 500;

function calls({ gateway }: ConsoleOptions, principal: Principal, { req }: Asked): Response {
  const { limit = String(CALLS) } = req.query();
  const wanted = Number(limit);
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > MOST_CALLS)
    return apiRefusal(400, `limit is a whole number from 1 to ${MOST_CALLS}.`);
  return Response.json({ calls: gateway.sights.calls(wanted, principal) });
}

function servers({ gateway }: ConsoleOptions, principal: Principal): Response {
  const seen = gateway.sights.servers(principal);
  const isDegraded = seen.some(({ state }) => state === "disconnected");
  return Response.json({ status: isDegraded ? "degraded" : "ok", server_count: seen.length, servers: seen });
}
