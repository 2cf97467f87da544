/**
 * Learns from calls in the background: what they returned is summarised after their answer, and the summaries are written
 * every ten seconds and at the end. Learning never fails a call, and never delays one: calls that it cannot keep up with are
 * left out.
 */

import { setImmediate as turn } from "node:timers/promises";
import { canonicalJson } from "../../runtime/contract/canonical.js";
import type { Logger } from "../../runtime/contract/handler.js";
import type { JsonValue, Tool } from "../../runtime/contract/registry.js";
import { BACKGROUND_MS, inTime, withinStateMs } from "../../runtime/state/deadline.js";
import type { State } from "../../runtime/state/open.js";
import type { Retention } from "../../runtime/state/retention.js";
import { serverSecret } from "../../runtime/state/sealing-key.js";
import { driftOf, driftReport } from "./drift.js";
import { type Hashing, hashingWith } from "./hashing.js";
import { observe } from "./observe.js";
import { mergeOps, ofOneCall } from "./op-summary.js";
import { addSummaries, type OpRow } from "./store.js";
import { hasParameters, textsOf, variantOf } from "./variant.js";

/** A call that succeeded. */
export interface LearnedCall {
  readonly tool: Tool;
  readonly args: unknown;
  readonly result: JsonValue;
  /** Id of the caller; undefined for the local one. */
  readonly caller: string | undefined;
}

/** Learns from calls. */
export interface Learner {
  call(call: LearnedCall): void;
  /** Summarises the calls that wait, and writes what is not written. Never rejects. */
  flush(): Promise<void>;
  /** Writes and stops. */
  close(): Promise<void>;
}

/** Dependencies of a learner. */
export interface LearnerParts {
  readonly state: () => Promise<State>;
  readonly log: Logger;
  readonly clock: () => number;
  /** Deletes rows of ops that are no longer called. */
  readonly retention: Retention;
  /** Called for a result that does not fit the locked type of its op. */
  readonly drifted?: (op: string) => void;
}

const FLUSH_MS = 10_000;
/** Time limit of the writing at shutdown. */
const CLOSE_MS = 2000;
/** Calls that wait to be summarised. */
const MAX_WAITING = 200;
/** Calls of an op that are all summarised. Of later ones, every nth is: n grows with their number. */
const STABLE_CALLS = 500;
const [MIN_SAMPLE_INTERVAL, MAX_SAMPLE_INTERVAL] = [8, 64];

/** Makes a learner. The database is opened when the first call is summarised. */
export function createLearner(parts: LearnerParts): Learner {
  const { state, log } = parts;
  const waiting: LearnedCall[] = [];
  const gathered = gatherer(parts);
  let hashing: Hashing | undefined;
  let timer: NodeJS.Timeout | undefined;
  let working: Promise<void> = Promise.resolve();
  const opened = async (): Promise<Hashing> => {
    const open = await withinStateMs(BACKGROUND_MS, state);
    hashing = hashingWith(await withinStateMs(BACKGROUND_MS, () => serverSecret(open, "learning")));
    return hashing;
  };
  const work = async (): Promise<void> => {
    if (waiting.length === 0) return;
    const ready = hashing ?? (await opened());
    for (let call = waiting.shift(); call; call = waiting.shift()) {
      gathered.add(call, ready);
      await turn();
    }
  };
  const write = async (): Promise<void> => {
    await work();
    if (hashing) await gathered.write(hashing);
  };
  const next = (step: () => Promise<void>): Promise<void> => {
    working = working.then(step).catch((error: unknown) => {
      waiting.length = 0;
      warn(log, { error: String(error) });
    });
    return working;
  };
  const flush = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    return next(write);
  };
  return {
    call(call) {
      if (waiting.length >= MAX_WAITING) return;
      waiting.push(call);
      timer ??= setTimeout(() => void flush(), FLUSH_MS).unref();
      if (waiting.length === 1) setImmediate(() => void next(work));
    },
    flush,
    async close() {
      await inTime(flush(), CLOSE_MS, () => new Error("the database does not answer")).catch((error: unknown) =>
        warn(log, { error: String(error) }),
      );
    },
  };
}

function warn(log: Logger, fields: object): void {
  try {
    log.warn("what the latest calls returned is not learned", fields);
  } catch {
    // Not even a log that throws may end learning.
  }
}

/** Merges calls until they are written. */
function gatherer({ state, log, clock, retention, drifted }: LearnerParts) {
  const rows = new Map<string, OpRow>();
  const counts = new Map<string, number>();
  const report = driftReport(log, clock);
  return {
    add(call: LearnedCall, hashing: Hashing): void {
      const { op, digest } = call.tool;
      const misfit = driftOf(call.tool, call.args, call.result);
      if (misfit) {
        report(op, misfit);
        drifted?.(op);
      }
      if (!isSampled(`${op} ${digest.input}`, counts)) return;
      const one = summaryOf(call, hashing, clock());
      const key = `${op} ${digest.input}`;
      const before = rows.get(key)?.summary;
      rows.set(key, { op, digest: digest.input, summary: before ? mergeOps(before, one) : one });
    },
    async write({ nameOf }: Hashing): Promise<void> {
      if (rows.size === 0) return;
      const added = [...rows.values()];
      rows.clear();
      const open = await withinStateMs(BACKGROUND_MS, state);
      await withinStateMs(BACKGROUND_MS, () =>
        open.transaction("write", (tx) => addSummaries(tx, added, clock(), nameOf)),
      );
      retention.on(open);
    },
  };
}

const DAY_LENGTH = "2026-11-22".length;

const HOUR_LENGTH = "2026-11-22T10".length;

/**
 * The summary of one call.
 *
 * @param moment tells calls of an op that takes no arguments apart; default: the hour and the caller
 */
export function summaryOf(
  { tool, args, result, caller }: LearnedCall,
  { hash, idOf }: Hashing,
  now: number,
  moment?: string,
) {
  const day = new Date(now).toISOString().slice(0, DAY_LENGTH);
  // Of an op that takes no arguments, calls of different hours or callers are different calls.
  const when = hasParameters(tool)
    ? ""
    : ` ${moment ?? `${new Date(now).toISOString().slice(0, HOUR_LENGTH)} ${caller}`}`;
  const call = hash(`args ${tool.op} ${canonicalJson(args ?? {})}${when}`);
  const who = caller === undefined ? undefined : hash(`caller ${caller}`);
  return ofOneCall(call, day, who, variantOf(tool, args), observe(result, { call, idOf, texts: textsOf(tool, args) }));
}

/** @param version an op and the digest of its input: a new version is learned like a new op */
function isSampled(version: string, counts: Map<string, number>): boolean {
  const count = (counts.get(version) ?? 0) + 1;
  counts.set(version, count);
  const interval = Math.min(Math.max(MIN_SAMPLE_INTERVAL, Math.floor(count / STABLE_CALLS)), MAX_SAMPLE_INTERVAL);
  return count <= STABLE_CALLS || count % interval === 0;
}
