/**
 * Regular expressions that take bounded time on every text: those that are proven linear run on the engine, all others
 * on automata that give the same answers.
 */

import { isLinear } from "./analysis.js";
import { backtracker } from "./backtrack.js";
import { compileProgram, hasReferences } from "./program.js";
import { scanner } from "./scan.js";
import { flagsOf, type PatternFlags, parsePattern } from "./syntax.js";

/**
 * How a pattern is matched: `native` by the engine, `scan` in one pass, `backtrack` in a limited number of steps;
 * `unsupported` if it is not valid, too large, or uses unknown syntax, so that no text matches.
 */
export type PatternKind = "native" | "scan" | "backtrack" | "unsupported";

/** The part of a regular expression that a validator uses. */
export interface BoundedPattern {
  readonly test: (text: string) => boolean;
}

const kinds = new Map<string, PatternKind>();

/** Decides from the pattern alone how it is matched. */
export function patternKind(source: string, flags: string): PatternKind {
  const key = `${flags} ${source}`;
  const known = kinds.get(key) ?? judge(source, flagsOf(flags));
  if (kinds.size >= MAX_KEPT) kinds.clear();
  kinds.set(key, known);
  return known;
}

/** Patterns whose kind and matcher are cached. */
const MAX_KEPT = 10_000;

function judge(source: string, flags: PatternFlags | undefined): PatternKind {
  const tree = flags && parsePattern(source, flags);
  if (!tree) return "unsupported";
  if (hasReferences(tree)) return compileProgram(tree, flags, BACKTRACK) ? "backtrack" : "unsupported";
  for (const uncounted of [true, false]) {
    const program = compileProgram(tree, flags, { order: "run", iterations: true, uncounted, trimmed: true });
    if (program && isLinear(program)) return "native";
  }
  return compileProgram(tree, flags, SCAN) ? "scan" : "unsupported";
}

const BACKTRACK = { order: "run", groups: true, iterations: true } as const;
const SCAN = { order: "scan" } as const;

const matchers = new Map<string, BoundedPattern>();

/**
 * A regular expression whose time is bounded. It gives the same answers as the engine's own, except that a text that
 * takes too much work does not match. Nothing is analysed before the first test.
 *
 * @example
 * const repeated = boundedPattern("^(a+)+$", "u");
 * repeated.test(`${"a".repeat(50)}!`); // false, at once
 */
export function boundedPattern(source: string, flags: string): BoundedPattern {
  const key = `${flags} ${source}`;
  const known = matchers.get(key) ?? lazy(source, flags);
  if (matchers.size >= MAX_KEPT) matchers.clear();
  matchers.set(key, known);
  return known;
}

function lazy(source: string, flags: string): BoundedPattern {
  let test: BoundedPattern["test"] | undefined;
  return {
    test: (text) => {
      test ??= testOf(source, flags);
      return test(text);
    },
  };
}

function testOf(source: string, flags: string): BoundedPattern["test"] {
  const kind = patternKind(source, flags);
  if (kind === "native") {
    const expression = new RegExp(source, flags);
    return (text) => expression.test(text);
  }
  const matcher = kind === "unsupported" ? undefined : matcherOf(source, flags, kind);
  return (text) => matcher?.(text) === true;
}

/**
 * A matcher of one kind, which returns undefined for a text that takes too much work; undefined if this kind does not
 * support the pattern.
 */
export function matcherOf(
  source: string,
  letters: string,
  kind: "scan" | "backtrack",
): ((text: string) => boolean | undefined) | undefined {
  const flags = flagsOf(letters);
  const tree = flags && parsePattern(source, flags);
  if (!tree) return undefined;
  const program = compileProgram(tree, flags, kind === "scan" ? SCAN : BACKTRACK);
  const match = program && (kind === "scan" ? scanner(program) : backtracker(program));
  const read = flags.unicode ? codePoints : codeUnits;
  return match && ((text) => match(read(text)));
}

function codePoints(text: string): ArrayLike<number> {
  const points = new Uint32Array(text.length);
  let length = 0;
  for (let i = 0; i < text.length; length++) {
    const point = text.codePointAt(i) as number;
    points[length] = point;
    i += point > 0xffff ? 2 : 1;
  }
  return points.subarray(0, length);
}

function codeUnits(text: string): ArrayLike<number> {
  const units = new Uint16Array(text.length);
  for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i);
  return units;
}
