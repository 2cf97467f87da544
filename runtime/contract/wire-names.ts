/** Names of ops as tools of their own, as model providers accept them: over MCP and in the emitted lists. */

import { digestText } from "./canonical.js";
import type { Tool } from "./registry.js";

/** Names that no op takes: those of the gateway tools, and of what model providers find tools with. */
const RESERVED = ["run", "tool_help", "tool_exec", "tool_batch", "tool_search", "tool_search_tool_bm25"];
/** What model providers allow. */
const ALLOWED = /^[a-zA-Z0-9_-]{1,64}$/;
const LONGEST = 64;
const DIGITS = 8;

/** Names on the wire, by op: the tool's own where no other tool has it, else the op with underscores, cut where it is too long. */
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
    if (!names.has(op) && !give(op, flat))
      give(op, `${flat.slice(0, LONGEST - DIGITS - 1)}_${digestText(op).slice(0, DIGITS)}`);
  }
  return names;
}
