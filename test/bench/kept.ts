/**
 * What it costs that a program can pause: the log of a program that only reads, the writes of a program beside the same
 * writes with keys that are sent by hand, what a pause adds, and how long a program takes to go on after 5,000 calls.
 * Wall time, on SQLite and, if `TOOLWRIGHT_TEST_POSTGRES` is a URL, on PostgreSQL. `--quick`: a tenth of the calls.
 */

import { join } from "node:path";
import { approvalRulesOf } from "../../runtime/config/approval-settings.js";
import { runSettingsOf } from "../../runtime/config/run-settings.js";
import { deliveryLog } from "../../runtime/run/engine/delivery-log.js";
import { openJournal } from "../../runtime/run/engine/journal.js";
import { decide } from "../../runtime/run/kept/approval-table.js";
import type { State } from "../../runtime/state/open.js";
import { queries } from "../../runtime/state/schema.js";
import { fixture, handler, principal } from "../runtime/gateway/fixture.js";
import { DATABASES, type Place } from "../runtime/state/databases.js";
import { lendSnapshots } from "../support/run/python-snapshots.js";
import { namespaceOf } from "../support/run/run-engine.js";
import { median } from "./measure.js";
import { createReport, flags, shown, within } from "./report.js";

const [READS, WRITES, EARLIER] = flags.quick ? [100, 100, 500] : [1000, 1000, 5000];
const ROUNDS = flags.quick ? 2 : 7;
const PATIENCE_MS = 300_000;
/** Largest share of a run of reads that its log may take. */
const MOST_LOG = 0.03;
const PAUSE_MS = 20;
const RESUME_MS = 3000;

const { add, finish } = createReport("kept", "wall time");
const share = (ratio: number): string => `${(100 * ratio).toFixed(1)} %`;

/** A server; deletions wait for a person if it `asks`. */
function server(here: Place, state: State, asks = false) {
  lendSnapshots(join(here.root, ".onetool", "cache"));
  const { gateway } = fixture({
    project: { root: here.root },
    handlers: {
      "onto.task.list": handler(async () => ({ count: 1 })),
      "onto.task.create": handler(async () => ({ created: 1 })),
      "onto.task.delete": handler(async () => ({ deleted: 1 })),
    },
    options: { openState: async () => ({ ...state, close: async () => undefined }) },
    settings: {
      callTimeoutMs: PATIENCE_MS,
      run: runSettingsOf({ limits: { wall_ms: PATIENCE_MS, host_calls: 100_000 } as never }),
      approvals: approvalRulesOf(asks ? [{ ops: ["onto.task.delete"] }] : [], String),
    },
  });
  return gateway;
}
type Server = ReturnType<typeof server>;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

/** Programs that pause wait for a person; a caller may have few of them. */
const forget = (state: State): Promise<unknown> =>
  state.transaction("write", async (tx) => {
    for (const table of ["runs", "run_calls", "run_deliveries", "run_inner", "approvals"] as const)
      await queries(tx).deleteFrom(table).execute();
  });

async function answer(gateway: Server, command: string): Promise<string> {
  const { text, isError } = await gateway.run({ command }, principal());
  if (isError && !text.startsWith("Paused")) throw new Error(text);
  return text;
}

const reading = (count: number): string => `n = 0\nfor i in range(${count}):\n    n = n + onto.task.list()["count"]\n`;

/** Milliseconds that the journal and the order of deliveries take for so many calls that are answered at once. */
async function logMs(count: number): Promise<number> {
  const namespace = namespaceOf({ "onto.task.list": () => 1 });
  const signal = new AbortController().signal;
  const calls = async (call: typeof namespace.call): Promise<void> => {
    for (let i = 0; i < count; i++) await call({ path: ["onto", "task", "list"], positional: [], named: [], signal });
  };
  const plain = await timed(() => calls(namespace.call));
  const journal = openJournal({ namespace });
  const log = deliveryLog();
  const logged = await timed(() =>
    calls(async (one) => {
      const value = await journal.namespace.call(one);
      log.ready({ call: log.deliveries.length + 1 }, () => undefined);
      return value;
    }),
  );
  return logged - plain;
}

