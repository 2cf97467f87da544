/**
 * A worker process for the tests of jobs: each job of the kind `count` stores one row in the transaction that ends it.
 * Arguments: root, URL, lease in milliseconds.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { silentLog } from "../../../runtime/config/log.js";
import { createJobs } from "../../../runtime/state/jobs.js";
import { openState } from "../../../runtime/state/open.js";
import { queries } from "../../../runtime/state/schema.js";

const [, , root = "", url = "", leaseMs = "0"] = process.argv;
const state = await openState({ url, root });
const jobs = createJobs({
  log: silentLog,
  leaseMs: Number(leaseMs),
  parallel: 16,
  backoff: { firstMs: 10, longestMs: 100 },
});
jobs.handle("count", async ({ payload }) => {
  await sleep(Math.random() * 5);
  const row = { at: "", key_id: "", op: String(payload), code: "", trace_id: "", address: "" };
  return (tx) => queries(tx).insertInto("audit").values(row).execute();
});
jobs.use(state);
process.stdout.write("ready\n");
setInterval(() => undefined, 1000);
