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
import type { JsonObject } from "../../contract/registry.js";
import type { Gateway } from "../../gateway/gateway.js";
import { PATIENCE_MS } from "./client-capabilities.js";

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
  context: ServerContext,
  call: NotedCall,
): Promise<CallInputRequired | undefined> {
  const { envelope, inputResponses, requestState } = context.mcpReq;
  if (envelope === undefined) return undefined;
  const sealed = requestState<string>();
  const note = sealed === undefined ? undefined : await opened(await codecOf(gateway, call), sealed, context);
  let turn: Turn | undefined;
  return {
    capabilities:
      (envelope as Readonly<Record<string, InputRequired["capabilities"]>>)[CLIENT_CAPABILITIES_META_KEY] ?? {},
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
      const noted = own === undefined ? {} : { requestState: await (await codecOf(gateway, call)).mint(own, context) };
      // The SDK checks their form and the client's capabilities.
      return { resultType: "input_required", inputRequests: inputRequests as never, ...noted };
    },
  };
}

async function codecOf(
  { sealingKey }: Pick<Gateway, "sealingKey">,
  { principal, name, input }: NotedCall,
): Promise<RequestStateCodec<string>> {
  const bind = (): string => digest([principal.id, name, input ?? {}]);
  return createRequestStateCodec<string>({ key: await sealingKey(), ttlSeconds: PATIENCE_MS / 1000, bind });
}

async function opened(codec: RequestStateCodec<string>, sealed: string, context: ServerContext): Promise<string> {
  return codec.verify(sealed, context).catch(() => {
    throw invalidState();
  });
}

/** The reason is not disclosed. */
const invalidState = (): ProtocolError =>
  new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", {
    reason: "invalid_request_state",
  });
