/** Prints findings as text, JSON, GitHub annotations or SARIF. All foreign text is escaped here. */

import type { BreakingCatalogue } from "../../generator/core/breaking-rule.js";
import { formatPlace } from "../../generator/core/diagnostic.js";
import { textBeginning } from "../../generator/core/printer.js";
import type { ComparedRegistry } from "../../generator/core/registry-file.js";
import { type Advice, adviceOf, countLevels, type Finding, type FindingLevel } from "../../runtime/contract/finding.js";
import { VERSION_DIGITS } from "../../runtime/contract/help.js";
import { counted, onLine } from "../../runtime/contract/message-text.js";
import { findingDetails } from "./finding.js";
import { reachesThreshold } from "./judge.js";
import { sarifOf } from "./sarif.js";

/** A comparison as it is printed. */
export interface Comparison {
  readonly baseline: ComparedRegistry;
  readonly head: ComparedRegistry;
  readonly findings: readonly Finding[];
  /** All rules, also those that found nothing. */
  readonly rules: BreakingCatalogue;
  readonly failOn: FindingLevel;
  /** Reasons why something was not compared. */
  readonly notes: readonly string[];
  readonly version: string;
}

type Paint = (style: "red" | "yellow" | "dim" | "bold", text: string) => string;
type Print = (comparison: Comparison, paint: Paint) => string;

/** Output formats. */
export const REPORT_FORMATS = ["text", "json", "github", "markdown", "sarif"] as const;

/** One of {@link REPORT_FORMATS}. */
export type Format = (typeof REPORT_FORMATS)[number];

/** The whole output in one format, including the final newline. */
export const comparisonText = (format: Format, comparison: Comparison, paint: Paint): string =>
  PRINTERS[format](comparison, paint);

const PRINTERS: Readonly<Record<Format, Print>> = {
  text: (comparison, paint) => textReport(comparison, paint),
  json: (comparison) => `${JSON.stringify(jsonReport(comparison))}\n`,
  github: (comparison) =>
    [...comparison.findings.map(annotation), ...closingLines(comparison, (_, text) => text)].join("\n"),
  markdown: markdownReport,
  sarif: ({ findings, rules, version }) => `${JSON.stringify(sarifOf(findings, rules, version), undefined, 2)}\n`,
};

interface Side {
  readonly from: string;
  readonly registry_version: string;
  readonly ops: number;
}

const sideOf = ({ from, registry }: ComparedRegistry): Side => ({
  from,
  registry_version: registry.registry_version,
  ops: registry.tools.length,
});

/** The document of `--format json`. */
export interface JsonReport {
  readonly baseline: Side;
  readonly head: Side;
  readonly ok: boolean;
  readonly advice: Advice;
  readonly counts: Readonly<Record<FindingLevel, number>>;
  readonly findings: readonly Finding[];
  readonly notes: readonly string[];
}

const jsonReport = ({ baseline, head, findings, failOn, notes }: Comparison): JsonReport => ({
  baseline: sideOf(baseline),
  head: sideOf(head),
  ok: !reachesThreshold(findings, failOn),
  advice: adviceOf(findings),
  counts: countLevels(findings),
  findings,
  notes,
});

const STYLES = { error: "red", warning: "yellow", info: "dim" } as const;
/** Most infos in the text format; the other formats contain all of them. */
const MAX_INFOS = 20;

function textReport(comparison: Comparison, paint: Paint): string {
  const { findings } = comparison;
  const infos = findings.filter((one) => one.level === "info");
  const hidden = new Set(infos.slice(MAX_INFOS));
  const shown = findings.filter((one) => !hidden.has(one));
  const width = Math.max(0, ...shown.map((one) => one.rule.length));
  const groups = [...grouped(shown)].map(([op, all]) => {
    const lines = all.map((one) =>
      [
        `  ${paint(STYLES[one.level], one.level.padEnd(7))}  ${one.rule.padEnd(width)}  ${onLine(one.message)}`,
        ...findingDetails(one).map((text) => paint("dim", `${" ".repeat(width + DETAIL_INDENT)}${onLine(text)}`)),
      ].join("\n"),
    );
    return [headingOf(op, all, paint), ...lines, ""].join("\n");
  });
  const more = hidden.size > 0 ? [paint("dim", `… ${hidden.size} more infos; --format json lists all`), ""] : [];
  return [...groups, ...more, ...closingLines(comparison, paint)].join("\n");
}

