/** Failed runs in the state database, after which a corrected program goes on: their log, and their writes in the ledger. */

import type { LastingCaller } from "../../access/former-keys.js";
import type { EarlierWrite } from "../../call/call.js";
import { type AnswerSeal, openedAnswer } from "../../call/stored-answer.js";
import { type CanCall, resumeCall } from "../../catalog/advice.js";
import { byCodeUnit } from "../../contract/canonical.js";
import { isToolFailure, type Transaction } from "../../contract/handler.js";
import { readJson } from "../../contract/read-json.js";
import type { JsonValue } from "../../contract/registry.js";
import { iso, queries, type RunRow } from "../../state/schema.js";
import type { RunOrigin } from "../engine/delivery-log.js";
import { type TextFault, textFault } from "../fault.js";
import { type LeftWrite, leftLines } from "../written.js";
import { type AfterCalls, type AfterProgress, type AfterRun, MAX_AFTER_CALLS, type WritingRun } from "./after-calls.js";
import type { LogSeal } from "./log-text.js";
import { addLog, type KeptRun, type LogPart, readRun, withdraw } from "./run-table.js";
import { isRunOf, loggedCall, recordOf, type StoredRecord } from "./stored-run.js";

/** How long after its end a program may go on after a failed run. */
const AFTER_MS = 86_400_000;

/** What failed runs are read with. */
interface AfterParts {
  readonly seal: LogSeal;
  /** Opens the answers of the ledger. */
  readonly answerSeal: AnswerSeal | undefined;
  readonly now: number;
  /** What the caller can call. */
  readonly can: CanCall;
}

/**
 * Reads a failed run after which a program of its caller goes on; or says why none can.
 *
 * @param id - as the caller gives it
 */
export async function readAfter(
  tx: Transaction,
  id: string,
  caller: LastingCaller,
  parts: AfterParts,
): Promise<AfterRun | TextFault> {
  const found = await readRun(tx, id);
  if (!found || !isRunOf(found.row, caller) || found.row.expires_at <= iso(parts.now))
    return textFault("NOT_FOUND", `there is no run ${id} of this caller that has written something`, NEXT_WHOLE);
  const last = await lastAfter(tx, found);
  const { row } = last;
  const record = recordOf(row);
  const runs = [...(record.after?.runs ?? []), { id: row.id, caller: row.caller }];
  const writes = await writesOf(tx, runs, record, parts);
  const ended = endOf(last, writes, parts);
  if (last === found && ended === undefined)
    return afterRun(found, { id, runs, taken: [], isLive: false, isChanged: false }, writes, parts);
  const { why, next } = ended ?? { why: "has failed", next: `send the whole code with after="${row.id}"` };
  const who = last === found ? "it" : `${row.id} has gone on after it, and`;
  const lines = leftLines(writes.map((write) => leftWrite(write, parts)));
  return textFault("NOT_FOUND", `no program can go on after ${id}: ${who} ${why}`, ...lines, `Next: ${next}`);
}

const NEXT_WHOLE = "Next: take the id from the answer of the program that failed, or leave after out";
const NEXT_REST = "leave after out, and send only what is left, with the ids above";

/** Most runs in a chain. */
const MAX_CHAIN = 100;

/** The last run of the chain that began with a run; the run itself if no other has gone on after it. */
async function lastAfter(tx: Transaction, run: KeptRun): Promise<KeptRun> {
  let last = run;
  for (let nth = 0; nth < MAX_CHAIN && last.row.next_run !== null; nth++) {
    const next = await readRun(tx, last.row.next_run);
    if (!next) break;
    last = next;
  }
  return last;
}

/** Why no program can go on after a run, and what to do instead; undefined if one can. */
function endOf({ row, calls }: KeptRun, writes: readonly EarlierWrite[], { now, can }: AfterParts) {
  const { id, status, lease_until: ended } = row;
  const why = (text: string, next = NEXT_REST) => ({ why: text, next });
  const resume = resumeCall(id, can);
  if (status === "running") return why("has not ended", resume && `${resume} goes on with it`);
  if (status === "done")
    return why("has ended well", `${resume ? `${resume} gives its answer; ` : ""}leave after out for another program`);
  if (status === "stopped") return why("was stopped by a person");
  if (calls.length > MAX_AFTER_CALLS || writes.length > MAX_AFTER_CALLS)
    return why(`has made more than ${MAX_AFTER_CALLS} calls`);
  if (ended <= iso(now - AFTER_MS)) return why("failed more than 24 hours ago");
  return calls.length === 0 ? why("has no log any more") : undefined;
}

/** Reads the failed run again after which a program goes on that this process takes over. */
export async function readAfterAgain(
  tx: Transaction,
  progress: AfterProgress,
  parts: Omit<AfterParts, "answerSeal" | "can">,
): Promise<AfterRun> {
  const found = await readRun(tx, progress.id);
  if (!found) throw new Error(`${progress.id} is gone, after which the program went on`);
  const writes = await writesOf(tx, progress.runs, recordOf(found.row), parts);
  return afterRun(found, progress, writes, parts);
}

