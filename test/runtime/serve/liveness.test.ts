/** The measurement of the liveness tests: it detects a blocked server, and tolerates a busy machine. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { expectAlive, pingsDuring } from "../../support/servers/liveness.js";

const SLOW = 120_000;
const SERVER = fileURLToPath(new URL("./standing-still.mjs", import.meta.url));

async function standingStill(): Promise<{ readonly url: string; readonly pid: number }> {
  const child = spawn(process.execPath, [SERVER], { stdio: ["pipe", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const [url] = await once(child.stdout.setEncoding("utf8"), "data");
  return { url: String(url).trim(), pid: Number(child.pid) };
}

test("a server that stands still for 300 ms is seen in the slowest pings", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const target = await standingStill();
  const seen = await pingsDuring(target, async () => {
    await fetch(`${target.url}300`);
    await sleep(700);
  });
  expect(seen).toMatchObject({ unanswered: 0, faults: [] });
  expect(seen.p50).toBeLessThan(100);
  expect(seen.p99).toBeGreaterThan(200);
  expect(() => expectAlive(seen)).toThrow(/p99/);
});

test("a server that ends is a fault", { timeout: SLOW }, async () => {
  const target = await standingStill();
  const seen = await pingsDuring(
    target,
    async () => {
      await sleep(300);
      process.kill(target.pid, "SIGKILL");
      await sleep(800);
    },
    { graceMs: 200 },
  );
  expect(seen.unanswered).toBeGreaterThan(0);
  expect(seen.faults.join()).toMatch(/ECONN|hang up/);
  expect(() => expectAlive(seen)).toThrow();
});

const isLinux = process.platform === "linux";
test.runIf(isLinux)(
  "other processes that take the processors are not held against it",
  { tags: "full", timeout: SLOW },
  async () => {
    const target = await standingStill();
    const busy = Array.from({ length: 6 }, () => spawn(process.execPath, ["-e", "for (;;);"], { stdio: "ignore" }));
    onTestFinished(() => {
      for (const one of busy) one.kill("SIGKILL");
    });
    expectAlive(await pingsDuring(target, () => sleep(2000)));
  },
);
