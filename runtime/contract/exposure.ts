/**
 * Chooses the ops that clients see as separate tools beside the gateway tools: `expose.hot`, within `budget.exposed`.
 */

import { opGlob } from "./op-glob.js";
import type { Tool } from "./registry.js";
import { INDEX_TOKENS, signatureTokens } from "./signature-index.js";

/** The settings of exposure. */
export interface Exposing {
  /** Patterns of ops, the most wanted first. */
  readonly hot: readonly string[];
  /** Limit in o200k tokens for everything a client is shown; absent: no limit. */
  readonly budget?: number | undefined;
  /** Whether the tool `run` is shown. */
  readonly run?: boolean | undefined;
  /** o200k tokens of the index of signatures in its description. */
  readonly signatures?: number | undefined;
}

/** The parts of a tool that decide its cost as a separate tool. */
type Priced = Pick<Tool, "op" | "group" | "parameters" | "parameters_schema" | "tokens">;

/** Ops that are shown, and ops that do not fit the budget. */
export interface HotOps<T> {
  readonly shown: readonly T[];
  readonly left: readonly T[];
}

/** Upper bound of the gateway tools, in o200k tokens; a test compares it with what they cost. */
export const GATEWAY_TOKENS = 620;

/**
 * Chooses the hot ops in the order of the patterns; an op that does not fit is skipped in favour of later ones that
 * do.
 */
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
