/** A state database that does not answer: a call says so within its own limit, wherever it waits for the database. */
import { join } from "node:path";
import LibsqlDatabase from "libsql";
import { beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../../runtime/codegen.js";
import type { Envelope } from "../../../runtime/contract/error-body.js";
import { localPrincipal } from "../../../runtime/gateway/gateway.js";
import { type Opened, openRoot } from "../../support/extensions.js";
import { freshRoot } from "../../support/project.js";

/** Shorter than calls wait for a lock of the database without a limit of their own, which is 5 s. */
const LIMIT_MS = 1000;

/** What becomes of a call while another process writes, and how long it takes. */
async function whileLocked(root: string, { gateway }: Opened, call: JsonObject): Promise<[Envelope, number]> {
  const writer = new LibsqlDatabase(join(root, ".onetool", "state.db"));
  writer.exec("BEGIN IMMEDIATE");
  try {
    const begun = performance.now();
    const principal = { ...localPrincipal(gateway.settings), allowWrite: true };
    return [await gateway.dispatch(call, principal, { limitMs: LIMIT_MS }), performance.now() - begun];
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
    opened = await openRoot(root, "", (one) => clean.push(one));
    return async () => {
      for (const one of clean.reverse()) await one();
    };
  });

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
    const [answer, ms] = await whileLocked(root, opened, call);
    expect(answer).toMatchObject({ ok: false, error: { code: "UNAVAILABLE" } });
    expect(ms).toBeGreaterThan(LIMIT_MS / 2);
    expect(ms).toBeLessThan(2 * LIMIT_MS);
  });
});
