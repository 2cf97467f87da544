/** The runner of a gateway, whose code is imported by the first run: with the grammar of Python and the engines it is a ninth of what a start read. */

import { memoizeAsync } from "../contract/memoize-async.js";
import type { Runner, RunnerParts } from "./runner.js";
import { visibleOf } from "./visible.js";

/** Makes the runner; imports and starts nothing. */
export function lazyRunner(parts: RunnerParts): Runner {
  const visible = visibleOf(parts);
  const open = memoizeAsync(async () => (await import("./runner.js")).createRunner(parts, visible));
  return {
    run: async (...given) => (await open("")).run(...given),
    resume: async (...given) => (await open("")).resume(...given),
    check: async (...given) => (await open("")).check(...given),
    types: async (...given) => (await open("")).types(...given),
    ...visible,
  };
}
