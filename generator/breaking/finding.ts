/** Makes findings: text, fingerprint and order in one place. */

import { byCodeUnit, digestText, type Finding, type FindingLevel } from "toolwright/codegen";
import { beginning } from "../emit/printer.js";
import { type BreakingRule, ruleOf } from "./rules.js";

/** Letters of a text that a message quotes; the finding itself holds all of it. */
const LONGEST_QUOTE = 120;
const FINGERPRINT_DIGITS = 12;

/** What a finding is about. */
export interface About {
  readonly op: string;
  readonly tool: string;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** What was found. `level` only where it is not the rule's own. */
export interface Found {
  readonly rule: BreakingRule;
  readonly pointer?: string;
  readonly at?: string;
  readonly before?: string;
  readonly after?: string;
  readonly more?: string;
  readonly level?: FindingLevel;
}

/** Makes one finding. */
export function makeFinding(about: About, found: Found): Finding {
  const { rule, pointer = "", at = "", before = "", after = "", more = "" } = found;
  const { level, surface, message } = ruleOf(rule);
  const [was, is] = quoted(before, after);
  return {
    rule,
    level: found.level ?? level,
    surface,
    op: about.op,
    tool: about.tool,
    pointer,
    before,
    after,
    message: message({ at: quote(at), before: was, after: is, more }),
    file: about.file,
    line: about.line ?? 0,
    column: about.column ?? 0,
    fingerprint: digestText([rule, about.op, pointer, before, after].join("\0")).slice(0, FINGERPRINT_DIGITS),
  };
}

/** Sorted by level, op, pointer, rule, then by what was and what is; the same finding only once. */
export function sortFindings(findings: readonly Finding[]): readonly Finding[] {
  const unique = [...new Map(findings.map((one) => [JSON.stringify(one), one])).values()];
  return unique.sort(
    (a, b) =>
      RANK[b.level] - RANK[a.level] ||
      byCodeUnit(a.op, b.op) ||
      byCodeUnit(a.pointer, b.pointer) ||
      byCodeUnit(a.rule, b.rule) ||
      byCodeUnit(a.before, b.before) ||
      byCodeUnit(a.after, b.after),
  );
}

/** How bad a level is: higher is worse. */
export const RANK: Readonly<Record<FindingLevel, number>> = { info: 0, warning: 1, error: 2 };

const fold = (text: string): string => text.replace(/\s+/g, " ").trim();

function quote(text: string): string {
  const folded = fold(text);
  return folded.length > LONGEST_QUOTE ? `${beginning(folded, LONGEST_QUOTE - 1).trimEnd()}…` : folded;
}

/** Both texts for a message: long ones are shown from where they begin to differ. */
function quoted(before: string, after: string): readonly [string, string] {
  const [a, b] = [fold(before), fold(after)];
  if (a === "" || b === "" || Math.max(a.length, b.length) <= LONGEST_QUOTE) return [quote(a), quote(b)];
  let same = 0;
  while (same < Math.min(a.length, b.length) && a[same] === b[same]) same++;
  const start = a.lastIndexOf(" ", Math.max(0, same - QUOTE_LEAD)) + 1;
  const from = (text: string): string => quote(start > 0 ? `…${text.slice(start)}` : text);
  return [from(a), from(b)];
}

/** Letters before the first difference that a message shows. */
const QUOTE_LEAD = 20;
