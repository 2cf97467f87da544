/** Chart of the median and 95th percentile of ops on a logarithmic axis: inline SVG, for wide and narrow pages. */

import { scaleLog } from "d3-scale";
import { symbol, symbolCircle, symbolDiamond, symbolTriangle } from "d3-shape";
import { duration } from "../../../runtime/contract/duration-text.js";
import { cutName } from "./format.js";
import { html, type Markup } from "./markup.js";

/** Durations of the calls of an op. */
export interface OpDuration {
  readonly op: string;
  readonly median: number;
  /** Infinity above the last bound. */
  readonly p95: number;
}

/** Positions in a drawing. */
interface Layout {
  readonly name: "wide" | "narrow";
  readonly width: number;
  /** Left end of the axis. */
  readonly left: number;
  readonly row: number;
  /** From the top of a row to its line of marks. */
  readonly marks: number;
  /** From the top of a row to the name's base line. */
  readonly text: number;
  /** Longest name, in letters. */
  readonly letters: number;
  /** Distance of labels, in powers of ten. */
  readonly every: number;
}

const LAYOUTS: readonly Layout[] = [
  { name: "wide", width: 960, left: 270, row: 28, marks: 14, text: 18, letters: 33, every: 1 },
  { name: "narrow", width: 340, left: 22, row: 44, marks: 30, text: 16, letters: 26, every: 2 },
];

const RIGHT = 24;
const TOP = 6;
const BOTTOM = 26;
/** Position of a duration without an upper bound. */
const ENDLESS = 100_000;
const MIN_DURATION_MS = 0.1;

/** The chart, drawn for each width. */
export const durationChart = (ops: readonly OpDuration[]): readonly Markup[] =>
  LAYOUTS.map((layout) => drawing(ops, layout));

function drawing(ops: readonly OpDuration[], layout: Layout): Markup {
  const { name, width, left, row, every } = layout;
  const [low, high] = ends(ops);
  const scale = scaleLog()
    .domain([low, high])
    .range([left, width - RIGHT])
    .clamp(true);
  const x = (ms: number): number => scale(Math.min(Math.max(ms, low), ENDLESS));
  const bottom = TOP + ops.length * row;
  const label = `Median and 95th percentile of durations, of ${ops.length === 1 ? "one tool" : `${ops.length} tools`}, on an axis from ${axisText(low)} to ${axisText(high)}`;
  return html`<svg class="${name}" viewBox="0 0 ${width} ${bottom + BOTTOM}" role="img" aria-label="${label}">
${powers(low, high).map((tick, at) => gridLine(tick, { x: x(tick), bottom, isNamed: at % every === 0 }))}
${ops.map((op, at) => rowOf(op, layout, { x, top: TOP + at * row }))}
</svg>`;
}

/** Powers of ten around all durations. */
function ends(ops: readonly OpDuration[]): readonly [low: number, high: number] {
  const shortest = Math.min(ENDLESS / 10, Math.max(MIN_DURATION_MS, Math.min(...ops.map(({ median }) => median))));
  const longest = Math.min(ENDLESS, Math.max(...ops.map(({ p95 }) => p95)));
  const low = 10 ** Math.floor(Math.log10(shortest));
  return [low, Math.max(low * 10, 10 ** Math.ceil(Math.log10(Math.max(longest, low))))];
}

function powers(low: number, high: number): readonly number[] {
  const steps = Math.round(Math.log10(high / low));
  return Array.from({ length: steps + 1 }, (_, at) => Number((low * 10 ** at).toPrecision(1)));
}

const axisText = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${ms / 1000} s`);

const fixed = (value: number): string => String(Math.round(value * 10) / 10);

function gridLine(
  tick: number,
  { x, bottom, isNamed }: { readonly x: number; readonly bottom: number; readonly isNamed: boolean },
): Markup {
  const line = html`<line class="grid" x1="${fixed(x)}" x2="${fixed(x)}" y1="${TOP}" y2="${bottom}"/>`;
  return isNamed
    ? html`${line}<text class="axis" x="${fixed(x)}" y="${bottom + 18}" text-anchor="middle">${axisText(tick)}</text>`
    : line;
}

/** Marks differ in shape, too: a circle, a diamond, and an arrow for a duration without an upper bound. */
const CIRCLE = symbol(symbolCircle, 70)() ?? "";
const DIAMOND = symbol(symbolDiamond, 62)() ?? "";
const ARROW = symbol(symbolTriangle, 62)() ?? "";

function rowOf(
  { op, median, p95 }: OpDuration,
  { name, left, marks, text, letters, width }: Layout,
  { x, top }: { x(ms: number): number; readonly top: number },
): Markup {
  const y = top + marks;
  const isOpen = !Number.isFinite(p95);
  const range = `${duration(median)} – ${duration(p95)}`;
  const start = name === "wide" ? { at: left - 14, anchor: "end" } : { at: 0, anchor: "start" };
  return html`<g><title>${op}: median ${duration(median)}, 95th percentile ${duration(p95)}</title>
<rect class="hit" x="0" y="${top}" width="${width}" height="${marks * 2}"/>
<text class="name" x="${start.at}" y="${top + text}" text-anchor="${start.anchor}">${cutName(op, letters)}</text>
${name === "narrow" ? html`<text class="axis" x="${width}" y="${top + text}" text-anchor="end">${range}</text>` : ""}
<line class="span" x1="${fixed(x(median))}" x2="${fixed(x(p95))}" y1="${y}" y2="${y}"/>
<path class="high" d="${isOpen ? ARROW : DIAMOND}" transform="translate(${fixed(x(p95))} ${y})${isOpen ? " rotate(90)" : ""}"/>
<path class="median" d="${CIRCLE}" transform="translate(${fixed(x(median))} ${y})"/></g>
`;
}
