/** Jobs: on every database, over servers that share it, and over crashes of their processes. */

import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { execPath, pid } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import { silentLog } from "../../../runtime/config/log.js";
import { keepMetrics, metricsText } from "../../../runtime/metrics/metrics.js";
import {
  addJob,
  claimJobs,
  dropJob,
  dropUnusedJobs,
  endJob,
  listJobs,
  MAX_PAYLOAD_BYTES,
  type NewJob,
  retryJob,
} from "../../../runtime/state/job-table.js";
import { createJobs, type Effects, type JobsParts, type JobWork } from "../../../runtime/state/jobs.js";
import type { State } from "../../../runtime/state/open.js";
import { queries } from "../../../runtime/state/schema.js";
import { CHECKOUT } from "../../support/project.js";
import { SCALE } from "../../support/random.js";
import { p99 } from "../../support/servers/replicas.js";
import { wallBound } from "../../support/used.js";
import { DATABASES, type Place } from "./databases.js";

const SLOW = 600_000;
const [JOBS, KILL_MS, LEASE_MS] = SCALE === 1 ? [10_000, 1000, 2000] : [200, 50, 900];
/** With so many, a run has failed. */
const MAX_KILLS = SCALE === 1 ? 300 : 10;
/** How long a job of these tests is put off, and what rounding of clocks may take from that. */
const [LATER_MS, ROUNDING_MS] = [200, 5];
const PATIENCE = { interval: 5 };

const add = (state: State, job: NewJob) => state.transaction("write", (tx) => addJob(state, tx, job));
const listed = async (state: State) => (await listJobs(state)).jobs;
const row = (op: string) => ({ at: "", key_id: "", op, code: "", trace_id: "", address: "" });
const storing =
  (text: string): Effects =>
  (tx) =>
    queries(tx).insertInto("audit").values(row(text)).execute();
const stored = async (state: State): Promise<readonly string[]> => {
  const rows = await state.transaction("read", (tx) => queries(tx).selectFrom("audit").select("op").execute());
  return rows.map(({ op }) => op).sort();
};
const nothing: JobWork = async () => undefined;

/** The program of a worker, bundled once: it starts in a fraction of the time between two kills. */
let bundled = "";
const program = (): string => {
  if (bundled !== "") return bundled;
  const outfile = join(CHECKOUT, ".cache", `job-worker-${pid}.mjs`);
  const entryPoints = [fileURLToPath(new URL("job-worker.ts", import.meta.url))];
  buildSync({ entryPoints, outfile, bundle: true, platform: "node", format: "esm", packages: "external" });
  bundled = outfile;
  return outfile;
};
afterAll(() => {
  if (bundled !== "") rmSync(bundled, { force: true });
});

