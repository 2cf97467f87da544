/** Names of single ops as tools: over MCP and in the emitted lists, in the form that model providers accept; and on the socket. */

import { digestText } from "./canonical.js";
import { GATEWAY_TOOLS, SOCKET_TOOL_NAMES } from "./gateway-tools.js";
import type { Tool } from "./registry.js";

/** Reserved names: those of the gateway tools, and of the tool search of model providers. */
const RESERVED = [...GATEWAY_TOOLS.map(({ name }) => name), "tool_search", "tool_search_tool_bm25"];
/** The form that model providers accept. */
const ALLOWED = /^[a-zA-Z0-9_-]{1,64}$/;
const MAX_WIRE_NAME_LENGTH = 64;
const DIGITS = 8;

/**
 * Wire names by op: the tool's own name if it is unique, else the op with underscores, shortened if it is too long;
 * letters that providers refuse become `_`, with a digest behind them.
 */
export function wireNames(tools: readonly Pick<Tool, "op" | "tool_name">[]): ReadonlyMap<string, string> {
  const times = new Map<string, number>();
  for (const { tool_name } of tools) times.set(tool_name, (times.get(tool_name) ?? 0) + 1);
  const taken = new Set(RESERVED);
  const names = new Map<string, string>();
  const give = (op: string, name: string): boolean => {
    if (!ALLOWED.test(name) || taken.has(name)) return false;
    names.set(op, name);
    taken.add(name);
    return true;
  };
  for (const { op, tool_name } of tools) if (times.get(tool_name) === 1) give(op, tool_name);
  for (const { op } of tools) {
    const flat = op.replaceAll(".", "_");
    if (names.has(op) || give(op, flat)) continue;
    const start = flat.replace(/[^a-zA-Z0-9_-]/g, "_").slice(0, MAX_WIRE_NAME_LENGTH - DIGITS - 1);
    give(op, `${start}_${digestText(op).slice(0, DIGITS)}`);
  }
  return names;
}

/** The pack whose ops are separate tools on the socket. */
const EXPOSED_PACK = "oubliette";

/** One row of the table. */
interface ExposedName {
  /** Absent for a gateway tool. */
  readonly op?: string;
  /** Name on the socket. */
  readonly wire: string;
  /** Name that the remote client gives the tool. */
  readonly exposed: string;
}

/** The name of an op on the socket: the part after the pack, with underscores. */
export const wireName = (op: string): string => op.slice(op.indexOf(".") + 1).replaceAll(".", "_");

/** The name that the remote client gives a tool with this wire name. */
const exposedName = (wire: string): string => `${EXPOSED_PACK}_${wire}`;

/** The table: a pure function of the registry, in its order; gateway tools come last. */
export function exposedNames(tools: readonly Pick<Tool, "op" | "group">[]): readonly ExposedName[] {
  const own = tools.filter(({ group }) => group === EXPOSED_PACK);
  return [
    ...own.map(({ op }) => ({ op, wire: wireName(op), exposed: exposedName(wireName(op)) })),
    ...SOCKET_TOOL_NAMES.map((wire) => ({ wire, exposed: exposedName(wire) })),
  ];
}

/** Longest wire name: with the prefix it has the longest name that clients accept. */
const MAX_EXPOSED_NAME_LENGTH = 54;

/** Faults of a table: names that occur twice, and names that clients refuse. */
export function exposedFaults(
  names: readonly ExposedName[],
): readonly { readonly op: string; readonly reason: string }[] {
  const taken = new Map<string, string>(
    names.flatMap(({ op, wire, exposed }) => (op === undefined ? [[exposed, `the gateway tool ${wire}`]] : [])),
  );
  return names.flatMap(({ op, wire, exposed }) => {
    if (op === undefined) return [];
    const other = taken.get(exposed);
    taken.set(exposed, op);
    if (other !== undefined) return [{ op, reason: `${exposed} is also the name of ${other}` }];
    if (!/^[A-Za-z0-9_-]+$/.test(wire))
      return [{ op, reason: `${exposed} has other characters than A-Z, a-z, 0-9, _ and -` }];
    return wire.length > MAX_EXPOSED_NAME_LENGTH
      ? [{ op, reason: `${wire} has ${wire.length} characters, over ${MAX_EXPOSED_NAME_LENGTH}` }]
      : [];
  });
}
