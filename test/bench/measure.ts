/**
 * How the bench measures (`performance.md` 5): CPU of a fresh process, ours and the peer's in turn after one pair that does not
 * count, the ratio of the minima and the median of the ratios of the pairs. Wall time would say how busy the machine is.
 */

import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What one run of a command took. */
export interface Run {
  /** Seconds of CPU, user and system. */
  readonly cpu: number;
  /** Most memory held at a time, in MB. */
  readonly rss: number;
  readonly stdout: string;
}

/** Arguments of `node`, and where it runs. */
export interface Command {
  readonly args: readonly string[];
  readonly cwd: string;
  /** Put right before each run: what must not be there yet, for instance. */
  readonly before?: () => void;
}

/** Writes what the operating system counted as the process ends; no timer runs inside it. */
const HOOK = `data:text/javascript,${encodeURIComponent(
  "import fs from 'node:fs'; process.on('exit', () => fs.writeFileSync(process.env.BENCH_USAGE, JSON.stringify(process.resourceUsage())));",
)}`;

/**
 * Runs `node` once.
 *
 * @throws Error with the end of its output where it fails: a run with errors is not a time
 */
export async function run({ args, cwd, before }: Command): Promise<Run> {
  before?.();
  const folder = mkdtempSync(join(tmpdir(), "toolwright-usage-"));
  const file = join(folder, "usage.json");
  try {
    const env = { ...process.env, BENCH_USAGE: file, NO_COLOR: "1" };
    const child = spawn(process.execPath, ["--import", HOOK, ...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    const text = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const)
      child[name].setEncoding("utf8").on("data", (part: string) => {
        text[name] += part;
      });
    const code = await new Promise((resolve, reject) => child.on("error", reject).on("close", resolve));
    if (code !== 0) throw new Error(`node ${args.join(" ")} ended with ${code}\n${text.stderr.slice(-2000)}`);
    const usage = JSON.parse(readFileSync(file, "utf8")) as NodeJS.ResourceUsage;
    return {
      cpu: (usage.userCPUTime + usage.systemCPUTime) / 1e6,
      rss: usage.maxRSS / 1024,
      stdout: text.stdout,
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs of two commands in turn. */
export interface Pairs {
  readonly ours: readonly Run[];
  readonly peer: readonly Run[];
}

/** Runs both in turn, one pair first that does not count; twice as many pairs where one side spreads over 25 per cent. */
export async function pairs(ours: Command, peer: Command, count: number): Promise<Pairs> {
  await run(ours);
  await run(peer);
  const made: { readonly ours: Run[]; readonly peer: Run[] } = { ours: [], peer: [] };
  for (let i = 0; i < count || (i < 2 * count && spreads(made)); i++) {
    made.ours.push(await run(ours));
    made.peer.push(await run(peer));
  }
  return made;
}

const cpus = (runs: readonly Run[]): readonly number[] => runs.map((one) => one.cpu);

/** Whether the median of one side is more than a quarter over its minimum. */
export const spreads = ({ ours, peer }: Pairs): boolean =>
  [ours, peer].some((side) => median(cpus(side)) > 1.25 * least(cpus(side)));

/** The smallest of some figures. */
export const least = (figures: readonly number[]): number => Math.min(...figures);

/** The largest of some figures. */
export const most = (figures: readonly number[]): number => Math.max(...figures);

/** The middle of some figures. */
export const median = (figures: readonly number[]): number =>
  [...figures].sort((a, b) => a - b)[Math.floor(figures.length / 2)] ?? 0;

/** The two ratios of CPU that a goal is held against: of the minima, and the median of the pairs'. */
export function ratios({ ours, peer }: Pairs): { readonly minima: number; readonly paired: number } {
  return {
    minima: least(cpus(ours)) / least(cpus(peer)),
    paired: median(ours.map((one, i) => one.cpu / (peer[i]?.cpu ?? Number.NaN))),
  };
}
