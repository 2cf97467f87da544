/**
 * Matches patterns with back-references as the specification says, by backtracking, with a limited number of steps.
 */

import { spend } from "../work-budget.js";
import { type Instruction, isBoundary, type Matcher, type PatternProgram } from "./program.js";
import type { Ranges } from "./syntax.js";

/** Instructions that one test may visit, and how many more for each character. */
const MAX_STEPS = 50_000;
const MAX_STEPS_PER_CHARACTER = 6;
/** Instructions that one test may visit, however long the text is. */
const MAX_STEPS_IN_ALL = 3_000_000;
/** Instructions that are visited for one unit of work. */
const STEPS_PER_UNIT = 3;

/** Ends of groups, and starts of iterations. */
type Registers = readonly (number | undefined)[];

/** An attempt to continue with if another one fails. */
interface Thread {
  readonly at: number;
  readonly place: number;
  readonly registers: Registers;
}

interface Text {
  readonly codes: ArrayLike<number>;
  /** Steps that may still be taken. */
  left: number;
}

/** A matcher for one program of order `run`. */
export function backtracker(program: PatternProgram): Matcher {
  const registers: Registers = new Array(program.slots).fill(undefined);
  return (codes) => {
    const steps = Math.min(MAX_STEPS + codes.length * MAX_STEPS_PER_CHARACTER, MAX_STEPS_IN_ALL);
    const text: Text = { codes, left: steps };
    let found = false;
    for (let place = 0; place <= codes.length && text.left > 0 && !found; place++)
      found = run(program, { at: program.start, place, registers }, text, false) !== undefined;
    spend((steps - text.left) / STEPS_PER_UNIT);
    return found || (text.left > 0 ? false : undefined);
  };
}

/** The registers of the first match, in the order of preference, that begins with a thread. */
function run(program: PatternProgram, start: Thread, text: Text, backward: boolean): Registers | undefined {
  const open: Thread[] = [];
  // Threads are made for the second ways of splits alone: most instructions have one way.
  let { at, place, registers } = start;
  while (text.left-- > 0) {
    const one = program.instructions[at] as Instruction;
    if (one.kind === "match") return registers;
    if (one.kind === "split") {
      open.push({ at: one.second, place, registers });
      at = one.first;
      continue;
    }
    const length = consumed(program, one, place, registers, text, backward);
    const next = length === undefined ? undefined : recorded(program, one, place, registers, text);
    if (next) {
      at = one.next;
      place += backward ? -(length as number) : (length as number);
      registers = next;
      continue;
    }
    const thread = open.pop();
    if (!thread) return undefined;
    ({ at, place, registers } = thread);
  }
  return undefined;
}

type Simple = Exclude<Instruction, { readonly kind: "match" | "split" }>;

/** Characters that an instruction consumes; undefined if it does not fit. */
function consumed(
  program: PatternProgram,
  one: Simple,
  place: number,
  registers: Registers,
  text: Text,
  backward: boolean,
): number | undefined {
  const { codes } = text;
  if (one.kind === "set")
    return includes(program.sets[one.set] as Ranges, codes[backward ? place - 1 : place]) ? 1 : undefined;
  if (one.kind === "reference") return repeatedLength(registers, one.group, text, place, backward);
  if (one.kind === "assert") return holds(one.at, codes, place) ? 0 : undefined;
  return one.kind === "advanced" && registers[one.slot] === place ? undefined : 0;
}

/** The registers after an instruction; undefined for a lookaround that does not hold. */
function recorded(
  program: PatternProgram,
  one: Simple,
  place: number,
  registers: Registers,
  text: Text,
): Registers | undefined {
  if (one.kind === "save") return withPlace(registers, one.slot, place);
  if (one.kind === "reset") return without(registers, one.slots);
  return one.kind === "look" ? look(program, one.look, place, registers, text) : registers;
}

function withPlace(registers: Registers, slot: number, place: number): Registers {
  const copy = registers.slice();
  copy[slot] = place;
  return copy;
}

function without(registers: Registers, slots: readonly number[]): Registers {
  if (slots.every((slot) => registers[slot] === undefined)) return registers;
  const copy = [...registers];
  for (const slot of slots) copy[slot] = undefined;
  return copy;
}

/** The registers after a lookaround; undefined if it does not hold. */
function look(
  program: PatternProgram,
  index: number,
  place: number,
  registers: Registers,
  text: Text,
): Registers | undefined {
  const one = program.looks[index];
  if (!one) return undefined;
  const found = run(program, { at: one.start, place, registers }, text, one.backward);
  // Running out of steps proves nothing.
  if (one.negate) return found || text.left <= 0 ? undefined : registers;
  return found;
}

/** Length of the text that a group matched, if it occurs here again; a group that has not matched counts as empty. */
function repeatedLength(
  registers: Registers,
  group: number,
  text: Text,
  place: number,
  backward: boolean,
): number | undefined {
  const [from, to] = [registers[2 * group], registers[2 * group + 1]];
  if (from === undefined || to === undefined) return 0;
  const start = backward ? place - (to - from) : place;
  if (start < 0 || start + to - from > text.codes.length) return undefined;
  for (let i = 0; from + i < to; i++, text.left--) if (text.codes[from + i] !== text.codes[start + i]) return undefined;
  return to - from;
}

function includes(ranges: Ranges, code: number | undefined): boolean {
  if (code === undefined) return false;
  for (const [from, to] of ranges) if (code <= to) return code >= from;
  return false;
}

function holds(at: "start" | "end" | "word" | "no-word", codes: ArrayLike<number>, place: number): boolean {
  if (at === "start") return place === 0;
  if (at === "end") return place === codes.length;
  return isBoundary(codes, place) === (at === "word");
}
