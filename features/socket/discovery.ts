/**
 * Discovers the tools of the server on the socket, and keeps the list up to date over its restarts: the tools that the
 * key allows, and the caller's tools.
 */

import { setTimeout as pause } from "node:timers/promises";
import { rememberNewest } from "../../runtime/catalog/session.js";
import { SOCKET_TOOL_NAMES } from "../../runtime/contract/gateway-tools.js";
import type { Logger } from "../../runtime/contract/handler.js";
import { isObject, own } from "../../runtime/contract/json.js";
import { onLine } from "../../runtime/contract/message-text.js";
import type { JsonObject } from "../../runtime/contract/registry.js";
import type { Link } from "./link.js";
import { METHODS, RPC, type ToolsParams, type ToolsView } from "./protocol.js";
import { type Accepted, acceptListedTools, callerTools, OUBLIETTE, type RemoteClientTool } from "./remote-tools.js";
import { isRequestError, type RequestError } from "./requests.js";

/** Options of the discovery. */
export interface DiscoveryOptions {
  readonly key: string | undefined;
  /** All ops, or the gateway tools. */
  readonly view: ToolsView;
  readonly log: Logger;
  /** Time limit of one attempt. */
  readonly timeoutMs: number;
  /** Called when the tools may have changed. */
  readonly onChange: () => void;
}

/** The tools of the remote server. */
export interface Discovery {
  /** The tools that the key allows, and the caller's tools. */
  readonly families: () => {
    readonly oubliette: readonly RemoteClientTool[];
    readonly caller: readonly RemoteClientTool[];
  };
  /** Resolves when the first list has arrived, or will not arrive. */
  readonly settled: Promise<void>;
  /** Lists the tools on a new connection. */
  open(link: Link): void;
  notified(link: Link, method: string, params: JsonObject): void;
}

/** Changes within this time are handled as one. */
const TOGETHER_MS = 200;
/** Waits before another attempt on the same connection. */
const AGAIN_MS = [500, 1_000, 2_000, 5_000];
/** Tools that the view `gateway` may list. */
const GATEWAY_VIEW: ReadonlySet<string> = new Set(SOCKET_TOOL_NAMES);

interface Known {
  readonly options: DiscoveryOptions;
  readonly settle: () => void;
  /** Unset after the server has refused it. */
  key: string | undefined;
  oubliette: readonly RemoteClientTool[];
  caller: readonly RemoteClientTool[];
  /** Counts connections, so that work begun on one stops when the next one opens. */
  connection: number;
  /** Whether the caller's tools have arrived on this connection. */
  isCallerNamed: boolean;
  isListing: boolean;
  isStale: boolean;
  readonly warned: Map<string, true>;
}

/** Starts without tools. */
export function createDiscovery(options: DiscoveryOptions): Discovery {
  let settle = (): void => {};
  const settled = new Promise<void>((resolve) => {
    settle = resolve;
  });
  const known: Known = {
    ...{ options, settle, key: options.key, oubliette: [], caller: [] },
    ...{ connection: 0, isCallerNamed: false, isListing: false, isStale: false, warned: new Map() },
  };
  return {
    settled,
    families: () => ({ oubliette: known.oubliette, caller: known.caller }),
    open(link) {
      known.connection++;
      known.isCallerNamed = false;
      known.isListing = false;
      void list(known, link);
    },
    notified(link, method, params) {
      if (method === METHODS.changed) void list(known, link);
      if (method === METHODS.callerTools) {
        known.isCallerNamed = true;
        const accepted = callerTools(own(params, "caller_id"), own(params, "tools"));
        take(known, { caller: accepted.tools }, accepted);
      }
    },
  };
}

const MAX_WARNINGS = 100;
/** Refused tools that a warning names; it counts the others. */
const MAX_NAMED_TOOLS = 20;

/** Logs each warning once, since the server may repeat a fault after each restart. */
function warnOnce({ options, warned }: Known, line: string): void {
  if (!warned.has(line)) options.log.warn(onLine(line));
  rememberNewest(warned, line, true, MAX_WARNINGS);
}

