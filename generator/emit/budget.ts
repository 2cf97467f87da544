/** `budget.json`: what everything costs in o200k tokens, by op and by surface. */

import { INDEX_TOKENS, opHelp, type Registry, signatureIndex } from "toolwright/codegen";
import type { Config } from "../config.js";
import { opEntry } from "../pass/classify.js";
import type { EmitContext, Emitter } from "./emitter.js";
import { prettyJson } from "./printer.js";

/** `budget.json`, parsed. All figures are o200k tokens. */
export interface Budget {
  readonly encoding: "o200k_base";
  /** What a client loads instead of all tools: definitions of the gateway tools, and the index of signatures in one of them. */
  readonly exposed: { readonly gateway: number; readonly signatures: number; readonly all_tools: number };
  readonly help_short: { readonly median: number; readonly p90: number; readonly max: number };
  readonly tools: {
    readonly [op: string]: { readonly definition: number; readonly help_short: number; readonly help_full: number };
  };
}

/** Emits `budget.json`. */
export const budget: Emitter = {
  name: "budget",
  emit: (registry, parts) => [{ path: "budget.json", text: prettyJson(budgetOf(registry, parts)) }],
};

/** The index as a caller sees it who may use everything. */
function indexOf({ tools }: Registry, config: Config): string {
  const listed = tools.filter((one) => opEntry(config, one.group, one.tool_name).entry.hidden !== true);
  return signatureIndex(listed, config.expose?.signatures ?? INDEX_TOKENS);
}

function budgetOf(registry: Registry, { help, countTokens, gatewayTools, config }: EmitContext): Budget {
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
      signatures: config.expose?.run === false ? 0 : countTokens(indexOf(registry, config)),
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
