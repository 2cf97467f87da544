/** Checks whether a pattern of a schema is usable as a regular expression of JavaScript. */

import { patternKind } from "../../runtime/contract/pattern/bounded-pattern.js";

/** Fault of a pattern; `legacy` if it is valid only without the flag `u`. */
export type PatternFault = "invalid" | "unsupported" | "legacy";

const known = new Map<string, PatternFault | undefined>();

/** Fault of a pattern, independent of any text. Results are cached, since servers repeat their patterns. */
export function patternFault(source: string): PatternFault | undefined {
  if (!known.has(source)) known.set(source, judge(source));
  return known.get(source);
}

function judge(source: string): PatternFault | undefined {
  const unicode = compiles(source, "u");
  if (!unicode && !compiles(source, "")) return "invalid";
  if (patternKind(source, unicode ? "u" : "") === "unsupported") return "unsupported";
  return unicode ? undefined : "legacy";
}

function compiles(source: string, flags: string): boolean {
  try {
    new RegExp(source, flags);
    return true;
  } catch {
    return false;
  }
}
