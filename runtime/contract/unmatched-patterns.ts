/** Says which patterns of packs and ops match nothing, with the nearest name: a typing error otherwise goes unnoticed. */

import { closest } from "./closest.js";
import { onLine } from "./message-text.js";
import { opGlob } from "./op-glob.js";

/** What a pattern is matched against. */
export type GrantPatternKind = "pack" | "op";

/** Whether a text can match a name of its kind at all: packs have no dots, and ops have at least one. */
export const isPattern = (kind: GrantPatternKind, text: string): boolean =>
  (kind === "pack" ? /^[\w*-]{1,200}$/ : /^(?=.*[.*])[\w.*-]{1,200}$/).test(text);

/** What patterns are matched against: packs, and ops with the names of their tools. */
export interface PatternNames {
  readonly packs: readonly { readonly name: string }[];
  readonly tools: readonly { readonly op: string; readonly tool_name: string }[];
}

/** A pattern that matches nothing. */
export interface UnmatchedPattern {
  /** What was probably meant: the op of a tool, if the pattern is the name of one. */
  readonly nearest: string | undefined;
}

/** A pattern that matches nothing, with what was probably meant; undefined for one that matches. */
export function unmatchedPattern(
  kind: GrantPatternKind,
  pattern: string,
  { packs, tools }: PatternNames,
): UnmatchedPattern | undefined {
  const names = kind === "pack" ? packs.map(({ name }) => name) : tools.map(({ op }) => op);
  if (names.some(opGlob(pattern))) return undefined;
  const packNames = packs.map(({ name }) => name);
  if (kind === "pack") return { nearest: nearPack(pattern, packNames) };
  return { nearest: tools.find((one) => one.tool_name === pattern)?.op ?? nearOp(pattern, names, packNames) };
}

/**
 * What is wrong with a pattern that matches nothing; undefined for one that matches.
 *
 * @example
 * unmatched("pack", "gti*", registry); // 'matches no pack; did you mean "git*"?'
 */
export function unmatched(kind: GrantPatternKind, pattern: string, names: PatternNames): string | undefined {
  const fault = unmatchedPattern(kind, pattern, names);
  if (!fault) return undefined;
  const { nearest } = fault;
  return `matches no ${kind}${nearest === undefined ? "" : `; did you mean ${JSON.stringify(onLine(nearest))}?`}`;
}

/** A pattern of packs that begins like a pack that there is. */
function nearPack(pattern: string, packs: readonly string[]): string | undefined {
  const [literal = "", ...rest] = pattern.split("*");
  if (rest.length === 0) return closest(pattern, packs);
  if (literal === "" || rest.some((one) => one !== "")) return undefined;
  const near = closest(
    literal,
    packs.map((one) => one.slice(0, literal.length)),
  );
  return near === undefined ? undefined : `${near}*`;
}

/** An op, or the same pattern in a pack that there is. */
function nearOp(pattern: string, ops: readonly string[], packs: readonly string[]): string | undefined {
  const [pack = "", ...rest] = pattern.split(".");
  const near = pack.includes("*") || packs.includes(pack) ? undefined : closest(pack, packs);
  const inPack = near === undefined ? undefined : [near, ...rest].join(".");
  if (inPack !== undefined && ops.some(opGlob(inPack))) return inPack;
  return pattern.includes("*") ? undefined : closest(pattern, ops);
}
