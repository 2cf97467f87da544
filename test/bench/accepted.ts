/** The newest accepted run of the generator's bench: `--accept` replaces it, a run is held against it, and the README shows it. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";

/** One goal, or one figure beside the goals. */
export interface Line {
  /** `G1` to `G9` of `performance.md` 4. */
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

const FILE = new URL("accepted.json", import.meta.url);
/** By how much a ratio may grow before it counts as a regression. */
const TOLERANCE = 1.1;

/** The newest accepted run, or undefined. */
export const readAccepted = (): Accepted | undefined =>
  existsSync(FILE) ? (JSON.parse(readFileSync(FILE, "utf8")) as Accepted) : undefined;

/** Keeps a run as the accepted one. */
export const accept = (run: Accepted): void => writeFileSync(FILE, `${JSON.stringify(run, null, 2)}\n`);

/** Ratios that grew by more than a tenth against the accepted run, a line each. */
export function regressions(lines: readonly Line[], before = readAccepted()): readonly string[] {
  return lines.flatMap(({ goal, what, ratio, verdict }) => {
    const known = before?.lines.find((one) => one.goal === goal && one.what === what)?.ratio;
    if (ratio === undefined || known === undefined || verdict === "inconclusive" || ratio <= TOLERANCE * known)
      return [];
    return [`${goal} ${what}: ${ratio.toFixed(2)}, accepted ${known.toFixed(2)}`];
  });
}

/** The accepted run as a table for the README. */
export function acceptedTable({ machine, lines }: Accepted): string {
  const rows = lines.map((one) => `| ${one.goal} | ${one.what} | ${one.figures} | ${one.verdict} |`);
  return `${machine}\n\n| goal | what | figures | |\n|---|---|---|---|\n${rows.join("\n")}`;
}
