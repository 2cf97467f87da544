/** Writes with an idempotency key while the state database fails: what the caller is told, and what the ledger holds afterwards. */

import { expect, test, vi } from "vitest";
import type { Ledger } from "../../../runtime/call/ledger.js";
import { type Bound, fail } from "../../../runtime/codegen.js";
import type { State } from "../../../runtime/state/open.js";
import type { LedgerRow } from "../../../runtime/state/schema.js";
import { errorOf, fixture, handler, okOf, principal } from "../gateway/fixture.js";

const NOW = Date.parse("2026-01-01T00:00:00Z");
const OP = "onto.task.delete";
const ARGS = { task_id: "task_1" };
const KEY = { idempotency_key: "k" };

/** What goes wrong in a step of the ledger, once for each time it is listed. */
type Faults = Partial<Record<"reserve" | "renew" | "succeed" | "release", (() => unknown)[]>>;

/** A gateway over a ledger in memory, whose steps fail as told, and the steps in order. */
function ledgered(faults: Faults, bound: Bound<never, unknown> = handler(async () => ({ done: true }))) {
  const steps: string[] = [];
  const orders: unknown[] = [];
  let row: LedgerRow | undefined;
  const step = (name: keyof Faults, told: string = name): void => {
    steps.push(told);
    faults[name]?.shift()?.();
  };
  const ledger: Ledger = {
    async reserve(_, claim) {
      step("reserve");
      const standing = row;
      row ??= { args_hash: claim.hash, status: "pending", lease_until: "2026-01-01T00:00:10.000Z" } as LedgerRow;
      return standing;
    },
    async takeOver() {
      steps.push("take over");
    },
    renew: async (_, __, until) => step("renew", `renew ${until - NOW}`),
    async succeed(_, __, envelope) {
      step("succeed");
      row = { ...(row as LedgerRow), status: "succeeded", envelope };
    },
    async release() {
      step("release");
      row = undefined;
    },
  };
  const modes: string[] = [];
  const state = {
    async transaction(mode: string, work: (tx: unknown) => Promise<unknown>, order: unknown) {
      modes.push(mode);
      orders.push(order);
      return work({});
    },
    ensure: async ({ name }: { readonly name: string }) => void steps.push(`ensure ${name}`),
  } as unknown as State;
  const made = fixture({
    handlers: { [OP]: bound },
    options: { openState: async () => state, clock: () => NOW, ledger },
    // Longer than any test takes on a busy machine.
    settings: { callTimeoutMs: 600_000 },
  });
  return { ...made, steps, orders, modes };
}

const lostCommit = () => fail("UNAVAILABLE", "the answer was lost", { outcome: "unknown" });
const outOfReach = () => fail("UNAVAILABLE", "out of reach", {});
const broken = () => {
  throw new Error("disk full");
};

test("a claim whose COMMIT is lost is released, and the call is made again, since nothing was changed", async () => {
  const { exec, steps } = ledgered({ reserve: [lostCommit, lostCommit] });
  okOf(await exec(OP, ARGS, KEY));
  expect(steps).toEqual(["reserve", "release", "reserve", "release", "reserve", "succeed"]);
});

test("a claim whose COMMIT is lost until the time of the call is over: it says that nothing was changed", async () => {
  const { gateway, steps, calls } = ledgered({ reserve: [lostCommit, lostCommit] });
  const answer = await gateway.dispatch({ op: OP, args: ARGS, ...KEY }, principal(), { limitMs: 50 });
  expect(errorOf(answer)).toMatchObject({
    code: "UNAVAILABLE",
    message: "The connection to the database broke before the call began. Nothing was changed: try again.",
    details: { outcome: "none", retry_after_ms: 2000 },
  });
  expect([steps, calls]).toEqual([["reserve", "release"], []]);
});

test("a claim that fails in any other way is not released: it was not made", async () => {
  const { exec, steps } = ledgered({ reserve: [outOfReach] });
  expect(errorOf(await exec(OP, ARGS, KEY))).toMatchObject({ code: "UNAVAILABLE", message: "out of reach" });
  expect(steps).toEqual(["reserve"]);
});

test.each([
  ["out of reach", outOfReach],
  ["a lost COMMIT", lostCommit],
])("an answer that cannot be stored at once is given, with a warning, and stored later: %s", async (_, fault) => {
  const { exec, steps } = ledgered({ succeed: [fault] });
  const first = okOf(await exec(OP, JSON.stringify(ARGS), KEY));
  expect(first).toMatchObject({ op: OP, result: { done: true } });
  expect(first.meta).toMatchObject({ trace_id: expect.stringMatching(/^tr_/), latency_ms: 0 });
  expect(first.meta.warnings).toEqual([
    "args_parsed: args came as text; send an object",
    "idempotency_pending: it was carried out, but the answer is not stored under the key yet; do not send the call again with another key",
  ]);
  await expect.poll(() => steps).toEqual(["reserve", "succeed", "succeed"]);
  const again = okOf(await exec(OP, ARGS, KEY));
  expect([again.result, again.meta.replayed]).toEqual([{ done: true }, true]);
});

