/** Emits `budget.json`: costs in o200k tokens, by op and by surface. */

import { opHelp } from "../../runtime/contract/op-page.js";
import type { Registry, Tool } from "../../runtime/contract/registry.js";
import { INDEX_TOKENS, signatureIndex } from "../../runtime/contract/signature-index.js";
import type { Config } from "../config/config.js";
import { prettyJson } from "../core/printer.js";
import { exposedHotTools, listedTools } from "../pass/expose.js";
import type { EmitContext, Emitter, VirtualFile } from "./emitter.js";

/** `budget.json`, parsed. All figures are o200k tokens. */
export interface Budget {
  readonly encoding: "o200k_base";
  /** What a client loads instead of all tools: the definitions of the gateway tools with the signature index. */
  readonly exposed: {
    readonly gateway: number;
    readonly signatures: number;
    /** Ops that are exposed as tools of their own; absent if there are none. */
    readonly hot?: number;
    readonly all_tools: number;
  };
  readonly help_short: { readonly median: number; readonly p90: number; readonly max: number };
  /** Emitted surfaces by path, each counted as it is sent; absent if there are none. */
  readonly surfaces?: { readonly [path: string]: number };
  readonly tools: {
    readonly [op: string]: { readonly definition: number; readonly help_short: number; readonly help_full: number };
  };
}

/** Emits `budget.json`. */
export const budget: Emitter = {
  name: "budget",
  emit: async (registry, parts) => [
    { path: "budget.json", text: prettyJson(budgetOf(registry, parts, await surfacesOf(registry, parts))) },
  ],
};

/** The signature index for a caller with access to all ops. */
const indexOf = ({ tools }: Registry, config: Config): string =>
  signatureIndex(listedTools(tools, config), config.expose?.signatures ?? INDEX_TOKENS);

/** Tokens of what a client sees. */
function exposedOf(registry: Registry, { countTokens, gatewayTools, config }: EmitContext): Budget["exposed"] {
  const { gateway = true, run = gateway } = config.expose ?? {};
  const sum = (tools: readonly Tool[]): number => tools.reduce((total, one) => total + one.tokens.definition, 0);
  const listed = listedTools(registry.tools, config);
  const hot = sum(gateway ? exposedHotTools(listed, config).shown : listed);
  return {
    gateway: gateway ? gatewayTools.reduce<number>((total, one) => total + countTokens(JSON.stringify(one)), 0) : 0,
    signatures: run ? countTokens(indexOf(registry, config)) : 0,
    ...(hot > 0 ? { hot } : {}),
    all_tools: sum(registry.tools),
  };
}

async function surfacesOf(registry: Registry, context: EmitContext): Promise<Budget["surfaces"]> {
  const readByModels = context.emitters.filter((one) => one.isReadByModels);
  const files = (await Promise.all(readByModels.map((one) => one.emit(registry, context)))).flat();
  const sent = ({ path, text }: VirtualFile): string =>
    path.endsWith(".json") ? JSON.stringify(JSON.parse(text).tools) : text;
  return Object.fromEntries(files.map((file) => [file.path, context.countTokens(sent(file))]));
}

function budgetOf(registry: Registry, context: EmitContext, surfaces: Budget["surfaces"] = {}): Budget {
  const { help, countTokens } = context;
  const short = registry.tools
    .filter((one) => one.policy === undefined)
    .map((one) => one.tokens.help)
    .sort((a, b) => a - b);
  const at = (share: number): number => short[Math.min(short.length - 1, Math.floor(short.length * share))] ?? 0;
  const full = (tool: Tool): number => {
    const document = help.get(tool.op);
    const options = { format: "full", include_examples: true, include_schemas: false } as const;
    return document ? countTokens(JSON.stringify(opHelp(tool, "0".repeat(64), document, options))) : 0;
  };
  return {
    encoding: "o200k_base",
    exposed: exposedOf(registry, context),
    help_short: { median: at(0.5), p90: at(0.9), max: short.at(-1) ?? 0 },
    ...(Object.keys(surfaces).length > 0 ? { surfaces } : {}),
    tools: Object.fromEntries(
      registry.tools.map((one) => [
        one.op,
        { definition: one.tokens.definition, help_short: one.tokens.help, help_full: full(one) },
      ]),
    ),
  };
}