function afterRun(
  { row, calls, deliveries }: KeptRun,
  progress: AfterProgress,
  writes: readonly EarlierWrite[],
  { seal }: Pick<AfterParts, "seal">,
): AfterRun {
  const { called, foreign } = recordOf(row);
  return {
    ...{ progress, writes, called, foreign },
    calls: calls.map((call) => loggedCall(call, seal)),
    times: deliveries.map(({ now }) => now),
    origin: JSON.parse(row.origin) as RunOrigin,
  };
}

/** The writes of runs, in the order of the runs and of their calls. */
async function writesOf(
  tx: Transaction,
  runs: readonly WritingRun[],
  { ops }: StoredRecord,
  { now }: Pick<AfterParts, "now">,
): Promise<readonly EarlierWrite[]> {
  const found: EarlierWrite[] = [];
  for (const { id, caller } of runs) {
    const rows = await queries(tx)
      .selectFrom("ledger")
      .select(["caller", "op", "key", "args_hash", "envelope"])
      .where("caller", "=", caller)
      .where("op", "in", [...Object.keys(ops), ""])
      .where("key", ">", `${id}:`)
      .where("key", "<", `${id};`)
      .where("expires_at", ">", iso(now))
      .limit(MAX_AFTER_CALLS + 1)
      .execute();
    const writes = rows.map(({ args_hash, envelope, ...row }) => ({ ...row, hash: args_hash, answer: envelope }));
    found.push(...writes.sort((a, b) => byCodeUnit(sortable(a.key), sortable(b.key))));
  }
  return found;
}

/** A key whose numbers sort as texts. */
const sortable = (key: string): string => key.replaceAll(/\d+/g, (digits) => digits.padStart(8, "0"));

/** A write of a failed run, with its answer. */
export function leftWrite(
  write: EarlierWrite,
  { answerSeal }: { readonly answerSeal?: AnswerSeal | undefined },
): LeftWrite {
  const { key, op, answer } = write;
  return { run: key.slice(0, key.indexOf(":")), op, result: answer === null ? undefined : resultOf(write, answerSeal) };
}

/** The result of a stored answer; null if it cannot be decrypted. */
function resultOf({ answer, ...slot }: EarlierWrite, answerSeal: AnswerSeal | undefined): JsonValue {
  try {
    const { result } = readJson(openedAnswer(answerSeal, slot, answer ?? "")) as { readonly result: JsonValue };
    return result;
  } catch (error) {
    if (!isToolFailure(error)) throw error;
    return null;
  }
}

/**
 * Notes that a program goes on after a failed run; returns whether it may: no other one does. The log of the failed run and
 * the answers to its writes are kept as long as those of the program.
 */
export async function claimAfter(
  tx: Transaction,
  { id, writes }: Pick<AfterCalls, "id" | "writes">,
  { id: next, expires_at }: Pick<RunRow, "id" | "expires_at">,
): Promise<boolean> {
  const [claimed] = await queries(tx)
    .updateTable("runs")
    .set({ next_run: next, expires_at })
    .where("id", "=", id)
    .where("status", "=", "failed")
    .where(({ eb, or }) => or([eb("next_run", "is", null), eb("next_run", "=", next)]))
    .returning("id")
    .execute();
  await expireLog(tx, id, expires_at);
  for (let at = 0; at < writes.length; at += ROWS_AT_ONCE) {
    const some = writes.slice(at, at + ROWS_AT_ONCE);
    await queries(tx)
      .updateTable("ledger")
      .set({ expires_at })
      .where("caller", "in", [...new Set(some.map(({ caller }) => caller))])
      .where("op", "in", [...new Set(some.map(({ op }) => op))])
      .where(
        "key",
        "in",
        some.map(({ key }) => key),
      )
      .execute();
  }
  return claimed !== undefined;
}

/** Keys of one statement: SQLite bounds them. */
const ROWS_AT_ONCE = 500;

async function expireLog(tx: Transaction, id: string, expires_at: string): Promise<void> {
  const db = queries(tx);
  await db.updateTable("run_calls").set({ expires_at }).where("run_id", "=", id).execute();
  await db.updateTable("run_deliveries").set({ expires_at }).where("run_id", "=", id).execute();
}

/** Keeps the log of a run that has failed, with calls of the run after which it went on, for the program that corrects it. */
export async function keepLog(tx: Transaction, id: string, calls: LogPart["calls"], now: number): Promise<void> {
  const until = iso(now + AFTER_MS);
  await addLog(tx, id, { calls, deliveries: [], from: 0, inner: [] }, until);
  await queries(tx).deleteFrom("run_inner").where("run_id", "=", id).execute();
  await expireLog(tx, id, until);
  await withdraw(tx, id, { by: "the server", reason: "the program has ended" }, now);
}
