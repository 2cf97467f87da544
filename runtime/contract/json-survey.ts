/**
 * Checks JSON text before it is parsed: how deep it nests and how many parts it has. `JSON.parse` of 4 MB of `[` or of
 * small objects blocks the process for half a second; this check takes a few nanoseconds a byte and stops at the first
 * limit that is exceeded.
 */

/** Limits of one text. */
export interface JsonBounds {
  /** Levels of objects and lists. */
  readonly depth: number;
  /** Objects, lists and keys together; two other values count as one of them. */
  readonly parts: number;
}

/** Limits of a message from a client. 80 levels are those of arguments (64) and of what surrounds them. */
export const MESSAGE_BOUNDS: JsonBounds = { depth: 80, parts: 50_000 };

/** Limits of a message from an upstream server: it may list many tools, or answer with much data. */
export const UPSTREAM_BOUNDS: JsonBounds = { depth: 2_000, parts: 200_000 };

/** The limit that a text exceeds. */
export type PassedBound = "depth" | "parts" | "digits";

/** Describes the limit that a message exceeds. */
export const boundText = (passed: PassedBound, { depth, parts }: JsonBounds): string => {
  if (passed === "depth") return `nests deeper than ${depth} levels`;
  if (passed === "digits") return `has a number of more than ${MAX_DIGITS} digits`;
  return `has more than ${parts} objects, lists and keys, of which two other values count as one`;
};

/** Most digits of one number: parsing a number takes more than linear time, and happens more than once. */
const MAX_DIGITS = 5000;

const [QUOTE, BACKSLASH, NEWLINE, RETURN, ZERO, NINE] = [0x22, 0x5c, 0x0a, 0x0d, 0x30, 0x39];
/** Characters of a string that are checked one by one before its end is searched for natively: more where each search finds an escape soon. */
const [FEWEST_STEPS, MOST_STEPS] = [32, 4096];
/** Parts are counted in halves: a plain value is one of them. */
const PART = 2;
const HALVES = table({ ",": 1, ":": PART, "[": PART, "{": PART });
const LEVELS = table({ "[": 1, "{": 1, "]": -1, "}": -1 });

function table(entries: Readonly<Record<string, number>>): Int8Array {
  const values = new Int8Array(256);
  for (const [character, value] of Object.entries(entries)) values[character.charCodeAt(0)] = value;
  return values;
}

/** A check of text that comes in pieces. */
interface Surveyor {
  /** Checks the next piece; returns the limit that is exceeded with it, if any. */
  push(piece: Uint8Array): PassedBound | undefined;
  /** Ends an unclosed string: a JSON string never spans lines. */
  endLine(): void;
  /** Starts another text. */
  reset(): void;
}

function createSurveyor(bounds: JsonBounds): Surveyor {
  const most = bounds.parts * PART;
  let [depth, parts, digits] = [0, 0, 0];
  let isString = false;
  let isEscaped = false;
  const readString = (piece: Uint8Array, from: number): number => {
    const end = endOfString(piece, isEscaped ? from + 1 : from);
    isEscaped = end > piece.length;
    isString = end >= piece.length;
    return end + 1;
  };
  const count = (byte: number): PassedBound | undefined => {
    isString = byte === QUOTE;
    depth += LEVELS[byte] ?? 0;
    parts += HALVES[byte] ?? 0;
    digits = byte >= ZERO && byte <= NINE ? digits + 1 : 0;
    if (depth > bounds.depth) return "depth";
    if (parts > most) return "parts";
    return digits > MAX_DIGITS ? "digits" : undefined;
  };
  return {
    push(piece) {
      for (let at = 0; at < piece.length; ) {
        if (isString) {
          at = readString(piece, at);
          continue;
        }
        const passed = count(piece[at++] ?? 0);
        if (passed) return passed;
      }
      return undefined;
    },
    endLine() {
      isString = false;
      isEscaped = false;
    },
    reset() {
      [depth, parts, digits] = [0, 0, 0];
    },
  };
}

/**
 * The index of the quote that ends a string; the length if the string continues, and one more if its next byte is
 * escaped.
 */
