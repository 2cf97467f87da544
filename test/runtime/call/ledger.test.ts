/** The idempotency ledger on every database: replays, conflicts, calls under way. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Ledger, sqlLedger } from "../../../runtime/call/ledger.js";
import type { Bound } from "../../../runtime/codegen.js";
import { fail } from "../../../runtime/codegen.js";
import { runSettingsOf } from "../../../runtime/config/run-settings.js";
import { UsageError } from "../../../runtime/contract/usage-error.js";
import { StateFailure } from "../../../runtime/state/failure.js";
import { openState, type State } from "../../../runtime/state/open.js";
import { expire, LEDGER } from "../../../runtime/state/retention.js";
import { queries } from "../../../runtime/state/schema.js";
import { errorOf, fixture, handler, okOf, principal } from "../gateway/fixture.js";

let state: State;
let root: string;
let runs: string[];

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), "gateway-ledger-"));
  state = await openState({ url: "", root });
});
afterAll(async () => {
  await state.close();
  await rm(root, { recursive: true });
});
beforeEach(() =>
  state.transaction("write", async (tx) => {
    runs = [];
    await queries(tx).deleteFrom("ledger").execute();
  }),
);

const rows = () => state.transaction("read", (tx) => queries(tx).selectFrom("ledger").selectAll().execute());

/** One op whose effect is a ledger row of its own, so that a rollback shows; one without a transaction. */
function ledgered(
  now = { at: Date.parse("2026-01-01T00:00:00Z") },
  run = async (title: unknown) => ({ title }),
  // Longer than any test takes on a busy machine.
  callTimeoutMs = 600_000,
) {
  const transactional = {
    transactional: true,
    run: handler(async ({ title }, { tx }) => {
      if (!tx) throw new Error("no transaction");
      const row = {
        caller: "effect",
        op: String(title),
        key: String(runs.push("tx")),
        args_hash: "",
        status: "succeeded" as const,
        envelope: null,
        owner: "",
        lease_until: "",
        created_at: "",
        expires_at: "9999",
      };
      await queries(tx).insertInto("ledger").values(row).execute();
      return run(title);
    }),
  } as unknown as Bound<never, unknown>;
  const plain = handler(async ({ task_id }) => {
    runs.push("plain");
    return run(task_id);
  });
  return fixture({
    handlers: { "onto.task.create": transactional, "onto.task.delete": plain },
    options: { openState: async () => state, clock: () => now.at },
    settings: { callTimeoutMs },
  });
}

/** Time limit of a call that never ends: long enough to claim its key on a busy machine. */
const SHORT_MS = 1000;

const SLOW = { timeout: 60_000 };

const CREATE = { project_id: "proj_1", title: "A" };
const KEY = { idempotency_key: "k1" };

