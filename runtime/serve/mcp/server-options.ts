/** Options of an MCP server over the gateway. */
import type { CallerOf } from "../../access/callers.js";
import type { CallAccess } from "../../call/client-access.js";
import type { Session } from "../../catalog/session.js";
import type { Live } from "../../gateway/reloadable-gateway.js";
import type { ServedTools } from "../gateway-tools.js";
import type { CallContext, ForwardOf } from "./client-capabilities.js";
import type { RemoteTools } from "./remote-tools.js";

/** Options of one connection (stdio) or one request (HTTP). */
export interface ServerOptions extends ServedTools {
  readonly live: Live;
  /** The caller, resolved at each request. */
  readonly principal: CallerOf;
  /** Whether the client gets no project information at `initialize`; default: it gets the instructions. */
  readonly isSilent?: boolean;
  /** Whether the connection outlives its requests: the client is told of reloads. */
  readonly isLasting?: boolean;
  /** The protocol era, set if the client can subscribe to single resources. */
  readonly subscriptions?: Era;
  /** Whether the client uses the newer protocol: then runs that wait are tasks. */
  readonly isModern?: boolean;
  /** Absent over HTTP, which has no sessions. */
  readonly session?: Session | undefined;
  readonly version: string;
  /** Fires when shutdown no longer waits for running calls. */
  readonly ending?: AbortSignal | undefined;
  /** Arrival time by `performance.now()`; default: when the request is read. */
  readonly arrived?: number;
  /** Forwards questions to a client of the older protocols; default: over the connection. */
  readonly forwardOf?: ForwardOf;
  /** Remote tools; one with the name of a gateway tool is left out. */
  readonly remoteTools?: RemoteTools;
}

/** What a call needs. */
export interface Calling extends ServerOptions {
  /** Creates the client features of a call. */
  readonly accessOf: (context: CallContext) => CallAccess;
}

/** Protocol era. Until 2025 this server keeps the subscriptions, in the newer protocol the SDK does. */
export type Era = "legacy" | "modern";
