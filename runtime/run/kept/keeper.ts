/**
 * Keeps a run, so that any server on its database can go on with it: before each write, what the program has received so
 * far is stored. A run that only reads stores nothing.
 */

import type { RunHooks } from "../../call/call.js";
import type { CanCall } from "../../catalog/advice.js";
import { type Principal, ToolFailure, type Transaction } from "../../contract/handler.js";
import { BACKGROUND_MS, untilDone, withinStateMs } from "../../state/deadline.js";
import type { State } from "../../state/open.js";
import { iso, type RunRow } from "../../state/schema.js";
import type { DeliveryLog, RunOrigin } from "../engine/delivery-log.js";
import type { Journal } from "../engine/journal.js";
import type { AfterCalls } from "./after-calls.js";
import { claimAfter, keepLog } from "./after-table.js";
import { type AskingRun, askWhetherDone, type KeepParts } from "./asking.js";
import type { InnerRuns } from "./inner-runs.js";
import { isLogTooLarge, logBytes, READ_LESS, tooLargeText } from "./log-bound.js";
import { type LogSeal, runSeal, textOfAnswer } from "./log-text.js";
import { oneAtATime } from "./one-at-a-time.js";
import { storeLater } from "./outages.js";
import { createParking, untilPaused } from "./parking.js";
import { permitWrite, type WaitingHere } from "./permits.js";
import { callPlace } from "./places.js";
import { changePlan } from "./plan-table.js";
import type { Planning } from "./planning.js";
import { resumeLater } from "./ready-runs.js";
import {
  addLog,
  addRun,
  changeRun,
  type Driver,
  dropLog,
  type Halt,
  type KeptCall,
  type LogPart,
  RUN_KEEP_MS,
  RUN_LEASE_MS,
  withdraw,
} from "./run-table.js";

/** What a run is, from its start on. */
export interface RunFacts {
  readonly id: string;
  readonly principal: Principal;
  readonly command: string;
  /** Digest of the code that the engine runs. */
  readonly codeHash: string;
  readonly engine: string;
  readonly origin: RunOrigin;
  /** What its caller can call. */
  readonly can: CanCall;
}

/** What a run has received so far. */
export interface KeptProgress {
  readonly journal: Pick<Journal, "calls">;
  readonly deliveries: Pick<DeliveryLog, "deliveries">;
  /** What the programs of tools that it calls have received. */
  readonly inner: Pick<InnerRuns, "news">;
  /** The calls of the failed run after which it goes on. */
  readonly after?: AfterCalls | undefined;
  /** Its plan; absent if none of its writes can need one. */
  readonly planning?: Planning | undefined;
  /** The ops that it has called, and titles of what its calls are about, as JSON. */
  record(seal: LogSeal): string;
  /** Aborted when the program ends or pauses. */
  readonly signal: AbortSignal;
  /** Resolves when the program makes no further call before one is answered. */
  settled(): Promise<void>;
  /** Pauses the program: all of its calls wait. */
  pause(): void;
}

/** A run that another driver began. */
export interface TakenOver extends Driver {
  readonly createdAt: string;
  /** Places of calls that a person was asked about. */
  readonly asked: ReadonlySet<string>;
  /** The size of its log. */
  readonly bytes: number;
}

/** How a run ends: `interrupted` can be resumed. */
export interface RunEnding {
  readonly status: "done" | "failed" | "interrupted";
  readonly text: string;
  /** Why an interrupted run goes on only if somebody asks for it. */
  readonly halted?: Halt | undefined;
  /** Whether a corrected program may go on after it: its log is kept for that. */
  readonly isCorrectable?: boolean;
}

/** Keeps one run. */
export interface Keeper
  extends Omit<RunHooks, "isNested" | "isPlanned" | "seed" | "owner" | "preview" | "outages" | "earlier"> {
  /** Calls that wait for a person. */
  readonly waiting: readonly WaitingHere[];
  /** Stores what is new, and says why the run cannot be kept while it waits; undefined if it can. Never rejects. */
  whyNotKept(): Promise<string | undefined>;
  /** Whether the run is stored, or was to be. */
  isBegun(): boolean;
  /** Whether it is stored. */
  isStored(): boolean;
  /** Whether another server goes on with the run. */
  isTaken(): boolean;
  /**
   * Stores how the run ended, if anything of it is stored: as soon as the database lets it, for which the caller waits a
   * while. Never rejects.
   */
  end(ending: RunEnding): Promise<void>;
}

