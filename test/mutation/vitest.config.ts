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
      for (const error of modules.flatMap((one) => one.errors())) vitest?.state.catchError(error, "Unhandled Error");
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
    reporters: [loadErrors()],
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
