/** Chart of calls over time, with successful and failed calls stacked: inline SVG, for wide and narrow pages. */

import { scaleBand, scaleLinear } from "d3-scale";
import { stack } from "d3-shape";
import { compactCount, countText } from "./format.js";
import { html, type Markup } from "./markup.js";
import type { Bin, BinnedCalls } from "./time-bins.js";

/** Size of a drawing, and the page width it is for. */
export interface Frame {
  /** A CSS class, with which the page shows one of the two. */
  readonly name: "wide" | "narrow";
  readonly width: number;
  readonly height: number;
}

const FRAMES: readonly Frame[] = [
  { name: "wide", width: 960, height: 260 },
  { name: "narrow", width: 340, height: 220 },
];

const MARGIN = { top: 10, right: 4, bottom: 24, left: 44 };
/** Width of a label below a bar. */
const LABEL_WIDTH = 62;
const LINES = 4;
/** Least height, so that one failed call among thousands is visible. */
const LEAST_HEIGHT = 1.5;

/** The chart, drawn for each width. */
export const callsChart = (binned: BinnedCalls): readonly Markup[] => FRAMES.map((frame) => drawing(binned, frame));

function drawing({ unit, bins }: BinnedCalls, { name, width, height }: Frame): Markup {
  const x = scaleBand<number>()
    .domain(bins.map(({ from }) => from))
    .range([MARGIN.left, width - MARGIN.right])
    .paddingInner(0.24)
    .paddingOuter(0.12);
  const highest = Math.max(LINES, ...bins.map(({ calls }) => calls));
  const y = scaleLinear()
    .domain([0, highest])
    .range([height - MARGIN.bottom, MARGIN.top])
    .nice(LINES);
  const at: Place = { left: (bin) => x(bin.from) ?? 0, width: x.bandwidth(), step: x.step(), y };
  return html`<svg class="${name}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${summary({ unit, bins })}">
${y.ticks(LINES).map((tick) => gridLine(tick, y(tick), width))}
${bars(bins, at, unit.long)}
${labels(bins, at, unit.short).map(
  ({ x, text }) => html`<text class="axis" x="${fixed(x)}" y="${height - 6}" text-anchor="middle">${text}</text>`,
)}
</svg>`;
}

/** Position of a bar. */
interface Place {
  left(bin: Bin): number;
  readonly width: number;
  readonly step: number;
  y(calls: number): number;
}

/** Rounds to one decimal, which is finer than a screen. */
const fixed = (value: number): string => String(Math.round(value * 10) / 10);

const gridLine = (tick: number, y: number, width: number): Markup =>
  html`<line class="${tick === 0 ? "base" : "grid"}" x1="${MARGIN.left}" x2="${width}" y1="${fixed(y)}" y2="${fixed(y)}"/><text class="axis" x="${MARGIN.left - 8}" y="${fixed(y + 4)}" text-anchor="end">${compactCount(tick)}</text>`;

const KINDS = ["done", "failed"] as const;

function bars(bins: readonly Bin[], at: Place, long: (start: number) => string): readonly Markup[] {
  const stacked = stack<Bin, (typeof KINDS)[number]>()
    .keys(KINDS)
    .value((bin, kind) => (kind === "failed" ? bin.errors : bin.calls - bin.errors))(bins);
  return bins.map((bin, index) => {
    const parts = stacked.flatMap((series) => {
      const [low = 0, high = 0] = series[index] ?? [];
      return high > low ? [part(series.key, { from: at.left(bin), width: at.width }, [at.y(low), at.y(high)])] : [];
    });
    const title = `${long(bin.from)}: ${countText(bin.calls)} calls, ${countText(bin.errors)} failed`;
    const edge = at.left(bin) - (at.step - at.width) / 2;
    return html`<g><title>${title}</title><rect class="hit" x="${fixed(edge)}" y="${fixed(MARGIN.top)}" width="${fixed(at.step)}" height="${fixed(at.y(0) - MARGIN.top)}"/>${parts}</g>
`;
  });
}

/** One part of a bar; `low` and `high` are its lower and upper edge. */
function part(
  kind: string,
  { from, width }: { readonly from: number; readonly width: number },
  [low, high]: readonly [low: number, high: number],
): Markup {
  const height = Math.max(LEAST_HEIGHT, low - high);
  return html`<rect class="${kind}" x="${fixed(from)}" y="${fixed(low - height)}" width="${fixed(width)}" height="${fixed(height)}"/>`;
}

/** As many labels as fit, counted back from the latest bar. */
function labels(
  bins: readonly Bin[],
  at: Place,
  short: (start: number) => string,
): readonly { readonly x: number; readonly text: string }[] {
  const every = Math.ceil(LABEL_WIDTH / at.step);
  return bins.flatMap((bin, index) => {
    const x = at.left(bin) + at.width / 2;
    const isShown = (bins.length - 1 - index) % every === Math.min(every - 1, Math.floor(every / 2));
    return isShown && x > MARGIN.left ? [{ x, text: short(bin.from) }] : [];
  });
}

function summary({ unit, bins }: BinnedCalls): string {
  const calls = bins.reduce((sum, bin) => sum + bin.calls, 0);
  const errors = bins.reduce((sum, bin) => sum + bin.errors, 0);
  const most = bins.reduce((best, bin) => (bin.calls > best.calls ? bin : best));
  return `Calls per ${unit.name}: ${countText(calls)} in all, ${countText(errors)} failed; most in ${unit.long(most.from)}: ${countText(most.calls)}`;
}
