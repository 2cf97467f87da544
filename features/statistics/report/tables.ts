/** Tables of a report, each in a box that scrolls on narrow pages. */

import { duration } from "../../../runtime/contract/duration-text.js";
import type { LanguageRuns, OpStats } from "../../../runtime/contract/statistics.js";
import { addBuckets, type BucketCounts, quantile } from "../buckets.js";
import { UNKNOWN_OP } from "../recorded.js";
import type { ClientCalls, ReportFigures } from "./figures.js";
import { countText, cutName, momentText, percent } from "./format.js";
import { html, type Markup } from "./markup.js";
import { type BinnedCalls, hourStart } from "./time-bins.js";

/** Median and 95th percentile. */
export const MEDIAN = 0.5;
export const HIGH = 0.95;

/** Longest name in a table, in letters; the whole name is in its title. */
const MAX_NAME_LENGTH = 64;
/** Most clients with a row of their own. */
const MAX_CLIENTS = 50;

/** A table with a head, and a caption for screen readers. */
function table(caption: string, head: readonly string[], body: readonly Markup[]): Markup {
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0"><table>
<caption>${caption}</caption>
<thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead>
${body}</table></div>
`;
}

const cells = (values: readonly (string | Markup)[]): readonly Markup[] => values.map((one) => html`<td>${one}</td>`);

const failed = (errors: number): string | Markup =>
  errors === 0 ? "0" : html`<span class="bad">${countText(errors)}</span>`;

/** The data of the chart of calls. */
export const callsTable = ({ unit, bins }: BinnedCalls): Markup =>
  table(
    `Calls per ${unit.name}`,
    [unit.name, "calls", "failed"],
    [
      html`<tbody>${bins.map(
        (
          bin,
        ) => html`<tr><th scope="row">${unit.long(bin.from)}</th>${cells([countText(bin.calls), failed(bin.errors)])}</tr>
`,
      )}</tbody>`,
    ],
  );

/** The data of the chart of durations. */
export const durationTable = (
  ops: readonly OpStats[],
  { durations, longest }: Pick<ReportFigures, "durations" | "longest">,
): Markup =>
  table(
    "Duration by tool",
    ["tool", "median", "95th percentile", "calls"],
    [
      html`<tbody>${ops.map(({ tool, total_calls }) =>
        row(tool, [...quantiles(durations.get(tool) ?? [], longest.get(tool)), countText(total_calls)]),
      )}</tbody>`,
    ],
  );

const quantiles = (counts: BucketCounts, longest: number | undefined): readonly string[] => [
  duration(quantile(counts, MEDIAN, longest)),
  duration(quantile(counts, HIGH, longest)),
];

/** The longest duration of some ops; undefined if it is not known for all of them. */
export function longestOf(ops: Iterable<string>, longest: ReadonlyMap<string, number>): number | undefined {
  const known = [...ops].map((op) => longest.get(op) ?? Number.POSITIVE_INFINITY);
  const most = Math.max(0, ...known);
  return Number.isFinite(most) && known.length > 0 ? most : undefined;
}

/** A row that begins with the name of a tool, which may wrap after a dot or an underscore. */
function row(tool: string, values: readonly (string | Markup)[]): Markup {
  const shown = cutName(tool, MAX_NAME_LENGTH);
  const parts = shown.split(/(?<=[._])/).map((part, at) => (at === 0 ? html`${part}` : html`<wbr>${part}`));
  return html`<tr><th scope="row" class="tool" title="${tool}">${parts}</th>${cells(values)}</tr>
`;
}

const OP_HEAD = ["tool", "calls", "failed", "success", "median", "95th pct.", "mean", "characters in", "out"];

/** All ops by pack, with the sum of each pack. */
export function opsTable({ stats, durations, longest }: ReportFigures): Markup {
  const packs = new Map<string, OpStats[]>();
  const isUnknown = ({ tool }: OpStats): number => Number(tool === UNKNOWN_OP);
  for (const one of stats.tools.toSorted((a, b) => isUnknown(a) - isUnknown(b))) {
    const pack = one.tool.split(".")[0] ?? "";
    packs.set(pack, [...(packs.get(pack) ?? []), one]);
  }
  const groups = [...packs].map(
    ([pack, ops]) => html`<tbody>${packRow(pack, ops, { durations, longest })}${ops.map((op) =>
      row(op.tool, opCells(op, durations.get(op.tool) ?? [], longest.get(op.tool))),
    )}</tbody>
`,
  );
  return table("Tools by pack", OP_HEAD, groups);
}

const titleOf = (pack: string): string => (pack === UNKNOWN_OP ? "names that no tool has" : pack);

function packRow(
  pack: string,
  ops: readonly OpStats[],
  { durations, longest }: Pick<ReportFigures, "durations" | "longest">,
): Markup {
  const sum = (key: "total_calls" | "error_count" | "chars_in" | "chars_out" | "total_duration_ms"): number =>
    ops.reduce((total, op) => total + op[key], 0);
  const counts = ops.map(({ tool }) => durations.get(tool) ?? []).reduce(addBuckets, []);
  const most = longestOf(
    ops.map(({ tool }) => tool),
    longest,
  );
  const values = {
    ...{ total_calls: sum("total_calls"), error_count: sum("error_count") },
    ...{ chars_in: sum("chars_in"), chars_out: sum("chars_out") },
    avg_duration_ms: sum("total_duration_ms") / sum("total_calls"),
  };
  return html`<tr class="pack"><th scope="rowgroup" title="${titleOf(pack)}">${cutName(titleOf(pack), MAX_NAME_LENGTH)}</th>${cells(opCells(values, counts, most))}</tr>
`;
}

type OpFigures = Pick<OpStats, "total_calls" | "error_count" | "chars_in" | "chars_out" | "avg_duration_ms">;

const opCells = (op: OpFigures, counts: BucketCounts, longest: number | undefined): readonly (string | Markup)[] => [
  countText(op.total_calls),
  failed(op.error_count),
  percent(op.total_calls - op.error_count, op.total_calls),
  ...quantiles(counts, longest),
  duration(op.avg_duration_ms),
  countText(op.chars_in),
  countText(op.chars_out),
];

/** Calls by client program, and its runs if runs are counted. */
export function clientsTable(clients: readonly ClientCalls[], hasRuns: boolean): Markup {
  const others = clients.slice(MAX_CLIENTS);
  const rows = [
    ...clients.slice(0, MAX_CLIENTS).map((one) => clientRow(nameOf(one), one, hasRuns)),
    ...(others.length > 0 ? [clientRow(`${countText(others.length)} others`, sumOf(others), hasRuns)] : []),
  ];
  const head = ["client", "calls", "failed", "success", ...(hasRuns ? ["runs"] : []), "last seen (UTC)"];
  return table("Calls by client", head, [html`<tbody>${rows}</tbody>`]);
}

/** The programs of each language. */
export const languagesTable = (languages: readonly LanguageRuns[]): Markup =>
  table(
    "Programs by language",
    ["language", "programs", "failed", "refused before they ran", "success"],
    [
      html`<tbody>${languages.map(
        (one) => html`<tr><th scope="row">${one.language}</th>${cells([
          countText(one.total),
          failed(one.failed),
          failed(one.refused),
          percent(one.total - one.failed, one.total),
        ])}</tr>
`,
      )}</tbody>`,
    ],
  );

const clientRow = (name: string | Markup, one: ClientCalls, hasRuns: boolean): Markup =>
  html`<tr><th scope="row">${name}</th>${cells([
    countText(one.calls),
    failed(one.errors),
    percent(one.calls - one.errors, one.calls),
    ...(hasRuns ? [countText(one.runs)] : []),
    momentText(hourStart(one.last)),
  ])}</tr>
`;

/** Isolated, because a name may contain right-to-left text. */
const nameOf = ({ client }: ClientCalls): string | Markup =>
  client === ""
    ? "without a name (command line)"
    : html`<bdi title="${client}">${cutName(client, MAX_NAME_LENGTH)}</bdi>`;

function sumOf(clients: readonly ClientCalls[]): ClientCalls {
  const sum = (key: "calls" | "errors" | "runs"): number => clients.reduce((total, one) => total + one[key], 0);
  const [last = ""] = clients
    .map((one) => one.last)
    .sort()
    .reverse();
  return { client: "", calls: sum("calls"), errors: sum("errors"), runs: sum("runs"), last };
}
