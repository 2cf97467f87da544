/** Takes over a run whose server has ended: reads its log, and checks that the ops it uses are what they were. */

import { setTimeout as sleep } from "node:timers/promises";
import type { LastingCaller } from "../../access/former-keys.js";
import type { CallRecord } from "../../call/call.js";
import type { RegistryView } from "../../catalog/registry.js";
import type { BindingOf } from "../../config/op-bindings.js";
import { type Backoff, waitAfter } from "../../contract/backoff.js";
import { canonicalJson, digest } from "../../contract/canonical.js";
import type { Principal, Transaction } from "../../contract/handler.js";
import type { Tool } from "../../contract/registry.js";
import { remainingMs } from "../../state/deadline.js";
import { isOutage, LOCK_TIMEOUT_MS } from "../../state/failure.js";
import type { RunRow } from "../../state/schema.js";
import { iso } from "../../state/schema.js";
import type { Delivery, RunOrigin } from "../engine/delivery-log.js";
import type { LoggedCall } from "../engine/journal.js";
import { type TextFault, textFault } from "../fault.js";
import { countsOfEnded, newRecord } from "../pack-proxy.js";
import type { AfterCalls, AfterRun } from "./after-calls.js";
import { readAfterAgain } from "./after-table.js";
import { approvalsOf } from "./approval-table.js";
import type { KeepParts } from "./asking.js";
import { type InnerLog, innerLogs } from "./inner-runs.js";
import type { TakenOver } from "./keeper.js";
import { LOST, logBytes } from "./log-bound.js";
import { type LogSeal, runSeal } from "./log-text.js";
import { planIn } from "./plan-table.js";
import {
  changeRun,
  claimRun,
  type Halt,
  type KeptRun,
  planRowOf,
  type RunClaim,
  readRun,
  statusOf,
} from "./run-table.js";
import { programOf, programRecord, type StoredProgram } from "./stored-program.js";
import { isRunOf, loggedCall, recordOf, type StoredRecord } from "./stored-run.js";
import { type StoredTitles, titlesOf, titlesRecord } from "./stored-titles.js";

/** A run that this process goes on with. */
export interface EarlierRun {
  readonly driver: TakenOver;
  readonly command: string;
  readonly principal: Principal;
  /** Whose keys the writes of the run have: the caller who began it. */
  readonly owner: string;
  readonly codeHash: string;
  /** Whether its interpreter has stopped. */
  readonly hasCrashed: boolean;
  /** The engine that began it, which this version may not have. */
  readonly engine: string;
  readonly origin: RunOrigin;
  readonly calls: readonly LoggedCall[];
  readonly deliveries: readonly Delivery[];
  /** What programs of tools have received, by the place of the tool's call. */
  readonly inner: ReadonlyMap<string, InnerLog>;
  readonly record: CallRecord;
  /** Digests of the ops that it has called. */
  readonly ops: Readonly<Record<string, string>>;
  readonly titles: StoredTitles;
  readonly program: StoredProgram | undefined;
  /** The plan to which it is held, if it is. */
  readonly planned: ReturnType<typeof planIn> | undefined;
  /** The failed run after which it goes on, if it does. */
  readonly after: AfterRun | undefined;
}

/** What people are shown who decide about the calls of a run. */
export interface PausedAbout {
  readonly titles: StoredTitles;
  readonly program: StoredProgram | undefined;
}

/** What came of taking a run over. */
export type TakeOver =
  | { readonly kind: "taken"; readonly run: EarlierRun }
  /** It has ended: the answer that it gave. */
  | { readonly kind: "ended"; readonly text: string; readonly isError: boolean }
  /** `busy`: a server works on it. */
  | Refusal;

interface Refusal {
  readonly kind: "fault" | "busy";
  readonly fault: TextFault;
}

interface RecordParts extends PausedAbout {
  readonly seal: LogSeal;
  readonly after: Pick<AfterCalls, "progress"> | undefined;
}

