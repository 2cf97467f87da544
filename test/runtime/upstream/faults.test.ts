/**
 * Misbehaving servers: each call has the specified outcome, other servers are unaffected, no process is left behind.
 */

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../support/project.js";
import { called, calls, lives, pidsIn, type Told } from "../../support/upstream/upstreams.js";
import { threadMb } from "../../support/used.js";

const SLOW = 60_000;
const QUICK = { firstMs: 50, longestMs: 200 };

/** A server with the given fault, and one without; the list of tools comes from one that works. */
const beside = (told: Told, options: object = {}, rest: object = {}) =>
  called({
    servers: { bad: calls(told, rest), good: calls() },
    accepted: { bad: calls(), good: calls() },
    backoff: QUICK,
    ...options,
  });

/** What is asked of the good one in every case. */
const UNHARMED = { tool: "echo", arguments: { text: "still here" } };
const echoed = { text: "still here" };

describe("during a call", () => {
  test.each([
    ["a read", "die", undefined],
    ["a write with an unknown outcome", "write_and_die", "unknown"],
  ])("a server that dies: UNAVAILABLE at once; %s", async (_, tool, outcome) => {
    const { call, failure, upstreams } = await beside({});
    const [failed, unharmed] = await Promise.all([failure(`bad.${tool}`), call("good.echo", echoed)]);
    expect(failed).toMatchObject({ code: "UNAVAILABLE", details: { server: "bad" } });
    expect(failed.message).toContain("exit code 7");
    expect(failed.details.outcome).toBe(outcome);
    expect(unharmed).toEqual(UNHARMED);
    expect(upstreams.states().get("bad")).toMatchObject({ state: "disconnected" });
    expect(await call("bad.words")).toBe("plain words");
    expect(upstreams.states().get("bad")).toEqual({ state: "connected" });
  });

  test("a server that dies fails its other calls, and none hangs", async () => {
    const { failure } = await beside({});
    const outcomes = await Promise.all(["hang", "hang", "die", "hang"].map((tool) => failure(`bad.${tool}`)));
    expect(outcomes.map(({ code }) => code)).toEqual(Array(4).fill("UNAVAILABLE"));
  });

  test("one that hangs: TIMEOUT after its own limit, the call is taken back, and it can be called", {
    tags: "full",
  }, async () => {
    const { call, failure } = await beside({}, {}, { timeout: 2 });
    const [failed, unharmed] = await Promise.all([failure("bad.hang"), call("good.echo", echoed)]);
    expect(failed).toMatchObject({ code: "TIMEOUT", details: { server: "bad", limit_ms: 2_000 } });
    expect(unharmed).toEqual(UNHARMED);
    expect((await call("bad.cancelled")).cancelled).toHaveLength(1);
  });

  test("one that floods us with 50 MB in a message: UNAVAILABLE with the limit, the others are answered, memory is bounded", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const { call, failure } = await beside({}, { messageBytes: 1_000_000 });
    await Promise.all([call("bad.words"), call("good.words")]);
    const before = threadMb();
    const [failed, unharmed] = await Promise.all([failure("bad.flood"), call("good.echo", echoed)]);
    const grown = threadMb() - before;
    console.log(`50 MB in one message: ${grown.toFixed(0)} MB more memory in use`);
    expect(failed).toMatchObject({ code: "UNAVAILABLE" });
    expect(failed.message).toContain("an answer of more than 1000000 bytes");
    expect(unharmed).toEqual(UNHARMED);
    expect(grown).toBeLessThan(80);
    expect(await call("bad.words")).toBe("plain words");
  });

  test("one that never stops talking is cut off, and memory is bounded", {
    timeout: 3 * SLOW,
    tags: "full",
  }, async () => {
    const pids = join(temporaryFolder(), "pids");
    // On a busy machine, the server needs half a minute to exceed its limit of messages.
    const { call, failure } = await beside({ pids }, {}, { timeout: 150 });
    await Promise.all([call("bad.words"), call("good.words")]);
    const before = threadMb();
    const [failed, unharmed] = await Promise.all([failure("bad.chatter"), call("good.echo", echoed)]);
    const grown = threadMb() - before;
    console.log(`endless notifications: ${grown.toFixed(0)} MB more memory in use`);
    expect(failed).toMatchObject({ code: "UNAVAILABLE", message: expect.stringContaining("floods") });
    expect(unharmed).toEqual(UNHARMED);
    expect(grown).toBeLessThan(150);
    await expect.poll(() => pidsIn(pids).filter(lives)).toEqual([]);
  });

  test("broken lines between two messages are left out", async () => {
    const { call } = await beside({});
    expect(await call("bad.garbage")).toEqual({ survived: true });
  });
});