/** How long the end of a run waits for the database. */
const END_MS = 5000;

interface Kept {
  readonly parts: KeepParts;
  readonly facts: RunFacts;
  readonly progress: KeptProgress;
  driver: Driver | undefined;
  createdAt: number;
  seal: LogSeal | undefined;
  /** Calls that are stored with their answers, without a gap from the first on, and those beyond it. */
  whole: number;
  readonly beyond: Set<number>;
  /** Calls that are stored. */
  calls: number;
  deliveries: number;
  /** The size of the log. */
  bytes: number;
  /** Changes of the plan's progress that are stored. */
  planned: number;
  beat: NodeJS.Timeout | undefined;
  /** Whether it is stored, or was to be. */
  isBegun: boolean;
  /** Whether another server goes on with it. */
  isTaken: boolean;
}

function newKept(parts: KeepParts, facts: RunFacts, progress: KeptProgress, taken: TakenOver | undefined): Kept {
  // The log of a run that is taken over is stored.
  const known = taken ? progress.journal.calls : [];
  const kept: Kept = {
    parts,
    facts,
    progress,
    driver: taken,
    createdAt: taken ? Date.parse(taken.createdAt) : parts.clock(),
    seal: undefined,
    whole: 0,
    beyond: new Set(known.flatMap(({ answer }, at) => (answer ? [at] : []))),
    calls: known.length,
    deliveries: taken ? progress.deliveries.deliveries.length : 0,
    bytes: taken?.bytes ?? 0,
    planned: 0,
    beat: undefined,
    isBegun: taken !== undefined,
    isTaken: false,
  };
  closeGap(kept);
  return kept;
}

/** Makes the keeper of a run; stores nothing yet. */
export function createKeeper(parts: KeepParts, facts: RunFacts, progress: KeptProgress, taken?: TakenOver): Keeper {
  const kept = newKept(parts, facts, progress, taken);
  const { planning } = progress;
  const wasAsked = (key: string): boolean => taken?.asked.has(callPlace({ key })) ?? false;
  if (taken) startBeat(kept);
  const store = oneAtATime(() => flush(kept));
  const parking = createParking(progress.settled, progress.pause);
  const waiting: WaitingHere[] = [];
  let pausing: Promise<never> | undefined;
  const park = (asked: WaitingHere): Promise<never> => {
    // Calls made together wait for one plan.
    if (asked.kind !== "plan" || !waiting.some(({ kind }) => kind === "plan")) waiting.push(asked);
    asked.parked();
    parking.waits(asked.key);
    // One listener for all calls that wait.
    pausing ??= untilPaused(progress.signal);
    return pausing;
  };
  return {
    waiting,
    isBegun: () => kept.isBegun,
    isStored: () => kept.driver !== undefined,
    isTaken: () => kept.isTaken,
    keepMs: RUN_KEEP_MS,
    beforeWrite: store,
    wasAsked,
    begin: parking.begin,
    answered: ({ key, op }, result) => planning?.known()?.held.answered({ place: callPlace({ key }), op }, result),
    permit: (asked) => permitWrite({ planning, run: () => askingOf(kept, NOT_ASKED), store, wasAsked, park }, asked),
    async outcomeUnknown(asked) {
      await store();
      await askWhetherDone(askingOf(kept, UNKNOWN), asked);
      return park({ ...asked, kind: "outcome" });
    },
    async whyNotKept() {
      // Without the database, what is stored already can go on.
      await store().catch(() => undefined);
      return isLogTooLarge(kept.bytes) ? tooLargeText(kept.bytes) : undefined;
    },
    async end(ending) {
      clearInterval(kept.beat);
      // One that an outage has kept from being stored is stored to be resumed; one that has ended well, to be the only one
      // that has gone on after a failed run.
      const isStored = ending.halted === "outage" || (progress.after && ending.status === "done");
      if (!kept.driver && !isStored) return;
      await untilDone(
        storeLater(parts, facts.id, "the end of a run is not stored", () => ended(kept, ending)),
        END_MS,
      );
    },
  };
}

/** What is said of a call about which nobody can be asked. */
const NOT_ASKED = "it needs an approval";
const UNKNOWN = "whether it happened is not known";