test("a failure releases the claim; one whose outcome is unknown ends its lease", async () => {
  const failing = (fault: () => unknown) =>
    ledgered(
      {},
      handler(async () => fault()),
    );
  for (const fault of [outOfReach, broken]) {
    const { exec, steps } = failing(fault);
    await exec(OP, ARGS, KEY);
    expect(steps).toEqual(["reserve", "release"]);
  }
  const { exec, steps } = failing(lostCommit);
  expect(errorOf(await exec(OP, ARGS, KEY)).details).toMatchObject({ outcome: "unknown" });
  expect(steps).toEqual(["reserve", "renew 0"]);
});

test("a release that fails is in the log, once, and the answer is that of the handler", async () => {
  const { exec, steps, lines } = ledgered(
    { release: [broken, broken] },
    handler(async () => outOfReach()),
  );
  const { error, meta } = (await exec(OP, ARGS, KEY)) as { error: { message: string }; meta: { trace_id: string } };
  expect(error.message).toBe("out of reach");
  expect(lines.filter(({ level }) => level === "warn")).toEqual([
    {
      level: "warn",
      message: "ledger: release failed",
      fields: { trace_id: meta.trace_id, error: "Error: disk full" },
    },
  ]);
  expect(steps).toEqual(["reserve", "release"]);
});

test("a transactional write and its row are one transaction, in the order of its pack", async () => {
  const run = { run: handler(async () => ({ done: true })), transactional: true };
  const { exec, steps, orders } = ledgered({}, run as never);
  okOf(await exec(OP, ARGS, KEY));
  expect([steps, orders[0]]).toEqual([["reserve", "succeed"], "pack "]);
});

test.each([
  [
    "a lost COMMIT",
    lostCommit,
    "The connection to the database broke while this was being stored. Whether it took effect is not known. Send the same call with the same idempotency_key: it is answered from what was stored, or carried out once.",
    { outcome: "unknown" },
  ],
  ["out of reach", outOfReach, "out of reach", {}],
  ["a call upstream", () => fail("TIMEOUT", "too slow", { outcome: "unknown" }), "too slow", { outcome: "unknown" }],
])("a transaction that fails by %s", async (_, fault, message, details) => {
  const run = { run: handler(async () => ({ done: true })), transactional: true };
  const { exec } = ledgered({ succeed: [fault] }, run as never);
  expect(errorOf(await exec(OP, ARGS, KEY))).toMatchObject({ message, details });
});

test("transactions of a handler with tables: the tables first, in the order of the pack where it writes", async () => {
  const run = handler(async () => ({ done: true }));
  const bound = { run, plan: handler(async () => ({ planned: 1 })), transactional: true, tables: { name: "shop" } };
  const writing = ledgered({}, bound as never);
  okOf(await writing.exec(OP, ARGS));
  expect([writing.steps, writing.modes, writing.orders]).toEqual([["ensure shop"], ["write"], ["pack shop"]]);
  const planning = ledgered({}, bound as never);
  expect(okOf(await planning.exec(OP, ARGS, { dry_run: true })).result).toEqual({ dry_run: true, planned: 1 });
  expect([planning.steps, planning.modes, planning.orders]).toEqual([["ensure shop"], ["read"], [undefined]]);
});

test("calls that differ in the key, the op or the caller do not wait for each other; equal ones are refused", async () => {
  const started: unknown[] = [];
  let finish = (): void => undefined;
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const run = handler(async (args) => {
    started.push(args);
    await finished;
    return {};
  });
  const { exec } = ledgered({}, run);
  const running = [
    exec(OP, ARGS, KEY),
    exec(OP, ARGS, { idempotency_key: "other" }),
    exec(OP, ARGS, KEY, principal({ id: "other" })),
  ];
  await expect.poll(() => started.length).toBeGreaterThan(0);
  expect(errorOf(await exec(OP, ARGS, KEY))).toMatchObject({
    code: "CONFLICT",
    message: "A call with this idempotency_key is still running. Wait for its answer.",
    details: { reason: "in_flight" },
  });
  expect(errorOf(await exec(OP, { task_id: "task_2" }, KEY))).toMatchObject({
    message: "This idempotency_key was used with other arguments. Use a new key for a new call.",
    details: { reason: "different_arguments" },
  });
  finish();
  await Promise.all(running);
});

test("the lease is renewed while the handler works, once each time, and no longer", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  try {
    let finish = (_: object): void => undefined;
    const finished = new Promise<object>((resolve) => {
      finish = resolve;
    });
    let isCalled = false;
    const run = handler(() => {
      isCalled = true;
      return finished;
    });
    const { exec, steps, lines } = ledgered({ renew: [outOfReach] }, run);
    const running = exec(OP, ARGS, KEY);
    await expect.poll(() => isCalled).toBe(true);
    await vi.advanceTimersByTimeAsync(3000);
    expect(steps).toEqual(["reserve"]);
    await vi.advanceTimersByTimeAsync(4000);
    expect(steps).toEqual(["reserve", "renew 10000", "renew 10000"]);
    finish({});
    okOf(await running);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(steps).toEqual(["reserve", "renew 10000", "renew 10000", "succeed"]);
    expect(lines.filter(({ level }) => level === "warn").map(({ message }) => message)).toEqual([
      "ledger: lease failed",
    ]);
  } finally {
    vi.useRealTimers();
  }
});