describe.each([...DATABASES])("on $name", ({ skip, place }) => {
  const cleaning: (() => unknown)[] = [];
  afterEach(async () => {
    for (const one of cleaning.splice(0).reverse()) await one();
  });

  async function made(): Promise<Place> {
    const here = await place();
    cleaning.push(here.remove);
    return here;
  }
  async function opened(here?: Place): Promise<State> {
    const state = await (here ?? (await made())).open();
    cleaning.push(state.close);
    return state;
  }
  function working(state: State, work: JobWork, parts: Partial<JobsParts> = {}) {
    const jobs = createJobs({ log: silentLog, backoff: { firstMs: 5, longestMs: 20 }, ...parts });
    cleaning.push(jobs.stop);
    jobs.handle("test", work);
    jobs.use(state);
    return jobs;
  }

  test.skipIf(skip)("a job runs once it is due, and its effects are stored as it ends", async () => {
    const state = await opened();
    const began: unknown[] = [];
    const waitedMs = new Map<unknown, number>();
    const addedAt = performance.now();
    working(state, async ({ payload, attempt }) => {
      began.push([payload, attempt]);
      waitedMs.set(payload, performance.now() - addedAt);
      return storing(String(payload));
    });
    expect(await add(state, { kind: "test", payload: "later", delayMs: LATER_MS })).toBe(true);
    expect(await add(state, { kind: "test", payload: "now" })).toBe(true);
    expect(await add(state, { kind: "of no worker", payload: "never" })).toBe(true);
    await expect.poll(() => began.length, PATIENCE).toBe(2);
    // Which of them begins first is chance where the machine stalls for longer than the delay.
    expect(new Set(began)).toEqual(
      new Set([
        ["now", 1],
        ["later", 1],
      ]),
    );
    expect(waitedMs.get("later")).toBeGreaterThanOrEqual(LATER_MS - ROUNDING_MS);
    await expect.poll(() => stored(state), PATIENCE).toEqual(["later", "now"]);
    await expect.poll(() => listed(state), PATIENCE).toMatchObject([{ kind: "of no worker", state: "due" }]);
  });

  test.skipIf(skip)("a rollback adds nothing", async () => {
    const state = await opened();
    const failing = state.transaction("write", async (tx) => {
      await addJob(state, tx, { kind: "test" });
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    expect(await listed(state)).toEqual([]);
  });

  test.skipIf(skip)("a key is taken until its job has ended; payloads and names are bounded", async () => {
    const state = await opened();
    expect(await add(state, { kind: "test", key: "a", payload: 1 })).toBe(true);
    expect(await add(state, { kind: "test", key: "a", payload: 2 })).toBe(false);
    expect(await add(state, { kind: "test", key: "b" })).toBe(true);
    expect(await add(state, { kind: "other", key: "a" })).toBe(true);
    working(state, nothing);
    await expect.poll(async () => (await listed(state)).length, PATIENCE).toBe(1);
    expect(await add(state, { kind: "test", key: "a" })).toBe(true);
    await add(state, { kind: "bounds", payload: "x".repeat(MAX_PAYLOAD_BYTES - 2) });
    await expect(add(state, { kind: "bounds", payload: "x".repeat(MAX_PAYLOAD_BYTES - 1) })).rejects.toThrow(
      "the payload of a job bounds has at most 16384 bytes, not 16385: store the data in a table, and its id in the payload",
    );
    await expect(add(state, { kind: "x".repeat(201) })).rejects.toThrow("at most 200 characters, not 201");
    await expect(add(state, { kind: "test", everyMs: 5 })).rejects.toThrow("has no key");
  });

  test.skipIf(skip)("a poisoned job becomes a dead letter, and retry brings it back", async () => {
    const state = await opened();
    let isPoisoned = true;
    const logged: unknown[] = [];
    const log = { ...silentLog, error: (text: string) => void logged.push(text) };
    const work: JobWork = async ({ attempt }) => {
      if (isPoisoned) throw new Error(`poisoned ${attempt} ${"x".repeat(1000)}`);
      return storing("done");
    };
    working(state, work, { log });
    await add(state, { kind: "test", maxAttempts: 3 });
    await expect.poll(async () => (await listed(state))[0]?.state, PATIENCE).toBe("dead");
    const [dead] = await listed(state);
    expect(dead).toMatchObject({ attempts: 3, max_attempts: 3 });
    expect(dead?.last_error).toMatch(/^poisoned 3 x+/);
    expect(dead?.last_error?.length).toBeLessThanOrEqual(500);
    expect(logged).toEqual([
      `the job test is a dead letter: correct the cause, then "toolwright jobs retry ${dead?.id}"`,
    ]);
    isPoisoned = false;
    expect(await retryJob(state, dead?.id ?? "")).toBe("done");
    await expect.poll(() => stored(state), PATIENCE).toEqual(["done"]);
    await expect.poll(() => listed(state), PATIENCE).toEqual([]);
    expect(await retryJob(state, dead?.id ?? "")).toBe("not found");
    expect(await dropJob(state, dead?.id ?? "")).toBe("not found");
  });

  test.skipIf(skip)("jobs are counted by state for metrics, and how long the one due longest waits", async () => {
    const state = await opened();
    keepMetrics();
    for (const kind of ["unknown", "unknown"]) await add(state, { kind });
    await add(state, { kind: "test", payload: "later", delayMs: 3_600_000 });
    await add(state, { kind: "test", payload: "dead", maxAttempts: 1 });
    await add(state, { kind: "test", payload: "long" });
    await sleep(30);
    let look: () => void = () => undefined;
    const jobs = working(state, async ({ payload, signal }) => {
      if (payload === "dead") throw new Error("dead");
      look();
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      return undefined;
    });
    // A message makes the worker look again, and count.
    look = () => setTimeout(() => void add(state, { kind: "test", key: "again", delayMs: 3_600_000 }), 1100);
    const counted = () =>
      [...metricsText().matchAll(/^toolwright_jobs\{state="(\w+)"\} (\d+)$/gm)].map((one) => one.slice(1));
    await expect.poll(counted, PATIENCE).toEqual([
      ["dead", "1"],
      ["due", "2"],
      ["running", "1"],
      ["waiting", "2"],
    ]);
    expect(Number(/^toolwright_jobs_delay_seconds (\S+)$/m.exec(metricsText())?.[1])).toBeGreaterThanOrEqual(0.03);
    await jobs.stop();
  });

  test.skipIf(skip)("a job whose process ends at each attempt becomes a dead letter", async () => {
    const state = await opened();
    await add(state, { kind: "test", maxAttempts: 2 });
    for (const owner of ["one", "two"]) {
      const claim = { owner, kinds: ["test"], limit: 5, leaseMs: 1 };
      await expect.poll(async () => (await claimJobs(state, claim)).length, PATIENCE).toBe(1);
    }
    let runs = 0;
    working(state, async () => void runs++ as undefined);
    await expect.poll(async () => (await listed(state))[0]?.state, PATIENCE).toBe("dead");
    expect((await listed(state))[0]?.last_error).toBe("the process that ran it ended during each attempt");
    expect(runs).toBe(0);
  });

  test.skipIf(skip)("a lease that ended is taken over, and its earlier owner changes nothing", async () => {
    const state = await opened();
    await add(state, { kind: "test" });
    const claim = { owner: "crashed", kinds: ["test"], limit: 1, leaseMs: 300 };
    const [job] = await claimJobs(state, claim);
    if (!job) throw new Error("no job");
    expect(await listed(state)).toMatchObject([{ state: "running", attempts: 1 }]);
    expect([await retryJob(state, job.id), await dropJob(state, job.id)]).toEqual(["running", "running"]);
    expect(await claimJobs(state, { ...claim, owner: "other" })).toEqual([]);
    let refusal = "";
    working(state, async ({ attempt }) => {
      // The row is there, and the other worker has it.
      await endJob(state, job, storing("twice")).catch((error: unknown) => {
        refusal = String(error);
      });
      return storing(`attempt ${attempt}`);
    });
    await expect.poll(() => stored(state), PATIENCE).toEqual(["attempt 2"]);
    expect(refusal).toMatch(/^LeaseLost: .+ had ended$/);
    expect(await stored(state)).toEqual(["attempt 2"]);
  });

  test.skipIf(skip)("a lease is prolonged while a job runs, and lost when another worker has it", async () => {
    const state = await opened();
    const reasons: unknown[] = [];
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    let runs = 0;
    const work: JobWork = async ({ signal }) => {
      runs++;
      signal.addEventListener("abort", () => reasons.push(String(signal.reason)));
      await ended;
      return storing("done");
    };
    working(state, work, { leaseMs: 900 });
    working(state, work, { leaseMs: 900 });
    await add(state, { kind: "test" });
    await sleep(1500);
    expect([runs, reasons]).toEqual([1, []]);
    await state.transaction("write", (tx) => queries(tx).updateTable("jobs").set({ owner: "another" }).execute());
    await expect
      .poll(() => reasons, PATIENCE)
      .toMatchObject([expect.stringContaining("LeaseLost: the lease of the job")]);
    end();
    await expect.poll(() => runs, PATIENCE).toBe(2);
    await expect.poll(() => stored(state), PATIENCE).toEqual(["done"]);
  });

  test.skipIf(skip)("a recurring job has one row, and one of several workers runs it each time", async () => {
    const here = await made();
    const states = [await opened(here), await opened(here)];
    const times: number[] = [];
    let under = 0;
    const [state] = states as [State, State];
    for (const one of states) {
      const jobs = working(one, nothing);
      const work: JobWork = async () => {
        expect(++under).toBe(1);
        times.push(performance.now());
        await sleep(20);
        under--;
        if (times.length === 2) throw new Error("a failed turn");
        return undefined;
      };
      jobs.handle("again", work, { everyMs: 400 });
    }
    await expect.poll(() => times.length, PATIENCE).toBeGreaterThanOrEqual(4);
    expect(await listed(state)).toMatchObject([{ kind: "again", key: "recurring", every_ms: 400 }]);
    const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    // The second attempt of the failed turn follows soon.
    expect(gaps.filter((gap) => gap < 350)).toHaveLength(1);
    await dropUnusedJobs(state);
    expect(await listed(state)).toHaveLength(1);
  });

  test.skipIf(skip)("a worker that stops gives back what it has not done, and the attempt does not count", async () => {
    const state = await opened();
    const began: number[] = [];
    const work: JobWork = async ({ attempt, signal }) => {
      began.push(attempt);
      if (began.length > 1) return storing("done");
      await sleep(SLOW, undefined, { signal });
      return undefined;
    };
    const first = working(state, work);
    await add(state, { kind: "test" });
    await expect.poll(() => began, PATIENCE).toEqual([1]);
    await first.stop();
    expect(await listed(state)).toMatchObject([{ state: "due", attempts: 0 }]);
    working(state, work);
    await expect.poll(() => stored(state), PATIENCE).toEqual(["done"]);
    expect(began).toEqual([1, 1]);
  });

  test.skipIf(skip)("a worker that stops while it leases a job gives it back without beginning its work", async () => {
    const state = await opened();
    await add(state, { kind: "test" });
    let began = 0;
    const worker = working(state, async () => {
      began++;
      return undefined;
    });
    await worker.stop();
    expect(began).toBe(0);
    expect(await listed(state)).toMatchObject([{ state: "due", attempts: 0 }]);
  });

  test.skipIf(skip)("two workers never run the same job at once; jobs start soon", { timeout: SLOW }, async () => {
    const here = await made();
    const states = [await opened(here), await opened(here), await opened(here)];
    const count = Math.max(60, Math.round(1000 * SCALE));
    const under = new Set<unknown>();
    const added = new Map<unknown, number>();
    const waits: number[] = [];
    let doubled = 0;
    const work: JobWork = async ({ payload }) => {
      waits.push(performance.now() - (added.get(payload) ?? 0));
      if (under.has(payload)) doubled++;
      under.add(payload);
      await sleep(1);
      under.delete(payload);
      return storing(String(payload));
    };
    for (const state of states) working(state, work);
    const [state] = states as [State, State, State];
    if (state.shared) await expect.poll(() => states.every(({ notifier }) => notifier.isPushed()), PATIENCE).toBe(true);
    for (let payload = 0; payload < count; payload++) {
      await state.transaction("write", async (tx) => {
        await addJob(state, tx, { kind: "test", payload });
        added.set(payload, performance.now());
      });
      await sleep(10);
    }
    await expect.poll(() => waits.length, PATIENCE).toBe(count);
    await expect.poll(async () => (await stored(state)).length, PATIENCE).toBe(count);
    expect(doubled).toBe(0);
    console.log(`add → start: p99 ${p99(waits).toFixed(1)} ms of ${count}`);
    // Servers that share a file of SQLite wait for each other's writes.
    expect(p99(waits)).toBeLessThan(wallBound(state.shared ? 50 : 500, 2000));
  });

  /** A worker process that runs jobs. */
  async function process(here: Place): Promise<ChildProcess> {
    const worker = spawn(execPath, [program(), here.root, here.url, String(LEASE_MS)], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    cleaning.push(() => worker.kill("SIGKILL"));
    if (worker.stdout) await once(worker.stdout, "data");
    return worker;
  }

  /** Runs jobs in three processes, and kills one again and again while another works; returns the number of kills. */
  async function underKills(here: Place, state: State, count: number): Promise<number> {
    const ready: ChildProcess[] = [];
    const start = async (): Promise<void> => void ready.push(await process(here));
    await Promise.all([start(), start(), start()]);
    let kills = 0;
    while ((await stored(state)).length < count && kills < MAX_KILLS) {
      await sleep(KILL_MS);
      if (ready.length < 2) continue;
      ready.shift()?.kill("SIGKILL");
      kills++;
      void start();
    }
    return kills;
  }

  test.skipIf(skip)(
    "three processes, one killed again and again: no job is lost, none is done twice",
    { timeout: SLOW, tags: "slow" },
    async () => {
      const here = await made();
      const state = await opened(here);
      const all = Array.from({ length: JOBS }, (_, at) => `job ${String(at).padStart(5, "0")}`);
      for (let at = 0; at < all.length; at += 500)
        await state.transaction("write", async (tx) => {
          for (const payload of all.slice(at, at + 500)) await addJob(state, tx, { kind: "count", payload });
        });
      const began = performance.now();
      const kills = await underKills(here, state, JOBS);
      await expect.poll(async () => (await stored(state)).length, PATIENCE).toBeGreaterThanOrEqual(JOBS);
      console.log(`${JOBS} jobs, ${kills} kills: ${Math.round(performance.now() - began)} ms`);
      expect(await stored(state)).toEqual(all);
      expect(await listed(state)).toEqual([]);
    },
  );
});
