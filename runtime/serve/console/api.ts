/**
 * The HTTP API, such as `POST /api/exec`: the gateway tools without MCP, for the console and the generated clients. A request body is the arguments of the tool, a response its payload or envelope.
 */

import type { HttpBindings } from "@hono/node-server";
import type { Context, Hono } from "hono";
import { keysOutage } from "../../access/admission.js";
import { tooMany } from "../../access/callers.js";
import type { Rates } from "../../access/rate.js";
import type { CallOptions } from "../../call/call.js";
import { remoteScope } from "../../call/span.js";
import type { HttpSettings } from "../../config/transport-settings.js";
import { capabilitiesOf } from "../../contract/capabilities.js";
import { errorBody, type FailureEnvelope } from "../../contract/error-body.js";
import { writeJson } from "../../contract/exact-number.js";
import { type ErrorCode, isToolFailure, type Principal } from "../../contract/handler.js";
import { newTraceId } from "../../contract/ids.js";
import { readJson } from "../../contract/read-json.js";
import type { Live } from "../../gateway/reloadable-gateway.js";
import type { ServedTool } from "../gateway-tools.js";
import type { PrincipalOf } from "../http/callers.js";
import { readPostedMessage } from "../http/message.js";
import type { OpenRequests } from "../http/requests.js";

/** What the routes need. */
export interface ApiOptions {
  readonly live: Live;
  /** The gateway tools; those with a path are served. */
  readonly gatewayTools: readonly ServedTool[];
  /** Resolves the principal of a request: by bearer key, or another way such as a login. */
  readonly principalOf: PrincipalOf;
  /** The URL that clients know, read at each request. */
  readonly settings: () => Pick<HttpSettings, "publicUrl">;
  readonly rates: () => Rates;
  readonly requests: OpenRequests;
  /** Largest body in bytes, read at each request. */
  readonly bodyBytes: () => number;
  readonly isEnding: () => boolean;
}

/** Data that Node has about a request. */
export interface RequestBindings {
  Bindings: HttpBindings;
}

/** An accepted request. */
export interface ApiCall {
  readonly request: Request;
  readonly principal: Principal;
  readonly body: unknown;
  readonly hooks: CallOptions;
  /** Arrival time by `performance.now()`. */
  readonly arrived: number;
}

/** Adds the routes to the HTTP transport, which has checked Host and Origin already. */
export function addApi(app: Hono<RequestBindings>, options: ApiOptions): void {
  for (const tool of options.gatewayTools) {
    const path = tool.offered.api;
    if (path === undefined) continue;
    app.post(path, async (context) => {
      const call = await enterApi(context, options, tool.callsIn);
      return call instanceof Response ? call : answerApi(options, tool, call);
    });
    app.all(path, () => apiRefusal(405, "Only POST is allowed.", { headers: { Allow: "POST" } }));
  }
}

/** Adds a route that is read. */
export function addGetRoute(
  app: Hono<RequestBindings>,
  path: string,
  answer: (c: Context<RequestBindings>) => Promise<Response>,
): void {
  app.get(path, answer);
  app.all(path, () => apiRefusal(405, "Only GET is allowed.", { headers: { Allow: "GET, HEAD" } }));
}

/** Adds a route that takes a body. */
export function addPostRoute(
  app: Hono<RequestBindings>,
  path: string,
  answer: (c: Context<RequestBindings>) => Promise<Response>,
): void {
  app.post(path, answer);
  app.all(path, () => apiRefusal(405, "Only POST is allowed.", { headers: { Allow: "POST" } }));
}

/** When a client asks again, if the failure does not say so. */
const AGAIN_MS = 5000;

/** The answer of any route to an outage of keys, state or a provider; undefined for other errors. */
export function outageResponse(error: unknown): Response | undefined {
  const failure = keysOutage(error);
  if (!isToolFailure(failure) || failure.code !== "UNAVAILABLE") return undefined;
  const details = { retry_after_ms: AGAIN_MS, ...failure.details };
  const seconds = Math.ceil(details.retry_after_ms / 1000);
  return apiRefusal(503, failure.message, { headers: { "Retry-After": String(seconds) }, details });
}

