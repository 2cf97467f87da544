/** Reads dates as people write them; a date that can be read in two ways is not read. */

/** Longest text that is read, in characters. */
const MAX_DATE_LENGTH = 60;

/** A date, and the time with its zone if one was written. */
export interface WrittenDate {
  /** `2026-03-05` */
  readonly date: string;
  /** `14:30:00Z`; a time without a zone counts as UTC. */
  readonly time: string | undefined;
}

const MONTHS: readonly string[] = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const MONTH = "(?<month>jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\\.?";
const DAY = "(?<day>\\d{1,2})(?:st|nd|rd|th)?";
const YEAR = "(?<year>\\d{4})";

/** Forms of a date; a number in place of a month's name is `number`. */
const FORMS: readonly RegExp[] = [
  `${YEAR}[-/.](?<number>\\d{1,2})[-/.](?<day>\\d{1,2})`,
  `(?<day>\\d{1,2})\\.(?<number>\\d{1,2})\\.${YEAR}`,
  `${MONTH}\\s+${DAY},?\\s+${YEAR}`,
  `${DAY}(?:\\s+of)?[\\s-]+${MONTH},?[\\s-]+${YEAR}`,
  `(?<a>\\d{1,2})/(?<b>\\d{1,2})/${YEAR}`,
].map((form) => new RegExp(`^(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,?\\s+)?${form}(?<rest>[^\\d].*)?$`, "i"));

const TIME =
  /^(?:t|,?\s+(?:at\s+)?)(?<hour>\d{1,2})(?::(?<minute>\d\d)(?::(?<second>\d\d)(?<part>\.\d{1,9})?)?)?\s*(?<half>am|pm)?\s*(?<zone>z|utc|gmt|[+-]\d\d:?\d\d)?$/i;

/** The date that a text means. */
export function readDate(text: string): WrittenDate | undefined {
  if (text.length > MAX_DATE_LENGTH) return undefined;
  for (const form of FORMS) {
    const groups = form.exec(text.trim())?.groups;
    const date = groups && dateOf(groups);
    if (!date) continue;
    const { rest = "" } = groups;
    if (rest === "") return { date, time: undefined };
    const time = timeOf(rest);
    if (time !== undefined) return { date, time };
  }
  return undefined;
}

/** The instant of a number: seconds or milliseconds since 1970, of a year from 2001 to 2286. */
export function readInstant(value: number): WrittenDate | undefined {
  const ms = value >= 1e12 && value < 1e13 ? value : value >= 1e9 && value < 1e10 ? value * 1000 : undefined;
  if (ms === undefined || !Number.isInteger(ms)) return undefined;
  const [date = "", time = ""] = new Date(ms).toISOString().split("T");
  return { date, time: time.replace(".000Z", "Z") };
}

type Groups = Readonly<Record<string, string | undefined>>;

function dateOf({ year, month, number, day, a, b }: Groups): string | undefined {
  if (a !== undefined && b !== undefined) return slashed(Number(year), Number(a), Number(b));
  const at = month === undefined ? Number(number) : MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  return calendar(Number(year), at, Number(day));
}

/** `3/25/2026` and `25/3/2026` are the same day; `3/5/2026` may be one of two. */
function slashed(year: number, a: number, b: number): string | undefined {
  if (a === b) return calendar(year, a, b);
  if (a > 12) return calendar(year, b, a);
  return b > 12 ? calendar(year, a, b) : undefined;
}

function calendar(year: number, month: number, day: number): string | undefined {
  const made = new Date(Date.UTC(year, month - 1, day));
  const isReal = made.getUTCFullYear() === year && made.getUTCMonth() === month - 1 && made.getUTCDate() === day;
  return isReal ? made.toISOString().slice(0, 10) : undefined;
}

function timeOf(rest: string): string | undefined {
  const { hour, minute, second = "00", part = "", half, zone = "Z" } = TIME.exec(rest)?.groups ?? {};
  if (hour === undefined || (minute === undefined && half === undefined)) return undefined;
  const at = half === undefined ? Number(hour) : clockHour(Number(hour), half.toLowerCase() === "pm");
  if (at > 23 || Number(minute ?? 0) > 59 || Number(second) > 59) return undefined;
  const offset = /^[+-]/.test(zone) ? zone.replace(/^(...):?/, "$1:") : "Z";
  return `${String(at).padStart(2, "0")}:${minute ?? "00"}:${second}${part}${offset}`;
}

const clockHour = (hour: number, isLate: boolean): number =>
  hour < 1 || hour > 12 ? 99 : (hour % 12) + (isLate ? 12 : 0);

/** Whether a time is the beginning of a day in UTC, which a date alone means. */
export const isMidnight = (time: string): boolean => /^00:00:00(?:\.0+)?Z$/.test(time);