/** The record of a run as JSON, with what its ops, and those that its tools have called, are now. */
export const recordText = (
  calls: CallRecord,
  inner: ReadonlySet<string>,
  view: RegistryView,
  bindingOf: BindingOf | undefined,
  { titles, program, seal, after }: RecordParts,
): string => {
  const { called, foreign } = calls;
  const used = [...new Set([...called, ...inner])].flatMap((op) => {
    const tool = view.exact(op);
    return tool ? [[op, boundDigest(tool, bindingOf)] as const] : [];
  });
  const record: StoredRecord = {
    counts: [...countsOfEnded(calls)],
    called: [...called],
    foreign: [...foreign],
    ops: Object.fromEntries(used),
    ...titlesRecord(titles, seal),
    ...(after ? { after: after.progress() } : {}),
    ...programRecord(program, seal),
  };
  return JSON.stringify(record);
};

const digests = new WeakMap<Tool, string>();

/** Digest of what an op does with a call: not of its descriptions. */
function opDigest(tool: Tool): string {
  const { op, kind, access, parameters, parameters_schema, source } = tool;
  const known = digests.get(tool) ?? digest({ op, kind, access, parameters, parameters_schema, source });
  digests.set(tool, known);
  return known;
}

/** The digest of an op with that of where its calls go. */
function boundDigest(tool: Tool, bindingOf: BindingOf | undefined): string {
  const binding = bindingOf?.(tool) ?? "";
  return binding === "" ? opDigest(tool) : `${opDigest(tool)}:${binding}`;
}

/** The ops that are no longer what they were when the run called them. */
export const changedOps = (
  { ops }: EarlierRun,
  view: RegistryView,
  bindingOf: BindingOf | undefined,
): readonly string[] =>
  Object.entries(ops).flatMap(([op, known]) => {
    const tool = view.exact(op);
    return tool && boundDigest(tool, bindingOf) === known ? [] : [op];
  });

const NEXT_SHOW = "Next: do not run the program again: read what it has written, then send only what is left";
const NEXT_LIST = 'Next: "toolwright runs list" shows the runs';

/** Pauses between two attempts. */
const PAUSES: Backoff = { firstMs: 100, longestMs: 1000 };

/**
 * Takes a run over, when the database answers.
 *
 * @param caller - only runs of this caller, with the same permission; absent: any
 */
export async function takeOver(parts: KeepParts, id: string, caller: LastingCaller | undefined): Promise<TakeOver> {
  const end = performance.now() + remainingMs(LOCK_TIMEOUT_MS);
  const claims: Claims = {};
  for (let failures = 1; ; failures++)
    try {
      return await takeOverOnce(parts, id, caller, claims);
    } catch (error) {
      const waitMs = waitAfter(failures, Math.random, PAUSES);
      if (!isOutage(error) || performance.now() + waitMs > end) throw error;
      await sleep(waitMs);
    }
}

interface Claims {
  /** The last claim, which may hold although nothing was answered. */
  last?: RunClaim;
}

