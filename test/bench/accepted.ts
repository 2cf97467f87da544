/**
 * The newest accepted run of the benches: `--accept` replaces it, later runs are compared with it, and the README shows
 * it.
 */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** One goal, or one figure beside the goals. */
export interface Line {
  /** The letter of its bench, which no other bench has, and a number. `docs/performance.md` says what the letters stand for. */
  readonly goal: string;
  readonly what: string;
  readonly figures: string;
  readonly verdict: "met" | "missed" | "inconclusive" | "shown" | "absent";
  /** Ours over the baseline's, where the goal is such a ratio. */
  readonly ratio?: number;
}

/** A run: what it was measured on, and its lines. */
export interface Accepted {
  readonly machine: string;
  readonly lines: readonly Line[];
}

const FILE = fileURLToPath(new URL("accepted.json", import.meta.url));
/** By how much a ratio may grow before it counts as a regression. */
const TOLERANCE = 1.15;

/** The newest accepted run, or that of another file; undefined where there is none. */
export const readAccepted = (file = FILE): Accepted | undefined =>
  existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Accepted) : undefined;

/** Keeps a run as the accepted one, beside the lines of the other benches where these are of the same machine. */
export function accept({ machine, lines }: Accepted, file = FILE): void {
  const before = readAccepted(file);
  const own = new Set(lines.map(({ goal }) => goal[0]));
  const others = before?.machine === machine ? before.lines.filter(({ goal }) => !own.has(goal[0])) : [];
  const all = [...others, ...lines].sort((a, b) => order(a) - order(b));
  writeFileSync(file, `${JSON.stringify({ machine, lines: all }, null, 2)}\n`);
}

const order = ({ goal }: Line): number => "GRECSFBTULDWAPVKX".indexOf(goal.charAt(0));

/** Ratios that grew by more than 15 per cent against a run, a line each. */
export function regressions(lines: readonly Line[], before: Accepted | undefined): readonly string[] {
  return lines.flatMap(({ goal, what, ratio, verdict }) => {
    const known = before?.lines.find((one) => one.goal === goal && one.what === what)?.ratio;
    if (ratio === undefined || known === undefined || verdict === "inconclusive" || ratio <= TOLERANCE * known)
      return [];
    return [`${goal} ${what}: ${ratio.toFixed(2)}, accepted ${known.toFixed(2)}`];
  });
}

/** The accepted run as a table for `docs/performance.md`. */
export function acceptedTable({ machine, lines }: Accepted): string {
  const rows = lines.map((one) => `| ${one.goal} | ${one.what} | ${one.figures} | ${one.verdict} |`);
  return `${machine}\n\n| goal | what | figures | |\n|---|---|---|---|\n${rows.join("\n")}`;
}
