/** The tests that a mutation run may use: those of one module, named by `MUTATION_TESTS`. */

import { defineConfig } from "vitest/config";

const conditions = ["toolwright-source", "node"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: (process.env["MUTATION_TESTS"] ?? "").split(" "),
    pool: "threads",
    isolate: false,
    testTimeout: 20_000,
    hookTimeout: 20_000,
  },
});
