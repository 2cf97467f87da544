/**
 * A private copy of the embedded database. SQLite makes it in a thread of its own: the copy of a large file takes a while,
 * and another program must not read the file beside SQLite, whose locks this process would lose.
 */

import { randomBytes } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { readdir, rm, stat } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { Worker } from "node:worker_threads";
import { inTime } from "./deadline.js";
import { sizeOf } from "./sqlite-file.js";
import { trialEnded } from "./trial.js";

/** Largest database that is copied, in bytes. */
const MAX_COPIED_BYTES = 256 * 1024 * 1024;
/** Time limit of a copy. */
const COPY_MS = 10_000;
/** A copy that is older was left by a process that was killed. */
const LEFT_OVER_MS = 3_600_000;
const COPY = /^preview-[0-9a-f]{16}\.db/;

const PROGRAM = `
const { workerData: { libsql, from, to } } = require("node:worker_threads");
const Database = require(libsql);
const database = new Database(from);
try {
  database.prepare("vacuum into ?").run(to);
} finally {
  database.close();
}
`;

/** A copy. */
export interface Copy {
  readonly file: string;
  /** Deletes it. */
  remove(): Promise<void>;
}

/**
 * Copies the database, without holding up its readers and writers.
 *
 * @throws StateFailure if it is too large, or the copy takes too long
 */
export async function copyDatabase(from: string): Promise<Copy> {
  const size = await sizeOf(from);
  if (size > MAX_COPIED_BYTES) throw trialEnded(tooLarge(size));
  const folder = dirname(from);
  await removeLeftOver(folder);
  const file = join(folder, `preview-${randomBytes(8).toString("hex")}.db`);
  // SQLite fills an empty file, which only its owner may read.
  closeSync(openSync(file, "wx", 0o600));
  const remove = () => removeCopy(file);
  const copied = copyTo(from, file);
  try {
    await inTime(copied, COPY_MS, () => trialEnded(`The copy of the state database took longer than ${COPY_MS} ms.`));
    return { file, remove };
  } catch (error) {
    // The thread may still write the file.
    void copied.catch(() => undefined).then(remove);
    throw error;
  }
}

const MEGABYTE = 1024 * 1024;

const tooLarge = (size: number): string =>
  `A preview works on a copy of the state database, which has ${Math.ceil(size / MEGABYTE)} MB; at most ${MAX_COPIED_BYTES / MEGABYTE} MB are copied.`;

function copyTo(from: string, to: string): Promise<void> {
  const libsql = createRequire(import.meta.url).resolve("libsql");
  const worker = new Worker(PROGRAM, { eval: true, env: {}, workerData: { libsql, from, to } });
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("exit", (code) => (code === 0 ? resolve() : reject(new Error("the copy was not made"))));
  });
}

const removeCopy = async (file: string): Promise<void> => {
  for (const side of ["", "-journal", "-wal", "-shm"])
    await rm(`${file}${side}`, { force: true }).catch(() => undefined);
};

async function removeLeftOver(folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => []);
  for (const name of names.filter((one) => COPY.test(one))) {
    const found = await stat(join(folder, name)).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > LEFT_OVER_MS) await removeCopy(join(folder, name));
  }
}