async function takeOverOnce(
  parts: KeepParts,
  id: string,
  caller: LastingCaller | undefined,
  claims: Claims,
): Promise<TakeOver> {
  const state = await parts.state.get();
  const seal = await runSeal(state);
  return state.transaction("write", async (tx): Promise<TakeOver> => {
    const now = parts.clock();
    const found = await readRun(tx, id);
    if (!found || found.row.expires_at <= iso(now) || (caller && !isRunOf(found.row, caller)))
      return fault("LookupError", `there is no run ${id}`, NEXT_LIST);
    const ended = endedRun(found.row, seal);
    if (ended) return ended;
    if (caller && !isPermitted(found.row, caller))
      return fault("PermissionError", `the permission of the caller has changed since ${id} began`, NEXT_SHOW);
    if (isLost(found.row, now)) return endLost(tx, found.row, seal);
    const driver = await claimRun(tx, id, now, claims.last);
    if (driver) claims.last = driver;
    else {
      const busy = textFault("BusyError", `${id} is ${statusOf(found.row, now)} on a server`, LATER);
      return { kind: "busy", fault: busy };
    }
    const asked = new Set((await approvalsOf(tx, id)).map(({ place }) => place));
    const row = await planRowOf(tx, id);
    const planned = row && planIn(row, seal);
    const bytes = logBytes(found);
    const taken = { ...driver, createdAt: found.row.created_at, asked, bytes };
    const { after: progress } = recordOf(found.row);
    const after = progress && (await readAfterAgain(tx, progress, { seal, now }));
    const run = { ...earlierRun(found, taken, seal), planned, after };
    const principal = principalOf(run.principal, caller);
    // Jobs go on with it for its caller, too.
    if (principal.id !== run.principal.id) await changeRun(tx, driver, { principal: JSON.stringify(principal) });
    return { kind: "taken", run: { ...run, principal } };
  });
}

/** For whom a run goes on: a caller whose key has replaced that of the run, or who has renewed a token, is its caller now. */
function principalOf(then: Principal, caller: LastingCaller | undefined): Principal {
  const { id = then.id, until } = caller ?? {};
  return { ...then, id, ...(until === undefined ? {} : { until }) };
}

/** Whether the server of a run has ended whose log is not kept. */
const isLost = ({ halted, lease_until }: RunRow, now: number): boolean =>
  halted === ("too_large" satisfies Halt) && lease_until <= iso(now);

/** Ends a run that cannot go on. */
async function endLost(tx: Transaction, { id, epoch }: RunRow, seal: LogSeal): Promise<TakeOver> {
  await changeRun(tx, { id, epoch }, { status: "failed", answer: seal.seal(LOST) });
  return { kind: "ended", text: LOST, isError: true };
}

const fault = (...given: Parameters<typeof textFault>): TakeOver => ({ kind: "fault", fault: textFault(...given) });

/** Whether the caller may do exactly what it might do when the run began. */
function isPermitted(row: RunRow, { grant, allowWrite }: Principal): boolean {
  const then = JSON.parse(row.principal) as Principal;
  return then.allowWrite === allowWrite && canonicalJson(then.grant) === canonicalJson(grant);
}

const LATER = "Next: wait for it; after the end of its server it can be resumed within 30 s";

/** Gives a run back that was taken over and not carried on. */
export async function giveBack({ state, clock }: KeepParts, driver: TakenOver, halted?: Halt): Promise<void> {
  const open = await state.get();
  const change = { lease_until: iso(clock()), ...(halted === undefined ? {} : { halted }) };
  await open.transaction("write", (tx) => changeRun(tx, driver, change));
}

function endedRun({ status, answer }: RunRow, seal: LogSeal): TakeOver | undefined {
  if (status === "running") return undefined;
  const text = answer === null ? "" : seal.open(answer);
  return { kind: "ended", text, isError: status !== "done" };
}

function earlierRun(
  { row, calls, deliveries, inner }: KeptRun,
  driver: TakenOver,
  seal: LogSeal,
): Omit<EarlierRun, "planned" | "after"> {
  const { counts, called, foreign, ops } = recordOf(row);
  return {
    driver,
    command: seal.open(row.command),
    principal: JSON.parse(row.principal) as Principal,
    owner: row.caller,
    codeHash: row.code_hash,
    hasCrashed: row.halted === ("crashed" satisfies Halt),
    engine: row.engine,
    origin: JSON.parse(row.origin) as RunOrigin,
    calls: calls.map((call) => loggedCall(call, seal)),
    deliveries,
    inner: innerLogs(inner, seal),
    record: { ...newRecord(), counts: new Map(counts), called: new Set(called), foreign: new Set(foreign) },
    ops,
    titles: titlesOf(row, seal),
    program: programOf(row, seal),
  };
}
