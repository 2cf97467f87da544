/** Writes statistics to the state database: rows of calls and runs, and sums by hour and op. */

import type { CompiledQuery } from "kysely";
import { byCodeUnit } from "../../runtime/contract/canonical.js";
import type { Transaction } from "../../runtime/contract/handler.js";
import type { CallEntry, Counter, RunEntry } from "../../runtime/contract/recorder.js";
import { HOUR_LENGTH, hourOf, iso } from "../../runtime/state/schema.js";
import { BUCKETS, bucketOf } from "./buckets.js";
import {
  type StatCallRow,
  type StatClientRow,
  type StatCounterRow,
  type StatHourRow,
  statisticsQueries,
} from "./tables.js";

/** Value of `op` for runs; no op has such a name. */
export const RUNS = "@run";
/**
 * Rows of one statement: both databases limit the number of parameters, and statements whose text is longer are prepared
 * anew each time (`state/sqlite-statements.ts`), which took a third of the time of a row.
 */
const CHUNK = 100;

/** Writes the rows of a batch, and adds them to the sums. */
export async function writeBatch(tx: Transaction, batch: RecordBatch): Promise<void> {
  const calls = batch.calls.map((one) => rowOf(one, one.op, 0));
  const runs = batch.runs.map((one) => rowOf(one, RUNS, one.calls));
  const rows = [...calls, ...runs];
  for (let at = 0; at < rows.length; at += CHUNK) await insertCalls(statisticsQueries(tx), rows.slice(at, at + CHUNK));
  for (const sum of sumsOf(rows)) await addSum(tx, sum);
  await addClients(tx, rows);
  for (const counter of countersOf(batch)) await addCounter(tx, counter);
  for (const other of batch.others) await other(tx);
}

/** A row without values, which has the columns in their order. */
const EMPTY: CallRow = {
  ...{ at: "", op: "", code: "", duration_ms: 0, chars_in: 0, chars_out: 0, calls: 0 },
  ...{ trace_id: "", caller: "", client: "" },
};
const COLUMNS = Object.keys(EMPTY) as readonly (keyof CallRow)[];

/** Statements that insert {@link CHUNK} rows, by the kind of database: to compile one takes as long as to run it. */
const statements = new WeakMap<object, CompiledQuery>();

async function insertCalls(db: ReturnType<typeof statisticsQueries>, rows: readonly CallRow[]): Promise<void> {
  const insert = (values: readonly CallRow[]): CompiledQuery => db.insertInto("stat_calls").values(values).compile();
  if (rows.length < CHUNK) return void (await db.executeQuery(insert(rows)));
  const kind = db.getExecutor().adapter.constructor;
  const statement = statements.get(kind) ?? insert(rows.map(() => EMPTY));
  statements.set(kind, statement);
  await db.executeQuery({ ...statement, parameters: rows.flatMap((row) => COLUMNS.map((column) => row[column])) });
}

/** Sorted by their keys, so that servers that share a database lock rows in the same order, and never wait in a circle. */
const inOrder = <T>(sums: ReadonlyMap<string, T>): readonly T[] =>
  [...sums].sort(([a], [b]) => byCodeUnit(a, b)).map(([, sum]) => sum);

type CallRow = Omit<StatCallRow, "seq">;

const rowOf = (one: Omit<CallEntry, "op">, op: string, calls: number): CallRow => ({
  at: iso(one.at),
  op,
  code: one.code ?? "",
  duration_ms: one.ms,
  chars_in: one.chars_in,
  chars_out: one.chars_out,
  calls,
  trace_id: one.trace_id,
  caller: one.caller,
  client: one.client,
});

type Sum = Mutable<Omit<StatHourRow, "buckets" | "longest_ms">> & { readonly buckets: number[]; longest_ms: number };

/** The hour of a row. */
const inHour = ({ at }: CallRow): string => at.slice(0, HOUR_LENGTH);

function sumsOf(rows: readonly CallRow[]): readonly Sum[] {
  const sums = new Map<string, Sum>();
  for (const row of rows) {
    const { at, op, code, duration_ms, chars_in, chars_out } = row;
    const hour = inHour(row);
    const name = `${hour} ${op}`;
    const sum = sums.get(name) ?? zero(hour, op, at);
    sums.set(name, sum);
    sum.calls += 1;
    sum.errors += code === "" ? 0 : 1;
    sum.chars_in += chars_in;
    sum.chars_out += chars_out;
    sum.duration_ms += duration_ms;
    sum.longest_ms = Math.max(sum.longest_ms, duration_ms);
    sum.first_at = earlier(at, sum.first_at);
    sum.last_at = later(at, sum.last_at);
    const bucket = bucketOf(duration_ms);
    sum.buckets[bucket] = (sum.buckets[bucket] ?? 0) + 1;
  }
  return inOrder(sums);
}

/** ISO times in UTC sort as text. */
const earlier = (a: string, b: string): string => (a < b ? a : b);
const later = (a: string, b: string): string => (a < b ? b : a);

const zero = (hour: string, op: string, at: string): Sum => ({
  ...{
    hour,
    op,
    calls: 0,
    errors: 0,
    chars_in: 0,
    chars_out: 0,
    duration_ms: 0,
    longest_ms: 0,
    first_at: at,
    last_at: at,
  },
  buckets: Array.from({ length: BUCKETS }, () => 0),
});