describe.each([
  ["transactional", "onto.task.create", CREATE, { ...CREATE, title: "B" }],
  ["plain", "onto.task.delete", { task_id: "task_1" }, { task_id: "task_2" }],
])("idempotency of a %s handler", (_, op, args, otherArgs) => {
  test("case 24: the second call replays, other arguments conflict", async () => {
    const { exec } = ledgered();
    const first = okOf(await exec(op, args, KEY));
    const second = okOf(await exec(op, args, KEY));
    expect(second.result).toEqual(first.result);
    expect(second.meta.replayed).toBe(true);
    expect(second.meta.trace_id).not.toBe(first.meta.trace_id);
    expect(errorOf(await exec(op, otherArgs, KEY))).toMatchObject({
      code: "CONFLICT",
      details: { reason: "different_arguments" },
    });
    expect(runs.length).toBe(1);
  });

  test("a replay tells the repairs of this call too", async () => {
    const { exec } = ledgered();
    okOf(await exec(op, args, KEY));
    expect(okOf(await exec(op, JSON.stringify(args), KEY)).meta).toMatchObject({
      replayed: true,
      warnings: ["args_parsed: args came as text; send an object"],
    });
  });

  test("a replay has the warnings of both calls, each once", async () => {
    const { exec } = ledgered();
    const warnings = ["args_parsed: args came as text; send an object"];
    expect(okOf(await exec(op, JSON.stringify(args), KEY)).meta.warnings).toEqual(warnings);
    expect(okOf(await exec(op, args, KEY)).meta).toMatchObject({ replayed: true, warnings });
    expect(okOf(await exec(op, JSON.stringify(args), KEY)).meta).toMatchObject({ replayed: true, warnings });
  });

  test("another caller and another key are other calls", async () => {
    const { exec } = ledgered();
    await exec(op, args, KEY);
    await exec(op, args, { idempotency_key: "k2" });
    await exec(op, args, KEY, principal({ id: "other" }));
    expect(runs.length).toBe(3);
  });

  test("a failed call leaves nothing and may be repeated", async () => {
    let broken = true;
    const { exec } = ledgered(undefined, async (title) => (broken ? fail("UNAVAILABLE", "down") : { title }));
    expect(errorOf(await exec(op, args, KEY)).code).toBe("UNAVAILABLE");
    expect(await rows()).toEqual([]);
    broken = false;
    expect(okOf(await exec(op, args, KEY)).meta.replayed).toBeUndefined();
  });

  test("a call still running is in flight", async () => {
    let finish = (): void => {};
    const { exec } = ledgered(
      undefined,
      async (title) =>
        new Promise((resolve) => {
          finish = () => resolve({ title });
        }),
    );
    const first = exec(op, args, KEY);
    await expect.poll(() => runs.length).toBe(1);
    expect(errorOf(await exec(op, args, KEY))).toMatchObject({ code: "CONFLICT", details: { reason: "in_flight" } });
    expect(errorOf(await exec(op, otherArgs, KEY))).toMatchObject({
      code: "CONFLICT",
      details: { reason: "different_arguments" },
    });
    finish();
    okOf(await first);
  });

  test("an answer can be replayed until its row is deleted, after 24 hours, whatever the clock says", async () => {
    const now = { at: Date.parse("2026-01-01T00:00:00Z") };
    const { exec } = ledgered(now);
    await exec(op, args, KEY);
    const after = now.at + 24 * 3600 * 1000;
    now.at += 8 * 24 * 3600 * 1000;
    await expire(state, after, LEDGER);
    expect(okOf(await exec(op, args, KEY)).meta.replayed).toBe(true);
    await expire(state, after + 1, LEDGER);
    expect(okOf(await exec(op, args, KEY)).meta.replayed).toBeUndefined();
  });
});

