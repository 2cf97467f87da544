/**
 * The report of `ot.stats` as one HTML file: no script, no external resources, the same bytes for the same figures and
 * time.
 */

import { createHash } from "node:crypto";
import { duration, NOTHING } from "../../../runtime/contract/duration-text.js";
import type { PERIODS, RunStats } from "../../../runtime/contract/statistics.js";
import { addBuckets, BUCKET_BOUNDS, quantile } from "../buckets.js";
import { FIGURE_RULES } from "../figures.js";
import { callsChart } from "./calls-chart.js";
import { durationChart } from "./duration-chart.js";
import type { ReportFigures } from "./figures.js";
import { compactCount, countText, momentText, percent } from "./format.js";
import { html, type Markup, markupText, trustedMarkup } from "./markup.js";
import { STYLE } from "./style.js";
import {
  callsTable,
  clientsTable,
  durationTable,
  HIGH,
  languagesTable,
  longestOf,
  MEDIAN,
  opsTable,
} from "./tables.js";
import { binnedIn } from "./time-bins.js";

/** Identifies a file as a report of toolwright; occurs within the first {@link MARK_WITHIN} bytes. */
export const MARK = '<meta name="generator" content="toolwright statistics">';

/** Bytes of a file that are searched for the mark. */
export const MARK_WITHIN = 512;

const STYLE_HASH = createHash("sha256").update(STYLE).digest("base64");

/** Most rows in the chart of durations. */
const MAX_ROWS = 20;

