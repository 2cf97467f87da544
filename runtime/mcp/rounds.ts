/**
 * Questions of upstream servers to a client of the newer protocol: they are the answer to its call (`input_required`), and it makes the
 * call once more with what it has to say. The server's own note on the call travels with the client, sealed: any instance can go on, but
 * only for the same caller and the same call, and for a while.
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
import { digest } from "../contract/canonical.js";
import type { Principal } from "../contract/handler.js";
import type { Gateway } from "../gateway.js";
import type { Rounds, Turn } from "../upstream/questions.js";
import { PATIENCE_MS } from "./client-doors.js";

/** A call, as far as a note belongs to it. */
export interface NotedCall {
  readonly principal: Pick<Principal, "id">;
  readonly name: string;
  readonly input: unknown;
}

/** The rounds of one call. */
export interface CallRounds extends Rounds {
  /**
   * What the call is answered with where it has no result.
   *
   * @throws ProtocolError where the server would have to ask what the client does not declare
   */
  outcome(): Promise<InputRequiredResult | undefined>;
}

/**
 * Begins a round; undefined for a client of an older protocol.
 *
 * @throws ProtocolError for a note that is none of ours, belongs to another call, or is too old
 */
export async function beginRound(
  gateway: Pick<Gateway, "sealingKey">,
  context: ServerContext,
  call: NotedCall,
): Promise<CallRounds | undefined> {
  const { envelope, inputResponses, requestState } = context.mcpReq;
  if (envelope === undefined) return undefined;
  const sealed = requestState<string>();
  const note = sealed === undefined ? undefined : await opened(await codecOf(gateway, call), sealed, context);
  let turn: Turn | undefined;
  return {
    capabilities: (envelope as Readonly<Record<string, Rounds["capabilities"]>>)[CLIENT_CAPABILITIES_META_KEY] ?? {},
    given: {
      ...(inputResponses === undefined ? {} : { inputResponses }),
      ...(note === undefined ? {} : { requestState: note }),
    },
    end: (reason) => {
      turn = reason;
    },
    async outcome() {
      if (!turn) return undefined;
      if (turn.kind === "lacks")
        throw new MissingRequiredClientCapabilityError({ requiredCapabilities: turn.requiredCapabilities });
      const { inputRequests, requestState: own } = turn;
      const noted = own === undefined ? {} : { requestState: await (await codecOf(gateway, call)).mint(own, context) };
      // The SDK checks their form, and that the client declares what they need.
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
    // Which of its faults it was is not told.
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, "Invalid or expired requestState", {
      reason: "invalid_request_state",
    });
  });
}
