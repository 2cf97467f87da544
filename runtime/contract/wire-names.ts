/** Tool names for single ops, in the form that model providers accept: over MCP and in the emitted lists. */

import { digestText } from "./canonical.js";
import { GATEWAY_TOOLS } from "./gateway-tools.js";
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