/** The complete file. */
export function reportPage(figures: ReportFigures): string {
  const { stats, query } = figures;
  const title = query.op === "" ? "Tool statistics" : `Statistics of ${query.op}`;
  const hasCalls = stats.total_calls > 0;
  return markupText(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
${trustedMarkup(MARK)}
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'sha256-${trustedMarkup(STYLE_HASH)}'; base-uri 'none'; form-action 'none'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>${title}, ${PERIOD_NAMES[query.period].toLowerCase()}</title>
<style>${trustedMarkup(STYLE)}</style>
</head>
<body>
<header>
<h1>${title}</h1>
<p class="lead">${spanText(figures)}</p>
</header>
<main>
${hasCalls ? [cards(figures), callsSection(figures), durationSection(figures), toolsSection(figures)] : nothing(figures)}
${runsSection(figures)}
${clientsSection(figures)}
${METHOD}
</main>
<footer><p class="made">Made ${momentText(query.now)} UTC by toolwright. This file holds no script and loads nothing.</p></footer>
</body>
</html>
`);
}

const PERIOD_NAMES = {
  day: "Last 24 hours",
  week: "Last 7 days",
  month: "Last 30 days",
  all: "All that is kept",
} as const satisfies Record<keyof typeof PERIODS, string>;

function spanText({ stats, query }: ReportFigures): string {
  const { start_time: first, end_time: last } = stats;
  const name = PERIOD_NAMES[query.period];
  if (first === null || last === null) return `${name}, up to ${momentText(query.now)} UTC`;
  return `${name}: first call ${momentText(Date.parse(first))}, last ${momentText(Date.parse(last))} UTC`;
}

/** A figure with its name and its parts. */
const card = (name: string, figure: string, more: string): Markup =>
  html`<div><dt>${name}</dt><dd class="figure">${figure}</dd><dd class="more">${more}</dd></div>
`;

const toolsText = (tools: number): string => `${countText(tools)} ${tools === 1 ? "tool" : "tools"}`;

function cards({ stats, durations, longest, query }: ReportFigures): Markup {
  const all = [...durations.values()].reduce(addBuckets, []);
  const most = longestOf(durations.keys(), longest);
  const { total_calls, success_count, error_count, context_saved, definitions, stored } = stats;
  const kept =
    context_saved === null
      ? "not counted by tool"
      : `${definitions === null ? "definitions not counted" : `${compactCount(definitions)} from definitions`}, ${compactCount(stored ?? 0)} from stored results`;
  return html`<dl class="cards">
${card("Calls", countText(total_calls), query.op === "" ? `of ${toolsText(stats.tools.length)}` : PERIOD_NAMES[query.period].toLowerCase())}
${card("Success rate", percent(success_count, total_calls), `${countText(error_count)} failed`)}
${card("Tokens kept out", context_saved === null ? NOTHING : compactCount(context_saved), kept)}
${card("Median duration", duration(quantile(all, MEDIAN, most)), "half of the calls took less")}
${card("95th percentile", duration(quantile(all, HIGH, most)), "one call in 20 took longer")}
</dl>`;
}

const nothing = ({ query }: ReportFigures): Markup =>
  html`<div class="empty"><p>${query.op === "" ? "No calls in this period." : `No calls of ${query.op} in this period.`}</p>
<p>Calls are counted from the moment they are answered. Make some, or ask for a longer period.</p></div>`;

/** A section of the page with its heading. */
const section = (id: string, heading: string, content: Markup | readonly Markup[]): Markup =>
  html`<section aria-labelledby="${id}">
<h2 id="${id}">${heading}</h2>
${content}
</section>`;

const numbers = (table: Markup): Markup => html`<details><summary>The same in numbers</summary>
${table}</details>`;

const key = (shape: Markup, name: string): Markup =>
  html`<li><svg viewBox="0 0 12 12" aria-hidden="true">${shape}</svg>${name}</li>`;

const square = (kind: "done" | "failed"): Markup =>
  html`<rect class="${kind}" x="1" y="1" width="10" height="10" rx="1.5"/>`;

const CALL_KEYS = html`<ul class="keys">${key(square("done"), "done")}${key(square("failed"), "failed")}</ul>`;

function callsSection({ hours, query }: ReportFigures): Markup {
  const calls = binnedIn(hours, query);
  const heading = `Calls per ${calls.unit.name}`;
  return section(
    "calls",
    heading,
    html`${CALL_KEYS}
<div class="chart">${callsChart(calls)}</div>
${numbers(callsTable(calls))}`,
  );
}

const DURATION_KEYS = html`<ul class="keys">${key(html`<circle class="median" cx="6" cy="6" r="5"/>`, "median")}${key(
  html`<path class="high" d="M6 0 11 6 6 12 1 6Z"/>`,
  "95th percentile: one call in 20 took longer",
)}</ul>`;

function durationSection({ stats, durations, longest }: ReportFigures): Markup {
  const slowest = stats.tools.toSorted((a, b) => b.total_duration_ms - a.total_duration_ms).slice(0, MAX_ROWS);
  const rows = slowest.map(({ tool }) => {
    const counts = durations.get(tool) ?? [];
    const most = longest.get(tool);
    return { op: tool, median: quantile(counts, MEDIAN, most) ?? 0, p95: quantile(counts, HIGH, most) ?? 0 };
  });
  return section(
    "duration",
    "Duration by tool",
    html`<p class="note">${choiceText(slowest.length, stats.tools.length)}Logarithmic axis.</p>
${DURATION_KEYS}
<div class="chart">${durationChart(rows)}</div>
${numbers(durationTable(slowest, { durations, longest }))}`,
  );
}

function choiceText(shown: number, all: number): string {
  if (all === 1) return "";
  if (shown < all) return `The ${shown} of ${countText(all)} tools that took the most time in all. `;
  return "The tool that took the most time in all comes first. ";
}

const toolsSection = (figures: ReportFigures): Markup => section("tools", "Tools by pack", opsTable(figures));

const fact = (name: string, value: string): Markup => html`<div><dt>${name}</dt><dd>${value}</dd></div>
`;

function runsSection({ stats, runDurations, longestRun }: ReportFigures): Markup | string {
  if (stats.runs === null || stats.runs.total === 0) return "";
  return section("runs", "Programs", [
    runFacts({ runs: stats.runs, counts: runDurations, longest: longestRun, saved: stats.time_saved_ms }),
    ...(stats.runs.languages?.length ? [languagesTable(stats.runs.languages)] : []),
  ]);
}

interface RunFacts {
  readonly runs: RunStats;
  readonly counts: readonly number[];
  readonly longest: number | undefined;
  readonly saved: number | null;
}

const runFacts = ({ runs, counts, longest, saved }: RunFacts): Markup => html`<dl class="facts">
${fact("Programs", countText(runs.total))}${fact("Failed", countText(runs.failed))}${fact("Success rate", percent(runs.total - runs.failed, runs.total))}
${fact("Median duration", duration(quantile(counts, MEDIAN, longest)))}${fact("95th percentile", duration(quantile(counts, HIGH, longest)))}${fact("Mean", duration(runs.duration_ms / runs.total))}
${fact("Characters in", countText(runs.chars_in))}${fact("Characters out", countText(runs.chars_out))}${fact("Time saved", duration(saved))}
</dl>`;

const clientsSection = ({ clients, stats }: ReportFigures): Markup | string =>
  clients.length === 0
    ? ""
    : section(
        "clients",
        "Calls by client",
        html`<p class="note">By the name that the program gives itself.</p>
${clientsTable(clients, stats.runs !== null)}`,
      );

const CLASSES = BUCKET_BOUNDS.map((bound) => duration(bound)).join(", ");

/** A rule as a sentence. */
const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

const METHOD = section(
  "method",
  "How it is measured",
  html`<dl class="method">
<dt>Calls</dt><dd>Every call of a tool, whichever way it came. One that was refused before it reached its tool, for its arguments or for want of permission, is a failed call. Code that fails before it calls anything counts among the programs only.</dd>
<dt>Time</dt><dd>All times are UTC. Figures are kept by the hour: a period begins with a full hour, and a client was last seen within the hour that is named.</dd>
<dt>Duration</dt><dd>By the server's clock, counted in ${BUCKET_BOUNDS.length + 1} classes: up to ${CLASSES}, and above. Median and 95th percentile are estimates, interpolated within a class as if its calls were spread evenly. Means are exact.</dd>
<dt>Tokens kept out</dt><dd>The sum of the next two.</dd>
<dt>Definitions</dt><dd>${sentence(FIGURE_RULES.definitions)}</dd>
<dt>Stored results</dt><dd>${sentence(FIGURE_RULES.stored)}</dd>
<dt>Time saved</dt><dd>${sentence(FIGURE_RULES.time_saved_ms)}</dd>
</dl>`,
);