describe("after a crash or a timeout", () => {
  const pending = (op: string, hash: string, lease: string) =>
    state.transaction("write", (tx) =>
      queries(tx)
        .insertInto("ledger")
        .values({
          caller: "local",
          op,
          key: "k1",
          args_hash: hash,
          status: "pending",
          envelope: null,
          owner: "tr_dead",
          lease_until: lease,
          created_at: "2025-12-31",
          expires_at: "2027",
        })
        .execute(),
    );

  async function hashOf(op: string, args: object): Promise<string> {
    await ledgered().exec(op, args, KEY);
    const row = (await rows()).find(({ caller }) => caller === "local");
    await state.transaction("write", (tx) => queries(tx).deleteFrom("ledger").execute());
    runs = [];
    return row?.args_hash ?? "";
  }

  test("a transactional op takes the row over when the lease is over, not before", async () => {
    const hash = await hashOf("onto.task.create", CREATE);
    await pending("onto.task.create", hash, "2026-01-01T00:00:05.000Z");
    const now = { at: Date.parse("2026-01-01T00:00:00Z") };
    const { exec } = ledgered(now);
    expect(errorOf(await exec("onto.task.create", CREATE, KEY)).details).toMatchObject({ reason: "in_flight" });
    now.at += 6000;
    okOf(await exec("onto.task.create", CREATE, KEY));
    expect(runs).toEqual(["tx"]);
    expect(okOf(await exec("onto.task.create", CREATE, KEY)).meta.replayed).toBe(true);
  });

  test("any other op reports that the outcome is unknown", async () => {
    const args = { task_id: "task_1" };
    await pending("onto.task.delete", await hashOf("onto.task.delete", args), "2025-12-31T00:00:00.000Z");
    expect(errorOf(await ledgered().exec("onto.task.delete", args, KEY))).toMatchObject({
      code: "CONFLICT",
      details: { reason: "outcome_unknown" },
    });
    expect(runs).toEqual([]);
  });

  test("an op that passes its key on is carried out again, with the same key", async () => {
    const args = { task_id: "task_1" };
    const hash = await hashOf("onto.task.delete", args);
    await pending("onto.task.delete", hash, "2025-12-31T00:00:00.000Z");
    const keys: unknown[] = [];
    const run = handler(async (_, { idempotencyKey }) => ({ count: keys.push(idempotencyKey) }));
    const { exec } = fixture({
      handlers: { "onto.task.delete": { run, repeatable: true } as unknown as Bound<never, unknown> },
      options: { openState: async () => state, clock: () => Date.parse("2026-01-01T00:00:00Z") },
    });
    okOf(await exec("onto.task.delete", args, KEY));
    expect(okOf(await exec("onto.task.delete", args, KEY)).meta.replayed).toBe(true);
    okOf(await exec("onto.task.delete", args, KEY, principal({ id: "other" })));
    okOf(await exec("onto.task.delete", args));
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.any(String), undefined]);
    expect(keys[0]).not.toBe(keys[1]);
  });

  test("a lease that ends now is over", async () => {
    const args = { task_id: "task_1" };
    await pending("onto.task.delete", await hashOf("onto.task.delete", args), "2026-01-01T00:00:00.000Z");
    expect(errorOf(await ledgered().exec("onto.task.delete", args, KEY))).toMatchObject({
      message:
        "It is not known what became of the call with this idempotency_key: it may have taken effect. Read first, then use a new key if it did not.",
      details: { reason: "outcome_unknown" },
    });
  });

  test("a plain write that ran out of time keeps its row: outcome unknown", async () => {
    const args = { task_id: "task_1" };
    const { exec } = ledgered(undefined, () => new Promise(() => {}), SHORT_MS);
    expect(errorOf(await exec("onto.task.delete", args, KEY))).toMatchObject({
      code: "TIMEOUT",
      details: { outcome: "unknown" },
    });
    const { details } = errorOf(await ledgered().exec("onto.task.delete", args, KEY));
    expect(details).toMatchObject({ reason: "outcome_unknown" });
  });

  test("a transactional write that ran out of time is rolled back: outcome none", async () => {
    const { exec } = ledgered(undefined, () => new Promise(() => {}), SHORT_MS);
    expect(errorOf(await exec("onto.task.create", CREATE, KEY))).toMatchObject({
      code: "TIMEOUT",
      details: { outcome: "none" },
    });
    expect(await rows()).toEqual([]);
  });
});

describe("where a key means nothing", () => {
  test("reads and dry runs ignore it and say so", async () => {
    const { exec } = ledgered();
    const [read, dry] = [
      await exec("onto.task.list", {}, KEY),
      await exec("onto.task.create", CREATE, { ...KEY, dry_run: true }),
    ];
    expect(okOf(read).meta.warnings).toEqual([expect.stringMatching(/^idempotency_ignored: /)]);
    expect(okOf(dry).meta.warnings).toContainEqual(expect.stringMatching(/^idempotency_ignored: /));
    expect(await rows()).toEqual([]);
  });

  test("a transactional handler without a key gets a transaction too", async () => {
    const { exec } = ledgered();
    okOf(await exec("onto.task.create", CREATE));
    expect(await rows()).toMatchObject([{ caller: "effect" }]);
  });
});

test("an answer that is shown once is not replayed: what is kept of it comes with the refusal", async () => {
  const shown = {
    run: handler(async () => ({ id: runs.push("shown"), secret: "s" })),
    keep: ({ id }: { id: number }) => ({ id }),
  };
  const { exec } = fixture({
    handlers: { "onto.task.delete": shown as never },
    options: { openState: async () => state },
  });
  const args = { task_id: "task_1" };
  expect(okOf(await exec("onto.task.delete", args, KEY)).result).toEqual({ id: 1, secret: "s" });
  expect(JSON.stringify(await rows())).not.toContain("secret");
  expect(errorOf(await exec("onto.task.delete", args, KEY))).toMatchObject({
    code: "CONFLICT",
    details: { reason: "told_once", earlier: { id: 1 } },
  });
  expect(runs).toEqual(["shown"]);
});

