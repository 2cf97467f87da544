/**
 * Measures the Python engine beside the version before, which is checked out of the history of git and runs in the same
 * run on the same machine. How to read a line: `ours / before` is the ratio, then both figures, then the goal. A ratio
 * below 1 is less than before. The version before ran most programs on another engine, Monty, which starts in a
 * millisecond and is not Python: a trivial program costs more now, and a program with a class, `gather` or a caught
 * exception a hundredth. So the row that counts is E1, CPU a program over the programs of `test/runtime/run/programs`. E6 is
 * held against plain pyodide, the same build of CPython without our shim. `server` rows go through a client over stdio;
 * `engine` rows call CPython alone, in this process, on both sides. Wall time, unless a row says CPU: the load of the
 * machine is printed beside. Without git or the history, the rows have figures of ours alone. `--quick` takes every
 * twelfth program and does not wait for a minute. Exit 1 if a goal is missed.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { seedWorld } from "../support/run/program-world.js";
import { placed, programs } from "../support/run/programs.js";
import type { Line } from "./accepted.js";
import { checkoutBefore, engineOf, serverOf, usedBy } from "./engine-sides.js";
import { least, median } from "./measure.js";
import { createReport, flags, ROOT, shown, within } from "./report.js";
import { bare, bareSnapshot } from "./run-sides.js";

const { add, finish } = createReport("engine", "Python in `run`, beside the version before");
const TIMES = flags.quick ? 5 : 25;
const RESTING = 61_000;
const before = checkoutBefore();
if (!before) process.stdout.write("the version before is not in the history of git here: figures of ours alone\n");

/** A bound on a figure: of the ratio to the baseline, or of ours in ms. */
interface Bound {
  readonly ratio?: number;
  readonly ms?: number;
}

/** The figures of a row in words: `0.10; 8 ms against 80 ms (goal 0.1)`. */
function worded(ours: string, peer: string | undefined, ratio: number | undefined, { ratio: most, ms }: Bound): string {
  const goals = [most, ms && `${ms} ms`].filter((one) => one !== undefined);
  const compared = ratio === undefined ? ours : `${ratio.toFixed(2)}; ${ours} against ${peer}`;
  return goals.length === 0 ? compared : `${compared} (goal ${goals.join(", ")})`;
}

function verdictOf(ours: number, ratio: number | undefined, bound: Bound): Line["verdict"] {
  if (bound.ms !== undefined) return within(ours, bound.ms);
  if (bound.ratio === undefined) return "shown";
  if (ratio === undefined) return "absent";
  return ratio <= bound.ratio ? "met" : "missed";
}

/** Writes a row. */
function row(goal: string, what: string, ours: number, peer: number | undefined, bound: Bound, unit = shown): void {
  const ratio = peer === undefined ? undefined : ours / peer;
  const figures = worded(unit(ours), peer === undefined ? undefined : unit(peer), ratio, bound);
  add({ goal, what, figures, verdict: verdictOf(ours, ratio, bound), ...(ratio === undefined ? {} : { ratio }) });
}

/** A figure of this checkout, then of the version before; never both at once. */
async function sides(figure: (checkout: string) => Promise<number>): Promise<readonly [number, number | undefined]> {
  const ours = await figure(ROOT);
  return [ours, before === undefined ? undefined : await figure(before)];
}

async function timed(step: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await step();
  return performance.now() - start;
}

/** Times of a step, after some that do not count. */
async function times(step: () => Promise<unknown>, count = TIMES): Promise<readonly number[]> {
  for (let i = 0; i < 3; i++) await step();
  const found: number[] = [];
  for (let i = 0; i < count; i++) found.push(await timed(step));
  return found;
}

/** A figure of a server, which is closed then. */
const onServer =
  (figure: (side: Awaited<ReturnType<typeof serverOf>>) => Promise<number>) =>
  async (checkout: string): Promise<number> => {
    const side = await serverOf(checkout);
    try {
      await side.reply("1+1");
      return await figure(side);
    } finally {
      await side.close();
    }
  };

/** A figure of an engine, which is closed then. */
const onEngine =
  (figure: (side: Awaited<ReturnType<typeof engineOf>>) => Promise<number>) =>
  async (checkout: string): Promise<number> => {
    const side = await engineOf(checkout);
    try {
      return await figure(side);
    } finally {
      await side.close();
    }
  };

const CALLS = "n = 0\nfor i in range(1000):\n    n += len(ot.version())\nn";
const LIST = "xs = [i * 7 % 1000 for i in range(200_000)]\nsum(x for x in xs if x % 3 == 0)";

