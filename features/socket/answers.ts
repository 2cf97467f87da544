/**
 * Answers socket requests. Checks run in this order: params, key, rate limit, tool and level, and then the checks of
 * every call.
 */

import { principalOfKey, tooMany } from "../../runtime/access/callers.js";
import { callsIn } from "../../runtime/access/rate.js";
import { roundingErrors, roundingsIn, withNearestNumbers } from "../../runtime/call/arguments/exact.js";
import type { CallOptions } from "../../runtime/call/call.js";
import type { Session } from "../../runtime/catalog/session.js";
import { echo, type FailureEnvelope, type Meta } from "../../runtime/contract/error-body.js";
import { writeJson } from "../../runtime/contract/exact-number.js";
import { type FieldError, isToolFailure, type Logger, type Principal } from "../../runtime/contract/handler.js";
import { newTraceId } from "../../runtime/contract/ids.js";
import { isObject, own, plainJson } from "../../runtime/contract/json.js";
import type { JsonObject } from "../../runtime/contract/registry.js";
import { checkFields, type FieldRules, notAnObject, oneOf, textField } from "../../runtime/contract/request-fields.js";
import { stackOf } from "../../runtime/contract/thrown.js";
import type { Gateway } from "../../runtime/gateway/gateway.js";
import { markedText } from "../../runtime/run/sanitize.js";
import type { GatewayToolAnswer } from "../../runtime/serve/gateway-tool-call.js";
import type { ServedTool } from "../../runtime/serve/gateway-tools.js";
import { createAttachedBlocks, keepFor } from "../../runtime/serve/mcp/attached-blocks.js";
import { withinAtMost } from "../../runtime/state/deadline.js";
import { type CallResult, METHODS, RPC, type ToolsResult, type ToolsView } from "./protocol.js";
import { badKey, envelopeFault, invalidParams, RpcFault, toolFault } from "./rpc-fault.js";
import { type CallerTools, callerToolsOf, listTools, socketTools, unknownToolFault, wireTools } from "./wire-tools.js";

/** What requests are answered with. */
export interface Service {
  readonly gateway: Gateway;
  /** The pack whose ops are listed as tools. */
  readonly pack: string;
  readonly callerTools?: CallerTools | undefined;
  readonly gatewayTools: readonly ServedTool[];
}

/** What a connection provides for a request. */
export interface RequestSupport {
  readonly signal: AbortSignal;
  /** Ends the call because its time is over. */
  timeOut(): void;
  /** Verifies a key. */
  verifying(check: () => Promise<Principal | undefined>): Promise<Principal | undefined>;
  /** The session of a key on this connection. */
  session(keyId: string): Session;
  /** Records that the tools were listed. */
  listed(): void;
}

/** Longest timeout that a caller may set. */
const MAX_DEADLINE_MS = 3_600_000;

