/** Checks exposed resources and prompts (`expose.resources`, `expose.prompts`) against the existing ops. */

import { closest } from "../../runtime/contract/closest.js";
import { readTemplate } from "../../runtime/contract/uri-template.js";
import type { Config } from "../config/config.js";
import type { Report } from "../core/diagnostic.js";
import type { NamedOp } from "./declared.js";

type Offering = Pick<Config, "expose" | "place">;

/** Each must name an existing read op. The variables of an address must be arguments of the op and include all required ones. */
export function checkExposedResources(
  known: readonly NamedOp[],
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
  { op, parameters }: NamedOp,
  { place, report }: { readonly place: Config["place"]; readonly report: Report },
): void {
  const at = place("expose", "resources", address);
  const variables = readTemplate(address)?.variables ?? [];
  const names = (one: NamedOp["parameters"][number]): readonly string[] => [one.original, one.name, ...one.aliases];
  const arguments_ = parameters.flatMap(names);
  for (const argument of variables.filter((one) => !arguments_.includes(one)))
    report.add("argument-unmatched", at, { tool: op, argument, nearest: closest(argument, arguments_) });
  for (const one of parameters.filter(({ required }) => required))
    if (!names(one).some((name) => variables.includes(name)))
      report.add("offer-incomplete", at, { name: address, op, argument: one.name });
}