/** Longest report in Markdown, in characters: a comment on GitHub has at most 65,536. */
const MAX_MARKDOWN = 60_000;

/** The report as a comment: its verdict, and the text in a block of code; empty if nothing was found. */
function markdownReport(comparison: Comparison): string {
  if (comparison.findings.length === 0) return "";
  const plain: Paint = (_, text) => text;
  const report = textReport(comparison, plain).trimEnd();
  const [verdict = ""] = closingLines(comparison, plain).slice(1);
  const whole = report.length <= MAX_MARKDOWN ? report : `${textBeginning(report, MAX_MARKDOWN)}\n…`;
  const longest = Math.max(2, ...(whole.match(/`+/g) ?? []).map(({ length }) => length));
  const fence = "`".repeat(longest + 1);
  return `**toolwright breaking**: ${verdict}\n\n${fence}text\n${whole}\n${fence}\n`;
}

/** Columns before the rule and after it. */
const DETAIL_INDENT = 13;

/** Findings by op, ordered by the most severe finding of each op. */
function grouped(findings: readonly Finding[]): ReadonlyMap<string, readonly Finding[]> {
  const groups = new Map<string, Finding[]>();
  for (const one of findings) groups.set(one.op, [...(groups.get(one.op) ?? []), one]);
  return groups;
}

/** Heading of an op: its path, its tool name, and the place of its definition. */
function headingOf(op: string, findings: readonly Finding[], paint: Paint): string {
  const [first] = findings;
  const beside = [first?.tool ?? "", first?.file ? formatPlace(first) : ""].filter((one) => one !== "" && one !== op);
  return [paint("bold", onLine(op)), ...beside.map((one) => paint("dim", onLine(one)))].join("  ");
}

/** The final lines: what was compared, the number of findings at each level, the version advice, and whether it fails. */
function closingLines({ baseline, head, findings, failOn }: Comparison, paint: Paint): readonly string[] {
  const named = (one: ComparedRegistry): string =>
    `${onLine(one.from)} (${counted(one.registry.tools.length, "op")}, ${onLine(one.registry.registry_version.slice(0, VERSION_DIGITS))})`;
  const counts = countLevels(findings);
  const failed = reachesThreshold(findings, failOn);
  const levels = (["error", "warning", "info"] as const).filter((level) => counts[level] > 0);
  const sum = levels.map((level) => paint(STYLES[level], counted(counts[level], level))).join(", ");
  return [
    `compared ${named(head)} with ${named(baseline)}`,
    `${sum || "no change"}; ${VERDICTS[adviceOf(findings)]}${failed ? `; ${paint("red", "fails")} on ${failOn}` : ""}`,
    "",
  ];
}

const VERDICTS: Readonly<Record<Advice, string>> = {
  major: "a new major version",
  minor: "a new minor version",
  patch: "at most a new patch version",
};

const COMMANDS: Readonly<Record<FindingLevel, string>> = { error: "error", warning: "warning", info: "notice" };

/** Escapes text for an annotation: line ends as `%0A`, which GitHub shows as line ends; other control characters visibly. */
const inAnnotation = (text: string): string =>
  text
    .split(/([%\r\n])/)
    .map((part, i) => (i % 2 === 1 ? encodeURIComponent(part) : onLine(part)))
    .join("");

const inProperty = (text: string): string => inAnnotation(text).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** `::error file=…,line=…,col=…,title=<rule>::<op>: <message>`, and the details on lines of their own. */
export function annotation(finding: Finding): string {
  const { level, rule, op, message, file, line, column } = finding;
  const properties = [
    ...(file === "" ? [] : [`file=${inProperty(file)}`]),
    ...(line > 0 ? [`line=${line}`, `col=${column}`] : []),
    `title=${inProperty(rule)}`,
  ];
  return `::${COMMANDS[level]} ${properties.join(",")}::${inAnnotation([`${op}: ${message}`, ...findingDetails(finding)].join("\n"))}`;
}
