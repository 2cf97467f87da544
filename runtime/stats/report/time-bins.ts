/** Calls by hour, day, week, month or year, whichever gives few enough bars. All in UTC. */

import { PERIODS, type StatsQuery } from "../figures.js";
import type { HourCalls } from "./figures.js";
import { clock, date, day, month, year } from "./format.js";

/** Calls between two times. */
export interface Bin {
  /** Milliseconds since the epoch. */
  readonly from: number;
  readonly calls: number;
  readonly errors: number;
}

/** A length of time that calls are counted by. */
export interface Unit {
  readonly name: string;
  /** Bars of this length that a chart has room for. */
  readonly most: number;
  /** When the one that holds a time begins. */
  start(ms: number): number;
  /** When the next one begins. */
  next(start: number): number;
  /** Below a bar. */
  short(start: number): string;
  /** In a sentence and a table. */
  long(start: number): string;
}

/** Calls by a unit, without gaps. */
export interface Binned {
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
    ...{ name: "hour", most: 49, ...fixed(HOUR), short: clock },
    long: (start) => `${date(start)}, ${clock(start)} to ${clock(start + HOUR)}`,
  },
  { name: "day", most: 62, ...fixed(DAY), short: day, long: (start) => `${weekday(start)} ${date(start)}` },
  { name: "week", most: 60, ...fixed(WEEK, MONDAY), short: day, long: (start) => `week of ${date(start)}` },
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

/** When an hour such as `2026-11-22T05` begins. */
export const timeOf = (hour: string): number => Date.parse(`${hour}:00:00Z`);

/** What a chart shows at least: a bar alone would be as wide as the page. */
const SHORTEST = 12 * HOUR;

/** The calls of a period in bars of one length; of all that is kept, from the first call on. */
export function binnedIn(hours: readonly HourCalls[], { period, now }: Pick<StatsQuery, "period" | "now">): Binned {
  const first = Math.min(now, ...hours.slice(0, 1).map(({ hour }) => timeOf(hour)));
  const last = Math.max(now, ...hours.slice(-1).map(({ hour }) => timeOf(hour)));
  const length = PERIODS[period];
  return binned(hours, Number.isFinite(length) ? now - length : Math.min(first, now - SHORTEST), last);
}

/** Calls in bars of one length, from one time to another; the shortest length that gives few enough. */
export function binned(hours: readonly HourCalls[], from: number, to: number): Binned {
  const fits = ({ most, ...unit }: Unit): boolean => startsOf(unit, from, to, most + 1).length <= most;
  const unit = UNITS.find(fits) ?? (UNITS.at(-1) as Unit);
  const sums = new Map(startsOf(unit, from, to).map((start) => [start, { from: start, calls: 0, errors: 0 }]));
  for (const { hour, calls, errors } of hours) {
    const sum = sums.get(unit.start(timeOf(hour)));
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
