/**
 * Names of the ops of the pack `oubliette` on the socket and in MCP clients, in one table, so that names are never
 * split.
 */

import { SOCKET_TOOL_NAMES } from "./gateway-tools.js";
import type { Tool } from "./registry.js";

/** The pack whose ops are separate tools on the socket. */
export const EXPOSED_PACK = "oubliette";

/** One row of the table. */
export interface ExposedName {
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
