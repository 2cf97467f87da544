/** Applies the configured levels of rules to diagnostics, and says which ones `--strict` counts. */

import { globMatcher } from "../../runtime/contract/op-glob.js";
import type { Diagnostic } from "./diagnostic.js";

type Level = Diagnostic["severity"] | "off";
/** `diagnostics` of the configuration. */
type Levels = Readonly<Record<string, Level | Readonly<Record<string, Level>>>>;

/** A tool as a pattern may name it. */
export interface NamedTool {
  readonly pack: string;
  readonly name: string;
  /** Absent if the tool is left out. */
  readonly op?: string;
}

/** Whether a key of `diagnostics` is a pattern of tools, as in `github/*`. */
export const isToolPattern = (key: string): boolean => key.includes("/");

/** Whether a pattern matches a tool by `<pack>/<tool>` or `<pack>/<op>`, with the whole op or what follows its pack. */
export function toolPattern(pattern: string): (tool: NamedTool) => boolean {
  const matches = globMatcher(pattern.split("*"));
  return ({ pack, name, op = name }) =>
    [name, op, op.startsWith(`${pack}.`) ? op.slice(pack.length + 1) : op].some((one) => matches(`${pack}/${one}`));
}

/**
 * Gives diagnostics their configured levels, and takes out those that are off; an error stays one. Of two entries that fit, the later one counts; entries for
 * tools go before those for all.
 *
 * @param toolOf the tool that a diagnostic is about, if it is about one
 */
export function withLevels(
  found: readonly Diagnostic[],
  levels: Levels,
  toolOf: (one: Diagnostic) => NamedTool | undefined,
): readonly Diagnostic[] {
  const forTools = Object.entries(levels).flatMap(([pattern, rules]) =>
    typeof rules === "string" ? [] : [{ matches: toolPattern(pattern), rules }],
  );
  return found.flatMap((one) => {
    const tool = forTools.length > 0 ? toolOf(one) : undefined;
    const own = tool && forTools.findLast(({ matches, rules }) => Object.hasOwn(rules, one.code) && matches(tool));
    const level = own?.rules[one.code] ?? (Object.hasOwn(levels, one.code) ? levels[one.code] : undefined);
    if (typeof level !== "string" || one.severity === "error") return [one];
    return level === "off" ? [] : [{ ...one, severity: level }];
  });
}

/** Warnings that `--strict` makes errors of: those about definitions that the project writes. */
export const countsStrictly = ({ severity, foreign }: Diagnostic): boolean =>
  severity === "warning" && foreign !== true;