/** Adds to the sum of an hour and op, whose row is locked before it is read. */
async function addSum(tx: Transaction, sum: Sum): Promise<void> {
  const db = statisticsQueries(tx);
  const { hour, op, buckets } = sum;
  const before = (await lockedSum(tx, sum)) ?? ((await insertSum(tx, sum)) ? undefined : await lockedSum(tx, sum));
  if (!before) return;
  const old = JSON.parse(before.buckets) as readonly number[];
  await db
    .updateTable("stat_hours")
    .set({
      calls: before.calls + sum.calls,
      errors: before.errors + sum.errors,
      chars_in: before.chars_in + sum.chars_in,
      chars_out: before.chars_out + sum.chars_out,
      duration_ms: before.duration_ms + sum.duration_ms,
      // An hour whose earlier calls have no longest duration gets none.
      longest_ms: before.longest_ms === null ? null : Math.max(before.longest_ms, sum.longest_ms),
      first_at: earlier(sum.first_at, before.first_at),
      last_at: later(sum.last_at, before.last_at),
      buckets: JSON.stringify(buckets.map((count, at) => count + (old[at] ?? 0))),
    })
    .where("hour", "=", hour)
    .where("op", "=", op)
    .execute();
}

const lockedSum = (tx: Transaction, { hour, op }: Sum): Promise<StatHourRow | undefined> =>
  statisticsQueries(tx)
    .selectFrom("stat_hours")
    .selectAll()
    .where("hour", "=", hour)
    .where("op", "=", op)
    .forUpdate()
    .executeTakeFirst();

/** Inserts the first sum of an hour and op; false if another server did meanwhile. */
async function insertSum(tx: Transaction, { buckets, ...sum }: Sum): Promise<boolean> {
  const row = { ...sum, buckets: JSON.stringify(buckets) };
  const insert = statisticsQueries(tx).insertInto("stat_hours").values(row);
  const done = await insert.onConflict((conflict) => conflict.columns(["hour", "op"]).doNothing()).executeTakeFirst();
  return Number(done.numInsertedOrUpdatedRows ?? 0) > 0;
}

/** Adds to the sums by client, many rows in one statement. */
async function addClients(tx: Transaction, calls: readonly CallRow[]): Promise<void> {
  const sums = new Map<string, Mutable<StatClientRow>>();
  for (const call of calls) {
    const { client, op, code } = call;
    const hour = inHour(call);
    const name = `${hour} ${op} ${client}`;
    const sum = sums.get(name) ?? { hour, client, op, calls: 0, errors: 0 };
    sums.set(name, sum);
    sum.calls += 1;
    sum.errors += code === "" ? 0 : 1;
  }
  const rows = inOrder(sums);
  for (let at = 0; at < rows.length; at += CHUNK)
    await statisticsQueries(tx)
      .insertInto("stat_clients")
      .values(rows.slice(at, at + CHUNK))
      .onConflict((conflict) =>
        conflict.columns(["hour", "client", "op"]).doUpdateSet((eb) => ({
          calls: eb("stat_clients.calls", "+", eb.ref("excluded.calls")),
          errors: eb("stat_clients.errors", "+", eb.ref("excluded.errors")),
        })),
      )
      .execute();
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** Names of the counters of programs, whose second word is the language. */
export const PROGRAMS = { total: "programs", failed: "failed_programs", refused: "refused_programs" } as const;

/** What a run counts of the programs of its language. */
function programsOf({ at, code, language, isRefused }: RunEntry): RecordBatch["sums"] {
  if (language === undefined) return [];
  const { total, failed, refused } = PROGRAMS;
  const counted = [total, ...(code === undefined ? [] : [failed]), ...(isRefused ? [refused] : [])];
  return counted.map((name) => ({ at, name: `${name} ${language}` as const, value: 1 }));
}

/** The counters of a batch, each once. */
function countersOf({ sums, runs }: RecordBatch): readonly StatCounterRow[] {
  const counters = new Map<string, StatCounterRow>();
  for (const { at, name, value } of [...sums, ...runs.flatMap(programsOf)]) {
    const hour = hourOf(at);
    const key = `${hour} ${name}`;
    counters.set(key, { hour, name, value: value + (counters.get(key)?.value ?? 0) });
  }
  return inOrder(counters);
}

async function addCounter(tx: Transaction, { hour, name, value }: StatCounterRow): Promise<void> {
  await statisticsQueries(tx)
    .insertInto("stat_counters")
    .values({ hour, name, value })
    .onConflict((conflict) =>
      conflict.columns(["hour", "name"]).doUpdateSet((eb) => ({ value: eb("stat_counters.value", "+", value) })),
    )
    .execute();
}

/** Records that are written together. */
export interface RecordBatch {
  readonly calls: CallEntry[];
  readonly runs: RunEntry[];
  readonly sums: { readonly at: number; readonly name: Counter; readonly value: number }[];
  /** Writes of other parts of the server. */
  readonly others: ((tx: Transaction) => Promise<void>)[];
}