/** Runs many at once, and waits for all. */
const together = (count: number, run: (i: number) => Promise<unknown>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, (_, i) => run(i)));

async function onServers(): Promise<void> {
  const perProgram = onServer(async (side) => {
    const ids = await seedWorld(side);
    const codes = programs().filter((_, i) => !flags.quick || i % 12 === 0);
    const start = usedBy(side.pid).cpuMs;
    for (const { code } of codes) await side.reply(placed(code, ids));
    // Processes that were started for programs to come belong to the price.
    await sleep(1000);
    return (usedBy(side.pid).cpuMs - start) / codes.length;
  });
  row("E1", "server: CPU a program over the corpus / before", ...(await sides(perProgram)), { ratio: 0.1 });
  const one = onServer(async ({ reply }) => median(await times(() => reply("1+1"))));
  row("E2", "server: 1+1, p50 / before", ...(await sides(one)), { ms: 8 });
  const calls = onServer(async ({ reply }) => least(await times(() => reply(CALLS), Math.ceil(TIMES / 5))));
  row("E3", "server: 1,000 calls one after another / before", ...(await sides(calls)), { ms: 120 });
  const many = onServer(async ({ reply }) => least(await times(() => together(50, () => reply("1+1")), 3)));
  row("E4", "server: 50 at once of one caller / before", ...(await sides(many)), { ms: 400 });
  const first = async (checkout: string): Promise<number> => {
    let side: Awaited<ReturnType<typeof serverOf>> | undefined;
    const ms = await timed(async () => {
      side = await serverOf(checkout);
      await side.reply("1+1");
    });
    await side?.close();
    return ms;
  };
  // The first start of a checkout bundles its program, and makes the snapshot.
  await sides(first);
  row("E7", "server: from its start to the first answer / before", ...(await sides(first)), {});
  const rest = onServer(async ({ pid }) => {
    await sleep(flags.quick ? 2000 : RESTING);
    return usedBy(pid).rss;
  });
  const what = `server: memory ${flags.quick ? "2 s" : "a minute"} after a run / before`;
  row("E8", what, ...(await sides(rest)), {}, (mb) => `${mb.toFixed(0)} MB`);
}

async function onEngines(): Promise<void> {
  const one = onEngine(async ({ run }) => median(await times(() => run("__ret(1+1)"))));
  row("E2", "engine: 1+1, p50 / before, CPython", ...(await sides(one)), { ms: 8 });
  const cpu = onEngine(async ({ run }) => {
    await run("__ret(1+1)");
    const start = usedBy(process.pid).cpuMs;
    for (let i = 0; i < TIMES; i++) await run("__ret(1+1)");
    return (usedBy(process.pid).cpuMs - start) / TIMES;
  });
  row("E2", "engine: 1+1, CPU of all processes / before, CPython", ...(await sides(cpu)), { ratio: 0.1 });
  const many = onEngine(async ({ run }) => least(await times(() => together(50, () => run("__ret(1+1)")), 3)));
  row("E4", "engine: 50 at once of one caller", await many(ROOT), undefined, { ms: 400 });
  const callers = onEngine(({ run }) => timed(() => together(50, (i) => run("__ret(1+1)", `caller ${i % 10}`))));
  row("E5", "engine: 50 at once of ten callers", await callers(ROOT), undefined, {});
}

/** The list beside plain pyodide: both are asked for the sum, and must give the same. */
async function onPlain(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-bench-"));
  const file = join(folder, "bare.snapshot");
  await bareSnapshot(file);
  const plain = await bare("pyodide.mjs", file);
  const ours = await engineOf(ROOT);
  const code = LIST.replace("sum(x", "__ret(sum(x").concat(")");
  try {
    const [mine, theirs] = [await ours.run(code), await plain.run(LIST)];
    if (String(mine) !== theirs) throw new Error(`${mine} is not ${theirs}`);
    const [a, b]: [number[], number[]] = [[], []];
    for (let i = 0; i < TIMES; i++) {
      a.push(await timed(() => ours.run(code)));
      b.push(await timed(() => plain.run(LIST)));
    }
    row("E6", "engine: a list of 200,000 numbers, a condition and a sum / plain pyodide", median(a), median(b), {
      ratio: 1.2,
    });
  } finally {
    await Promise.all([ours.close(), plain.close()]);
    rmSync(folder, { recursive: true, force: true });
  }
}

await onEngines();
await onPlain();
await onServers();
finish();
