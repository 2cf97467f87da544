/** Finds where a text stops being JSON, and says what is expected there. */

/** The first fault of a text. */
export interface JsonFault {
  /** Index of the first character that does not fit; the length of the text if it ends too early. */
  readonly at: number;
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  /** `expected a value, found "x"`. */
  readonly message: string;
}

const SPACE = /[ \t\n\r]*/y;
const STRING = /"(?:[^"\\\p{Cc}]|[\u007f-\u009f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/uy;
const OTHER = /(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])/y;

/** What may come next. */
type Wanted = "value" | "first value" | "name" | "first name" | "colon" | "more" | "end";

const EXPECTED: Readonly<Record<Exclude<Wanted, "more">, string>> = {
  value: "a value; a text is in double quotes",
  "first value": "a value or ]; a text is in double quotes",
  name: "a name in double quotes",
  "first name": "a name in double quotes or }",
  colon: ": after the name",
  end: "nothing more",
};

/** The place that is read. */
interface Reading {
  readonly text: string;
  at: number;
  wanted: Wanted;
  /** The open lists and objects, by the character that closes each. */
  readonly open: ("]" | "}")[];
}

/** The first fault of a text; undefined if it is JSON. */
export function jsonFault(text: string): JsonFault | undefined {
  const reading: Reading = { text, at: 0, wanted: "value", open: [] };
  for (;;) {
    reading.at += lengthOf(SPACE, reading);
    if (reading.at === text.length) return reading.wanted === "end" ? undefined : faultAt(reading);
    const length = READERS[reading.wanted](reading);
    if (length === 0) return faultAt(reading);
    reading.at += length;
  }
}

function lengthOf(pattern: RegExp, { text, at }: Reading): number {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}

/** Reads one token of what is wanted; each returns its length, 0 for one that does not fit. */
const READERS: Readonly<Record<Wanted, (reading: Reading) => number>> = {
  value: valueAt,
  "first value": (reading) => (isAt(reading, "]") ? close(reading) : valueAt(reading)),
  name: nameAt,
  "first name": (reading) => (isAt(reading, "}") ? close(reading) : nameAt(reading)),
  colon: (reading) => (isAt(reading, ":") ? follow(reading, "value") : 0),
  more: moreAt,
  end: () => 0,
};

const isAt = ({ text, at }: Reading, mark: string | undefined): boolean => text[at] === mark;

function valueAt(reading: Reading): number {
  const isObject = isAt(reading, "{");
  if (!isObject && !isAt(reading, "["))
    return follow(reading, "more", lengthOf(STRING, reading) || lengthOf(OTHER, reading));
  reading.open.push(isObject ? "}" : "]");
  return follow(reading, isObject ? "first name" : "first value");
}

function nameAt(reading: Reading): number {
  return follow(reading, "colon", lengthOf(STRING, reading));
}

function moreAt(reading: Reading): number {
  const end = reading.open.at(-1);
  if (isAt(reading, end)) return close(reading);
  return isAt(reading, ",") ? follow(reading, end === "}" ? "name" : "value") : 0;
}

function close(reading: Reading): number {
  reading.open.pop();
  return follow(reading, "more");
}

/** Sets what comes next, unless the token does not fit. */
function follow(reading: Reading, wanted: Wanted, length = 1): number {
  if (length > 0) reading.wanted = wanted === "more" && reading.open.length === 0 ? "end" : wanted;
  return length;
}

function faultAt({ text, at, wanted, open }: Reading): JsonFault {
  const before = text.slice(0, at).split("\n");
  const expected = wanted === "more" ? `a comma or ${open.at(-1)}` : EXPECTED[wanted];
  const found =
    at === text.length ? "the text ends" : `found ${JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 0))}`;
  return {
    at,
    line: before.length,
    column: (before.at(-1)?.length ?? 0) + 1,
    message: `expected ${expected}, ${found}`,
  };
}

/** The place and the fact as one text: `line 2, column 7: expected a comma or ], the text ends`. */
export const jsonFaultText = ({ line, column, message }: JsonFault): string =>
  `line ${line}, column ${column}: ${message}`;
