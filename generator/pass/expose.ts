/**
 * Checks `expose` against the registry: patterns of `hot` without a match, ops that exceed the budget, and exposed resources and
 * prompts (`expose.resources`, `expose.prompts`) whose op does not exist or does not fit.
 */

import { readTemplate } from "../../features/resources/uri-template.js";
import { closest } from "../../runtime/contract/closest.js";
import { hotOps } from "../../runtime/contract/exposure.js";
import { opGlob } from "../../runtime/contract/op-glob.js";
import type { Tool } from "../../runtime/contract/registry.js";
import type { Config } from "../config/config.js";
import type { Report } from "../core/diagnostic.js";
import type { DeclaredOp } from "./declared.js";
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

type Offering = Pick<Config, "expose" | "place">;

/** Each must name an existing read op. The variables of an address must be arguments of the op and include all required ones. */
export function checkExposedResources(
  known: readonly DeclaredOp[],
  { expose = {}, place }: Offering,
  report: Report,
): void {
  const ops = new Map(known.map((one) => [one.op, one]));
  const { resources = {}, prompts = {} } = expose;
  for (const [what, key, entries] of [
    ["resource", "resources", resources],
    ["prompt", "prompts", prompts],
  ] as const)
    for (const [name, { op }] of Object.entries(entries)) {
      const found = ops.get(op);
      const at = place("expose", key, name, "op");
      if (!found) report.add("offer-unmatched", at, { what, name, op, nearest: closest(op, ops.keys()) });
      else if (found.kind === "write") report.add("offer-writes", at, { what, name, op });
      else if (what === "resource") checkVariables(name, found, { place, report });
    }
}

function checkVariables(
  address: string,
  { op, parameters }: DeclaredOp,
  { place, report }: { readonly place: Config["place"]; readonly report: Report },
): void {
  const at = place("expose", "resources", address);
  const variables = readTemplate(address)?.variables ?? [];
  const names = (one: DeclaredOp["parameters"][number]): readonly string[] => [one.original, one.name, ...one.aliases];
  const arguments_ = parameters.flatMap(names);
  for (const argument of variables.filter((one) => !arguments_.includes(one)))
    report.add("argument-unmatched", at, { tool: op, argument, nearest: closest(argument, arguments_) });
  for (const one of parameters.filter(({ required }) => required))
    if (!names(one).some((name) => variables.includes(name)))
      report.add("offer-incomplete", at, { name: address, op, argument: one.name });
}
