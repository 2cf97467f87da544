/** Makes findings with their message and fingerprint, sorts them, and says what a report shows beside the message. */

import type { CataloguedRule, ToolChange } from "../../generator/core/breaking-rule.js";
import { textBeginning } from "../../generator/core/printer.js";
import { byCodeUnit, digestText } from "../../runtime/contract/canonical.js";
import type { Finding, FindingLevel } from "../../runtime/contract/finding.js";
import { BREAKING_RULES, type BreakingRule } from "./breaking-rules.js";

/** Most characters of a text that a message quotes; the finding holds the whole text. */
const MAX_QUOTE_LENGTH = 120;
const FINGERPRINT_DIGITS = 12;

/** What a finding is about. */
export interface About {
  readonly op: string;
  readonly tool: string;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
}

/** What was found by a rule of the catalogue. */
export type DetectedChange = ToolChange<BreakingRule>;

/** Makes one finding. */
export const makeFinding = (about: About, found: DetectedChange): Finding =>
  findingBy(BREAKING_RULES[found.rule], about, found);

/** Makes one finding by the rule of a feature. */
export function findingBy({ level, surface, message }: CataloguedRule, about: About, found: ToolChange): Finding {
  const { rule, pointer = "", at = "", before = "", after = "", more = "" } = found;
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
    ...(found.counterexample === undefined ? {} : { counterexample: found.counterexample }),
    ...(found.reason === undefined ? {} : { reason: found.reason }),
  };
}

/** Findings without duplicates, sorted by level, op, pointer and rule, then by the values before and after. */
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

/** Rank of a level: higher is more severe. */
export const RANK: Readonly<Record<FindingLevel, number>> = { info: 0, warning: 1, error: 2 };

const fold = (text: string): string => text.replace(/\s+/g, " ").trim();

function quote(text: string): string {
  const folded = fold(text);
  return folded.length > MAX_QUOTE_LENGTH ? `${textBeginning(folded, MAX_QUOTE_LENGTH - 1).trimEnd()}…` : folded;
}

/** Both texts for a message; long ones are shown from shortly before their first difference. */
function quoted(before: string, after: string): readonly [string, string] {
  const [a, b] = [fold(before), fold(after)];
  if (a === "" || b === "" || Math.max(a.length, b.length) <= MAX_QUOTE_LENGTH) return [quote(a), quote(b)];
  let same = 0;
  while (same < Math.min(a.length, b.length) && a[same] === b[same]) same++;
  const start = a.lastIndexOf(" ", Math.max(0, same - QUOTE_LEAD)) + 1;
  const from = (text: string): string => quote(start > 0 ? `…${text.slice(start)}` : text);
  return [from(a), from(b)];
}

/** Characters that a message shows before the first difference. */
const QUOTE_LEAD = 20;

/** What is shown beneath a finding: the counterexample, why its level is not that of the rule, and who is hurt. */
export function findingDetails({ rule, counterexample, reason, hurt }: Finding): readonly string[] {
  const shown = counterexample === undefined ? "" : shortened(counterexample);
  return [
    ...(shown === ""
      ? []
      : [rule.startsWith("result-") ? `possible now, not before: ${shown}` : `accepted before, refused now: ${shown}`]),
    ...(reason === undefined ? [] : [reason]),
    ...(hurt === undefined || hurt.length === 0 ? [] : [`hurts ${hurt.join("; ")}`]),
  ];
}

/** Most characters of a counterexample that a report shows; the JSON format holds more. */
const MAX_SHOWN_LENGTH = 300;
const shortened = (text: string): string =>
  text.length <= MAX_SHOWN_LENGTH ? text : `${textBeginning(text, MAX_SHOWN_LENGTH)}…`;
