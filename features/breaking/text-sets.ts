/**
 * Decides sets of texts: whether some text matches all of some patterns and not another one. Patterns are followed side by side, one class
 * of characters after the other, so that the answer is a text, a proof that none exists, or, past a bound, neither.
 */

import { patternFault } from "../../generator/core/pattern.js";
import {
  type Alphabet,
  alphabetOf,
  compileProgram,
  type Instruction,
  type PatternProgram,
} from "../../runtime/contract/pattern/program.js";
import { parsePattern } from "../../runtime/contract/pattern/syntax.js";

/** A text that was found, `none` if no text matches, or undefined if it is not decided. */
export type Separation = { readonly text: string } | "none" | undefined;

/** Longest pattern that is followed; most situations that are visited, letters that are read, and threads in one situation. */
const MAX_PATTERN_LENGTH = 1000;
const MAX_SITUATIONS = 1500;
const MAX_LETTERS = 12_000;
const MAX_THREADS = 60;
const MAX_CACHED = 2000;
/** Longest length that a pattern stands for, and what one search costs of the work that is left to judge values. */
const MAX_LENGTH = 64;
const COST = 1000;
const FLAGS = { unicode: true, ignoreCase: false } as const;

const cached = new Map<string, Separation>();

/** A pattern for texts of some lengths; none where a length is too long to follow. */
export const lengthPatterns = (fewest: number, most: number): readonly string[] => {
  const isBounded = most <= MAX_LENGTH;
  if (fewest > MAX_LENGTH || (fewest <= 0 && !isBounded)) return [];
  return [`^[\\s\\S]{${Math.max(0, fewest)},${isBounded ? Math.max(fewest, most, 0) : ""}}$`];
};

/**
 * A shortest text that matches every one of the patterns, and not another one. Patterns that cannot be followed are left out of the first.
 *
 * @param matched patterns as validators read them
 * @param judging work that is left; after it, nothing is decided
 * @param refused the pattern that the text must not match, if any
 */
export function separatingText(matched: readonly string[], judging: { left: number }, refused?: string): Separation {
  judging.left -= COST;
  if (judging.left <= 0) return undefined;
  const key = JSON.stringify([matched, refused]);
  if (!cached.has(key)) {
    if (cached.size >= MAX_CACHED) cached.clear();
    cached.set(key, searched(matched, refused));
  }
  return cached.get(key);
}

function searched(matched: readonly string[], refused: string | undefined): Separation {
  const last = refused === undefined ? [] : [programOf(refused)];
  if (last.includes(undefined)) return undefined;
  const programs = [...matched.map(programOf), ...last].filter((one) => one !== undefined);
  const alphabet = alphabetOf(programs.flatMap((one) => one.sets));
  const letters = lettersOf(alphabet, programs);
  let before = 0;
  const followers = programs.map((program): Follower => {
    const first = before;
    before += program.sets.length;
    return { program, includes: (set, letter) => alphabet.has(first + set, letter) };
  });
  const found = search(followers, refused === undefined ? -1 : followers.length - 1, letters);
  // Halves of surrogate pairs are letters to a validator, but no text is made of them.
  return found === "none" && letters.some(([, text]) => text === "") ? undefined : found;
}

function programOf(pattern: string): PatternProgram | undefined {
  if (pattern.length > MAX_PATTERN_LENGTH || patternFault(pattern) !== undefined) return undefined;
  const tree = parsePattern(pattern, FLAGS);
  const program = tree && compileProgram(tree, FLAGS, { order: "run" });
  return program && isPlain(program) ? program : undefined;
}

/** Whether a program has no back-references, word boundaries, lookbehinds, or lookaheads in lookaheads. */
function isPlain({ instructions, looks }: PatternProgram): boolean {
  const asksOther = instructions.some(
    (one) => one.kind === "reference" || (one.kind === "assert" && one.at !== "start" && one.at !== "end"),
  );
  const nested = looks.some(({ start }) => reachable(instructions, start).some((one) => one.kind === "look"));
  return !asksOther && !nested && looks.every(({ backward }) => !backward);
}

