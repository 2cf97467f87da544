/**
 * Input required: questions of upstream servers to a client of the newer protocol. They are the answer to its call
 * (`input_required`), and the client repeats the call with its responses. The upstream server's request state travels
 * with the client, sealed: any instance can continue, but only for the same caller and call, and for a limited time.
 */

import {
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  type InputRequiredResult,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import type { InputRequired, Turn } from "../../call/client-access.js";
import { digest } from "../../contract/canonical.js";
import type { Principal } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import type { JsonObject } from "../../contract/registry.js";
import type { Gateway } from "../../gateway/gateway.js";
import { type CallContext, PATIENCE_MS } from "./client-capabilities.js";

/** The parts of a call that its request state is bound to. */
export interface NotedCall {
  readonly principal: Pick<Principal, "id">;
  readonly name: string;
  readonly input: unknown;
}

/** The answer to a call whose result comes later. */
export type TaskResult = JsonObject & { readonly resultType: "task" };

/** The input rounds of one call. */
export interface CallInputRequired extends InputRequired {
  /**
   * The answer of a call without a result.
   *
   * @throws ProtocolError if the client does not declare a capability that the questions need, or its state is refused
   */
  outcome(): Promise<InputRequiredResult | TaskResult | undefined>;
}

/**
 * Begins a round; `undefined` for a client of an older protocol.
 *
 * @throws ProtocolError for request state that is forged, belongs to another call, or has expired
 */
export async function beginInputRequired(
  gateway: Pick<Gateway, "sealingKey">,
  context: CallContext,
  call: NotedCall,
): Promise<CallInputRequired | undefined> {
  const { envelope, inputResponses, requestState } = context.mcpReq;
  if (envelope === undefined) return undefined;
  const sealed = requestState<string>();
  const note = sealed === undefined ? undefined : await opened(await codecOf(gateway, call), sealed, context);
  let turn: Turn | undefined;
  const capabilities =
    (envelope as Readonly<Record<string, InputRequired["capabilities"]>>)[CLIENT_CAPABILITIES_META_KEY] ?? {};
  return {
    capabilities,
    given: {
      ...(inputResponses === undefined ? {} : { inputResponses }),
      ...(note === undefined ? {} : { requestState: note }),
    },
    end: (reason) => {
      turn = reason;
    },
    async outcome() {
      if (!turn) return undefined;
      if (turn.kind === "refused") throw invalidState();
      if (turn.kind === "task") return { ...turn.task, resultType: "task" };
      if (turn.kind === "lacks")
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities: turn.requiredCapabilities });
      const { inputRequests, requestState: own } = turn;
      requireAskable(inputRequests, own, capabilities);
      const noted =
        own === undefined
          ? {}
          : { requestState: await (await codecOf(gateway, call)).mint(own, context as ServerContext) };
      return { resultType: "input_required", inputRequests: inputRequests as never, ...noted };
    },
  };
}

/** What a client must declare to be asked: a capability, and a member of it. */
type Needed = readonly [capability: string, member?: string];
const NEEDED = new Map<unknown, (params: JsonObject) => Needed>([
  ["elicitation/create", ({ mode }) => ["elicitation", mode === "url" ? "url" : "form"]],
  [
    "sampling/createMessage",
    ({ tools, toolChoice }) => (tools === undefined && toolChoice === undefined ? ["sampling"] : ["sampling", "tools"]),
  ],
  ["roots/list", () => ["roots"]],
]);

/** @throws ProtocolError without questions, for one that the protocol does not have, and for one that the client does not take */
function requireAskable(questions: JsonObject, state: string | undefined, declared: object): void {
  const { InternalError } = ProtocolErrorCode;
  const asked = Object.entries(questions);
  if (asked.length === 0 && state === undefined)
    throw new ProtocolError(InternalError, "An input-required result has neither inputRequests nor requestState.");
  for (const [key, question] of asked) {
    const { method, params } = isObject(question) ? question : {};
    const needed = NEEDED.get(method)?.(isObject(params) ? params : {});
    if (!needed) throw new ProtocolError(InternalError, `The protocol has no input request such as '${key}'.`);
    const [capability, member] = needed;
    if (isDeclared((declared as JsonObject)[capability], member)) continue;
    const requiredCapabilities = { [capability]: member === undefined ? {} : { [member]: {} } };
    const message = `Cannot request input '${key}' (${String(method)}): the request's client capabilities do not declare the required capability`;
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities }, message);
  }
}

/** Whether a capability has a member. Elicitation that names no modes means forms. */
const isDeclared = (value: unknown, member: string | undefined): boolean =>
  member === undefined || !isObject(value)
    ? value !== undefined
    : value[member] !== undefined || (member === "form" && value["url"] === undefined);

async function codecOf(
  { sealingKey }: Pick<Gateway, "sealingKey">,
  { principal, name, input }: NotedCall,
): Promise<RequestStateCodec<string>> {
  const bind = (): string => digest([principal.id, name, input ?? {}]);
  return createRequestStateCodec<string>({ key: await sealingKey(), ttlSeconds: PATIENCE_MS / 1000, bind });
}

async function opened(codec: RequestStateCodec<string>, sealed: string, context: CallContext): Promise<string> {
  return codec.verify(sealed, context as ServerContext).catch(() => {
    throw invalidState();
  });
}

/** The reason is not disclosed. */
const invalidState = (): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", {
    reason: "invalid_request_state",
  });