describe("at the start", () => {
  test("a slow one is awaited once for all callers", async () => {
    const pids = join(temporaryFolder(), "pids");
    const { call } = await beside({ delay: 500, pids });
    const pid = await Promise.all([call("bad.pid"), call("bad.pid"), call("bad.pid")]);
    expect(new Set(pid.map((one) => one.pid)).size).toBe(1);
    expect(pidsIn(pids)).toHaveLength(1);
  });

  test("one that never answers: TIMEOUT, nothing was sent, and no process is left", { tags: "full" }, async () => {
    const pids = join(temporaryFolder(), "pids");
    const { call, failure } = await beside({ silent: true, pids }, {}, { timeout: 1 });
    const [failed, unharmed] = await Promise.all([failure("bad.write_and_die"), call("good.echo", echoed)]);
    expect(failed).toMatchObject({ code: "TIMEOUT", details: { server: "bad", outcome: "none" } });
    expect(unharmed).toEqual(UNHARMED);
    await expect.poll(() => pidsIn(pids).filter(lives)).toEqual([]);
  });

  test("one that ends at once: UNAVAILABLE at once, however often", async () => {
    const bad = { command: "/bin/sh", args: ["-c", "exit 3"] };
    const { failure } = await called({ servers: { bad }, accepted: { bad: calls() }, backoff: QUICK });
    for (let i = 0; i < 10; i++) {
      const failed = await failure("bad.words");
      expect(failed).toMatchObject({ code: "UNAVAILABLE", details: { server: "bad" } });
      expect(failed.message).toContain("exit code 3");
    }
  });

  test.each([{}, { "odd.name": "2" }, { PWD: "/mine", SHLVL: "7" }])(
    "a process has the environment that it was given, and nothing else: %o",
    { tags: "full" },
    async (env) => {
      const out = join(temporaryFolder(), "env.json");
      const program = `require("fs").writeFileSync(${JSON.stringify(out)}, JSON.stringify(process.env)); process.exit(3)`;
      const bad = { command: process.execPath, args: ["-e", program], env: { ONE: "1", ...env } };
      const { failure } = await called({ servers: { bad }, accepted: { bad: calls() }, backoff: QUICK });
      expect((await failure("bad.words")).message).toContain("exit code 3");
      const seen = JSON.parse(readFileSync(out, "utf8"));
      expect(seen).toMatchObject({ ONE: "1", ...env });
      const known = ["HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "ONE", ...Object.keys(env)];
      expect(Object.keys(seen).filter((name) => !known.includes(name))).toEqual([]);
    },
  );

  test("a missing command and an unset variable are reported with a remedy and affect no other server", async () => {
    const servers = {
      gone: { command: "no-such-command-here" },
      unset: calls({}, { env: { TOKEN: `\${NOT_SET_ANYWHERE}` } }),
      off: calls({}, { enabled: false }),
      good: calls(),
    };
    const accepted = { gone: calls(), unset: calls(), off: calls(), unknown: calls(), good: calls() };
    const { call, failure, upstreams } = await called({ servers, accepted });
    for (const [op, words] of [
      ["gone.words", 'there is no command "no-such-command-here"'],
      ["unset.words", "NOT_SET_ANYWHERE is not set"],
      ["off.words", "it is switched off"],
      ["unknown.words", "toolwright.yaml does not configure it"],
    ] as const) {
      const failed = await failure(op);
      expect(failed).toMatchObject({ code: "UNAVAILABLE", details: { server: op.split(".")[0] } });
      expect(failed.message).toContain(words);
      expect(failed.message).toContain("To do:");
    }
    expect(await call("good.echo", echoed)).toEqual(UNHARMED);
    const states = [...upstreams.states()].map(([name, { state }]) => [name, state]);
    expect(states).toEqual([
      ["gone", "disconnected"],
      ["unset", "disconnected"],
      ["good", "connected"],
    ]);
  });

  test("a variable that is set later makes the server usable", async () => {
    const secrets: Record<string, string> = {};
    const servers = { one: calls({}, { env: { TOKEN: `\${LATER}` } }) };
    const { call, failure } = await called({ servers, accepted: { one: calls() }, secrets });
    expect((await failure("one.environment")).message).toContain("LATER is not set");
    secrets["LATER"] = "12345678";
    expect((await call("one.environment")).TOKEN).toBe("12345678");
  });
});

describe("after a failure", () => {
  test("calls are refused at once until it is tried again, with reason and time; then it is", {
    tags: "full",
    timeout: 40_000,
  }, async () => {
    const [folder, pids] = [temporaryFolder(), join(temporaryFolder(), "pids")];
    const refuses = join(folder, "refuses");
    writeFileSync(refuses, "Error: no licence");
    const { call, failure, upstreams } = await beside(
      { refuses, pids },
      { backoff: { firstMs: 4_000, longestMs: 4_000 } },
    );
    const first = await failure("bad.words");
    expect(first).toMatchObject({ code: "UNAVAILABLE", details: { stderr: "Error: no licence" } });
    const started = performance.now();
    const second = await failure("bad.words");
    expect(performance.now() - started).toBeLessThan(1_000);
    expect(second.message).toMatch(/it ended with exit code 1 .*; it is tried again in [2-4] s/);
    expect(pidsIn(pids)).toHaveLength(1);
    expect(upstreams.states().get("bad")).toMatchObject({ state: "disconnected", retryMs: expect.any(Number) });
    rmSync(refuses);
    await expect.poll(() => call("bad.words").catch(() => undefined), { interval: 300 }).toBe("plain words");
    expect(upstreams.states().get("bad")).toEqual({ state: "connected" });
  });

  test("one that is lost again and again is left alone for longer each time", { tags: "full" }, async () => {
    const { failure, upstreams } = await beside({}, { backoff: { firstMs: 2_000, longestMs: 60_000 } });
    const waits: number[] = [];
    for (let i = 0; i < 2; i++) {
      await failure("bad.die");
      waits.push(upstreams.states().get("bad")?.retryMs ?? -1);
    }
    expect(waits[0]).toBe(0);
    expect(waits[1]).toBeGreaterThan(500);
    expect((await failure("bad.words")).message).toContain("it is tried again in");
  });
});

describe("at the end", () => {
  test.runIf(process.platform === "linux")(
    "a server and its child that ignore SIGTERM are gone, in bounded time",
    { tags: "slow" },
    async () => {
      const pids = join(temporaryFolder(), "pids");
      const { call, upstreams } = await beside({ stubborn: true, pids });
      expect(await call("bad.words")).toBe("plain words");
      expect(pidsIn(pids).filter(lives)).toHaveLength(2);
      const started = performance.now();
      await upstreams.close();
      expect(performance.now() - started).toBeLessThan(10_000);
      await expect.poll(() => pidsIn(pids).filter(lives)).toEqual([]);
    },
  );

  test("while it is connecting, too; and calls fail instead of hanging", { tags: "slow" }, async () => {
    const pids = join(temporaryFolder(), "pids");
    const { failure, upstreams } = await beside({ silent: true, pids });
    const calling = failure("bad.words");
    await expect.poll(() => pidsIn(pids).length).toBe(1);
    await upstreams.close();
    expect((await calling).code).toBe("CANCELLED");
    expect((await failure("good.words")).message).toContain("toolwright is ending");
    await expect.poll(() => pidsIn(pids).filter(lives)).toEqual([]);
  });

  test("an idle child ends after a while, and is started again when it is needed", { tags: "full" }, async () => {
    const pids = join(temporaryFolder(), "pids");
    const { call, upstreams } = await called({
      servers: { one: calls({ pids }) },
      accepted: { one: calls() },
      idleMs: 300,
    });
    const first = (await call("one.pid")).pid;
    await expect.poll(() => pidsIn(pids).filter(lives)).toEqual([]);
    expect(upstreams.states().get("one")).toEqual({ state: "idle" });
    expect((await call("one.pid")).pid).not.toBe(first);
  });

  test("a child is not idle while it works", { tags: "full" }, async () => {
    const { call } = await called({ servers: { one: calls() }, idleMs: 50 });
    expect(await call("one.progress")).toEqual({ done: true });
  });
});
