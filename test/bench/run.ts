/**
 * Measures `run`: the overhead over a bare pyodide in a child, which keeps one process for all runs, and times that have
 * no peer beside their targets. Both sides must give the same results before they are timed. The figures are wall time,
 * so the load of the machine is printed beside them. `--quick` takes 3 pairs. Raw pairs go to `.cache/bench/run.json`;
 * `--accept` keeps the run. Exit 1 if a ratio grew by more than 15 per cent against the accepted one.
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parser } from "@lezer/python";
import { rewrite } from "../../runtime/run/languages/python/rewrite.js";
import { latencies, least, most, ratios, spreads } from "./measure.js";
import { createReport, flags, shown, within } from "./report.js";
import { bare, bareSnapshot, benchRoot, processes, type Running, runners, type Side, served } from "./run-sides.js";

const PAIRS = flags.quick ? 3 : 7;
/** Short runs are timed that many at a time. */
const BATCH = 20;
/** Runs that warm a server, as calls do in the bench of calls. */
const WARM = flags.quick ? 100 : 1000;
/** What a client does between the list of tools and its first call, in ms: a model reads and writes. */
const THINKING = 1000;
/** Longer than idle engines stay. */
const RESTING = 65_000;
/** MB that a server and its processes are to have: at the start; a minute after its tools were listed, and after a run. */
const MEMORY_GOALS = { start: 75, listed: 95, ran: 180 } as const;

/** The code of each figure; all give a whole number. */
const CODE = {
  nothing: "1+1",
  calls: "n = 0\nfor i in range(1000):\n    n = bench.next(n=n)\nn",
  waits: "n = 0\nfor i in range(10):\n    n = bench.wait(n=n)\nn",
  class: "class Box:\n    size = 41\nBox.size + 1",
  numbers: "n = 0\nfor i in range(1000000):\n    if i % 3 > 1:\n        n = n + i\nn",
} as const;

const { add, finish } = createReport("run", "wall time");
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

/** A figure: the ratio of ours to the bare engine's, and both. */
async function compare(
  goal: string,
  what: string,
  ours: () => Promise<number>,
  peer: () => Promise<number>,
  target?: number,
  { ratio, over }: { readonly ratio?: number | undefined; readonly over?: number | undefined } = {},
): Promise<void> {
  const raw = await latencies(ours, peer, PAIRS);
  const { minima, paired } = ratios(raw);
  const more = least(raw.ours) - least(raw.peer);
  const wanted = `${target === undefined ? "" : ` (target ${target} ms)`}${ratio === undefined ? "" : ` (goal ${ratio})`}${over === undefined ? "" : `: ${more.toFixed(2)} ms more (goal ${over} ms)`}`;
  const figures = `${minima.toFixed(2)} (pairs ${paired.toFixed(2)}); ${shown(least(raw.ours))} against ${shown(least(raw.peer))}${wanted}`;
  const verdict = spreads(raw) ? "inconclusive" : "shown";
  add({ goal, what, figures, verdict, ratio: Math.min(minima, paired) }, raw);
}

/** A figure without a peer: the least time of some rounds, beside its target. */
async function alone(goal: string, what: string, target: number, ours: () => Promise<number>): Promise<void> {
  await ours();
  const times: number[] = [];
  for (let i = 0; i < PAIRS; i++) times.push(await ours());
  const figures = `${shown(least(times))} (target ${target} ms)`;
  add({ goal, what, figures, verdict: within(least(times), target) }, { times });
}

async function timed(step: () => Promise<unknown>, times = 1): Promise<number> {
  const start = performance.now();
  for (let i = 0; i < times; i++) await step();
  return (performance.now() - start) / times;
}

/** Times code on both sides, once they agree on what comes of it. */
async function same(goal: string, what: string, code: string, sides: Both, more: More = {}): Promise<void> {
  const { times = 1, together = 1, warm = 0, target, goal: ratio, over } = more;
  const [ours, peer] = [await sides.ours(code), await sides.peer(code)];
  if (ours !== peer) throw new Error(`${what}: ${ours} is not ${peer}`);
  for (let i = 0; i < warm; i++) {
    await sides.ours(code);
    await sides.peer(code);
  }
  const timing = (run: Running) => () =>
    timed(() => Promise.all(Array.from({ length: together }, () => run(code))), times);
  await compare(goal, what, timing(sides.ours), timing(sides.peer), target, { ratio, over });
}