async function reads(here: Place, state: State): Promise<void> {
  const gateway = server(here, state);
  await answer(gateway, reading(READS));
  const [logs, wholes] = [[] as number[], [] as number[]];
  for (let round = 0; round < ROUNDS; round++) {
    logs.push(await logMs(READS));
    wholes.push(await timed(() => answer(gateway, reading(READS))));
  }
  await gateway.close();
  const ratio = median(logs) / median(wholes);
  const figures = `${share(ratio)}; ${shown(median(logs))} of ${shown(median(wholes))} (goal ${share(MOST_LOG)})`;
  add(
    {
      goal: "P1",
      what: `the log of a program of ${READS} reads / the program`,
      figures,
      verdict: ratio <= MOST_LOG ? "met" : "missed",
    },
    { logs, wholes },
  );
}

async function writes(here: Place, state: State, name: string): Promise<void> {
  const gateway = server(here, state);
  const command = `for i in range(${WRITES}):\n    onto.task.create(project_id="proj_1", title=str(i))\n`;
  let key = 0;
  const byHand = async (): Promise<void> => {
    for (let i = 0; i < WRITES; i++) {
      const args = { project_id: "proj_1", title: String(i) };
      const { ok } = await gateway.dispatch(
        { op: "onto.task.create", args, idempotency_key: `k${key++}` },
        principal(),
      );
      if (!ok) throw new Error("a write failed");
    }
  };
  await answer(gateway, command);
  const [ours, hands] = [[] as number[], [] as number[]];
  for (let round = 0; round < Math.min(ROUNDS, 3); round++) {
    hands.push(await timed(byHand));
    ours.push(await timed(() => answer(gateway, command)));
  }
  await gateway.close();
  const ratio = median(ours) / median(hands);
  const figures = `${ratio.toFixed(2)}; ${shown(median(ours))} against ${shown(median(hands))}`;
  add(
    {
      goal: "P2",
      what: `a program of ${WRITES} writes / as many with keys sent by hand, ${name}`,
      figures,
      verdict: "shown",
      ratio,
    },
    { ours, hands },
  );
}

async function pauses(here: Place, state: State, name: string): Promise<void> {
  const [asking, plain] = [server(here, state, true), server(here, state)];
  const command = 'onto.task.delete(task_id="task_1")\n1';
  const [paused, whole] = [[] as number[], [] as number[]];
  for (let round = 0; round < 10 * ROUNDS; round++) {
    whole.push(await timed(() => answer(plain, command)));
    paused.push(await timed(() => answer(asking, command)));
    await forget(state);
  }
  for (const one of [asking, plain]) await one.close();
  const more = median(paused) - median(whole);
  const figures = `${shown(more)}; ${shown(median(paused))} against ${shown(median(whole))} (goal ${PAUSE_MS} ms)`;
  add(
    {
      goal: "P3",
      what: `what a pause adds to a program of one write, ${name}`,
      figures,
      verdict: within(more, PAUSE_MS),
    },
    { paused, whole },
  );
}

/** A program pauses after many calls, is approved, and goes on at another server, whose engine is warm. */
async function resumes(here: Place, state: State, name: string): Promise<void> {
  const command = `${reading(EARLIER)}onto.task.delete(task_id="task_1")\nn`;
  const times: number[] = [];
  for (let round = 0; round < Math.min(ROUNDS, 3); round++) {
    const [first, second] = [server(here, state, true), server(here, state, true)];
    const id = /run_\w+/.exec(await answer(first, command))?.[0] ?? "";
    await answer(second, "1+1");
    const now = Date.now();
    await state.transaction("write", (tx) =>
      decide(tx, id, [], { status: "approved", by: "bench", via: "cli", reason: "" }, now),
    );
    times.push(
      await timed(async () => {
        const { text } = await second.resume(id, undefined);
        if (text !== String(EARLIER)) throw new Error(text);
      }),
    );
    for (const one of [first, second]) await one.close();
    await forget(state);
  }
  const figures = `${shown(median(times))} (goal ${RESUME_MS} ms)`;
  add(
    {
      goal: "P4",
      what: `going on after ${EARLIER} calls, ${name}`,
      figures,
      verdict: within(median(times), RESUME_MS),
    },
    { times },
  );
}

for (const { name, skip, place } of DATABASES) {
  if (skip) {
    add({ goal: "P2", what: name, figures: "TOOLWRIGHT_TEST_POSTGRES is no URL", verdict: "absent" });
    continue;
  }
  const here = await place();
  const state = await here.open();
  if (name === "SQLite") await reads(here, state);
  await writes(here, state, name);
  await pauses(here, state, name);
  await resumes(here, state, name);
  await state.close();
  await here.remove();
}
finish();