/** Statuses of the refusals that routes of the console answer. */
const STATUS: Readonly<Record<string, number>> = {
  NOT_FOUND: 404,
  PERMISSION_DENIED: 403,
  VALIDATION_ERROR: 400,
  CONFLICT: 409,
};

/** Does the work of a route, or answers its refusal. @throws other errors */
export async function orRefusal(work: () => Promise<Response>): Promise<Response> {
  try {
    return await work();
  } catch (error) {
    const status = isToolFailure(error) ? STATUS[error.code] : undefined;
    if (!isToolFailure(error) || status === undefined) throw error;
    return apiRefusal(status, error.message);
  }
}

async function answerApi({ live }: ApiOptions, tool: ServedTool, call: ApiCall): Promise<Response> {
  const { principal, body, hooks, arrived } = call;
  const single = { ...hooks, arrived };
  const { value } = await live.within(async (gateway) =>
    tool.answer({ gateway, principal, input: body, hooks, single }),
  );
  return new Response(writeJson(value), { headers: { "content-type": "application/json" } });
}

/**
 * Accepts a `POST` with a JSON body, or refuses it.
 *
 * @param calls - how many calls a body counts as
 */
export async function enterApi(
  context: Context<RequestBindings>,
  options: ApiOptions,
  calls: (body: unknown) => number = () => 1,
): Promise<ApiCall | Response> {
  const request = context.req.raw;
  if (!isOwnPage(request, options.settings())) return NOT_OURS();
  const arrived = performance.now();
  const admitted = await admitApi(context, options);
  if (admitted instanceof Response) return admitted;
  const { principal, ending } = admitted;
  const message = await readPostedMessage(request, options.bodyBytes(), readJson);
  if (message instanceof Response) return inOurForm(message);
  const refused = await takeCalls(principal, options, calls(message.body));
  if (refused) return refused;
  const signal = AbortSignal.any([request.signal, ending]);
  const hooks = { signal, ...remoteScope((name) => request.headers.get(name)) };
  return { request, principal, body: message.body, hooks, arrived };
}

/** Largest body in bytes of a request without a principal: a key. */
const STRANGERS_BYTES = 1024;

/**
 * Accepts a `POST` without a principal, or refuses it; returns its body. It counts as an open request only after its
 * body has arrived, so that slow clients without a key do not block others.
 */
export async function enterAsStranger(
  { req, env }: Context<RequestBindings>,
  { requests, isEnding, settings }: ApiOptions,
): Promise<Pick<ApiCall, "body"> | Response> {
  if (isEnding()) return busy("The server is ending.");
  if (!isOwnPage(req.raw, settings())) return NOT_OURS();
  const message = await readPostedMessage(req.raw, STRANGERS_BYTES);
  if (message instanceof Response) return inOurForm(message);
  return requests.enter(env.outgoing) ? message : busy("Too many requests at once.");
}

/** Counts a request without a principal and without a body as open, or refuses it. */
export function admitStranger(
  { env }: Context<RequestBindings>,
  { requests, isEnding }: Pick<ApiOptions, "requests" | "isEnding">,
): Response | undefined {
  if (isEnding()) return busy("The server is ending.");
  return requests.enter(env.outgoing) ? undefined : busy("Too many requests at once.");
}

/** Accepts a request without a body, or refuses it. It counts as one call. */
export async function admitBare(context: Context<RequestBindings>, options: ApiOptions): Promise<Principal | Response> {
  const admitted = await admitApi(context, options);
  if (admitted instanceof Response) return admitted;
  return (await takeCalls(admitted.principal, options, 1)) ?? admitted.principal;
}

