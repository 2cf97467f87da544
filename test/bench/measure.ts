/**
 * The measuring method of the bench: ours and the peer run in turn after one warm-up pair; the results are the ratio of
 * the minima and the median of the ratios of the pairs. Commands are measured by the CPU time of a fresh process, since
 * wall time depends on the load of the machine; only latencies are wall time.
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

/** Figures of two sides that were measured in turn: `ours[i]` and `peer[i]` are a pair. */
export interface Sides<T> {
  readonly ours: readonly T[];
  readonly peer: readonly T[];
}

/** Runs of two commands in turn. */
export type Pairs = Sides<Run>;

/**
 * Measures both in turn, one pair first that does not count; twice as many pairs where one side spreads over 25 per cent.
 *
 * @param figureOf - what the spread is taken of
 */
export async function inTurn<T>(
  ours: () => Promise<T>,
  peer: () => Promise<T>,
  count: number,
  figureOf: (one: T) => number,
): Promise<Sides<T>> {
  await ours();
  await peer();
  const made: { readonly ours: T[]; readonly peer: T[] } = { ours: [], peer: [] };
  for (let i = 0; i < count || (i < 2 * count && spreads(figures(made, figureOf))); i++) {
    made.ours.push(await ours());
    made.peer.push(await peer());
  }
  return made;
}

/** One figure of each. */
export const figures = <T>({ ours, peer }: Sides<T>, figureOf: (one: T) => number): Sides<number> => ({
  ours: ours.map(figureOf),
  peer: peer.map(figureOf),
});

/** Pairs of two commands. */
export const pairs = (ours: Command, peer: Command, count: number): Promise<Pairs> =>
  inTurn(
    () => run(ours),
    () => run(peer),
    count,
    ({ cpu }) => cpu,
  );

/** Pairs of latencies, in ms. */
export const latencies = (
  ours: () => Promise<number>,
  peer: () => Promise<number>,
  count: number,
): Promise<Sides<number>> => inTurn(ours, peer, count, (ms) => ms);

/** CPU of pairs of commands. */
export const cpuOf = (raw: Pairs): Sides<number> => figures(raw, ({ cpu }) => cpu);

/** Whether the median of one side is more than a quarter over its minimum. */
export const spreads = ({ ours, peer }: Sides<number>): boolean =>
  [ours, peer].some((side) => median(side) > 1.25 * least(side));

/** The smallest of some figures. */
export const least = (all: readonly number[]): number => Math.min(...all);

/** The largest of some figures. */
export const most = (all: readonly number[]): number => Math.max(...all);

/** The middle of some figures. */
export const median = (all: readonly number[]): number =>
  [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;

/** The two ratios that a goal is held against: of the minima, and the median of the pairs'. */
export function ratios({ ours, peer }: Sides<number>): { readonly minima: number; readonly paired: number } {
  return {
    minima: least(ours) / least(peer),
    paired: median(ours.map((one, i) => one / (peer[i] ?? Number.NaN))),
  };
}

/** CPU of a process so far, user and system, in ms: Linux counts hundredths of a second. */
export function processMs(pid: number): number {
  const [, fields = ""] = /^.*\) (.*)$/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? [];
  const [user, system] = fields.split(" ").slice(USER_TIME);
  return 10 * (Number(user) + Number(system));
}

/** Place of the user time among the fields after the name of the program, which is in brackets. */
const USER_TIME = 11;
