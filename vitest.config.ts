import { defineConfig } from "vitest/config";
import { LongestFirst } from "./test/longest-first.js";
import { RUNS_SLOW, SCALE } from "./test/support/random.js";

const conditions = ["toolwright-source", "node"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["test/**/*.test.ts", "features/*/test/**/*.test.ts"],
    globalSetup: "./test/global-setup.ts",
    setupFiles: "./test/file-setup.ts",
    pool: "threads",
    // No module keeps state, so files may share those that are loaded: to load them anew for each took a fifth of the time.
    isolate: false,
    // One more than CI has processors, since some tests wait. Each more loads all modules once more.
    maxWorkers: 3,
    // `npm test` shows these as skipped: test/README.md says what belongs there.
    tags: [
      { name: "slow", description: "runs with SLOW=1, in CI, and in `npm run test:full`", skip: !RUNS_SLOW },
      { name: "full", description: "runs with SCALE=1 only, in `npm run test:full`", skip: SCALE < 1 },
    ],
    sequence: { sequencer: LongestFirst },
    // What a test waits for comes late where the machine is busy.
    expect: { poll: { timeout: 60_000, interval: 20 } },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    reporters: ["default", "./test/closing-line.ts"],
    typecheck: {
      enabled: false,
      checker: "tsc",
      include: ["test/types/**/*.test-d.ts"],
      tsconfig: "./test/types/tsconfig.json",
    },
  },
});
