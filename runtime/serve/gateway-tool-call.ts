/** A call of a gateway tool, and its answer. */

import type { CallOptions } from "../call/call.js";
import type { Principal } from "../contract/handler.js";
import type { JsonObject } from "../contract/registry.js";
import type { Gateway } from "../gateway/gateway.js";

/** One call of a gateway tool, the same over every transport. */
export interface GatewayToolCall {
  readonly gateway: Pick<
    Gateway,
    "run" | "resume" | "callerRuns" | "help" | "dispatch" | "batch" | "index" | "settings" | "keepResult" | "recorder"
  >;
  readonly principal: Principal;
  /** The arguments as they were sent; the tool checks them. */
  readonly input: unknown;
  readonly hooks: CallOptions;
  /** All hooks of a tool that makes one call of an op: those above, its own time, and questions to the client. */
  readonly single: CallOptions;
}

/** The answer: text, or an object that is sent as JSON. */
export interface GatewayToolAnswer {
  readonly value: object | string;
  /** Whether MCP clients and the socket are told that the call failed. */
  readonly isError: boolean;
  /** Notes about a text, which follow it in a block of their own. */
  readonly notes?: string;
  /** The same as an object, beside a text. */
  readonly structured?: JsonObject;
  /** The value as models get it: short, with what is too large stored. MCP clients get this, any other the value. */
  fitted?(value: object): Promise<object>;
}
