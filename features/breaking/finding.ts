/** Makes findings with their message and fingerprint, sorts them, and says what a report shows beside the message. */

import { textBeginning } from "../../generator/core/printer.js";
import { byCodeUnit, digestText } from "../../runtime/contract/canonical.js";
import type { Finding, FindingLevel } from "../../runtime/contract/finding.js";
import { type BreakingRule, ruleOf } from "./breaking-rules.js";

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

/** What was found. `level` is set only if it differs from the level of the rule. */
export interface DetectedChange {
  readonly rule: BreakingRule;
  readonly pointer?: string;
  readonly at?: string;
  readonly before?: string;
  readonly after?: string;
  readonly more?: string;
  readonly level?: FindingLevel;
  /** JSON of a value that was accepted and is refused; of a result, one that was impossible and is possible. */
  readonly counterexample?: string;
  /** Why the level differs from that of the rule. */
  readonly reason?: string;
}

/** Makes one finding. */
export function makeFinding(about: About, found: DetectedChange): Finding {
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
