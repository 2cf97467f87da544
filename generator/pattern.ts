/** What a pattern of a schema is worth as a regular expression of JavaScript. */

import { patternKind } from "toolwright/codegen";

/** What is wrong with a pattern; `legacy` if it is valid without the flag `u` only. */
export type PatternFault = "invalid" | "unsupported" | "legacy";

const known = new Map<string, PatternFault | undefined>();

/** Judges a pattern by itself, whatever texts it may meet; judgements are kept, since servers repeat their patterns. */
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