/** The principal of a request with the shutdown signal, or the refusal. */
async function admitApi(
  { req, env }: Context<RequestBindings>,
  { principalOf, requests, isEnding }: ApiOptions,
): Promise<{ readonly principal: Principal; readonly ending: AbortSignal } | Response> {
  if (isEnding()) return busy("The server is ending.");
  const open = requests.enter(env.outgoing);
  if (!open) return busy("Too many requests at once.");
  const principal = await principalOf(req.raw);
  if (principal instanceof Response) return inOurForm(principal);
  if (capabilitiesOf(principal).isShared && !open.belongTo(principal.id)) return busy("Too many requests at once.");
  return { principal, ending: open.ending };
}

/** Counts calls against the rate limit of a caller, or refuses them. */
export async function takeCalls(
  principal: Principal,
  { rates }: Pick<ApiOptions, "rates">,
  calls: number,
): Promise<Response | undefined> {
  const wait = capabilitiesOf(principal).isRated ? await rates().take(principal.id, calls) : 0;
  return wait > 0 ? tooOften(wait) : undefined;
}

/**
 * Whether a request comes from the console's own pages or from no page. Browsers send an Origin with every `POST`, and
 * the login cookie is accepted from this origin only, port included, or from that of `public_url`. Programs send neither, or a bearer key.
 */
function isOwnPage({ headers, url }: Request, { publicUrl }: Pick<HttpSettings, "publicUrl">): boolean {
  const origin = headers.get("origin");
  if (origin === null) return headers.has("authorization") || !headers.has("cookie");
  const own = [new URL(url).host, publicUrl?.host];
  return URL.canParse(origin) && own.includes(new URL(origin).host);
}

/** Error codes by HTTP status; the default is the caller's fault below 500, and an internal fault from there. */
const CODES: ReadonlyMap<number, ErrorCode> = new Map<number, ErrorCode>([
  [401, "UNAUTHENTICATED"],
  [403, "PERMISSION_DENIED"],
  [404, "NOT_FOUND"],
  [429, "RATE_LIMITED"],
  [503, "UNAVAILABLE"],
]);

/** A refusal in the form of an envelope, so that clients read one form only. */
export function apiRefusal(
  status: number,
  message: string,
  {
    headers = {},
    details,
  }: {
    readonly headers?: Headers | Readonly<Record<string, string>>;
    /** `trace_id` where the log names the refusal. */
    readonly details?: Readonly<Record<string, unknown>>;
  } = {},
): Response {
  const { trace_id: traceId = newTraceId(), ...told } = details ?? {};
  const code = CODES.get(status) ?? (status < 500 ? "VALIDATION_ERROR" : "INTERNAL");
  const meta = { trace_id: String(traceId), latency_ms: 0, warnings: [] };
  const error = errorBody({ code, message, details: details && told, help_path: "root" });
  return Response.json({ op: "", ok: false, error, meta } satisfies FailureEnvelope, { status, headers });
}

const NOT_OURS = (): Response => apiRefusal(403, "Requests of a page need the Origin of this server.");

const busy = (why: string): Response => apiRefusal(503, why, { headers: { "Retry-After": "1" } });

const tooOften = (wait: number): Response =>
  apiRefusal(429, tooMany(wait), {
    headers: { "Retry-After": String(Math.ceil(wait / 1000)) },
    details: { retry_after_ms: wait },
  });

/** Converts a refusal of the MCP endpoint (JSON-RPC, or a challenge) to an envelope, with its headers. */
async function inOurForm(refused: Response): Promise<Response> {
  const body = (await refused.json().catch(() => ({}))) as {
    readonly error?: { readonly message?: string; readonly data?: Readonly<Record<string, unknown>> };
    readonly error_description?: string;
  };
  const message = body.error_description ?? body.error?.message ?? "Refused.";
  const headers = new Headers(refused.headers);
  for (const name of ["content-type", "content-length"]) headers.delete(name);
  const { code: _, ...details } = body.error?.data ?? {};
  return apiRefusal(refused.status, message, { headers, details });
}
