/**
 * The statistics (`ot-pack.md` 3) where there are many: a million calls of 74 ops over 90 days, written by the recorder's own store.
 * How long `ot.stats` takes, by itself and through the gateway; how long deleting what is old holds the database; and what recording
 * costs a call: the same calls with statistics and without in turn, what is recorded written before the time ends. Of reads and
 * deletions wall time, of calls the CPU of this process. On SQLite, and on PostgreSQL where `TOOLWRIGHT_TEST_POSTGRES` is a URL.
 * `--quick` takes a tenth of the calls and fewer pairs.
 */

import { createGateway, type Gateway, localPrincipal } from "../../runtime/gateway.js";
import { silentLog } from "../../runtime/observe/log.js";
import type { Project } from "../../runtime/settings.js";
import type { State } from "../../runtime/state/open.js";
import { expire } from "../../runtime/stats/expire.js";
import { PERIODS, type Period, readStats } from "../../runtime/stats/figures.js";
import type { CallEntry } from "../../runtime/stats/recorder.js";
import { write } from "../../runtime/stats/store.js";
import { DATABASES } from "../runtime/state/databases.js";
import { openRoot } from "../support/extensions.js";
import { freshRoot } from "../support/project.js";
import { randomOf } from "../support/random.js";
import { latencies, least, median, most, ratios, spreads } from "./measure.js";
import { createReport, flags, shown, within } from "./report.js";

const CALLS = flags.quick ? 100_000 : 1_000_000;
const PER_TRANSACTION = 20_000;
const OPS = 74;
const DAYS = 90;
const DAY = 86_400_000;
const PAIRS = flags.quick ? 3 : 7;
/** What a read, and a deletion while others wait, may take, in ms. */
const READ_MS = 100;
const HELD_MS = 50;
/** What a call may take with statistics over without. */
const COST = 1.02;

const { add, finish } = createReport("statistics", "wall time, of calls CPU");
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

/** Some ops are called far more often than others. */
function entry(at: number, random: () => number): CallEntry {
  return {
    at,
    op: `bench.thing${Math.floor(random() ** 2 * OPS)}.list`,
    ...(random() < 0.03 ? { code: "NOT_FOUND" } : {}),
    ms: 50 * random() ** 3,
    chars_in: Math.floor(300 * random()),
    chars_out: Math.floor(5000 * random()),
    ...{ trace_id: "tr_0123456789abcdef", caller: "local", client: "bench" },
  };
}

async function fill(state: State, now: number): Promise<void> {
  const random = randomOf(20261122);
  for (let done = 0; done < CALLS; done += PER_TRANSACTION) {
    process.stderr.write(`\r${done} calls   `);
    const times = Array.from({ length: PER_TRANSACTION }, (_, i) => now - DAYS * DAY * (1 - (done + i + 1) / CALLS));
    const calls = times.map((at) => entry(at, random));
    await state.transaction("write", (tx) => write(tx, { calls, runs: [], sums: [] }));
  }
  process.stderr.write("\r");
}

async function timed(step: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await step();
  return performance.now() - start;
}

/** A goal of reads: every period, over all ops and over one. */
async function reads(what: string, read: (period: Period, op: string) => Promise<unknown>): Promise<void> {
  const raw: Record<string, readonly number[]> = {};
  for (const op of ["", "bench.thing0.list"])
    for (const period of Object.keys(PERIODS) as Period[]) {
      await read(period, op);
      const times: number[] = [];
      for (let i = 0; i < PAIRS; i++) times.push(await timed(() => read(period, op)));
      raw[op === "" ? period : `${period}, one op`] = times;
    }
  const figures = Object.entries(raw).map(([name, times]) => `${name} ${shown(median(times))}`);
  const slowest = most(Object.values(raw).map(least));
  add(
    { goal: "T1", what, figures: `${figures.join("; ")} (goal ${READ_MS} ms)`, verdict: within(slowest, READ_MS) },
    raw,
  );
}

/** Deletes the oldest third, as a server does that was away for a month. */
async function deletion(state: State, now: number, name: string): Promise<void> {
  const held: number[] = [];
  const holding: State = {
    ...state,
    transaction: async (mode, run) => {
      let ms = 0;
      const value = await state.transaction(mode, async (tx) => {
        const start = performance.now();
        const made = await run(tx);
        ms = performance.now() - start;
        return made;
      });
      held.push(ms);
      return value;
    },
  };
  const whole = await timed(() => expire(holding, now - (DAYS * DAY * 2) / 3));
  const figures = `${shown(most(held))} (median ${shown(median(held))}) of ${held.length} transactions, ${shown(whole)} in all (goal ${HELD_MS} ms)`;
  add({
    goal: "T2",
    what: `longest transaction that deletes a third, ${name}`,
    figures,
    verdict: within(median(held), HELD_MS),
  });
}

