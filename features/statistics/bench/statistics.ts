/**
 * Measures statistics at scale: a million calls of 74 ops over 90 days, written by the recorder's own store.
 *
 * Measures how long `ot.stats` takes, alone and through the gateway; how long the deletion of old rows holds the
 * database; and what recording adds to a call: alone, as a share of a client's call and of a dispatched one, and as the
 * difference between calls with and without statistics. Recorded rows are written before the time ends. Reads and
 * deletions are wall time, calls the CPU time of the process, each in turn with the other. Runs on SQLite, and on
 * PostgreSQL if `TOOLWRIGHT_TEST_POSTGRES` is a URL. `--quick` takes a tenth of the calls and fewer pairs.
 */

import type { Project } from "../../../runtime/catalog/project.js";
import { silentLog } from "../../../runtime/config/log.js";
import { jsonSize } from "../../../runtime/contract/json-size.js";
import type { CallEntry } from "../../../runtime/contract/recorder.js";
import { PERIODS, type Period } from "../../../runtime/contract/statistics.js";
import { loadFeatures } from "../../../runtime/gateway/features.js";
import { createOpGateway, type Gateway, localPrincipal } from "../../../runtime/gateway/gateway.js";
import type { State } from "../../../runtime/state/open.js";
import { expire } from "../../../runtime/state/retention.js";
import { latencies, least, median, most, processMs, ratios, spreads } from "../../../test/bench/measure.js";
import { createReport, flags, shown, within } from "../../../test/bench/report.js";
import { served } from "../../../test/bench/run-sides.js";
import { DATABASES } from "../../../test/runtime/state/databases.js";
import { openRoot } from "../../../test/support/open-root.js";
import { freshRoot } from "../../../test/support/project.js";
import { randomOf } from "../../../test/support/random.js";
import { STATISTICS_OF_CALLS } from "../feature.js";
import { readStats } from "../figures.js";
import { writeBatch } from "../store.js";
import { STATISTICS } from "../tables.js";

const CALLS = flags.quick ? 100_000 : 1_000_000;
const PER_TRANSACTION = 20_000;
const OPS = 74;
const DAYS = 90;
const DAY = 86_400_000;
const PAIRS = flags.quick ? 3 : 7;
/** What a read, and a deletion while others wait, may take, in ms. */
const READ_MS = 100;
const HELD_MS = 50;
/** Share of a call that recording may cost. */
const COST = 0.02;
/** Calls of one batch that is timed. */
const TIMES = flags.quick ? 200 : 500;

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
    await state.transaction("write", (tx) => writeBatch(tx, { calls, runs: [], sums: [], others: [] }));
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
  const figures = Object.entries(raw).map(([name, times]) => `${name} ${shown(least(times))}`);
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
  const whole = await timed(() => expire(holding, now - (DAYS * DAY * 2) / 3, STATISTICS));
  const figures = `${shown(most(held))} (median ${shown(median(held))}) of ${held.length} transactions, ${shown(whole)} in all (goal ${HELD_MS} ms)`;
  add({
    goal: "T2",
    what: `longest transaction that deletes a third, ${name}`,
    figures,
    verdict: within(most(held), HELD_MS),
  });
}

