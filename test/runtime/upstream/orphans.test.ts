/** No process of an upstream server is left after the process that started it was killed. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { serveHttp } from "../../support/http.js";
import { CHECKOUT, generatedRoot } from "../../support/project.js";
import { behaving } from "../../support/upstream/servers.js";

const SLOW = 120_000;
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0) && !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};

test.runIf(process.platform === "linux").each(["SIGKILL", "SIGTERM"] as const)(
  "after %s no server is left, nor what it has started, though it ignores the end of its input and SIGTERM",
  { tags: "full", timeout: SLOW },
  async (signal) => {
    const root = await generatedRoot(join(CHECKOUT, "test/support/demos/http-demo/definitions"));
    const pids = join(root, "pids");
    const { command = "", args = [] } = behaving("stubborn", pids);
    const quoted = [command, ...args].map((one) => `'${one}'`).join(" ");
    const deaf = { command: "/bin/sh", args: ["-c", `${quoted}; :`], lazy: false };
    const config = { sources: [{ functions: "demo.ts" }], servers: { deaf } };
    writeFileSync(join(root, "definitions", "toolwright.yaml"), JSON.stringify(config));
    const server = await serveHttp(root);
    await expect.poll(() => existsSync(pids) && readFileSync(pids, "utf8"), { timeout: SLOW / 4 }).toMatch(/^\d+ \d+$/);
    const started = readFileSync(pids, "utf8").split(" ").map(Number);
    expect(started.map(isAlive)).toEqual([true, true]);
    server.signal(signal);
    await server.exit;
    await expect.poll(() => started.map(isAlive), { timeout: SLOW / 4 }).toEqual([false, false]);
  },
);

test.runIf(process.platform === "linux")(
  "no server is left that was started in the moment in which the process was killed",
  { timeout: SLOW },
  async () => {
    const root = await generatedRoot(join(CHECKOUT, "test/support/demos/http-demo/definitions"));
    const pids = join(root, "pids");
    // The first thing it does is to kill who started it.
    const script = 'trap "" TERM INT HUP; echo "$$" > "$0"; kill -KILL "$PPID"; while :; do sleep 1; done';
    const deaf = { command: "/bin/sh", args: ["-c", script, pids], lazy: false };
    const config = { sources: [{ functions: "demo.ts" }], servers: { deaf } };
    writeFileSync(join(root, "definitions", "toolwright.yaml"), JSON.stringify(config));
    await serveHttp(root).then(
      ({ exit }) => exit,
      () => "killed before it listened",
    );
    const pid = Number(readFileSync(pids, "utf8"));
    expect(pid).toBeGreaterThan(0);
    await expect.poll(() => isAlive(pid), { timeout: SLOW / 4 }).toBe(false);
  },
);