const record = { expected: "object", accepts: isObject };
const milliseconds = {
  expected: `integer 1..${MAX_DEADLINE_MS}`,
  accepts: (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= MAX_DEADLINE_MS,
};
// An empty key is an invalid key, not a missing one, so these rules do not mark it as `required`.
const KEY = ["api_key", textField] as const;
const TOOL = ["tool", { ...textField, required: true as const }] as const;
const CALL = [TOOL, ["arguments", record], ["timeout_ms", milliseconds]] as const;

type Answering = (service: Service, params: JsonObject, asking: RequestSupport) => object | Promise<object>;

interface Method {
  readonly fields: FieldRules;
  readonly answer: Answering;
}

/** The supported requests. */
const TABLE: ReadonlyMap<string, Method> = new Map<string, Method>([
  [METHODS.ping, { fields: new Map(), answer: () => ({}) }],
  [METHODS.tools, { fields: new Map([KEY, ["view", oneOf("ops", "gateway")]]), answer: answerTools }],
  [METHODS.call, { fields: new Map([KEY, ...CALL, ["idempotency_key", textField]]), answer: answerCall }],
  [METHODS.callerTool, { fields: new Map([...CALL]), answer: answerCallerTool }],
]);

/**
 * Answers a request.
 *
 * @throws RpcFault for refusals and failures; any other error is an internal fault
 */
export async function answerRequest(
  service: Service,
  method: string,
  params: unknown,
  asking: RequestSupport,
): Promise<object> {
  const known = TABLE.get(method);
  if (!known) throw new RpcFault(RPC.method, unknownMethod(method));
  return known.answer(service, paramsOf(params, known.fields), asking);
}

const unknownMethod = (method: string): string =>
  method === METHODS.cancel
    ? `${method} is a notification: send it without id.`
    : `There is no method ${echo(method)}.`;

function paramsOf(given: unknown, fields: FieldRules): JsonObject {
  const params = given === undefined ? {} : given;
  if (!isObject(params)) throw invalidParams([notAnObject(params, "params")]);
  const errors = checkFields(params, fields);
  const lacksKey = fields.has(KEY[0]) && !Object.hasOwn(params, KEY[0]);
  const all = lacksKey ? [NO_KEY, ...errors] : errors;
  if (all.length > 0) throw invalidParams(all);
  return params;
}

const NO_KEY: FieldError = {
  path: KEY[0],
  keyword: "required",
  message: `${KEY[0]} is missing`,
  expected: "string",
  received: "nothing",
};

/**
 * The principal of a request, after the rate limit.
 *
 * @throws ToolFailure if the key store cannot be read
 */
async function callerOf(
  { gateway }: Service,
  params: JsonObject,
  asking: RequestSupport,
  calls: number,
): Promise<Principal> {
  const principal = await asking.verifying(() => principalOfKey(gateway.keys, String(own(params, "api_key"))));
  if (!principal) throw badKey();
  const wait = await gateway.rates.take(principal.id, calls);
  if (wait > 0) throw toolFault("RATE_LIMITED", tooMany(wait), { retry_after_ms: wait });
  return principal;
}

async function answerTools(service: Service, params: JsonObject, asking: RequestSupport): Promise<ToolsResult> {
  const { grant } = await callerOf(service, params, asking, 1);
  const { index } = service.gateway;
  const which = (own(params, "view") ?? "ops") as ToolsView;
  asking.listed();
  return { registry_version: index.version, tools: listTools(service, index.view(grant), which) };
}

/** A call with a verified key. */
interface Call {
  readonly gateway: Gateway;
  readonly principal: Principal;
  readonly args: JsonObject;
  readonly hooks: CallOptions;
  /** Its arrival and the timeout that the caller set. */
  readonly time: Pick<CallOptions, "arrived" | "limitMs">;
  /** The timeout in ms once it is over. */
  timedOutMs(): number | undefined;
}

async function answerCall(service: Service, params: JsonObject, asking: RequestSupport): Promise<CallResult> {
  const { gateway, pack, gatewayTools } = service;
  const name = String(own(params, "tool"));
  const args = own(params, "arguments") ?? {};
  const time = { arrived: performance.now(), limitMs: timeoutMs(service, params) };
  // Reporting that the keys cannot be read takes a moment, too.
  const principal = await withinAtMost(Math.max(LEAST_ADMISSION_MS, time.limitMs), () =>
    callerOf(service, params, asking, callsIn(name, args, gatewayTools)),
  );
  const view = gateway.index.view(principal.grant);
  const tools = wireTools(gateway.index, view, pack);
  const tool = tools.get(name);
  const served = socketTools(gatewayTools).find((one) => one.name === name);
  if (!tool && !served) throw unknownToolFault(service, name, tools, principal);
  const hooks = { signal: asking.signal, session: asking.session(principal.id) };
  const key = own(params, "idempotency_key");
  const keyed: JsonObject = key === undefined ? {} : { idempotency_key: key };
  return inTime(service, params, asking, (timedOutMs) => {
    const call = { gateway, principal, hooks, time, timedOutMs };
    return tool
      ? callOp({ ...call, args: { op: tool.op, args, ...keyed } })
      : callServed(served as ServedTool, { ...call, args: { ...keyed, ...(args as JsonObject) } });
  });
}

const LEAST_ADMISSION_MS = 1000;

/** The timeout of a call: the caller's, or the configured one. */
const timeoutMs = ({ gateway }: Service, params: JsonObject): number =>
  Number(own(params, "timeout_ms") ?? gateway.settings.socket.timeoutMs);

/** Runs work within the timeout. */
async function inTime<T>(
  service: Service,
  params: JsonObject,
  { signal, timeOut }: RequestSupport,
  work: (timedOutMs: () => number | undefined) => Promise<T>,
): Promise<T> {
  const ms = timeoutMs(service, params);
  const timer = setTimeout(timeOut, ms);
  try {
    return await work(() => (signal.reason === "TIMEOUT" ? ms : undefined));
  } finally {
    clearTimeout(timer);
  }
}

/** Calls an op as a tool and returns its result, or throws a protocol error. */
async function callOp({ gateway, principal, args, hooks, time, timedOutMs }: Call): Promise<CallResult> {
  const { attach, blocks, withoutBytes } = createAttachedBlocks();
  const answered = await gateway.dispatch(args, principal, { ...hooks, ...time, attach });
  const envelope = await withoutBytes(answered, keepFor({ gateway, principal }, String(args["op"])));
  if (!envelope.ok) throw envelopeFault(envelope, { grant: principal.grant, timedOutMs: timedOutMs() });
  const { result, meta } = envelope;
  const shown = meta.external && typeof result === "string" ? markedText(result, [envelope.op]) : result;
  const own = block(typeof shown === "string" ? shown : writeJson(shown));
  const content = [own, ...warningsOf(meta), ...blocks()];
  return { content, ...(isObject(result) ? { structuredContent: result } : {}), isError: false };
}

/** Calls a gateway tool, which answers with its envelope even if that reports a failure; `isError` is set as over MCP. */
async function callServed(
  tool: ServedTool,
  { gateway, principal, args, hooks, time, timedOutMs }: Call,
): Promise<CallResult> {
  const { attach, blocks, withoutBytes, textWithoutBytes } = createAttachedBlocks();
  const shown = { ...hooks, attach, textWithoutBytes };
  const single = { ...shown, ...time };
  const answer = await tool.answer({ gateway, principal, input: args, hooks: shown, single });
  const { isError, notes, structured } = answer;
  const value = await withoutBytes(answer.value, keepFor({ gateway, principal }, tool.name));
  const ms = timedOutMs();
  if (ms !== undefined && isCancelled(value)) throw envelopeFault(value, { grant: principal.grant, timedOutMs: ms });
  const text = typeof value === "string" ? value : writeJson(value);
  return {
    content: [block(text), ...(notes === undefined ? [] : [block(notes)]), ...blocks()],
    ...(typeof value === "string" ? {} : { structuredContent: value as JsonObject }),
    ...(structured ? { structuredContent: structured } : {}),
    isError,
  };
}

/** Whether a value is the envelope of one call that was cancelled. */
const isCancelled = (value: GatewayToolAnswer["value"]): value is FailureEnvelope =>
  isObject(value) && isObject(value["error"]) && value["error"]["code"] === "CANCELLED" && "op" in value;

const block = (value: string) => ({ type: "text" as const, text: value });

/** Reports argument repairs as a content block. */
const warningsOf = ({ warnings }: Meta) => (warnings.length > 0 ? [block(`Warnings:\n${warnings.join("\n")}`)] : []);

/** Calls a tool of the embedding program. No key is needed. */
function answerCallerTool(service: Service, params: JsonObject, asking: RequestSupport): Promise<object> {
  const { callerTools } = service;
  const name = String(own(params, "tool"));
  if (!callerTools || !callerToolsOf(callerTools).tools.some((tool) => tool.name === name))
    throw new RpcFault(RPC.params, `There is no caller tool ${echo(name)}.`, { code: "NOT_FOUND", details: {} });
  const args = own(params, "arguments") ?? {};
  const errors = roundingErrors(roundingsIn(args));
  if (errors.length > 0) throw invalidParams(errors);
  return inTime(service, params, asking, async (timedOutMs) => {
    const { signal } = asking;
    const gone = new Promise<never>((_, reject) => {
      signal.addEventListener("abort", () => reject(givenUp(timedOutMs())), { once: true });
      if (signal.aborted) reject(givenUp(timedOutMs()));
    });
    try {
      return {
        ...Object(
          plainJson(await Promise.race([callerTools.call(name, withNearestNumbers(args) as object, { signal }), gone])),
        ),
      };
    } catch (error) {
      throw callerFault(service.gateway.log, name, error);
    }
  });
}

/** Hides the details of an unexpected error of a caller tool, as for handlers. */
function callerFault(log: Logger, tool: string, error: unknown): RpcFault {
  if (error instanceof RpcFault) return error;
  if (isToolFailure(error)) return toolFault(error.code, error.message, { details: error.details ?? {} });
  const trace_id = newTraceId();
  log.error("caller tool failed", { trace_id, tool, error: stackOf(error) });
  return toolFault("INTERNAL", `${tool} failed; see the log under ${trace_id}.`, { trace_id });
}

const givenUp = (ms: number | undefined): RpcFault =>
  ms === undefined
    ? toolFault("CANCELLED", "The call was cancelled.")
    : toolFault("TIMEOUT", `The call took longer than ${ms} ms.`);
