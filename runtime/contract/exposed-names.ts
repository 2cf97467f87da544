/** Names of the pack `oubliette` at its doors: looked up in one table, never split. */

import type { Tool } from "./registry.js";

/** The pack whose ops are tools of their own on the socket. */
export const EXPOSED_PACK = "oubliette";

/** Gateway tools that stand beside them on the socket. */
export const EXPOSED_GATEWAY_TOOLS = ["tool_help", "tool_exec", "tool_batch"] as const;

/** One row of the table. */
export interface ExposedName {
  /** Absent for a gateway tool. */
  readonly op?: string;
  /** On the socket. */
  readonly wire: string;
  /** To the client's client. */
  readonly exposed: string;
}

/** The name of an op on the socket: what comes after the pack, with underscores. */
export const wireName = (op: string): string => op.slice(op.indexOf(".") + 1).replaceAll(".", "_");

/** What a tool with a wire name is called by those who reach it through the client. */
const exposedName = (wire: string): string => `${EXPOSED_PACK}_${wire}`;

/** The table: a pure function of the registry, in its order; gateway tools come last. */
export function exposedNames(tools: readonly Pick<Tool, "op" | "group">[]): readonly ExposedName[] {
  const own = tools.filter(({ group }) => group === EXPOSED_PACK);
  return [
    ...own.map(({ op }) => ({ op, wire: wireName(op), exposed: exposedName(wireName(op)) })),
    ...EXPOSED_GATEWAY_TOOLS.map((wire) => ({ wire, exposed: exposedName(wire) })),
  ];
}

/** Longest wire name: with the prefix it is the longest name that clients accept. */
const LONGEST_WIRE = 54;

/** What is wrong with a table: a name that two have, or one that clients refuse. */
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
    return wire.length > LONGEST_WIRE
      ? [{ op, reason: `${wire} has ${wire.length} characters, over ${LONGEST_WIRE}` }]
      : [];
  });
}