function reachable(instructions: readonly Instruction[], start: number): readonly Instruction[] {
  const met = new Set([start]);
  for (const at of met) for (const next of followersOf(instructions[at] as Instruction)) met.add(next);
  return [...met].map((at) => instructions[at] as Instruction);
}

const followersOf = (one: Instruction): readonly number[] =>
  one.kind === "match" ? [] : one.kind === "split" ? [one.first, one.second] : [one.next];

/** A letter of each class: one that people write, where there is one; an empty text for halves of surrogate pairs. */
type Letters = readonly (readonly [letter: number, text: string])[];

const LETTERS = [..."a0A_- .Zz9é/:@"].map((one) => one.codePointAt(0) as number);

function lettersOf(alphabet: Alphabet, programs: readonly PatternProgram[]): Letters {
  const ends = programs.flatMap(({ sets }) => sets.flat().flatMap(([from, to]) => [from, to, from - 1, to + 1]));
  const codes = [...LETTERS, ...ends, 0, 0x10_ff_ff].filter((code) => code >= 0 && code <= 0x10_ff_ff);
  const isHalf = (code: number): boolean => code >= 0xd8_00 && code <= 0xdf_ff;
  const found = new Map<number, string>();
  for (const code of [...codes.filter((one) => !isHalf(one)), ...codes.filter(isHalf)]) {
    const letter = alphabet.classOf(code);
    if (!found.has(letter)) found.set(letter, isHalf(code) ? "" : String.fromCodePoint(code));
  }
  return [...found];
}

interface Follower {
  readonly program: PatternProgram;
  readonly includes: (set: number, letter: number) => boolean;
}

/** A lookahead that began earlier: where it may be. */
interface Duty {
  readonly negate: boolean;
  readonly at: readonly number[];
}

/** An attempt: the instruction that comes next, and the lookaheads that the rest of the text decides. */
interface Thread {
  readonly at: number;
  readonly duties: readonly Duty[];
}

/** All attempts after a text, before the place behind it is looked at; `all` if every longer text matches too. */
type Situation = readonly Thread[] | "all";

class TooLargeError extends Error {}

interface Visit {
  readonly situations: readonly Situation[];
  readonly text: string;
}

/** Visits what texts lead to, shortest first. */
function search(followers: readonly Follower[], refused: number, letters: Letters): Separation {
  const first = followers.map(({ program }) => [{ at: program.start, duties: [] }]);
  const open: Visit[] = [{ situations: first, text: "" }];
  const met = new Set<string>();
  let read = 0;
  try {
    for (const { situations, text } of open) {
      const isFirst = text === "";
      const ends = followers.map((one, i) => isMatch(one, situations[i] as Situation, isFirst));
      if (ends.every((one, i) => one === (i !== refused))) return { text };
      for (const [letter, written] of letters) {
        if (written === "") continue;
        if (read++ >= MAX_LETTERS) return undefined;
        const next = followers.map((one, i) => after(one, situations[i] as Situation, letter, isFirst));
        const isLost = next.some((one, i) => (i === refused ? one === "all" : one.length === 0));
        const key = JSON.stringify(next);
        if (isLost || met.has(key)) continue;
        if (met.size >= MAX_SITUATIONS) return undefined;
        met.add(key);
        open.push({ situations: next, text: text + written });
      }
    }
    return "none";
  } catch (cause) {
    if (cause instanceof TooLargeError) return undefined;
    throw cause;
  }
}

/** Whether a text that ends here matches. */
const isMatch = (follower: Follower, situation: Situation, isFirst: boolean): boolean =>
  situation === "all" ||
  reached(follower, situation, isFirst, true).some(
    ({ at, duties }) =>
      follower.program.instructions[at]?.kind === "match" && duties.every((one) => holdsAtEnd(follower, one, isFirst)),
  );