interface Both {
  readonly ours: Running;
  readonly peer: Running;
}

interface More {
  readonly times?: number;
  readonly together?: number;
  /** Runs before those that are timed. */
  readonly warm?: number;
  readonly target?: number;
  /** The ratio that it is to have at most. */
  readonly goal?: number;
  /** Milliseconds that it is to take more at most. */
  readonly over?: number;
}

/** From nothing to the first result; what was started is ended outside the time. */
const firstResult = (start: () => Promise<Side>, code: string, wanted: string) => async (): Promise<number> => {
  const begun = performance.now();
  const side = await start();
  const text = await side.run(code);
  const ms = performance.now() - begun;
  await side.close();
  if (text !== wanted) throw new Error(`${text} is not ${wanted}`);
  return ms;
};

async function starts(root: string, snapshot: string): Promise<void> {
  const peer = () => bare("pyodide.mjs", snapshot);
  const server = firstResult(() => served(root), CODE.nothing, "2");
  const what = "first result after the start of a server / bare pyodide from its snapshot";
  await compare("R1", what, server, firstResult(peer, CODE.nothing, "2"), 600);
  const prepared = async (start: () => Promise<Side>, code: string): Promise<number> => {
    const side = await start();
    await sleep(THINKING);
    const ms = await timed(() => side.run(code));
    await side.close();
    return ms;
  };
  const listed = async () => {
    const server = await served(root);
    await server.list();
    return server;
  };
  await compare(
    "R2",
    "first run of a server whose tools were listed 1 s before / bare pyodide",
    () => prepared(listed, CODE.nothing),
    () => prepared(peer, CODE.nothing),
  );
}

type Make = Awaited<ReturnType<typeof runners>>;
const both = (ours: Running, peer: Running): Both => ({ ours, peer });

async function programs(root: string, make: Make, snapshot: string): Promise<void> {
  const [server, peer] = [await served(root), await bare("pyodide.mjs", snapshot)];
  const { run, languages, runAs } = make();
  later(() => Promise.all([server.close(), peer.close(), languages.close()]));
  await same("R3", "1+1, warm, by a client of the server / bare pyodide", CODE.nothing, both(server.run, peer.run), {
    ...{ times: BATCH, warm: WARM, target: 8 },
  });
  const sides = both(run, peer.run);
  await same("R4", "a class, warm / bare pyodide", CODE.class, sides, { times: BATCH });
  await alone("R5", "1,000 calls", 120, () => timed(() => run(CODE.calls)));
  const atOnce = (count: number, code: string) => () =>
    timed(() => Promise.all(Array.from({ length: count }, () => run(code))));
  await alone("R6", "100 runs at once of 10 calls of 5 ms", 4000, atOnce(100, CODE.waits));
  await same("R7", "a loop of 1,000,000 numbers / bare pyodide", CODE.numbers, sides);
  await alone("R8", "50 runs at once of one caller", 400, atOnce(50, CODE.nothing));
  let caller = 0;
  await alone("R9", "the first run of another caller", 700, () =>
    timed(() => runAs(`caller ${++caller}`, CODE.nothing)),
  );
}

const BLOCK = `def total(rows, name):
    found = [row for row in rows if row["name"] == name]
    return sum(row["n"] for row in found)

rows = [{"name": f"row {i}", "n": i % 7} for i in range(20)]
if total(rows, "row 3") > 2 and len(rows) < 100:
    note = bench.next(n=len(rows))
else:
    note = None
print(total(rows, name="row 5"), note)
`;

async function parsing(make: Make): Promise<void> {
  const { runner, principal } = make();
  const { names } = runner.loader.toolsFor(principal);
  const code = BLOCK.repeat(10);
  const ours = () => timed(async () => rewrite(code, names), BATCH);
  const peer = () => timed(async () => parser.parse(code), BATCH);
  // A compiler that is warm, as in a server that was asked before.
  for (let i = 0; i < 5; i++) await ours();
  await compare("R10", "parse and rewrite 100 lines / the parser alone", ours, peer, 3);
}

