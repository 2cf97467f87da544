/** Groups calls by hour, day, week, month or year, whichever gives few enough bars. All in UTC. */

import { PERIODS, type StatsQuery } from "../../../runtime/contract/statistics.js";
import type { HourCalls } from "./figures.js";
import { clockText, dateText, dayText, month, year } from "./format.js";

/** Calls between two times. */
export interface Bin {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly calls: number;
  readonly errors: number;
}

/** A unit of time for bars. */
export interface Unit {
  readonly name: string;
  /** Most bars of this unit in a chart. */
  readonly most: number;
  /** Start of the unit that contains a time. */
  start(ms: number): number;
  /** Start of the next unit. */
  next(start: number): number;
  /** Label below a bar. */
  short(start: number): string;
  /** Label in a sentence or a table. */
  long(start: number): string;
}

/** Calls by unit, without gaps. */
export interface BinnedCalls {
  readonly unit: Unit;
  readonly bins: readonly Bin[];
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const WEEK = 7 * DAY;
/** The first Monday of the epoch. */
const MONDAY = 4 * DAY;
const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"] as const;

const fixed = (length: number, offset = 0): Pick<Unit, "start" | "next"> => ({
  start: (ms) => Math.floor((ms - offset) / length) * length + offset,
  next: (start) => start + length,
});

const weekday = (ms: number): string => WEEKDAYS[new Date(ms).getUTCDay()] ?? "";

const UNITS: readonly Unit[] = [
  {
    ...{ name: "hour", most: 49, ...fixed(HOUR), short: clockText },
    long: (start) => `${dateText(start)}, ${clockText(start)} to ${clockText(start + HOUR)}`,
  },
  { name: "day", most: 62, ...fixed(DAY), short: dayText, long: (start) => `${weekday(start)} ${dateText(start)}` },
  { name: "week", most: 60, ...fixed(WEEK, MONDAY), short: dayText, long: (start) => `week of ${dateText(start)}` },
  {
    ...{ name: "month", most: 60, short: month, long: month },
    start: (ms) => Date.UTC(new Date(ms).getUTCFullYear(), new Date(ms).getUTCMonth()),
    next: (start) => Date.UTC(new Date(start).getUTCFullYear(), new Date(start).getUTCMonth() + 1),
  },
  {
    ...{ name: "year", most: Number.POSITIVE_INFINITY, short: year, long: year },
    start: (ms) => Date.UTC(new Date(ms).getUTCFullYear(), 0),
    next: (start) => Date.UTC(new Date(start).getUTCFullYear() + 1, 0),
  },
];

/** Start of an hour such as `2026-11-22T05`. */
export const hourStart = (hour: string): number => Date.parse(`${hour}:00:00Z`);

/** Least time span of a chart: a single bar would be as wide as the page. */
const MIN_SPAN_MS = 12 * HOUR;

/** The calls of a period in bars of one unit; for `all`, from the first call on. */
export function binnedIn(
  hours: readonly HourCalls[],
  { period, now }: Pick<StatsQuery, "period" | "now">,
): BinnedCalls {
  const first = Math.min(now, ...hours.slice(0, 1).map(({ hour }) => hourStart(hour)));
  const last = Math.max(now, ...hours.slice(-1).map(({ hour }) => hourStart(hour)));
  const length = PERIODS[period];
  return callBins(hours, Number.isFinite(length) ? now - length : Math.min(first, now - MIN_SPAN_MS), last);
}

/** Calls between two times in bars of one unit: the shortest one that gives few enough bars. */
export function callBins(hours: readonly HourCalls[], from: number, to: number): BinnedCalls {
  const fits = ({ most, ...unit }: Unit): boolean => startsOf(unit, from, to, most + 1).length <= most;
  const unit = UNITS.find(fits) ?? (UNITS.at(-1) as Unit);
  const sums = new Map(startsOf(unit, from, to).map((start) => [start, { from: start, calls: 0, errors: 0 }]));
  for (const { hour, calls, errors } of hours) {
    const sum = sums.get(unit.start(hourStart(hour)));
    if (sum) {
      sum.calls += calls;
      sum.errors += errors;
    }
  }
  return { unit, bins: [...sums.values()] };
}

function startsOf(
  { start, next }: Pick<Unit, "start" | "next">,
  from: number,
  to: number,
  most = Number.POSITIVE_INFINITY,
): readonly number[] {
  const starts: number[] = [];
  for (let at = start(from); at <= to && starts.length < most; at = next(at)) starts.push(at);
  return starts;
}
