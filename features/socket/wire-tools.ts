/**
 * Lists tools under their socket names: the ops of one pack without the pack's name, the gateway tools, and the caller's tools, which
 * the program that embeds the server offers to every client and which are called without a key.
 */

import { helpPath, type RegistryIndex, type RegistryView } from "../../runtime/catalog/registry.js";
import { closest } from "../../runtime/contract/closest.js";
import { echo } from "../../runtime/contract/error-body.js";
import { listedTool } from "../../runtime/contract/gateway-tools.js";
import { isAdmin } from "../../runtime/contract/grant.js";
import type { Principal } from "../../runtime/contract/handler.js";
import type { Tool } from "../../runtime/contract/registry.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { wireName } from "../../runtime/contract/wire-names.js";
import type { ServedTool } from "../../runtime/serve/gateway-tools.js";
import { type CallerToolsParams, callerIdFault, RPC, type SocketTool, type ToolsView } from "./protocol.js";
import { noTool, RpcFault } from "./rpc-fault.js";

const known = new WeakMap<RegistryView, Map<string, ReadonlyMap<string, Tool>>>();

/** The ops of a pack that a caller may use, by wire name, in registry order; cached per view. */
export function wireTools({ registry }: RegistryIndex, view: RegistryView, pack: string): ReadonlyMap<string, Tool> {
  const packs = known.get(view) ?? new Map<string, ReadonlyMap<string, Tool>>();
  known.set(view, packs);
  const tools = packs.get(pack) ?? namedIn(registry.tools, view, pack);
  packs.set(pack, tools);
  return tools;
}

const namedIn = (tools: readonly Tool[], view: RegistryView, pack: string): ReadonlyMap<string, Tool> =>
  new Map(tools.flatMap((tool) => (tool.group === pack && view.exact(tool.op) ? [[wireName(tool.op), tool]] : [])));

/** The gateway tools that the socket has. */
export const socketTools = (tools: readonly ServedTool[]): readonly ServedTool[] =>
  tools.filter(({ offered }) => offered.socket);

/** What is listed. */
interface Listing {
  readonly gateway: { readonly index: RegistryIndex };
  /** The pack whose ops are listed as tools. */
  readonly pack: string;
  readonly gatewayTools: readonly ServedTool[];
}

/** The tools that `oubliette_tools` lists. */
export function listTools(
  { gateway, pack, gatewayTools }: Listing,
  view: RegistryView,
  which: ToolsView,
): SocketTool[] {
  if (which === "gateway") return socketTools(gatewayTools).map(shown);
  return [...wireTools(gateway.index, view, pack)].filter(([, { op }]) => view.isListed(op)).map(entryOf);
}

function shown(tool: ServedTool): SocketTool {
  const { inputSchema, ...listed } = listedTool(tool);
  return { ...listed, inputSchema: inputSchema as SocketTool["inputSchema"] };
}

function entryOf([name, tool]: readonly [string, Tool]): SocketTool {
  const { description, summary, parameters_schema: schema, annotations } = tool;
  const inputSchema = { required: [], ...schema, type: "object" } as SocketTool["inputSchema"];
  return { name, description: description || summary, inputSchema, annotations };
}

/** The error for a name that matches no tool which the caller may use. */
export function unknownToolFault(
  { gateway, pack, gatewayTools }: Listing,
  name: string,
  tools: ReadonlyMap<string, Tool>,
  { grant }: Principal,
): RpcFault {
  const known = new Set([...tools.keys(), ...socketTools(gatewayTools).map((tool) => tool.name)]);
  const bare = name.startsWith(`${pack}_`) ? name.slice(pack.length + 1) : "";
  const meant = known.has(bare) ? bare : undefined;
  const help_path = helpPath(gateway.index.view(grant), pack);
  const hint = (value: string | undefined) => (value === undefined ? {} : { did_you_mean: value });
  // A suggestion would tell hidden tools from missing ones; for an admin without bounds nothing is hidden.
  if (!isAdmin(grant)) return noTool(echo(name), { help_path, ...hint(meant) });
  const nearest = meant ?? closest(name, [...known]);
  const data = { code: "NOT_FOUND", details: {}, help_path, ...hint(nearest) };
  return new RpcFault(RPC.params, `There is no tool ${echo(name)}.`, data);
}

/** What an embedding program registers. */
export interface CallerTools {
  /** Prefix of its tools in an agent's tool list. */
  readonly callerId: string;
  /** Read whenever the tools are sent to a client. */
  tools(): readonly SocketTool[];
  /**
   * Answers a call. The client sees the error only if it is a ToolFailure.
   *
   * @param args - read own properties only
   */
  call(tool: string, args: object, hooks: { readonly signal: AbortSignal }): Promise<object>;
  /** Calls back when the tools have changed; the returned function stops that. */
  onChange?(listener: () => void): () => void;
}

/** @throws UsageError for a malformed or reserved caller id */
export function checkCallerId({ callerId }: CallerTools): void {
  const fault = callerIdFault(callerId);
  if (fault === "reserved") throw new UsageError(`the caller id ${callerId} is reserved: choose another one`);
  if (fault) throw new UsageError(`the caller id ${callerId} must be 1 to 32 of a-z 0-9 and begin with a letter`);
}

/** The notification that tells clients about the caller's tools. */
export const callerToolsOf = (from: CallerTools): CallerToolsParams => ({
  caller_id: from.callerId,
  tools: from.tools(),
});