const holdsAtEnd = ({ program }: Follower, { negate, at }: Duty, isFirst: boolean): boolean =>
  closure(program, at, isFirst, true).some((one) => program.instructions[one]?.kind === "match") !== negate;

/** The attempts behind a letter, those that begin there included. */
function after(follower: Follower, situation: Situation, letter: number, isFirst: boolean): Situation {
  if (situation === "all") return "all";
  const { program, includes } = follower;
  const next = new Map<string, Thread>();
  const add = (thread: Thread): void => void next.set(JSON.stringify(thread), thread);
  for (const { at, duties } of reached(follower, situation, isFirst, false)) {
    const one = program.instructions[at] as Instruction;
    const left = dutiesAfter(follower, duties, letter, isFirst);
    if (left === undefined) continue;
    if (one.kind === "match") {
      if (left.length === 0) return "all";
      add({ at, duties: left });
    } else if (one.kind === "set" && includes(one.set, letter)) add({ at: one.next, duties: left });
  }
  if (!isAnchored(program)) add({ at: program.start, duties: [] });
  if (next.size > MAX_THREADS) throw new TooLargeError();
  return [...next].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, thread]) => thread);
}

/** Whether no match begins behind the start of the text. */
const isAnchored = (program: PatternProgram): boolean =>
  closure(program, [program.start], false, true).length + closure(program, [program.start], false, false).length === 0;

/** What is left of lookaheads behind a letter; undefined if one fails. */
function dutiesAfter(
  { program, includes }: Follower,
  duties: readonly Duty[],
  letter: number,
  isFirst: boolean,
): readonly Duty[] | undefined {
  const left = new Map<string, Duty>();
  for (const { negate, at } of duties) {
    const ends = closure(program, at, isFirst, false);
    const isFound = ends.some((one) => program.instructions[one]?.kind === "match");
    if (isFound && negate) return undefined;
    if (isFound) continue;
    const next = ends.flatMap((one) => {
      const instruction = program.instructions[one] as Instruction;
      return instruction.kind === "set" && includes(instruction.set, letter) ? [instruction.next] : [];
    });
    if (next.length === 0 && !negate) return undefined;
    const duty = { negate, at: [...new Set(next)].sort((a, b) => a - b) };
    if (next.length > 0) left.set(JSON.stringify(duty), duty);
  }
  return [...left].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, duty]) => duty);
}

/** The attempts at instructions that read a letter or end, lookaheads met on the way included. */
function reached({ program }: Follower, threads: readonly Thread[], isFirst: boolean, isLast: boolean): Thread[] {
  const found: Thread[] = [];
  const met = new Set<string>();
  const open = [...threads];
  for (let thread = open.pop(); thread; thread = open.pop()) {
    const key = JSON.stringify(thread);
    if (met.has(key)) continue;
    met.add(key);
    if (met.size > MAX_THREADS * 20) throw new TooLargeError();
    const one = program.instructions[thread.at] as Instruction;
    if (one.kind === "set" || one.kind === "match") found.push(thread);
    else if (one.kind === "look") {
      const look = program.looks[one.look];
      if (look) open.push({ at: one.next, duties: [...thread.duties, { negate: look.negate, at: [look.start] }] });
    } else if (passes(one, isFirst, isLast))
      for (const next of followersOf(one)) open.push({ at: next, duties: thread.duties });
  }
  return found;
}

const passes = (one: Instruction, isFirst: boolean, isLast: boolean): boolean =>
  one.kind !== "assert" || (one.at === "start" ? isFirst : isLast);

/** Instructions that read a letter or end, reached without reading one. */
function closure(
  { instructions }: PatternProgram,
  starts: readonly number[],
  isFirst: boolean,
  isLast: boolean,
): readonly number[] {
  const met = new Set(starts);
  for (const at of met) {
    const one = instructions[at] as Instruction;
    if (one.kind !== "set" && passes(one, isFirst, isLast)) for (const next of followersOf(one)) met.add(next);
  }
  return [...met].filter((at) => ["set", "match"].includes(instructions[at]?.kind ?? ""));
}
