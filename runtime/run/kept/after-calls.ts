/**
 * The calls of a failed run, for the program that corrects it: a call that the failed run has made takes the answer that it
 * had there. Writes are known by their op and their arguments, in any order; each answers one call. Reads are known by what
 * the code calls, and answer as long as the program itself has changed nothing: they would be out of date then. Those after
 * the last write are made anew: no write came of them.
 */

import type { EarlierCalls, EarlierWrite } from "../../call/call.js";
import { digestText } from "../../contract/canonical.js";
import { outcomeOfError } from "../../contract/write-outcome.js";
import type { RunOrigin } from "../engine/delivery-log.js";
import type { LoggedCall } from "../engine/journal.js";
import type { Data } from "../languages/language.js";
import { callPlace } from "./places.js";

/** A run whose writes a program must not repeat, and the caller whose keys they have. */
export interface WritingRun {
  readonly id: string;
  readonly caller: string;
}

/** How far a program has come with the calls of a failed run. */
export interface AfterProgress {
  /** The failed run. */
  readonly id: string;
  /** The run, and those after which it went on. */
  readonly runs: readonly WritingRun[];
  /** Places of writes of the program, with the key of the write of the failed run that each is. */
  readonly taken: readonly (readonly [place: string, key: string])[];
  /** Whether the program has made a call that the failed run has not, and whether it has written something. */
  readonly isLive: boolean;
  readonly isChanged: boolean;
}

/** A failed run, as the program that corrects it needs it. */
export interface AfterRun {
  readonly progress: AfterProgress;
  /** In the order in which they were made. */
  readonly writes: readonly EarlierWrite[];
  readonly calls: readonly LoggedCall[];
  /** The times that its program read with its answers. */
  readonly times: readonly number[];
  readonly origin: RunOrigin;
  /** Ops whose texts may be in its answers. */
  readonly called: readonly string[];
  readonly foreign: readonly string[];
}

/** The calls of a failed run, with what a program has taken of them. */
export interface AfterCalls extends EarlierCalls {
  readonly id: string;
  /** All of its writes. */
  readonly writes: readonly EarlierWrite[];
  /** The answer of a read that the failed run has made; undefined if it is made now. */
  read(op: string, asked: string): Data | undefined;
  /** Ops whose answers of the failed run the program got, if it has written something new since: they may be out of date. */
  oldReads(): readonly string[];
  /** The time that the program reads with an answer, by the number of the answer; undefined: that of the clock. */
  time(nth: number): number | undefined;
  /** Writes of the failed run that the program has not asked for, and those of unknown outcome that it has not made. */
  left(): readonly EarlierWrite[];
  /** Reads of the failed run that the program has not asked for. */
  leftCalls(): readonly LoggedCall[];
  progress(): AfterProgress;
}

/** Most calls of a log that a program goes on after. */
export const MAX_AFTER_CALLS = 1000;

/**
 * Opens the calls of a failed run.
 *
 * @param own - the calls that the program has made on an earlier server
 */
export function openAfter(after: AfterRun, own: readonly LoggedCall[] = []): AfterCalls {
  const { progress, times } = after;
  const state: State = { isLive: progress.isLive, changes: progress.isChanged ? 1 : 0 };
  const reads = readsOf(after);
  // Those that the program took before.
  for (const { asked } of own) reads.take(asked);
  const writes = writesOf(after);
  const old = new Set<string>();
  return {
    id: progress.id,
    writes: after.writes,
    write(asked) {
      const found = writes.take(asked);
      if (typeof found?.answer !== "string") state.isLive = true;
      return found;
    },
    async made(write, of) {
      state.changes += 1;
      try {
        const answer = await write;
        if (of) writes.resolved(of);
        return answer;
      } catch (error) {
        if (outcomeOfError(error) === "none") state.changes -= 1;
        throw error;
      }
    },
    read(op, asked) {
      const found = op === BATCH || state.changes > 0 ? undefined : reads.take(asked);
      if (found) old.add(op);
      else state.isLive = true;
      return found?.value;
    },
    oldReads: () => (state.changes > 0 ? [...old] : []),
    time: (nth) => (state.isLive ? undefined : times[nth]),
    left: writes.left,
    leftCalls: reads.left,
    progress: () => ({ ...progress, taken: writes.taken(), isLive: state.isLive, isChanged: state.changes > 0 }),
  };
}

