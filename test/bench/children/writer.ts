/**
 * A process that works on the state database for a while, in transactions of their own, and prints how many. Arguments:
 * URL, folder, milliseconds, transactions at once, and what they do. It first works as long without counting: a process
 * that has just started compiles its code beside the work.
 */

import { randomUUID } from "node:crypto";
import pg from "pg";
import { openState } from "../../../runtime/state/open.js";
import { queries } from "../../../runtime/state/schema.js";

const [, , url = "", root = "", ms = "0", atOnce = "1", kind = ""] = process.argv;
const state = await openState({ url, root });
const newRow = () => ({
  caller: "bench",
  op: "bench.write",
  key: randomUUID(),
  args_hash: "",
  status: "succeeded" as const,
  envelope: "{}",
  owner: "",
  lease_until: "",
  created_at: "",
  expires_at: "9999",
});
const write = (order?: "pack bench") =>
  state.transaction("write", (tx) => queries(tx).insertInto("ledger").values(newRow()).execute(), order);

const byKey = (tx: Parameters<Parameters<typeof state.transaction>[1]>[0]) =>
  queries(tx)
    .selectFrom("ledger")
    .selectAll()
    .where("caller", "=", "bench")
    .where("op", "=", "bench.write")
    .where("key", "=", "none");

/** The same write without the state: the transaction that it sends, by the library that it uses. */
const pool = new pg.Pool({ connectionString: url, max: Number(atOnce) });
async function writeBare(): Promise<void> {
  const row = newRow();
  const names = Object.keys(row);
  const client = await pool.connect();
  await client.query("start transaction; set local statement_timeout = 5000");
  const places = names.map((_, i) => `$${i + 1}`);
  await client.query(`insert into ledger (${names.join(", ")}) values (${places.join(", ")})`, Object.values(row));
  await client.query("commit");
  client.release();
}

const WORK: Readonly<Record<string, () => Promise<unknown>>> = {
  free: () => write(),
  ordered: () => write("pack bench"),
  bare: writeBare,
  reads: () => state.transaction("read", (tx) => byKey(tx).execute()),
};
const work = WORK[kind];
if (!work) throw new Error(`what to do: ${Object.keys(WORK).join(", ")}`);

/** Works until the time is over; resolves to the number of transactions. */
async function workFor(duration: number): Promise<number> {
  const end = performance.now() + duration;
  let count = 0;
  const worker = async (): Promise<void> => {
    while (performance.now() < end) {
      await work?.();
      count++;
    }
  };
  await Promise.all(Array.from({ length: Number(atOnce) }, worker));
  return count;
}

await workFor(Number(ms));
process.stdout.write("ready\n");
await new Promise((resolve) => process.stdin.once("data", resolve));
process.stdout.write(`${await workFor(Number(ms))}\n`);
process.exit(0);
