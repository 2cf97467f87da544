/**
 * A project that version 0.2.0 made, with its state database: what the present version makes of it. The archive holds a typed
 * function that reads and one that writes, two keys, statistics, and a program that waits for the approval of its write.
 */

import { execFileSync } from "node:child_process";
import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import LibsqlDatabase from "libsql";
import { expect, test } from "vitest";
import { CHECKOUT, type Json, temporaryFolder, toolwright } from "./support/project.js";

const ARCHIVE = join(CHECKOUT, "test/upgrade/project-0.2.0.tar.gz");
const RUN = "run_s4j4lygkz74y";
const DAY_MS = 86_400_000;
/** What expires, by table: it is put off, since the archive gets older. */
const EXPIRING = { runs: ["expires_at"], run_calls: ["expires_at"], approvals: ["expires_at", "kept_until"] } as const;
/** Ops of the shipped pack `ot` that refuse an empty text since. CHANGELOG.md lists them under "Upgrading". */
const REFUSE_MORE = ["ot.notify", "ot.query", "ot.resume"];

function oldProject(): string {
  const root = temporaryFolder();
  execFileSync("tar", ["-xzf", ARCHIVE, "-C", root]);
  const database = new LibsqlDatabase(join(root, ".onetool/state.db"));
  const later = new Date(Date.now() + DAY_MS).toISOString();
  for (const [table, columns] of Object.entries(EXPIRING))
    for (const column of columns) database.prepare(`UPDATE ${table} SET ${column} = ?`).run(later);
  database.close();
  return root;
}

test("generates, checks, calls, lists keys and goes on with the program that waits", { timeout: 300_000 }, async () => {
  const root = oldProject();
  cpSync(join(root, "generated"), join(root, "before"), { recursive: true });
  // The registry has paths of no machine, and the program runs in the folder of the project.
  const run = (...args: readonly string[]) => toolwright([...args, "--root", root], { cwd: root });
  const read = async (...args: readonly string[]): Promise<Json> => JSON.parse((await run(...args)).stdout);

  expect((await run("check")).code).toBe(1);
  expect(await read("exec", "shop.list_orders", "--limit", "3", "--json")).toMatchObject({ ok: true });
  expect(await run("generate")).toMatchObject({ code: 0, stderr: "" });
  expect((await run("check", "--strict")).code).toBe(0);

  const { findings } = await read("breaking", "--against", "before", "--format", "json");
  expect((findings as readonly Json[]).filter((one) => one.level === "error")).toEqual([]);
  const refused = (findings as readonly Json[]).filter((one) => one.rule === "arg-pattern-added");
  expect([...new Set(refused.map((one) => one.op))].sort()).toEqual(REFUSE_MORE);
  for (const one of refused)
    expect(one).toMatchObject({ level: "info", reason: expect.stringMatching(/^toolwright \S+ has changed the pack/) });
  expect((await run("breaking", "--against", "before")).code).toBe(0);
  const [, upgrading = ""] = readFileSync(join(CHECKOUT, "CHANGELOG.md"), "utf8").split("\n### Upgrading\n");
  for (const op of REFUSE_MORE) expect(upgrading).toContain(`\`${op}\``);

  expect((await run("keys", "list")).stdout).toMatch(/^a33ch7aocq {2}ci {5}read {3}live /m);
  expect((await run("runs", "show", RUN)).stdout).toContain(
    '1 waiting: shop.create_order {"article":"lamp","count":2}',
  );
  expect((await run("runs", "approve", RUN)).code).toBe(0);
  expect(await run("runs", "resume", RUN)).toMatchObject({
    code: 0,
    stdout: '{"made":"2 lamp","orders":["2 lamp"]}\n',
  });
  expect(await read("exec", "shop.list_orders", "--json")).toMatchObject({ result: { orders: ["2 lamp"] } });
  const stats = await read("exec", "ot.stats", "--json");
  expect(JSON.stringify(stats)).toContain("shop.list_orders");
});
