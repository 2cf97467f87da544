/** Checks `expose.hot` against the registry: patterns without a match, and ops that exceed the budget. */

import { closest } from "../../runtime/contract/closest.js";
import { hotOps } from "../../runtime/contract/exposure.js";
import { opGlob } from "../../runtime/contract/op-glob.js";
import type { Tool } from "../../runtime/contract/registry.js";
import type { Config } from "../config/config.js";
import type { Report } from "../core/diagnostic.js";
import { opEntry } from "./op-paths.js";

/** Ops that are not hidden, which clients may see. */
export const listedTools = (tools: readonly Tool[], config: Config): readonly Tool[] =>
  tools.filter((one) => !isHidden(config, one.source.pack ?? one.group, one.tool_name));

/** Whether the configuration hides a tool of a pack: it can be called but is not listed. */
export const isHidden = (config: Config, pack: string, tool: string): boolean =>
  opEntry(config, pack, tool).entry.hidden === true;

/** The ops of `expose.hot` that are exposed as tools, and those that do not fit the budget (`left`). */
export function exposedHotTools(tools: readonly Tool[], { expose = {}, budget = {} }: Config) {
  const { hot = [], run, signatures, gateway = true } = expose;
  return hotOps(tools, { hot: gateway ? hot : [], run, signatures, budget: budget.exposed });
}

/** Reports patterns and ops of `expose.hot` that have no effect. */
export function checkExposure(all: readonly Tool[], config: Config, report: Report): void {
  const tools = listedTools(all, config);
  const ops = tools.map(({ op }) => op);
  for (const [i, pattern] of (config.expose?.hot ?? []).entries())
    if (!ops.some(opGlob(pattern)))
      report.add("hot-unmatched", config.place("expose", "hot", i), { pattern, nearest: closest(pattern, ops) });
  for (const { op, tokens } of exposedHotTools(tools, config).left)
    report.add("hot-over-budget", config.place("expose", "hot"), {
      op,
      tokens: tokens.definition,
      budget: config.budget?.exposed ?? 0,
    });
}