/** The seed of the calls of a program: not that of the failed run, whose calls at the same places were other ones. */
export const seedOfCalls = ({ seed }: RunOrigin, after: Pick<AfterCalls, "id"> | undefined): string =>
  after === undefined ? seed : digestText(`${seed} after ${after.id}`);

/** It makes calls: those that the failed run has made are known one by one. */
const BATCH = "ot.batch";

interface State {
  isLive: boolean;
  /** Writes that the program has made, and those under way. */
  changes: number;
}

/** The answered reads before the last write, the equal ones in their order. */
function readsOf({ calls, writes }: AfterRun) {
  const written = new Set(writes.map(({ op }) => op));
  const byCall = new Map<string, { readonly call: LoggedCall; readonly value: Data }[]>();
  const asked = calls.filter(({ op, answer }) => written.has(op) && answer && "value" in answer).length;
  // A program that failed before it came to all writes of the runs before it has left some for the next one.
  const isWhole = asked >= writes.filter(({ answer }) => answer !== null).length;
  const last = calls.findLastIndex(({ op }) => written.has(op) || op === BATCH);
  for (const call of isWhole ? calls.slice(0, last) : calls) {
    if (!call.answer || !("value" in call.answer) || !call.isOp || written.has(call.op)) continue;
    const { value } = call.answer;
    byCall.set(call.asked, [...(byCall.get(call.asked) ?? []), { call, value }]);
  }
  return {
    take: (asked: string) => byCall.get(asked)?.shift(),
    left: (): readonly LoggedCall[] => [...byCall.values()].flatMap((some) => some.map(({ call }) => call)),
  };
}

/** The writes, with the places of the program that have taken them. */
function writesOf({ writes, progress }: AfterRun) {
  const byKey = new Map(writes.map((write) => [write.key, write]));
  const taken = new Map(progress.taken.filter(([, key]) => byKey.has(key)));
  const isTaken = new Set(taken.values());
  const open = new Map<string, EarlierWrite[]>();
  const slotOf = ({ op, hash }: Pick<EarlierWrite, "op" | "hash">): string => `${op} ${hash}`;
  for (const write of writes)
    if (!isTaken.has(write.key)) open.set(slotOf(write), [...(open.get(slotOf(write)) ?? []), write]);
  const resolved = new Set<string>();
  const isWithin = ({ key }: EarlierWrite): boolean => callsAround(key).some((around) => byKey.has(around));
  return {
    take(asked: Parameters<EarlierCalls["write"]>[0]): EarlierWrite | undefined {
      const place = callPlace(asked);
      const known = byKey.get(taken.get(place) ?? "");
      if (known && slotOf(known) === slotOf(asked)) return known;
      const found = open.get(slotOf(asked))?.shift();
      if (found) taken.set(place, found.key);
      return found;
    },
    resolved: ({ key }: EarlierWrite): void => void resolved.add(key),
    taken: () => [...taken],
    left(): readonly EarlierWrite[] {
      const asked = new Set(taken.values());
      const isDone = ({ key, answer }: EarlierWrite): boolean =>
        asked.has(key) && (answer !== null || resolved.has(key));
      return writes.filter((write) => !isDone(write) && !isWithin(write));
    },
  };
}

/** The keys of the calls that make a call: `run_a:3` and `run_a:3.1` of `run_a:3.1.2`. */
function callsAround(key: string): readonly string[] {
  const parts = key.split(".");
  return parts.slice(1).map((_, at) => parts.slice(0, at + 1).join("."));
}