function endOfString(piece: Uint8Array, from: number): number {
  const { length } = piece;
  let [at, quote] = [from, -1];
  for (let steps = FEWEST_STEPS; at < length; ) {
    for (const end = Math.min(length, at + steps); at < end; ) {
      const byte = piece[at];
      if (byte === QUOTE) return at;
      at += byte === BACKSLASH ? 2 : 1;
    }
    // Searched again only behind the last match, and not behind the quote, so that all searches together are linear.
    if (quote < at) quote = placeOf(QUOTE, piece, at, length);
    const next = placeOf(BACKSLASH, piece, at, quote);
    steps = next - at > steps ? FEWEST_STEPS : Math.min(2 * steps, MOST_STEPS);
    at = next;
  }
  return at;
}

/** The first index of a byte; `end` if there is no such byte. */
function placeOf(byte: number, piece: Uint8Array, from: number, end: number): number {
  const at = piece.subarray(from, end).indexOf(byte);
  return at < 0 ? Math.max(from, end) : from + at;
}

/** The limit that a text exceeds, if any. */
export const passedBound = (text: Uint8Array, bounds: JsonBounds): PassedBound | undefined =>
  createSurveyor(bounds).push(text);

/** A check of an answer that comes in pieces; returns the limit that a piece exceeds, if any. */
export type StreamSurvey = (piece: Uint8Array) => PassedBound | undefined;

/** Checks one text. */
export function surveyText(bounds: JsonBounds): StreamSurvey {
  const surveyor = createSurveyor(bounds);
  return (piece) => surveyor.push(piece);
}

/** Checks server-sent events: the lines of one event are one text, and a blank line ends it. */
export function surveyEvents(bounds: JsonBounds): StreamSurvey {
  const surveyor = createSurveyor(bounds);
  let isBlank = true;
  let last = 0;
  const endLine = (byte: number): void => {
    const isPair = byte === NEWLINE && last === RETURN;
    if (!isPair && isBlank) surveyor.reset();
    surveyor.endLine();
    isBlank = true;
    last = byte;
  };
  const text = (part: Uint8Array): PassedBound | undefined => {
    if (part.length === 0) return undefined;
    [isBlank, last] = [false, 0];
    return surveyor.push(part);
  };
  return (piece) => {
    let from = 0;
    for (let at = 0; at < piece.length; at++) {
      const byte = piece[at] ?? 0;
      if (byte !== NEWLINE && byte !== RETURN) continue;
      const passed = text(piece.subarray(from, at));
      if (passed) return passed;
      endLine(byte);
      from = at + 1;
    }
    return text(piece.subarray(from));
  };
}

/** Bytes at both ends of a message that are searched for its id. */
const ID_SEARCH_BYTES = 512;
const ID = String.raw`"id"\s{0,8}:\s{0,8}("[^"\\\p{Cc}]{0,128}"|-?\d[\d.eE+-]{0,32})\s{0,8}`;
const PLAIN_MEMBER = String.raw`"(?:jsonrpc|method)"\s{0,8}:\s{0,8}"[^"\\]{0,128}"\s{0,8}`;
const ID_AT_START = new RegExp(String.raw`^\s{0,8}\{\s{0,8}(?:${PLAIN_MEMBER},\s{0,8}){0,2}${ID}[,}]`, "u");
const ID_AT_END = new RegExp(String.raw`,\s{0,8}${ID}(?:,\s{0,8}${PLAIN_MEMBER}){0,2}\}\s{0,8}$`, "u");

/**
 * The id of an unparsed message, as JSON text, if it is among the first or the last members, where clients write it.
 */
export function idAtEdge(message: Uint8Array): string | undefined {
  const text = (piece: Uint8Array): string => Buffer.from(piece).toString("utf8");
  const [, id] =
    ID_AT_START.exec(text(message.subarray(0, ID_SEARCH_BYTES))) ??
    ID_AT_END.exec(text(message.subarray(-ID_SEARCH_BYTES))) ??
    [];
  return id !== undefined && isId(parsed(id)) ? id : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether a value can be the id of a request: a string, or a number that JSON can represent. */
export const isId = (value: unknown): value is string | number =>
  typeof value === "string" || (typeof value === "number" && Number.isFinite(value));
