/** Runs the requests of one socket connection: limits how many are under way, and handles cancellation. */

import type { SocketSettings } from "../../runtime/config/transport-settings.js";
import type { Guard } from "../../runtime/contract/guard.js";
import type { Logger } from "../../runtime/contract/handler.js";
import { newTraceId } from "../../runtime/contract/ids.js";
import { isObject, own } from "../../runtime/contract/json.js";
import { stackOf } from "../../runtime/contract/thrown.js";
import type { Live } from "../../runtime/gateway/reloadable-gateway.js";
import { answerRequest, type RequestSupport, type Service } from "./answers.js";
import { NO_ID, type WireId } from "./message.js";
import { METHODS, RPC, type RpcError } from "./protocol.js";
import { RpcFault, toolFault } from "./rpc-fault.js";

/** The answer to a request. */
export type RpcReply = { readonly result: object } | { readonly error: RpcError };

/** Sends an answer. */
export type Send = (id: WireId, answered: RpcReply) => void;

/** What requests are answered with, and the callbacks of a connection. */
export interface CallsOptions extends Omit<Service, "gateway">, Omit<RequestSupport, "signal" | "timeOut"> {
  readonly live: Live;
  readonly settings: () => SocketSettings;
  readonly isEnding: () => boolean;
  /** Called when no request is under way any more. */
  readonly quiet: () => void;
  readonly send: Send;
  /** Ends the connection if an answer cannot be sent. */
  readonly guard: Guard;
}

/** Requests under way. */
export interface Calls {
  begin(id: WireId, method: string, params: unknown): void;
  /** Aborts the request that the notification names. */
  cancel(params: unknown): void;
  isQuiet(): boolean;
  /** Aborts all requests. */
  abort(): void;
}

/** Starts without requests. */
export function createCalls(options: CallsOptions): Calls {
  const { live, settings, isEnding, quiet, send, guard } = options;
  const under = new Map<WireId, AbortController>();
  const refuse = (id: WireId, method: string): RpcFault | undefined => {
    if (under.has(id))
      return new RpcFault(RPC.request, "The id is in use by a request under way.", { id: JSON.parse(id) });
    if (method === METHODS.ping) return undefined;
    if (isEnding()) return toolFault("UNAVAILABLE", "The server is ending.");
    if (under.size < settings().inFlight) return undefined;
    return toolFault("RATE_LIMITED", "Too many requests at once on this connection.", { retry_after_ms: RETRY_MS });
  };
  const answered = async (method: string, params: unknown, controller: AbortController): Promise<RpcReply> => {
    const asking = { ...options, signal: controller.signal, timeOut: () => controller.abort("TIMEOUT") };
    try {
      return {
        result: await live.within((gateway) => answerRequest({ ...options, gateway }, method, params, asking)),
      };
    } catch (error) {
      return { error: error instanceof RpcFault ? error.rpc : ownFault(live.current().log, error) };
    }
  };
  return {
    begin: (id, method, params) => {
      const refused = refuse(id, method);
      if (refused) {
        send(under.has(id) ? NO_ID : id, { error: refused.rpc });
        return;
      }
      const controller = new AbortController();
      under.set(id, controller);
      guard(async () => {
        const outcome = await answered(method, params, controller);
        under.delete(id);
        send(id, outcome);
        if (under.size === 0) quiet();
      })();
    },
    cancel(params) {
      const id = isObject(params) ? own(params, "id") : undefined;
      under.get(JSON.stringify(id))?.abort("CANCELLED");
    },
    isQuiet: () => under.size === 0,
    abort() {
      for (const controller of under.values()) controller.abort("GONE");
    },
  };
}

/** Suggested wait when a connection has too many requests under way. */
const RETRY_MS = 100;

function ownFault(log: Logger, error: unknown): RpcError {
  const trace_id = newTraceId();
  log.error("socket request failed", { trace_id, error: stackOf(error) });
  const message = `The request failed; see the log under ${trace_id}.`;
  return { code: RPC.internal, message, data: { code: "INTERNAL", trace_id } };
}
