import { defineConfig } from "vitest/config";

const conditions = ["toolwright-source", "node"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    pool: "threads",
    maxWorkers: 2,
    testTimeout: 30_000,
    hookTimeout: 60_000,
    reporters: ["default", "./test/closing-line.ts"],
    typecheck: { enabled: false, checker: "tsc", include: ["test/types/**/*.test-d.ts"], tsconfig: "./test/types/tsconfig.json" },
  },
});