/** The run as people are asked about it. @throws ToolFailure PERMISSION_DENIED if it cannot be kept while it waits */
function askingOf({ parts, facts, driver, seal, createdAt, bytes }: Kept, what: string): AskingRun {
  if (isLogTooLarge(bytes)) {
    const changed = what === NOT_ASKED ? " Nothing was changed." : "";
    const text = `${what}, and the program cannot pause: ${tooLargeText(bytes)}.${changed}`;
    throw new ToolFailure("PERMISSION_DENIED", text, { reason: "log_too_large", next: READ_LESS });
  }
  if (!driver || !seal) throw new Error("people are asked about a run that is stored");
  return { parts, driver, seal, createdAt, caller: facts.principal.id, can: facts.can };
}

/** Stores what is new, in one transaction. @throws ToolFailure CONFLICT if another server goes on with the run */
async function flush(kept: Kept): Promise<void> {
  const { parts, progress } = kept;
  const { after } = progress;
  kept.isBegun = true;
  const state = await parts.state.get();
  kept.seal ??= await runSeal(state);
  const now = parts.clock();
  const news = progress.inner.news(kept.seal);
  const part = newPart(kept, kept.seal, news.rows);
  const bytes = kept.bytes + part.bytes;
  const isDropped = isLogTooLarge(bytes);
  const change = changeOf(kept, kept.seal, now, isDropped);
  const row = kept.driver ? undefined : { ...rowOf(kept, kept.seal), ...change };
  const driver = kept.driver ?? { id: kept.facts.id, epoch: FIRST_EPOCH };
  const { seal } = kept;
  const held = progress.planning?.known()?.held;
  const changes = held?.changes() ?? 0;
  const isMine = await withinStateMs(BACKGROUND_MS, () =>
    state.transaction("write", async (tx) => {
      if (!(await (row ? addRun(tx, row) : changeRun(tx, driver, change)))) return false;
      if (row && after && !(await claimAfter(tx, after, row))) throw new ToolFailure("CONFLICT", usedUp(after));
      if (isDropped) {
        await dropLog(tx, driver.id);
        await withdraw(tx, driver.id, { by: "the server", reason: "the log of the run is too large" }, now);
      } else await addLog(tx, driver.id, part, change.expires_at);
      if (held && changes > kept.planned) await changePlan(tx, driver.id, seal, held.progress());
      return true;
    }),
  );
  kept.isTaken = !isMine;
  if (!isMine) throw new ToolFailure("CONFLICT", TAKEN, { reason: "taken_over" });
  if (!kept.driver) startBeat(kept);
  kept.driver = driver;
  kept.bytes = bytes;
  kept.planned = changes;
  stored(kept, part);
  news.stored();
}

const usedUp = ({ id }: AfterCalls): string =>
  `Another program has gone on after ${id} meanwhile. Nothing was changed.`;
const TAKEN = "Another server goes on with this program. Nothing was changed.";

interface NewPart extends LogPart {
  readonly bytes: number;
}

/** Calls that are not stored, or stored without the answer that they have now; and deliveries that are not stored. */
function newPart(
  { progress, whole, beyond, calls: known, deliveries: from }: Kept,
  seal: LogSeal,
  inner: LogPart["inner"],
): NewPart {
  const calls: KeptCall[] = [];
  for (let at = whole; at < progress.journal.calls.length; at++) {
    const call = progress.journal.calls[at];
    if (!call || beyond.has(at) || (at < known && !call.answer)) continue;
    const answer = call.answer ? seal.seal(textOfAnswer(call.answer)) : null;
    calls.push({ ordinal: at + 1, asked: call.asked, op: call.op, answer });
  }
  const deliveries = progress.deliveries.deliveries.slice(from);
  return { calls, deliveries, from, inner, bytes: logBytes({ calls, deliveries, inner }) };
}

function stored(kept: Kept, { calls, deliveries }: NewPart): void {
  for (const { ordinal, answer } of calls) {
    kept.calls = Math.max(kept.calls, ordinal);
    if (answer !== null) kept.beyond.add(ordinal - 1);
  }
  closeGap(kept);
  kept.deliveries += deliveries.length;
}

