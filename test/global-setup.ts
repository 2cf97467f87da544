/** What is made once before the test files, since each worker would make its own. */

import { locatePrograms, snapshotFor } from "../runtime/run/languages/python/engine/cpython/snapshot.js";
import { SHARED_SNAPSHOTS } from "./support/run/python-snapshots.js";

/** Makes the memory snapshot that CPython starts from, unless an earlier run has: it takes 3 s of processor time. */
export async function setup(): Promise<void> {
  await snapshotFor(await locatePrograms(), SHARED_SNAPSHOTS, new AbortController().signal);
}
