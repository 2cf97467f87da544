/** `budget.json`: what everything costs in o200k tokens, by op and by surface. */

import { type HelpDocument, opHelp, type Registry } from "toolwright/codegen";
import type { CountTokens } from "../pass/freeze.js";
import type { Emitter } from "./emitter.js";
import { prettyJson } from "./printer.js";

/** `budget.json`, parsed. All figures are o200k tokens. */
export interface Budget {
  readonly encoding: "o200k_base";
  /** Definitions of the gateway tools: what a client loads instead of all tools. */
  readonly exposed: { readonly gateway: number; readonly all_tools: number };
  readonly help_short: { readonly median: number; readonly p90: number; readonly max: number };
  readonly tools: {
    readonly [op: string]: { readonly definition: number; readonly help_short: number; readonly help_full: number };
  };
}

/** Emits `budget.json`. */
export const budget: Emitter = {
  name: "budget",
  emit: (registry, { help, countTokens, gatewayTools }) => [
    { path: "budget.json", text: prettyJson(budgetOf(registry, help, countTokens, gatewayTools)) },
  ],
};

function budgetOf(
  registry: Registry,
  help: ReadonlyMap<string, HelpDocument>,
  countTokens: CountTokens,
  gatewayTools: readonly object[],
): Budget {
  const short = registry.tools
    .filter((one) => one.policy === undefined)
    .map((one) => one.tokens.help)
    .sort((a, b) => a - b);
  const at = (share: number): number => short[Math.min(short.length - 1, Math.floor(short.length * share))] ?? 0;
  const full = (op: string): number => {
    const document = help.get(op);
    const options = { format: "full", include_examples: true, include_schemas: false } as const;
    return document ? countTokens(JSON.stringify(opHelp(op, "0".repeat(64), document, options, {}))) : 0;
  };
  return {
    encoding: "o200k_base",
    exposed: {
      gateway: gatewayTools.reduce<number>((sum, one) => sum + countTokens(JSON.stringify(one)), 0),
      all_tools: registry.tools.reduce((sum, one) => sum + one.tokens.definition, 0),
    },
    help_short: { median: at(0.5), p90: at(0.9), max: short.at(-1) ?? 0 },
    tools: Object.fromEntries(
      registry.tools.map((one) => [
        one.op,
        { definition: one.tokens.definition, help_short: one.tokens.help, help_full: full(one.op) },
      ]),
    ),
  };
}
