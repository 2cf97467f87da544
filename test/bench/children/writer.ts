/**
 * A process that writes rows in transactions of their own for a while, some at once, and prints how many. Arguments:
 * URL, folder, milliseconds, writers at once, and "ordered" to run them one after another.
 */

import { randomUUID } from "node:crypto";
import { openState } from "../../../runtime/state/open.js";
import { queries } from "../../../runtime/state/schema.js";

const [, , url = "", root = "", ms = "0", atOnce = "1", how = ""] = process.argv;
const state = await openState({ url, root });
const row = {
  caller: "bench",
  op: "bench.write",
  args_hash: "",
  status: "succeeded",
  envelope: "{}",
  owner: "",
} as const;
const times = { lease_until: "", created_at: "", expires_at: "9999" };
const write = () =>
  state.transaction(
    "write",
    (tx) =>
      queries(tx)
        .insertInto("ledger")
        .values({ ...row, ...times, key: randomUUID() })
        .execute(),
    how === "ordered" ? "pack bench" : undefined,
  );
await Promise.all(Array.from({ length: Number(atOnce) }, write));
process.stdout.write("ready\n");
await new Promise((resolve) => process.stdin.once("data", resolve));
const end = performance.now() + Number(ms);
let count = 0;
const writer = async (): Promise<void> => {
  while (performance.now() < end) {
    await write();
    count++;
  }
};
await Promise.all(Array.from({ length: Number(atOnce) }, writer));
process.stdout.write(`${count}\n`);
await state.close();
process.exit(0);
