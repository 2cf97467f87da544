/**
 * `npm run bench`: runs every bench in turn with the same flags; each also runs alone. `--quick` is a first look that
 * installs nothing. Exit 1 if a bench misses a goal.
 */

import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const BENCHES = [
  "calls.ts",
  "descriptions.ts",
  "../../features/docs-site/bench/docs.ts",
  "engine.ts",
  "generator.ts",
  "kept.ts",
  "../../features/learned-types/bench/learned.ts",
  "liveness.ts",
  "onto.ts",
  "path.ts",
  "preview.ts",
  "run.ts",
  "search.ts",
  "sign-in.ts",
  "simulation.ts",
  "start.ts",
  "../../features/statistics/bench/statistics.ts",
  "../../features/typescript/bench/typescript.ts",
  "writes.ts",
];

for (const name of BENCHES) {
  const file = fileURLToPath(new URL(name, import.meta.url));
  const args = ["--import", "tsx", "-C", "toolwright-source", file, ...process.argv.slice(2)];
  const { status } = spawnSync(process.execPath, args, { stdio: "inherit" });
  process.exitCode = Math.max(Number(process.exitCode ?? 0), status ?? 70);
  process.stdout.write("\n");
}