/** A gateway on a state that outlives it. */
function gatewayOn(project: Project, state: State, enabled: boolean): Gateway {
  const { settings } = project;
  const own = { ...project, settings: { ...settings, stats: { ...settings.stats, enabled } } };
  const open = async (): Promise<State> => ({ ...state, close: async () => undefined });
  const gateway = createGateway(own, { openState: open, log: silentLog });
  later(gateway.close);
  return gateway;
}

type Exec = (op: string, args: object) => Promise<unknown>;

const execOn = (gateway: Gateway): Exec => {
  const principal = { ...localPrincipal(gateway.settings), allowWrite: true };
  return async (op, args) => {
    const envelope = await gateway.dispatch({ op, args }, principal);
    if (!envelope.ok) throw new Error(JSON.stringify(envelope));
    return envelope.result;
  };
};

/** CPU of this process for a call, in ms: the mean of some, one after another, and of what is written behind them. */
async function cpuOf(gateway: Gateway, calls: number, call: (exec: Exec) => Promise<unknown>): Promise<number> {
  const exec = execOn(gateway);
  const before = process.cpuUsage();
  for (let i = 0; i < calls; i++) await call(exec);
  await gateway.recorder?.flush();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / calls;
}

async function cost(project: Project, state: State, name: string): Promise<void> {
  const [on, off] = [gatewayOn(project, state, true), gatewayOn(project, state, false)];
  const { project: made } = (await execOn(off)("onto.project.create", {
    project: { name: "bench", type_key: "project.business.bench" },
    entities: [],
    relationships: [],
  })) as { readonly project: { readonly id: string } };
  for (let i = 0; i < 50; i++)
    await execOn(off)("onto.task.create", {
      ...{ project_id: made.id, title: `Task ${i}`, description: "What is to be done, said in a sentence." },
      ...{ type_key: "task.execute", state_key: "todo", priority: 3 },
    });
  const list = (exec: Exec) => exec("onto.task.list", { project_id: made.id, limit: 20 });
  const times = flags.quick ? 200 : 500;
  const raw = await latencies(
    () => cpuOf(on, times, list),
    () => cpuOf(off, times, list),
    3 * PAIRS,
  );
  const { minima, paired } = ratios(raw);
  const ratio = Math.min(minima, paired);
  const figures = `${minima.toFixed(3)} (pairs ${paired.toFixed(3)}), bound ${COST}; ${shown(least(raw.ours))} against ${shown(least(raw.peer))}`;
  const verdict = ratio <= COST ? "met" : spreads(raw) ? "inconclusive" : "missed";
  add({ goal: "T3", what: `a list of 20 tasks with statistics / without, ${name}`, figures, verdict, ratio }, raw);
}

/** What recording costs by itself: calls of `ot.version`, which does nothing. */
async function nothing(project: Project, state: State, name: string): Promise<void> {
  const [on, off] = [gatewayOn(project, state, true), gatewayOn(project, state, false)];
  const version = (exec: Exec) => exec("ot.version", {});
  const raw = await latencies(
    () => cpuOf(on, 2000, version),
    () => cpuOf(off, 2000, version),
    PAIRS,
  );
  const us = 1000 * (least(raw.ours) - least(raw.peer));
  const figures = `${us.toFixed(0)} µs; ${shown(least(raw.ours))} against ${shown(least(raw.peer))}`;
  add({ goal: "T3", what: `what recording adds to a call that does nothing, ${name}`, figures, verdict: "shown" }, raw);
}

try {
  const { project } = await openRoot(freshRoot(later), "", later);
  for (const { name, skip, place } of DATABASES) {
    if (skip) {
      add({ goal: "T1", what: name, figures: "TOOLWRIGHT_TEST_POSTGRES is no URL", verdict: "absent" });
      continue;
    }
    const made = await place();
    later(made.remove);
    const state = await made.open();
    later(state.close);
    await cost(project, state, name);
    await nothing(project, state, name);
    const now = Date.now();
    await fill(state, now);
    await reads(`ot.stats read, ${name}`, (period, op) =>
      state.transaction("read", (tx) => readStats(tx, { period, op, now })),
    );
    const exec = execOn(gatewayOn(project, state, true));
    await reads(`ot.stats called, ${name}`, (period, op) => exec("ot.stats", { period, tool: op }));
    await deletion(state, now, name);
  }
} finally {
  for (const clean of cleaning.reverse()) await clean();
}
finish();