/** Counts the stored calls that have none before them without an answer. */
function closeGap(kept: Kept): void {
  while (kept.beyond.delete(kept.whole)) kept.whole += 1;
}

const FIRST_EPOCH = 1;

type Change = Pick<RunRow, "record" | "lease_until" | "expires_at" | "halted">;

/** What a run that is stored changes in its row. */
function changeOf({ progress, createdAt }: Kept, seal: LogSeal, now: number, isDropped: boolean): Change {
  const halted: Halt | null = isDropped ? "too_large" : null;
  return {
    record: progress.record(seal),
    halted,
    lease_until: iso(now + RUN_LEASE_MS),
    // Fixed, so that the keys of its writes are kept longer than the run.
    expires_at: iso(createdAt + RUN_KEEP_MS),
  };
}

/** What stays the same while a run goes on, and what ends it. */
function rowOf({ facts, createdAt }: Kept, seal: LogSeal): Omit<RunRow, keyof Change> {
  const { id, principal, command, codeHash, engine, origin } = facts;
  return {
    id,
    caller: principal.id,
    principal: JSON.stringify(principal),
    command: seal.seal(command),
    code_hash: codeHash,
    engine,
    origin: JSON.stringify(origin),
    status: "running",
    epoch: FIRST_EPOCH,
    answer: null,
    next_run: null,
    created_at: iso(createdAt),
  };
}

/** Prolongs the lease while the program runs. */
function startBeat(kept: Kept): void {
  const { parts } = kept;
  const prolong = async (): Promise<void> => {
    const { driver } = kept;
    if (!driver) return;
    const state = await parts.state.get();
    const change = { lease_until: iso(parts.clock() + RUN_LEASE_MS) };
    await withinStateMs(BACKGROUND_MS, () => state.transaction("write", (tx) => changeRun(tx, driver, change)));
  };
  kept.beat = setInterval(() => void prolong().catch(() => undefined), RUN_LEASE_MS / 3).unref();
}

/** Stores the end. A run that can go on keeps its log, and one that can be corrected; that of any other is deleted. */
async function ended(
  kept: Kept,
  { status, text, halted = undefined, isCorrectable = false }: RunEnding,
): Promise<void> {
  const { parts, progress } = kept;
  const { after } = progress;
  if (status === "interrupted" || isCorrectable || !kept.driver) await flush(kept);
  const state: State = await parts.state.get();
  kept.seal ??= await runSeal(state);
  const now = iso(parts.clock());
  const isKept = !isLogTooLarge(kept.bytes);
  const isOpen = status === "interrupted" && isKept;
  const change = isOpen ? { lease_until: now, halted: halted ?? null } : endOf(kept, kept.seal, { status, text }, now);
  const { driver, seal } = kept;
  await state.transaction("write", async (tx) => {
    if (!driver || !(await changeRun(tx, driver, change))) return;
    if (isOpen) return resumeLater(state, tx, driver.id, parts.clock());
    if (isCorrectable && isKept) await keepLog(tx, driver.id, leftCalls(kept, seal), parts.clock());
    else await dropEnded(tx, driver.id, parts.clock());
    if (after) await dropLog(tx, after.id);
  });
}

/** Calls of the failed run that the program has not asked for, as calls after its own. */
const leftCalls = ({ progress: { after, journal } }: Kept, seal: LogSeal): readonly KeptCall[] =>
  (after?.leftCalls() ?? []).map(({ asked, op, answer }, at) => ({
    ...{ ordinal: journal.calls.length + at + 1, asked, op },
    answer: answer ? seal.seal(textOfAnswer(answer)) : null,
  }));

/** Deletes the log of a run that has ended, in which nothing waits any more. */
async function dropEnded(tx: Transaction, id: string, now: number): Promise<void> {
  await dropLog(tx, id);
  await withdraw(tx, id, { by: "the server", reason: "the program has ended" }, now);
}

/** What the end of a run changes in its row: one that was interrupted, and cannot go on, has failed. */
function endOf({ bytes }: Kept, seal: LogSeal, { status, text }: RunEnding, lease_until: string): Partial<RunRow> {
  if (status !== "interrupted") return { status, answer: seal.seal(text), lease_until };
  const why = `The program cannot go on: ${tooLargeText(bytes)}.`;
  return { status: "failed", answer: seal.seal(`${text}\n${why}`), lease_until };
}
