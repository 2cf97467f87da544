/**
 * `npm run bench:scale`: load on servers of one project behind HAProxy, on one PostgreSQL: one server beside three, and
 * beside a bare server of the official SDK with one tool; a restart of each of the three, one after the other; and three
 * of which one is killed again and again. Every fifth call writes. Wall time; all processes share the machine.
 * `--quick` takes a few seconds each.
 */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { cpus, loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { freePort } from "../support/ports.js";
import { type Balanced, NO_BALANCER, startBalanced, startBalancer } from "../support/servers/balanced.js";
import { checkStored, type Load, load, percentile, readsAndWrites } from "../support/servers/load.js";
import { NO_DATABASE, startSharedDatabase } from "../support/shared-database.js";
import { processMs } from "./measure.js";
import { createReport, flags, shown } from "./report.js";

const CALLERS = 16;
const MS = flags.quick ? 3000 : 20_000;
/** Calls before those that count: V8 has compiled what they use. */
const WARM_MS = flags.quick ? 2000 : 10_000;
const KILL_EVERY_MS = flags.quick ? 2500 : 5000;
const KILLS_MS = flags.quick ? 8000 : 60_000;
/** A server of ours may take this many times the processor time of a bare one. */
const MAX_COST = 4;
/** Three servers may take this many times the processor time of one for a call: then more cores make them faster. */
const MAX_WORK = 1.1;

const { add, finish } = createReport("scale", "wall time, through a balancer");
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

const figuresOf = ({ rate, times, failures }: Load): string =>
  [
    `${rate.toFixed(0)}/s`,
    ...[0.5, 0.95, 0.99].map((share) => `p${100 * share} ${shown(percentile(times, share))}`),
    ...(failures.length > 0 ? [`${failures.length} failed`] : []),
  ].join(", ");

/** Prints why requests failed. */
function explain({ failures }: Load): void {
  for (const reason of new Set(failures)) process.stdout.write(`    ${reason}\n`);
}

const verdict = (isMet: boolean) =>
  isMet ? "met" : (loadavg()[0] ?? 0) > 2 * cpus().length ? "inconclusive" : "missed";

async function bareRate(): Promise<Load> {
  const child = spawn(process.execPath, [fileURLToPath(new URL("children/bare-http.mjs", import.meta.url))], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  later(() => child.kill("SIGKILL"));
  const [port] = await once(child.stdout, "data");
  const url = await startBalancer(await freePort(), [Number(String(port))], later);
  const echo = (ms: number): Promise<Load> =>
    load({ url, callers: CALLERS, until: AbortSignal.timeout(ms), next: () => ({ name: "echo", arguments: {} }) });
  await echo(WARM_MS);
  return echo(MS);
}

const ordinary = ({ url, key }: Balanced, until = AbortSignal.timeout(MS)): Promise<Load> =>
  load({ url, key, callers: CALLERS, until, next: readsAndWrites() });

/** A load, and the processor time that the servers took for one of its calls, in ms. */
type Measured = Load & { readonly cpu: number };

/** The same on servers that are warm. */
async function warm(servers: Balanced): Promise<Measured> {
  await ordinary(servers, AbortSignal.timeout(servers.count * WARM_MS));
  const used = (): number =>
    (process.platform === "linux" ? servers.pids() : []).reduce((sum, pid) => sum + processMs(pid), 0);
  const before = used();
  const seen = await ordinary(servers);
  return { ...seen, cpu: (used() - before) / seen.done };
}

/** A load until a step has ended, which begins a little later. */
async function during(servers: Balanced, step: () => Promise<void>): Promise<Load> {
  const ended = new AbortController();
  const calls = ordinary(servers, ended.signal);
  await sleep(500);
  await step();
  ended.abort();
  return calls;
}

async function main(): Promise<void> {
  const bare = await bareRate();
  add({ goal: "B0", what: "bare SDK server, one tool", figures: figuresOf(bare), verdict: "met" }, { rate: bare.rate });
  explain(bare);
  const { href: database } = await startSharedDatabase(later);
  const alone = await startBalanced(database, 1, later);
  const one = await warm(alone);
  explain(one);
  const cost = bare.rate / one.rate;
  add(
    {
      goal: "B1",
      what: "one server; calls of the bare one for each of ours",
      figures: `${cost.toFixed(1)} (goal ${MAX_COST}); ${figuresOf(one)}`,
      verdict: verdict(cost <= MAX_COST),
    },
    { rate: one.rate },
  );
  const servers = await startBalanced(database, 3, later, alone.key);
  const three = await warm(servers);
  explain(three);
  const share = three.rate / one.rate;
  add(
    {
      goal: "B2",
      what: "three servers / one",
      figures: `${share.toFixed(2)} (goal 0.9, as ${cpus().length} cores are shared); ${figuresOf(three)}`,
      verdict: verdict(share >= 0.9),
    },
    { rate: three.rate },
  );
  const work = three.cpu / one.cpu;
  // NaN where there is no /proc.
  if (work > 0)
    add(
      {
        goal: "B2",
        what: "the same: processor time of the servers for a call",
        figures: `${work.toFixed(2)} (goal ${MAX_WORK}); ${shown(three.cpu)} against ${shown(one.cpu)}`,
        verdict: verdict(work <= MAX_WORK),
      },
      { one: one.cpu, three: three.cpu },
    );
  await faults(servers, database);
}

async function faults(servers: Balanced, database: string): Promise<void> {
  const rolling = await during(servers, async () => {
    for (let i = 0; i < servers.count; i++) await servers.restart(i, "SIGTERM");
  });
  const kept = await checkStored(database, rolling.stored);
  add({
    goal: "B3",
    what: "each of three restarted: requests that failed",
    figures: `${rolling.failures.length} of ${rolling.done} (goal 0); ${figuresOf(rolling)}; ${told(kept)}`,
    verdict: rolling.failures.length === 0 && isKept(kept) ? "met" : "missed",
  });
  explain(rolling);
  let kills = 0;
  const killed = await during(servers, async () => {
    const end = performance.now() + KILLS_MS;
    while (performance.now() < end) {
      const began = performance.now();
      await servers.restart(kills++ % servers.count, "SIGKILL");
      await sleep(Math.max(0, KILL_EVERY_MS - (performance.now() - began)));
    }
  });
  const left = await checkStored(database, killed.stored);
  add({
    goal: "B4",
    what: `three servers, ${kills} times one is killed: lost, doubled, wrong`,
    figures: `${told(left)} of ${killed.stored.size} stored (goal 0, 0, 0); ${figuresOf(killed)}`,
    verdict: isKept(left) ? "met" : "missed",
  });
}

type Kept = Awaited<ReturnType<typeof checkStored>>;
const told = ({ lost, doubled, wrong }: Kept): string => `${lost} lost, ${doubled} doubled, ${wrong} wrong`;
const isKept = ({ lost, doubled, wrong }: Kept): boolean => lost + doubled + wrong === 0;

const missing = NO_DATABASE + NO_BALANCER;
if (missing === "") {
  try {
    await main();
  } finally {
    for (const clean of cleaning.splice(0).reverse()) await clean();
  }
} else add({ goal: "B0", what: "servers behind a balancer", figures: missing.trim(), verdict: "absent" });
finish();
