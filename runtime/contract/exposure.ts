/** Ops that clients are shown as tools of their own, beside the gateway tools: `expose.hot`, within `budget.exposed`. */

import { opGlob } from "./op-glob.js";
import type { Tool } from "./registry.js";
import { INDEX_TOKENS, signatureTokens } from "./signature-index.js";

/** What configuration says of it. */
export interface Exposing {
  /** Patterns of ops, the most wanted first. */
  readonly hot: readonly string[];
  /** o200k tokens of all that a client is shown; absent: no limit. */
  readonly budget?: number | undefined;
  /** Whether the tool `run` is shown. */
  readonly run?: boolean | undefined;
  /** o200k tokens of the index of signatures in its description. */
  readonly signatures?: number | undefined;
}

/** Prompts that the server has anyway, and what the names of snippets get where a prompt has theirs: no prompt of a project has such a name. */
export const OWN_PROMPTS: readonly string[] = ["batch_search", "transform_data"];
export const SNIPPET_PREFIX = "snippet_";
/** Scheme of the addresses that the server has anyway. */
export const OWN_SCHEME = "onetool:";

/** What an op costs as a tool of its own. */
type Priced = Pick<Tool, "op" | "group" | "parameters" | "tokens">;

/** Ops that are shown, and those for which the budget has no room. */
export interface HotOps<T> {
  readonly shown: readonly T[];
  readonly left: readonly T[];
}

/** o200k tokens that the gateway tools never exceed. */
export const GATEWAY_TOKENS = 600;

/** Chooses the hot ops in the order of the patterns; one that does not fit makes room for later ones that do. */
export function hotOps<T extends Priced>(tools: readonly T[], exposing: Exposing): HotOps<T> {
  const wanted = new Set(exposing.hot.map(opGlob).flatMap((matches) => tools.filter(({ op }) => matches(op))));
  if (wanted.size === 0) return { shown: [], left: [] };
  const { run = true, signatures = INDEX_TOKENS, budget = Number.POSITIVE_INFINITY } = exposing;
  let room = budget - GATEWAY_TOKENS - (run ? signatureTokens(tools, signatures) : 0);
  const shown: T[] = [];
  const left: T[] = [];
  for (const tool of wanted) {
    const fits = tool.tokens.definition <= room;
    (fits ? shown : left).push(tool);
    if (fits) room -= tool.tokens.definition;
  }
  return { shown, left };
}