describe("when the ledger itself fails", () => {
  test("an answer that cannot be stored leaves the outcome unknown, not a second run", async () => {
    const now = { at: Date.parse("2026-01-01T00:00:00Z") };
    const leases: number[] = [];
    const ledger: Ledger = {
      ...sqlLedger,
      renew: async (tx, claim, until) => {
        leases.push(until);
        await sqlLedger.renew(tx, claim, until);
      },
      succeed: async () => {
        throw new Error("disk full");
      },
    };
    const { exec } = fixture({
      handlers: { "onto.task.delete": handler(async () => ({ run: runs.push("plain") })) },
      options: { openState: async () => state, clock: () => now.at, ledger },
    });
    const args = { task_id: "task_1" };
    expect(errorOf(await exec("onto.task.delete", args, KEY)).code).toBe("INTERNAL");
    expect(leases).toEqual([now.at]);
    expect(errorOf(await exec("onto.task.delete", args, KEY)).details).toMatchObject({ reason: "outcome_unknown" });
    expect(runs).toEqual(["plain"]);
  });
});

describe("a program without a state database", () => {
  const options = (failure: Error) => ({
    openState: async () => {
      throw failure;
    },
  });
  const command = 'onto.task.delete(task_id="task_1")\n0';
  const programs = async (failure: Error, wall_ms = 55_000) => {
    const settings = { run: runSettingsOf({ limits: { wall_ms } }) };
    const { gateway, lines, calls, exec } = fixture({ options: options(failure), settings });
    // The start of the process takes long on a busy machine.
    await expect.poll(async () => (await gateway.run({ command: "1" }, principal())).text).toBe("1");
    const { text } = await gateway.run({ command }, principal());
    const keyed = await exec("onto.task.delete", { task_id: "task_1" }, KEY);
    await gateway.close();
    return { text, keyed, made: calls.length, warned: lines.filter(({ level }) => level === "warn").length };
  };

  test("one that cannot be opened: the write is carried out, and the operator is told", SLOW, async () => {
    const found = await programs(new UsageError("the state database is read-only"));
    expect(found).toMatchObject({ text: "0", made: 1, warned: 1 });
    // Who sends a key relies on it.
    expect(errorOf(found.keyed)).toMatchObject({ code: "UNAVAILABLE" });
  });

  test(
    "one that is out of reach: the write waits as long as the program, for it could not be told from its repetition",
    SLOW,
    async () => {
      const found = await programs(new StateFailure("unreachable"), 5000);
      const text = expect.stringMatching(
        /^Error: TimeoutError: the state database did not answer .*\nNext: "toolwright runs resume run_/,
      );
      expect(found).toMatchObject({ text, made: 0 });
    },
  );

  test("one that only reads needs none", SLOW, async () => {
    const { gateway } = fixture({ options: options(new StateFailure("unreachable")) });
    expect(await gateway.run({ command: "onto.task.list()\n0" }, principal())).toMatchObject({
      text: "0",
    });
    await gateway.close();
  });
});

test("a run that only reads writes nothing", SLOW, async () => {
  const opened: string[] = [];
  const openState = async () => {
    opened.push("state");
    return state;
  };
  const { gateway } = fixture({ options: { openState } });
  expect(await gateway.run({ command: "onto.task.list()\n0" }, principal())).toMatchObject({ text: "0" });
  expect(await rows()).toEqual([]);
  expect(opened).toEqual([]);
  await gateway.close();
});

test("each write of a program has a key of its own in the ledger", SLOW, async () => {
  const { gateway, exec } = ledgered();
  const command = 'for n in [1, 2]:\n  onto.task.delete(task_id="task_1")\n0';
  expect(await gateway.run({ command }, principal())).toMatchObject({ text: "0" });
  const keys = (await rows()).map(({ key }) => key).sort();
  expect(keys).toEqual([1, 2].map((ordinal) => expect.stringMatching(new RegExp(`^run_[a-z2-7]{12}:${ordinal}$`))));
  expect(runs).toEqual(["plain", "plain"]);
  const again = await exec("onto.task.delete", { task_id: "task_1" }, {}, principal(), { key: String(keys[0]) });
  expect(okOf(again).meta.replayed).toBe(true);
  await gateway.close();
});