async function killed(make: Make): Promise<void> {
  const { languages, run, runner, principal } = make();
  later(() => languages.close());
  await alone("R11", "a run after one that is killed", 700, async () => {
    await run(CODE.nothing);
    const cancel = new AbortController();
    const stuck = runner.run({ command: "while True:\n    pass" }, principal, { signal: cancel.signal });
    await sleep(100);
    return timed(async () => {
      cancel.abort();
      await stuck;
      await run(CODE.nothing);
    });
  });
}

/** MB of one server and of the bare engine. */
interface Held {
  readonly cpython: readonly [ours: number, peer: number];
  /** The server with its processes: at the start, once its tools are listed, after a run. */
  readonly stages: readonly number[];
  /** A minute after its tools were listed, and after a run. */
  readonly rest: readonly number[];
}

async function held(root: string, snapshot: string, rests: boolean): Promise<Held> {
  const [server, pyodide] = [await served(root), await bare("pyodide.mjs", snapshot)];
  const sum = (): number => processes(server.pid).reduce((all, { rss }) => all + rss, 0);
  const rssOf = (pid: number): number => processes(pid).find((one) => one.pid === pid)?.rss ?? Number.NaN;
  const ours = (): number => processes(server.pid).find(({ command }) => command.includes("cpython"))?.rss ?? 0;
  try {
    const [stages, rest]: [number[], number[]] = [[sum()], []];
    const atRest = async (): Promise<void> => {
      if (rests) await sleep(RESTING);
      if (rests) rest.push(sum());
    };
    await server.list();
    await sleep(THINKING);
    stages.push(sum());
    await atRest();
    for (let i = 0; i < BATCH; i++) await server.run(CODE.nothing);
    await pyodide.run(CODE.class);
    await sleep(THINKING);
    stages.push(sum());
    const cpython = [ours(), rssOf(pyodide.pid)] as const;
    await atRest();
    return { cpython, stages, rest };
  } finally {
    await Promise.all([server.close(), pyodide.close()]);
  }
}

/** Most of what is held over some servers, one after another. */
async function memory(root: string, snapshot: string): Promise<void> {
  const all: Held[] = [];
  for (let i = 0; i < 3; i++) all.push(await held(root, snapshot, i === 0 && !flags.quick));
  const [ours, peer] = [most(all.map((one) => one.cpython[0])), most(all.map((one) => one.cpython[1]))];
  const compared = `${(ours / peer).toFixed(2)}; ${ours.toFixed(0)} MB against ${peer.toFixed(0)} MB`;
  const what = "memory of a Python process that was used / bare pyodide";
  add({ goal: "R12", what, figures: compared, verdict: "shown", ratio: ours / peer });
  const [before = 0, listed = 0, ran = 0] = [0, 1, 2].map((at) => most(all.map((one) => one.stages[at] ?? 0)));
  heldRow("memory of a server as it starts", before, MEMORY_GOALS.start);
  const figures = `${listed.toFixed(0)} MB once the tools are listed, ${ran.toFixed(0)} MB after a run`;
  add({ goal: "R12", what: "memory of a server and its processes", figures, verdict: "shown" });
  const [listedAtRest, ranAtRest] = all[0]?.rest ?? [];
  if (listedAtRest === undefined || ranAtRest === undefined) return;
  heldRow("memory of a server a minute after its tools were listed", listedAtRest, MEMORY_GOALS.listed);
  heldRow("memory of a server a minute after a run", ranAtRest, MEMORY_GOALS.ran);
}

function heldRow(what: string, mb: number, goal: number): void {
  add({ goal: "R12", what, figures: `${mb.toFixed(0)} MB (goal ${goal} MB)`, verdict: mb <= goal ? "met" : "missed" });
}

try {
  const root = await benchRoot(later);
  const folder = mkdtempSync(join(tmpdir(), "toolwright-bench-"));
  later(() => rmSync(folder, { recursive: true, force: true }));
  const snapshot = join(folder, "bare.snapshot");
  await bareSnapshot(snapshot);
  const make = await runners(root, later);
  await starts(root, snapshot);
  await programs(root, make, snapshot);
  await parsing(make);
  await killed(make);
  await memory(root, snapshot);
} finally {
  // Processes first, then the folders that they use.
  for (const clean of cleaning.reverse()) await clean();
}
finish();
