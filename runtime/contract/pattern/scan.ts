/**
 * Matches patterns without back-references in one pass over the text: it follows the set of states in which a match
 * may be, character by character, and caches each set that occurs. Each lookaround runs first, in a pass of its own
 * that marks the places where it holds.
 */

import { spend } from "../work-budget.js";
import {
  type Alphabet,
  alphabetOf,
  type Instruction,
  isBoundary,
  type Matcher,
  type PatternProgram,
} from "./program.js";

/** Characters that are followed, and instructions that are visited, for one unit of work. */
const CHARACTERS_PER_UNIT = 4;
const VISITS_PER_UNIT = 10;
/** Instructions that one test may visit to make states. */
const MAX_WORK = 3_000_000;
/** States that an automaton caches. */
const MAX_STATES = 2000;
/** Steps that a state keeps in a list. */
const MAX_LOW = 64;

/** A set of instructions at which matches continue, before the place is examined. */
interface State {
  readonly at: readonly number[];
  /** Steps computed so far, by the facts about the place and the character. */
  readonly steps: Map<number, Step>;
  /** Those of numbers below MAX_LOW: a list is faster than a map. */
  readonly low: (Step | undefined)[];
}

interface Step {
  /** Whether a match ends before the character. */
  readonly accepts: boolean;
  readonly state: State;
}

/** Facts about a place in the text, as bits; the bits of lookarounds follow. */
const START = 1;
const END = 2;
const BOUNDARY = 4;
const FIRST_LOOK = 3;

/** The class beyond both ends of the text. */
const NOTHING = -1;

/** The remaining work for a text. */
interface Budget {
  left: number;
}

/** A matcher for one program of order `scan`. */
export function scanner(program: PatternProgram): Matcher {
  const alphabet = alphabetOf(program.sets);
  const main = new Automaton(program, program.start, alphabet);
  const looks = program.looks.map((look) => ({ ...look, automaton: new Automaton(program, look.start, alphabet) }));
  const asksWord = program.instructions.some((one) => one.kind === "assert" && one.at.endsWith("word"));
  return (codes) => {
    spend((codes.length * (1 + looks.length)) / CHARACTERS_PER_UNIT);
    const budget: Budget = { left: MAX_WORK };
    const classes = new Int32Array(codes.length);
    for (let i = 0; i < codes.length; i++) classes[i] = alphabet.classOf(codes[i] as number);
    const known = new Int32Array(codes.length + 1);
    known[0] = START;
    known[codes.length] = (known[codes.length] as number) | END;
    if (asksWord) markBoundaries(codes, known);
    // Inner lookarounds come first.
    for (const [i, { automaton, backward, negate }] of looks.entries()) {
      const bit = 1 << (FIRST_LOOK + i);
      automaton.pass(classes, known, backward, budget, (accepts, place) => {
        if (accepts !== negate) known[place] = (known[place] as number) | bit;
        return false;
      });
    }
    const found = main.pass(classes, known, false, budget, (accepts) => accepts);
    spend((MAX_WORK - budget.left) / VISITS_PER_UNIT);
    return budget.left > 0 ? found : undefined;
  };
}

function markBoundaries(codes: ArrayLike<number>, known: Int32Array): void {
  for (let place = 0; place <= codes.length; place++)
    if (isBoundary(codes, place)) known[place] = (known[place] as number) | BOUNDARY;
}

class Automaton {
  private readonly states = new Map<string, State>();
  private readonly relevant: number;
  private readonly visited: Uint32Array;
  private generation = 0;

  private readonly program: PatternProgram;
  private readonly start: number;
  private readonly alphabet: Alphabet;

  constructor(program: PatternProgram, start: number, alphabet: Alphabet) {
    this.program = program;
    this.start = start;
    this.alphabet = alphabet;
    this.visited = new Uint32Array(program.instructions.length);
    this.relevant = this.relevantBits();
  }

  /** Passes over a text and reports for each place whether a match ends there, until `visit` returns true. */
  pass(
    classes: Int32Array,
    known: Int32Array,
    backward: boolean,
    budget: Budget,
    visit: (accepts: boolean, place: number) => boolean,
  ): boolean {
    let state = this.stateOf([]);
    for (let i = 0; i <= classes.length; i++) {
      const place = backward ? classes.length - i : i;
      const one = classes[backward ? place - 1 : place] ?? NOTHING;
      const step = this.step(state, (known[place] as number) & this.relevant, one, budget);
      if (budget.left <= 0) return true;
      if (visit(step.accepts, place)) return true;
      state = step.state;
    }
    return false;
  }

  private step(state: State, known: number, one: number, budget: Budget): Step {
    const key = known * (this.alphabet.size + 1) + one + 1;
    const kept = key < MAX_LOW ? state.low[key] : state.steps.get(key);
    if (kept) return kept;
    const found = this.follow(state, known, one, budget);
    if (key < MAX_LOW) state.low[key] = found;
    else state.steps.set(key, found);
    return found;
  }

  /** Follows every way from a state over one character, at which a new match may begin, too. */
  private follow(state: State, known: number, one: number, budget: Budget): Step {
    this.generation++;
    const open = [this.start, ...state.at];
    const after = new Set<number>();
    let accepts = false;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (this.visited[at] === this.generation) continue;
      this.visited[at] = this.generation;
      budget.left--;
      const instruction = this.program.instructions[at] as Instruction;
      if (instruction.kind === "match") accepts = true;
      else if (instruction.kind === "split") open.push(instruction.first, instruction.second);
      else if (!this.holds(instruction, known, one)) continue;
      else if (instruction.kind === "set") after.add(instruction.next);
      else open.push(instruction.next);
    }
    return { accepts, state: this.stateOf([...after]) };
  }

  /** Whether an instruction lets a match continue here. */
  private holds(
    one: Exclude<Instruction, { kind: "match" | "split" }>,
    known: number,
    characterClass: number,
  ): boolean {
    if (one.kind === "set") return characterClass !== NOTHING && this.alphabet.has(one.set, characterClass);
    if (one.kind === "look") return (known & (1 << (FIRST_LOOK + one.look))) !== 0;
    return one.kind !== "assert" || ((known & ASSERTED[one.at]) !== 0) === (one.at !== "no-word");
  }

  private stateOf(at: readonly number[]): State {
    const bits = new Uint16Array((this.program.instructions.length >> 4) + 1);
    for (const one of at) bits[one >> 4] = (bits[one >> 4] as number) | (1 << (one & 15));
    const key = String.fromCharCode(...bits);
    const kept = this.states.get(key);
    if (kept) return kept;
    if (this.states.size >= MAX_STATES) this.states.clear();
    const made: State = { at, steps: new Map(), low: [] };
    this.states.set(key, made);
    return made;
  }

  /** The facts about a place that this automaton depends on. */
  private relevantBits(): number {
    const { instructions } = this.program;
    const seen = new Set<number>();
    const open = [this.start];
    let bits = 0;
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (seen.has(at)) continue;
      seen.add(at);
      const one = instructions[at];
      if (one?.kind === "assert") bits |= ASSERTED[one.at];
      if (one?.kind === "look") bits |= 1 << (FIRST_LOOK + one.look);
      if (one?.kind === "split") open.push(one.first, one.second);
      else if (one && one.kind !== "match") open.push(one.next);
    }
    return bits;
  }
}

const ASSERTED = { start: START, end: END, word: BOUNDARY, "no-word": BOUNDARY } as const;