function take(
  known: Known,
  tools: Partial<Pick<Known, "oubliette" | "caller">>,
  { refused }: Pick<Accepted, "refused">,
): void {
  const more = refused.length - MAX_NAMED_TOOLS;
  const named = [...refused.slice(0, MAX_NAMED_TOOLS), ...(more > 0 ? [`and ${more} more`] : [])];
  if (named.length > 0) warnOnce(known, `tools of the server refused: ${named.join("; ")}`);
  Object.assign(known, tools);
  known.options.onChange();
}

/**
 * Lists the tools on the current connection until that succeeds or cannot succeed. One listing runs at a time, and
 * another one follows if something changed meanwhile.
 */
async function list(known: Known, link: Link): Promise<void> {
  known.isStale = true;
  if (known.isListing) return;
  known.isListing = true;
  const { connection } = known;
  const isCurrent = (): boolean => known.connection === connection;
  for (let failures = 0; isCurrent() && known.isStale; ) {
    known.isStale = false;
    const error = await attempt(known, link, isCurrent);
    if (!isCurrent()) return;
    if (error && !isOver(known, link, error)) {
      known.isStale = true;
      await pause(AGAIN_MS[Math.min(failures++, AGAIN_MS.length - 1)], undefined, { ref: false });
    } else await pause(TOGETHER_MS, undefined, { ref: false });
  }
  if (isCurrent()) known.isListing = false;
}

/** One attempt; returns the error if it failed. */
async function attempt(known: Known, link: Link, isCurrent: () => boolean): Promise<RequestError | undefined> {
  const { timeoutMs, view } = known.options;
  const [method, params] =
    known.key === undefined ? [METHODS.ping, {}] : [METHODS.tools, { api_key: known.key, view } satisfies ToolsParams];
  try {
    const answer = await link.request(method, params, { timeoutMs });
    if (isCurrent()) listed(known, answer);
    return undefined;
  } catch (error) {
    if (isRequestError(error)) return error;
    throw error;
  }
}

function listed(known: Known, answer: unknown): void {
  const { view } = known.options;
  const accepted = acceptListedTools(
    known.key === undefined ? [] : isObject(answer) ? own(answer, "tools") : undefined,
    OUBLIETTE,
  );
  if (known.key !== undefined && accepted.tools.length + accepted.refused.length === 0)
    warnOnce(
      known,
      "the server lists nothing for this key: it has no op of the pack oubliette that the key may use; OUBLIETTE_EXPOSE=gateway reaches its other ops",
    );
  const oubliette = view === "gateway" ? accepted.tools.filter(({ wire }) => GATEWAY_VIEW.has(wire)) : accepted.tools;
  settledWith(known, oubliette, accepted);
}

/** Removes the caller's tools if they were not sent again before the first answer on this connection. */
function settledWith(known: Known, oubliette: readonly RemoteClientTool[], accepted: Pick<Accepted, "refused">): void {
  take(known, { oubliette, ...(known.isCallerNamed ? {} : { caller: [] }) }, accepted);
  known.settle();
}

/** Whether another attempt on this connection is pointless. */
function isOver(known: Known, link: Link, error: RequestError): boolean {
  if (error.rpc === RPC.unauthenticated) {
    warnOnce(known, "invalid or expired API key, says the server: its oubliette tools are not there");
    known.key = undefined;
    settledWith(known, [], { refused: [] });
    return true;
  }
  if (error.rpc === undefined) {
    if (error.code === "TIMEOUT") link.drop("the server does not answer");
    return true;
  }
  warnOnce(known, `the server did not list its tools: ${error.code}: ${error.message}`);
  // The server will not accept an unknown method or parameter later either.
  const isHopeless = error.rpc === RPC.method || error.rpc === RPC.params;
  if (isHopeless) settledWith(known, [], { refused: [] });
  return isHopeless;
}
