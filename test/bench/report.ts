/** Shared parts of the benches: flags, printed lines, and the stored part of a run. */

import { randomUUID } from "node:crypto";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { accept, type Line, readAccepted, regressions } from "./accepted.js";

/**
 * `--quick`: a first look. `--accept`: keeps the run as the one that later runs are held against and that
 * `docs/performance.md` shows. `--against FILE`: holds the run against that of a file, and keeps it there unless a
 * ratio grew; a goal that is missed is no failure. Runs of other machines are not held against each other.
 */
export const { values: flags } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    accept: { type: "boolean", default: false },
    against: { type: "string" },
  },
});

/** The checkout. */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** Where benches put what they make, and the raw figures of their newest run. */
export const FOLDER = join(ROOT, ".cache", "bench");

const GONE = join(FOLDER, "gone");

/**
 * Moves away what an earlier run wrote, and deletes it when the bench ends. Deleted right before the next run it would count as that
 * run's CPU: ext4 passes over every inode that was deleted within the last seconds, for each file that it makes (0.7 s for 1,200).
 */
export function putAway(folder: string): void {
  if (!existsSync(folder)) return;
  if (!existsSync(GONE)) process.once("exit", () => rmSync(GONE, { recursive: true, force: true }));
  mkdirSync(GONE, { recursive: true });
  renameSync(folder, join(GONE, randomUUID()));
}

/** A run of a bench. */
export interface Report {
  /** Prints a line, and keeps it with the raw figures behind it. */
  add(line: Line, raw?: object): void;
  /** Keeps the run, and says what grew: exit 1 where a goal is missed or a ratio grew by more than 15 per cent. */
  finish(): void;
}

/** Begins the run of a bench; `about` says what its figures are. */
export function createReport(name: string, about: string): Report {
  const lines: Line[] = [];
  const measured: Record<string, object> = {};
  const machine = `${cpus().length} cores, ${process.platform}, Node ${process.versions.node}`;
  mkdirSync(FOLDER, { recursive: true });
  process.stdout.write(`${name}: ${about}; ${machine}, load ${load()}\n`);
  return {
    add(line, raw) {
      lines.push(line);
      if (raw) measured[`${line.goal} ${line.what}`] = raw;
      const { goal, verdict, what, figures } = line;
      process.stdout.write(`${goal.padEnd(3)} ${verdict.padEnd(12)} ${what.padEnd(66)} ${figures}\n`);
    },
    finish() {
      process.stdout.write(`load at the end ${load()}\n`);
      writeFileSync(join(FOLDER, `${name}.json`), `${JSON.stringify({ machine, lines, measured }, null, 1)}\n`);
      const { against, quick } = flags;
      const known = readAccepted(against);
      const grown = quick || known?.machine !== machine ? [] : regressions(lines, known);
      for (const one of grown) process.stdout.write(`regression: ${one}\n`);
      const keeps = against === undefined ? flags.accept : grown.length === 0;
      if (keeps && !quick) accept({ machine, lines }, against);
      const isMissed = against === undefined && lines.some(({ verdict }) => verdict === "missed");
      process.exitCode = grown.length > 0 || isMissed ? 1 : 0;
    },
  };
}

const load = (): string => (loadavg()[0] ?? 0).toFixed(1);

/** A bound of wall time: over it on a machine that does other work too, it says nothing. */
export function within(ms: number, bound: number): Line["verdict"] {
  if (ms <= bound) return "met";
  return (loadavg()[0] ?? 0) > cpus().length ? "inconclusive" : "missed";
}

/** Milliseconds as lines have them. */
export const shown = (ms: number): string => `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;
