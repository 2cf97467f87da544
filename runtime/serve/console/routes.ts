/**
 * The console's own HTTP routes besides the gateway tools (`api.ts`): registry, run, recent calls, servers, and data of
 * features.
 */

import type { Context, Hono } from "hono";
import { readConfigChange } from "../../contract/config-change.js";
import { writeJson } from "../../contract/exact-number.js";
import type { Principal } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import type { JsonValue } from "../../contract/registry.js";
import { isUsageError } from "../../contract/usage-error.js";
import type { Gateway } from "../../gateway/gateway.js";
import {
  type ApiCall,
  addGetRoute,
  addPostRoute,
  admitBare,
  apiRefusal,
  enterApi,
  orRefusal as orToolRefusal,
  type RequestBindings,
} from "./api.js";
import { answerStopRun, approvals, decideAll, decideCall } from "./approvals.js";
import { addConnectionPages, connections, revokeConnection, startConnection } from "./connections.js";
import { addLogin, type LoginOptions } from "./login.js";
import { answerRunRequest } from "./run.js";
import { registryTag, seenRegistry, seenTool } from "./visible-registry.js";

/** What answers one request. */
interface Answerer {
  readonly gateway: Gateway;
}

type Asked = Context<RequestBindings>;
type Answering = (by: Answerer, principal: Principal, asked: Asked) => Response | Promise<Response>;

const GETS: readonly (readonly [path: string, answer: Answering])[] = [
  ["/api/registry", registry],
  ["/api/op", op],
  ["/api/search", search],
  ["/api/calls", calls],
  ["/api/servers", servers],
  ["/api/config", config],
  ["/api/connections", connections],
  ["/api/approvals", approvals],
];

const POSTS: readonly (readonly [path: string, answer: (by: Answerer, call: ApiCall) => Promise<Response>])[] = [
  ["/api/servers/restart", restart],
  ["/api/config/preview", previewChange],
  ["/api/config/write", writeChange],
  ["/api/connections/revoke", revokeConnection],
  ["/api/approvals/decide", decideCall],
  ["/api/approvals/decide-all", decideAll],
  ["/api/approvals/stop", answerStopRun],
];

/** Adds the routes to the HTTP transport, which has checked Host and Origin already. */
export function addConsole(app: Hono<RequestBindings>, options: LoginOptions): void {
  const { within, current } = options.live;
  const added = Object.keys(current().consoleData.added).map((name) => [`/api/${name}`, ofFeature(name)] as const);
  for (const [path, answer] of [...GETS, ...added])
    addGetRoute(app, path, async (c) => {
      const principal = await admitBare(c, options);
      return principal instanceof Response ? principal : within(async (gateway) => answer({ gateway }, principal, c));
    });
  addPostRoute(app, "/api/run", async (c) => {
    const call = await enterApi(c, options);
    return call instanceof Response ? call : jsonOf(await within((gateway) => answerRunRequest(gateway, call)));
  });
  for (const [path, answer] of POSTS)
    addPostRoute(app, path, async (c) => {
      const call = await enterApi(c, options);
      return call instanceof Response ? call : within((gateway) => answer({ gateway }, call));
    });
  addPostRoute(app, "/api/connections/start", async (c) => {
    const call = await enterApi(c, options);
    return call instanceof Response ? call : within((gateway) => startConnection(c, { ...options, gateway }, call));
  });
  addConnectionPages(app, options);
  if (options.login === "off") return;
  addLogin(app, options);
}

async function registry({ gateway }: Answerer, principal: Principal, { req }: Asked): Promise<Response> {
  // Only users have names.
  const { [principal.id]: name } = await gateway.consoleData.names([principal.id]);
  const languages = gateway.settings.run.languages.map(({ name }) => name);
  const tag = registryTag(gateway.index, principal, languages, name);
  // Private to the caller, and revalidated at each use.
  const headers = { ETag: tag, "Cache-Control": "private, no-cache", Vary: "Authorization, Cookie" };
  if (req.header("if-none-match") === tag) return new Response(null, { status: 304, headers });
  return Response.json(seenRegistry(gateway.index, principal, languages, name), { headers });
}

