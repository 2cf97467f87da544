/** Formats numbers, durations, times and names for people; all times are UTC. */

import { NOTHING } from "../../../runtime/contract/duration-text.js";

/** `12,345`. */
export const countText = (value: number): string => Math.round(value).toLocaleString("en-US");

/** `12.3k`, for axes and cards: three digits at most. */
export function compactCount(value: number): string {
  const [size, suffix] = SIZES.find(([from]) => value >= from) ?? [1, ""];
  const scaled = value / size;
  return suffix === "" ? countText(value) : `${Number(scaled.toFixed(scaled < 100 ? 1 : 0))}${suffix}`;
}

const SIZES: readonly (readonly [from: number, suffix: string])[] = [
  [1e9, "G"],
  [1e6, "M"],
  [1e4, "k"],
];

/** `97.4 %`; without calls a dash. */
export const percent = (part: number, all: number): string =>
  all === 0 ? NOTHING : `${Number(((part / all) * 100).toFixed(1))} %`;

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"] as const;

const two = (value: number): string => String(value).padStart(2, "0");

/** `22 Nov`. */
export function dayText(ms: number): string {
  const date = new Date(ms);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]}`;
}

/** `22 Nov 2026`. */
export const dateText = (ms: number): string => `${dayText(ms)} ${year(ms)}`;

/** `Nov 2026`. */
export const month = (ms: number): string => `${MONTHS[new Date(ms).getUTCMonth()]} ${year(ms)}`;

/** `2026`. */
export const year = (ms: number): string => String(new Date(ms).getUTCFullYear());

/** `05:41`. */
export function clockText(ms: number): string {
  const time = new Date(ms);
  return `${two(time.getUTCHours())}:${two(time.getUTCMinutes())}`;
}

/** `22 Nov 2026, 05:41`. */
export const momentText = (ms: number): string => `${dateText(ms)}, ${clockText(ms)}`;

/** Shortens a name in the middle to a number of columns; wide characters count twice. */
export function cutName(name: string, most: number): string {
  const letters = [...name];
  if (widthOf(letters) <= most) return name;
  const head = taken(letters, Math.ceil((most - 1) * 0.6));
  const tail = taken(letters.toReversed(), Math.floor((most - 1) * 0.4)).toReversed();
  return `${head.join("")}…${tail.join("")}`;
}

const WIDE_FROM = 0x1100;
const width = (letter: string): number => ((letter.codePointAt(0) ?? 0) >= WIDE_FROM ? 2 : 1);
const widthOf = (letters: readonly string[]): number => letters.reduce((sum, letter) => sum + width(letter), 0);

/** The first letters that fit. */
function taken(letters: readonly string[], room: number): readonly string[] {
  let left = room;
  const end = letters.findIndex((letter) => {
    left -= width(letter);
    return left < 0;
  });
  return end < 0 ? letters : letters.slice(0, end);
}
