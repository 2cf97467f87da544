/**
 * A process for tests of the file lock: under the lock it adds one to a number repeatedly, twice at once, and dies
 * where it is told to. Arguments: lock file, file of the number, number of additions, number after which it dies with
 * the lock.
 */

import { readFileSync, writeFileSync } from "node:fs";
import { setImmediate as turn } from "node:timers/promises";
import { withFileLock } from "../../../runtime/state/file-lock.js";

const [, , lock = "", file = "", count = "0", dies = "-1"] = process.argv;
let done = 0;

async function add(): Promise<void> {
  await withFileLock(lock, async () => {
    const before = Number(readFileSync(file, "utf8"));
    await turn();
    if (done++ === Number(dies)) process.kill(process.pid, "SIGKILL");
    writeFileSync(file, String(before + 1));
  });
}

const chain = async (): Promise<void> => {
  for (let i = 0; i < Number(count) / 2; i++) await add();
};
await Promise.all([chain(), chain()]);