function op({ gateway }: Answerer, principal: Principal, { req }: Asked): Response {
  const { name = "" } = req.query();
  const tool = seenTool(gateway.index, principal, name);
  return tool ? Response.json(tool) : apiRefusal(404, "There is no op of this name, or you may not use it.");
}

/** Longest query of a search, in characters. */
const MAX_QUERY_LENGTH = 200;

async function search({ gateway }: Answerer, principal: Principal, { req }: Asked): Promise<Response> {
  const { query = "" } = req.query();
  if (query.length > MAX_QUERY_LENGTH) return apiRefusal(400, `query has at most ${MAX_QUERY_LENGTH} characters.`);
  return Response.json({ found: await gateway.consoleData.search(query, principal) });
}

/** An answer with values of ops, whose numbers stay exact. */
const jsonOf = (value: object): Response =>
  new Response(writeJson(value as unknown as JsonValue), { headers: { "content-type": "application/json" } });

/** Answers with data of a feature. */
const ofFeature =
  (name: string): Answering =>
  async ({ gateway }, principal, { req }) => {
    const found = await gateway.consoleData.added[name]?.(req.query(), principal, new URL(req.url));
    if (found === undefined) return apiRefusal(404, "There is no such data any more: load the page again.");
    return "value" in found ? Response.json(found.value) : apiRefusal(found.status, found.refused);
  };

/** Default and largest number of recent calls in an answer. */
const CALLS = 50;
const MAX_CALLS = 500;

async function calls({ gateway }: Answerer, principal: Principal, { req }: Asked): Promise<Response> {
  const { limit = String(CALLS) } = req.query();
  const wanted = Number(limit);
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > MAX_CALLS)
    return apiRefusal(400, `limit is a whole number from 1 to ${MAX_CALLS}.`);
  const found = await gateway.consoleData.calls(wanted, principal);
  const names = await gateway.consoleData.names(found.calls.map(({ caller }) => caller));
  return Response.json({ ...found, names });
}

async function restart({ gateway }: Answerer, { body, principal }: ApiCall): Promise<Response> {
  const name = isObject(body) ? body["name"] : undefined;
  return orRefusal(async () => {
    const fault = await gateway.consoleData.restart(typeof name === "string" ? name : "", principal);
    return Response.json(fault === undefined ? { ok: true } : { ok: false, message: fault });
  });
}

/** Does the work, or answers a refusal of the console data; 409 for settings that cannot be as they are. */
async function orRefusal(work: () => Promise<Response>): Promise<Response> {
  try {
    return await orToolRefusal(work);
  } catch (error) {
    if (!isUsageError(error)) throw error;
    return apiRefusal(409, error.message);
  }
}

function config({ gateway }: Answerer, principal: Principal): Promise<Response> {
  return orRefusal(async () => Response.json(await gateway.consoleData.config.view(principal)));
}

const NO_CHANGE = "change is no change of the configuration that the console can make.";

function previewChange({ gateway }: Answerer, { body, principal }: ApiCall): Promise<Response> {
  const change = readConfigChange(isObject(body) ? body["change"] : undefined);
  return orRefusal(async () =>
    change ? Response.json(await gateway.consoleData.config.preview(change, principal)) : apiRefusal(400, NO_CHANGE),
  );
}

function writeChange({ gateway }: Answerer, { body, principal }: ApiCall): Promise<Response> {
  const { change: sent, digest } = isObject(body) ? body : {};
  const change = readConfigChange(sent);
  return orRefusal(async () => {
    if (!change || typeof digest !== "string") return apiRefusal(400, NO_CHANGE);
    return Response.json(await gateway.consoleData.config.write(change, digest, principal));
  });
}

async function servers({ gateway }: Answerer, principal: Principal): Promise<Response> {
  const seen = await gateway.consoleData.servers(principal);
  const isDegraded = seen.some(({ state }) => state === "disconnected");
  return Response.json({ status: isDegraded ? "degraded" : "ok", server_count: seen.length, servers: seen });
}
