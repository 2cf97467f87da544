/** Checks the ops that `expose.resources` and `expose.prompts` name: they exist, read only, and take what an address gives. */

import type { Config } from "../../generator/config/config.js";
import type { Report } from "../../generator/core/diagnostic.js";
import type { CheckOps, DeclaredOp } from "../../generator/pass/declared.js";
import { closest } from "../../runtime/contract/closest.js";
import { EXPOSED_RULES } from "./rules.js";
import { exposedIn } from "./settings.js";
import { readTemplate } from "./uri-template.js";

/** Each must name an existing read op. The variables of an address must be arguments of the op and include all required ones. */
export const checkExposedOps: CheckOps = (known, config, report) => {
  const ops = new Map(known.map((one) => [one.op, one]));
  const { place } = config;
  const { resources, prompts } = exposedIn(config);
  for (const [what, key, entries] of [
    ["resource", "resources", resources],
    ["prompt", "prompts", prompts],
  ] as const)
    for (const [name, { op }] of Object.entries(entries)) {
      const found = ops.get(op);
      const at = place("expose", key, name, "op");
      if (!found)
        report.addOf("offer-unmatched", EXPOSED_RULES["offer-unmatched"], at, {
          what,
          name,
          op,
          nearest: closest(op, ops.keys()),
        });
      else if (found.kind === "write")
        report.addOf("offer-writes", EXPOSED_RULES["offer-writes"], at, { what, name, op });
      else if (what === "resource") checkVariables(name, found, { place, report });
    }
};

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
      report.addOf("offer-incomplete", EXPOSED_RULES["offer-incomplete"], at, {
        name: address,
        op,
        argument: one.name,
      });
}