/** A gateway on a state that outlives it. */
async function gatewayOn(project: Project, state: State, isRecorded: boolean): Promise<Gateway> {
  const features = await loadFeatures({ features: isRecorded ? [STATISTICS_OF_CALLS] : [], config: { sources: [] } });
  const open = async (): Promise<State> => ({ ...state, close: async () => undefined });
  const gateway = createOpGateway(project, { openState: open, log: silentLog, features });
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
async function cpuOf(gateway: Gateway, call: (exec: Exec) => Promise<unknown>): Promise<number> {
  const exec = execOn(gateway);
  return cpuOfEach(async () => {
    for (let i = 0; i < TIMES; i++) await call(exec);
    await gateway.recorder?.flush();
  });
}

async function cpuOfEach(all: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await all();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / TIMES;
}

/** A project of 50 tasks, through a gateway. */
async function tasks(exec: Exec): Promise<string> {
  const project = { name: "bench", type_key: "project.business.bench" };
  const made = (await exec("onto.project.create", { project, entities: [], relationships: [] })) as {
    readonly project: { readonly id: string };
  };
  const more = { description: "What is to be done, said in a sentence.", type_key: "task.execute", state_key: "todo" };
  for (let i = 0; i < 50; i++)
    await exec("onto.task.create", { project_id: made.project.id, title: `Task ${i}`, priority: 3, ...more });
  return made.project.id;
}

/** Recording by itself: the sizes, the entry, and its share of what is written. */
async function recording(gateway: Gateway, args: object, result: unknown): Promise<number> {
  const { recorder } = gateway;
  const made = entry(Date.now(), randomOf(1));
  return cpuOfEach(async () => {
    for (let i = 0; i < TIMES; i++)
      recorder?.call({ ...made, op: "onto.task.list", chars_in: jsonSize(args), chars_out: jsonSize(result) });
    await recorder?.flush();
  });
}

/** What recording costs calls of this process. */
async function cost(project: Project, state: State, name: string): Promise<void> {
  const [on, off] = await Promise.all([gatewayOn(project, state, true), gatewayOn(project, state, false)]);
  const args = { project_id: await tasks(execOn(off)), limit: 20 };
  const list = (exec: Exec) => exec("onto.task.list", args);
  const result = await list(execOn(off));
  const alone = await latencies(
    () => recording(on, args, result),
    () => cpuOf(off, list),
    PAIRS,
  );
  const share = `${percent(ratios(alone).minima)}; ${micro(least(alone.ours))} against ${micro(least(alone.peer))}`;
  add(
    { goal: "T3", what: `recording / a list of 20 tasks dispatched, ${name}`, figures: share, verdict: "shown" },
    alone,
  );
  for (const [what, call] of [
    ["a list of 20 tasks", list],
    ["ot.version, which does nothing,", (exec: Exec) => exec("ot.version", {})],
  ] as const) {
    const raw = await latencies(
      () => cpuOf(on, call),
      () => cpuOf(off, call),
      2 * PAIRS,
    );
    const { minima, paired } = ratios(raw);
    const figures = `${minima.toFixed(2)} (pairs ${paired.toFixed(2)}); ${micro(least(raw.ours))} against ${micro(least(raw.peer))}`;
    const verdict = spreads(raw) ? "inconclusive" : "shown";
    add({ goal: "T3", what: `${what} dispatched with statistics / without, ${name}`, figures, verdict }, raw);
  }
}

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
const micro = (ms: number): string => `${(1000 * ms).toFixed(0)} µs`;

/** What recording costs a call as a client makes it: `run`, by a server of its own process, on the embedded database. */
async function costOfRun(): Promise<void> {
  const what = "recording / a list of 20 tasks by a client of the server";
  if (process.platform !== "linux") return add({ goal: "T3", what, figures: "there is no /proc", verdict: "absent" });
  const { project, gateway } = await openRoot(freshRoot(later), "", later);
  const args = { project_id: await tasks(execOn(gateway)), limit: 20 };
  const result = await execOn(gateway)("onto.task.list", args);
  const server = await served(project.root);
  later(server.close);
  const code = `onto.task.list(project_id="${args.project_id}", limit=20)`;
  const asked = async (): Promise<number> => {
    const before = processMs(server.pid);
    for (let i = 0; i < TIMES; i++) await server.run(code);
    return (processMs(server.pid) - before) / TIMES;
  };
  const raw = await latencies(() => recording(gateway, args, result), asked, PAIRS);
  const share = ratios(raw).minima;
  const figures = `${percent(share)}; ${micro(least(raw.ours))} against ${micro(least(raw.peer))} (goal ${percent(COST)})`;
  add({ goal: "T3", what, figures, verdict: share <= COST ? "met" : "missed", ratio: share }, raw);
}

try {
  const { project } = await openRoot(freshRoot(later), "", later);
  await costOfRun();
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
    const now = Date.now();
    await fill(state, now);
    await reads(`ot.stats read, ${name}`, (period, op) =>
      state.transaction("read", (tx) => readStats(tx, { period, op, now })),
    );
    const exec = execOn(await gatewayOn(project, state, true));
    await reads(`ot.stats called, ${name}`, (period, op) => exec("ot.stats", { period, tool: op }));
    await deletion(state, now, name);
  }
} finally {
  for (const clean of cleaning.reverse()) await clean();
}
finish();
