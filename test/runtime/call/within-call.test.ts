/** A state database that does not answer: a call says so within its own limit, wherever it waits for the database. */
import { join } from "node:path";
import LibsqlDatabase from "libsql";
import { beforeAll, describe, expect, test, vi } from "vitest";
import { localPrincipal } from "../../../runtime/gateway/gateway.js";
import { type Opened, openRoot } from "../../support/open-root.js";
import { freshRoot } from "../../support/project.js";

/** Shorter than calls wait for a lock of the database without a limit of their own, which is 5 s. */
const LIMIT_MS = 1000;

/** Does work while another process writes. */
async function locked<T>(root: string, work: () => Promise<T>): Promise<[T, number]> {
  const writer = new LibsqlDatabase(join(root, ".onetool", "state.db"));
  writer.exec("BEGIN IMMEDIATE");
  try {
    const begun = performance.now();
    return [await work(), performance.now() - begun];
  } finally {
    writer.exec("ROLLBACK");
    writer.close();
  }
}

describe("a call of one second, while the database is locked", () => {
  let root: string;
  let opened: Opened;
  beforeAll(async () => {
    const clean: (() => unknown)[] = [];
    root = freshRoot((one) => clean.push(one));
    opened = await openRoot(root, `\nlimits: { call_timeout_ms: ${LIMIT_MS} }\n`, (one) => clean.push(one));
    // The first call bundles the handlers, which may take longer than a call may.
    await vi.waitFor(async () => expect(await opened.exec("onto.task.list")).toMatchObject({ ok: true }), 30_000);
    return async () => {
      for (const one of clean.reverse()) await one();
    };
  }, 40_000);

  test.each([
    ["a write in a transaction", { op: "onto.task.create", args: { project_id: "proj_0123456789", title: "a" } }],
    [
      "a write under a key",
      { op: "onto.task.create", args: { project_id: "proj_0123456789", title: "b" }, idempotency_key: "once" },
    ],
    ["an op with a transaction of its own", { op: "oubliette.project.create", args: { name: "c" } }],
    ["an op that has to store what it reads first", { op: "ot.stats", args: {} }],
  ])("%s is refused in time", { timeout: 20_000 }, async (_, call) => {
    expect(await opened.exec("onto.task.list")).toMatchObject({ ok: true });
    const { gateway } = opened;
    const principal = { ...localPrincipal(gateway.settings), allowWrite: true };
    const [answer, ms] = await locked(root, () => gateway.dispatch(call, principal));
    expect(answer).toMatchObject({ ok: false, error: { code: "UNAVAILABLE" } });
    expect(ms).toBeGreaterThan(LIMIT_MS / 2);
    expect(ms).toBeLessThan(2 * LIMIT_MS);
  });

  test("the first write of a program waits longer than a call may take", { timeout: 60_000 }, async () => {
    expect(await opened.run("1")).toBe("1");
    const code = 'oubliette.project.create(name="d")\n"made"';
    let answer: Promise<string> | undefined;
    const [early] = await locked(root, () => {
      answer = opened.run(code);
      return Promise.race([answer, new Promise((resolve) => setTimeout(resolve, 2 * LIMIT_MS, "waits"))]);
    });
    expect(early).toBe("waits");
    expect(await answer).toBe("made");
  });
});
