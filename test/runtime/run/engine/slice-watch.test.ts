/** The watch of slices that Monty does not end itself, over real processes. */

import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Job, openJob } from "../../../../runtime/run/engine/job.js";
import type { Failure } from "../../../../runtime/run/engine/monty-wire.js";
import { sliceWatch } from "../../../../runtime/run/engine/slice-watch.js";
import { requestOf } from "../../../support/run-engine.js";

/** A process that does what the code says. */
function started(code: string): number {
  const child = spawn(process.execPath, ["-e", code], { stdio: "ignore" });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child.pid ?? 0;
}

function watched() {
  const killed: { readonly job: Job; readonly why: Failure; readonly at: number }[] = [];
  const watch = sliceWatch((job, why) => killed.push({ job, why, at: performance.now() }));
  onTestFinished(watch.end);
  return { watch, killed };
}

let last = 0;
const jobWith = (limits: Parameters<typeof requestOf>[2]): Job =>
  openJob("monty", ++last, requestOf("", undefined, limits)).job;

describe("a slice that takes too long", () => {
  test("is killed a grace period after the CPU time that its run has left", async () => {
    const { watch, killed } = watched();
    const [pid, begun] = [started("for (;;);"), performance.now()];
    const job = Object.assign(jobWith({ cpuMs: 500 }), { cpuMs: 300 });
    watch.begin(job, pid);
    await expect.poll(() => killed.length, { timeout: 5000 }).toBeGreaterThan(0);
    expect(killed[0]).toMatchObject({ job, why: { kind: "timeout", message: "the code used its 0.5 s of CPU time" } });
    expect((killed[0]?.at ?? 0) - begun).toBeGreaterThanOrEqual(450);
    await sleep(300);
    expect(killed).toHaveLength(1);
  });

  test("counts from its own begin", async () => {
    const { watch, killed } = watched();
    const pid = started("for (;;);");
    for (let slice = 0; slice < 8; slice++) {
      watch.begin(jobWith({ cpuMs: 1000 }), pid);
      await sleep(250);
      if (slice % 2 === 0) watch.end();
    }
    watch.end();
    await sleep(1500);
    expect(killed).toEqual([]);
    watch.begin(jobWith({ cpuMs: 0 }), pid);
    await expect.poll(() => killed.length, { timeout: 5000 }).toBeGreaterThan(0);
  });
});

test.runIf(process.platform === "linux")(
  "a process whose memory grows by far more than the slice may have is killed",
  async () => {
    const { watch, killed } = watched();
    const grow = "const held = []; setInterval(() => held.length < 60 && held.push(Buffer.alloc(10e6, 1)), 20)";
    const limits = { cpuMs: 60_000, memoryBytes: 10_000_000 };
    watch.begin(jobWith(limits), started(grow));
    await expect.poll(() => killed.length, { timeout: 20_000 }).toBeGreaterThan(0);
    expect(killed[0]?.why).toMatchObject({ kind: "memory", message: "the code needs more than 10 MB" });
  },
);
