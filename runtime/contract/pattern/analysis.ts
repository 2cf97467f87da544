/**
 * Proves that the engine's own matcher, which backtracks, takes linear time on every text for a pattern.
 *
 * The proof follows all attempts at once: after every text it counts the attempts that are still under way, including
 * those that began at later places. If the number stays bounded, so does the work for each character. Every doubt
 * counts against the pattern.
 */

import { alphabetOf, type PatternProgram } from "./program.js";

/** Most instructions that all attempts together may take for one character. */
const MAX_WORK_PER_CHARACTER = 300;
/** Most situations that are visited. */
const MAX_SITUATIONS = 2000;
/** Most attempts that are followed between situations, in all. */
const MAX_STEPS = 200_000;

/** Ways to reach each instruction that consumes a character, and the steps that all ways together take. */
interface Reached {
  readonly ways: ReadonlyMap<number, number>;
  readonly work: number;
}

/** Number of attempts that wait at each instruction. */
type Situation = ReadonlyMap<number, number>;

/** Whether a program of order `run` is matched in linear time. */
export function isLinear(program: PatternProgram): boolean {
  if (program.looks.some(({ start, backward }) => backward && !isShort(program, start))) return false;
  const first = reach(program, program.start, true);
  const later = reach(program, program.start, false);
  return first !== undefined && later !== undefined && staysBounded(program, first.ways, later);
}

/** Visits every situation that some text leads to; false if in one of them a character may take too much work. */
function staysBounded(program: PatternProgram, first: Situation, later: Reached): boolean {
  const alphabet = alphabetOf(program.sets);
  const classes = Array.from({ length: alphabet.size }, (_, one) => one);
  const reachAfter = reachOnce(program);
  const seen = new Set<string>();
  const open: Situation[] = [first];
  let steps = 0;
  for (let situation = open.pop(); situation; situation = open.pop())
    for (const one of classes) {
      const next = follow(program, situation, (set) => alphabet.has(set, one), later, reachAfter);
      steps += (next?.size ?? 0) + 1;
      if (!next || steps > MAX_STEPS || seen.size > MAX_SITUATIONS) return false;
      const key = keyOf(next);
      if (!seen.has(key)) open.push(next);
      seen.add(key);
    }
  return true;
}

const keyOf = (situation: Situation): string =>
  [...situation]
    .map(([at, count]) => `${at}:${count}`)
    .sort()
    .join();

type ReachAfter = (at: number) => Reached | undefined;

/** The instructions reached after one that consumes a character, cached. */
function reachOnce(program: PatternProgram): ReachAfter {
  const kept = new Map<number, Reached | undefined>();
  return (at) => {
    if (!kept.has(at)) kept.set(at, reach(program, nextOf(program, at), false));
    return kept.get(at);
  };
}

function follow(
  program: PatternProgram,
  situation: Situation,
  includes: (set: number) => boolean,
  later: Reached,
  reachAfter: ReachAfter,
): Situation | undefined {
  const next = new Map(later.ways);
  let work = later.work;
  for (const [at, count] of situation) {
    const instruction = program.instructions[at];
    if (instruction?.kind !== "set" || !includes(instruction.set)) continue;
    const reached = reachAfter(at);
    work += count * (reached?.work ?? Number.POSITIVE_INFINITY);
    if (!reached || work > MAX_WORK_PER_CHARACTER) return undefined;
    for (const [to, ways] of reached.ways) next.set(to, (next.get(to) ?? 0) + count * ways);
  }
  return next;
}

function nextOf({ instructions }: PatternProgram, at: number): number {
  const instruction = instructions[at];
  return instruction?.kind === "set" ? instruction.next : at;
}

/** A way through the instructions, and the iterations that began on it and have consumed nothing. */
interface Way {
  readonly at: number;
  readonly begun: ReadonlySet<number>;
}

/** Follows every way from an instruction to those that consume a character; undefined if there are too many. */
function reach(program: PatternProgram, from: number, atStart: boolean): Reached | undefined {
  const ways = new Map<number, number>();
  const open: Way[] = [{ at: from, begun: new Set() }];
  let work = 0;
  for (let way = open.pop(); way; way = open.pop()) {
    if (++work > MAX_WORK_PER_CHARACTER) return undefined;
    if (program.instructions[way.at]?.kind === "set") ways.set(way.at, (ways.get(way.at) ?? 0) + 1);
    open.push(...onward(program, way, atStart));
  }
  return { ways, work };
}

/** The continuations of a way that consume no character. */
function onward({ instructions, looks }: PatternProgram, { at, begun }: Way, atStart: boolean): readonly Way[] {
  const one = instructions[at];
  if (!one || one.kind === "set" || one.kind === "match") return [];
  if (one.kind === "split") return [one.first, one.second].map((next) => ({ at: next, begun }));
  const next = { at: one.next, begun };
  // Nothing is consumed after the end.
  if (one.kind === "assert") return one.at === "end" || (one.at === "start" && !atStart) ? [] : [next];
  if (one.kind === "save") return [{ ...next, begun: new Set([...begun, one.slot]) }];
  if (one.kind === "advanced") return begun.has(one.slot) ? [] : [next];
  const look = one.kind === "look" ? looks[one.look] : undefined;
  return look && !look.backward ? [{ at: look.start, begun }, next] : [next];
}

/** Most instructions of a lookbehind that the engine's matcher tries at every place. */
const MAX_LOOKBEHIND = 16;

/** Whether a lookbehind has no loop and few instructions. */
function isShort({ instructions, looks }: PatternProgram, start: number): boolean {
  let visited = 0;
  const walk = (at: number, depth: number): boolean => {
    if (++visited > MAX_LOOKBEHIND || depth > MAX_LOOKBEHIND) return false;
    const one = instructions[at];
    if (!one || one.kind === "match") return true;
    if (one.kind === "split") return walk(one.first, depth + 1) && walk(one.second, depth + 1);
    if (one.kind === "look" && !walk(looks[one.look]?.start ?? 0, depth + 1)) return false;
    return walk(one.next, depth + 1);
  };
  return walk(start, 0);
}
