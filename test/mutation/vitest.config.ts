/** Vitest configuration of a mutation run: the tests of one module, named by `MUTATION_TESTS`. */

import { defineConfig } from "vitest/config";
import type { Reporter, Vitest } from "vitest/node";

const conditions = ["toolwright-source", "node"];

/** Reports a test file that cannot be loaded as an error of the run: it has no tests, and Stryker takes no tests for passed ones. */
function loadErrors(): Reporter {
  let vitest: Vitest | undefined;
  return {
    onInit(started) {
      vitest = started;
    },
    onTestRunEnd(modules) {
      for (const module of modules)
        for (const { message } of module.errors())
          vitest?.state.catchError(new Error(`${module.relativeModuleId}: ${message}`), "Unhandled Error");
    },
  };
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: (process.env["MUTATION_TESTS"] ?? "").split(" "),
    pool: "threads",
    isolate: false,
    // Tests that `npm test` leaves out run here: some of them are the only ones that notice a change.
    tags: [
      { name: "slow", description: "runs in CI and in `npm run test:full`" },
      { name: "full", description: "runs in `npm run test:full` only" },
    ],
    reporters: [loadErrors()],
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
