/**
 * A simulation of many servers on one PostgreSQL, in one process: 100 servers with a pool of one connection and one that
 * listens, 10,000 keys that call with very different frequency. Measures what the shared parts cost the database for each
 * call, and how long a message takes until the slowest server has it. Wall time and counts of statements.
 * `--quick`: 20 servers.
 */

import { randomUUID } from "node:crypto";
import { cpus, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { createSharedRates } from "../../runtime/access/shared-rate.js";
import { silentLog } from "../../runtime/config/log.js";
import { openState, type State } from "../../runtime/state/open.js";
import { temporaryFolder } from "../support/project.js";
import { randomOf } from "../support/random.js";
import { percentile } from "../support/servers/load.js";
import { NO_DATABASE, startSharedDatabase } from "../support/shared-database.js";
import { createReport, flags, shown } from "./report.js";

const SERVERS = flags.quick ? 20 : 100;
const KEYS = 10_000;
const MS = flags.quick ? 5000 : 20_000;
/** Calls an hour that the servers have to admit together. */
const CALLS_AN_HOUR = 1_000_000;
const WANTED = CALLS_AN_HOUR / 3600;
const RATES = { burst: 240, perSecond: 20 };
const MESSAGES = flags.quick ? 20 : 100;

const { add, finish } = createReport("simulation", `${SERVERS} servers in one process`);
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
const random = randomOf(1);
/** Keys of low number call often: the first of 10,000 makes a tenth of all calls. */
const someKey = (): string => `k${Math.floor(KEYS ** random()) - 1}`;
const verdict = (isMet: boolean) =>
  isMet ? "met" : (loadavg()[0] ?? 0) > 2 * cpus().length ? "inconclusive" : "missed";

async function servers(url: string): Promise<readonly State[]> {
  const states: State[] = [];
  for (let i = 0; i < SERVERS; i++) {
    const state = await openState({ url, root: temporaryFolder(later), pool: 1 });
    later(() => state.close());
    states.push(state);
  }
  return states;
}

/** Calls of all servers at the wanted rate, each with a key that is drawn. */
async function rates(states: readonly State[]): Promise<void> {
  let statements = 0;
  const takers = states.map((state) => {
    const { shared } = state;
    if (!shared) throw new Error("the state is not shared");
    const once: typeof shared.once = (work) => {
      statements++;
      return shared.once(work);
    };
    const counted = { ...state, shared: { ...shared, once } };
    const clock = () => performance.now();
    return createSharedRates({
      rates: RATES,
      state: async () => counted,
      replicas: () => SERVERS,
      clock,
      log: silentLog,
    });
  });
  // The first call of a server connects.
  for (const taker of takers) await taker.take("first");
  statements = 0;
  const times: number[] = [];
  let refused = 0;
  const began = performance.now();
  const open = new Set<Promise<void>>();
  for (let sent = 0; performance.now() - began < MS; ) {
    for (const due = ((performance.now() - began) / 1000) * WANTED; sent < due; sent++) {
      const taker = takers[sent % takers.length];
      const asked = performance.now();
      const one = Promise.resolve(taker?.take(someKey())).then((wait) => {
        times.push(performance.now() - asked);
        if (wait !== 0) refused++;
      });
      open.add(one);
      void one.finally(() => open.delete(one));
    }
    await sleep(5);
  }
  await Promise.all(open);
  times.sort((a, b) => a - b);
  add({
    goal: "X1",
    what: `rates, ${CALLS_AN_HOUR.toLocaleString("en-US")} calls an hour, ${KEYS} keys: statements a call`,
    figures: `${(statements / times.length).toFixed(2)}; p50 ${shown(percentile(times, 0.5))}, p99 ${shown(percentile(times, 0.99))} of ${times.length}, ${refused} refused (goal p99 100 ms)`,
    verdict: verdict(percentile(times, 0.99) <= 100),
  });
}

/** Messages to all servers; the time until the slowest has each. */
async function messages(states: readonly State[]): Promise<void> {
  const waiting = new Map<string, (missing: number) => void>();
  const heard = new Map<string, number>();
  for (const state of states)
    later(
      state.notifier.on("keys", (payload) => {
        const count = (heard.get(payload) ?? 0) + 1;
        heard.set(payload, count);
        if (count === states.length) waiting.get(payload)?.(0);
      }),
    );
  while (!states.every(({ notifier }) => notifier.isPushed())) await sleep(50);
  const times: number[] = [];
  for (let i = 0; i < MESSAGES; i++) {
    const payload = randomUUID();
    const arrived = new Promise((resolve) => waiting.set(payload, resolve));
    const began = performance.now();
    const sender = states[i % states.length];
    await sender?.transaction("write", (tx) => sender.send(tx, { topic: "keys", payload }));
    await Promise.race([arrived, sleep(10_000)]);
    times.push(performance.now() - began);
  }
  times.sort((a, b) => a - b);
  add({
    goal: "X2",
    what: `a revocation, until the slowest of ${states.length} servers has it`,
    figures: `p50 ${shown(percentile(times, 0.5))}, p99 ${shown(percentile(times, 0.99))} of ${times.length} (goal p99 100 ms)`,
    verdict: verdict(percentile(times, 0.99) <= 100),
  });
}

if (NO_DATABASE === "") {
  try {
    const { href } = await startSharedDatabase(later);
    const states = await servers(href);
    await rates(states);
    await messages(states);
  } finally {
    for (const clean of cleaning.splice(0).reverse()) await clean();
  }
} else add({ goal: "X1", what: "servers on one PostgreSQL", figures: NO_DATABASE.trim(), verdict: "absent" });
finish();
