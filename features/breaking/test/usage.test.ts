/**
 * `breaking --usage` on real state databases: recorded calls of the last 30 days, on the embedded database and on PostgreSQL.
 *
 * @module-tag full
 */

import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openState } from "../../../runtime/state/open.js";
import { iso } from "../../../runtime/state/schema.js";
import { GET, id, LIST, repository } from "../../../test/support/breaking-repository.js";
import { commandsOf, docBlocks } from "../../../test/support/doc-blocks.js";
import { tool } from "../../../test/support/generator-host.js";
import type { Json } from "../../../test/support/project.js";
import { insertRecorded } from "../../../test/support/recorded-rows.js";
import { NO_DATABASE, startSharedDatabase } from "../../../test/support/shared-database.js";

const DAY_MS = 86_400_000;

/** Calls of an op at a time, by some callers in turn. */
const calls = (count: number, op: string, daysAgo: number, callers: readonly string[]) =>
  Array.from({ length: count }, (_, i) => ({
    ...{ at: iso(Date.now() - daysAgo * DAY_MS), op, code: "", duration_ms: 3, chars_in: 20, chars_out: 200, calls: 0 },
    ...{ trace_id: `trace-${i}`, client: "", caller: callers[i % callers.length] ?? "" },
  }));

const RECORDED = [
  ...calls(412, "shop.get_item", 3, ["key_a", "key_b", "key_c"]),
  ...calls(90, "shop.get_item", 45, ["key_d"]),
  ...calls(1, "shop.list_items", 29, ["key_a"]),
];

const shop = repository();
/** Building twice takes more than a minute on a busy machine. */
const PATIENT_MS = 180_000;

beforeAll(async () => {
  await shop.define([GET, LIST]);
  shop.commit();
  await shop.define([
    tool("get_item", { id, lang: { type: "string", enum: ["de"] } }, { required: ["id"] }),
    tool("list_items", { limit: { type: "integer", default: 20, maximum: 50 } }),
  ]);
}, PATIENT_MS);

async function fill(url: string): Promise<void> {
  const state = await openState({ url, root: shop.root });
  await state.transaction("write", (tx) => insertRecorded(tx, "stat_calls", RECORDED));
  await state.close();
}

const hurtIn = async (...flags: readonly string[]): Promise<readonly Json[]> => {
  const { stdout, stderr } = await shop.breaking("--against", "git:main", "--usage", "--format", "json", ...flags);
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout).findings.map(({ op, hurt }: Json) => [op, hurt]);
};

const HURT = [
  ["shop.get_item", ["called 412 times in 30 days by 3 keys"]],
  ["shop.list_items", ["called 1 time in 30 days by 1 key"]],
];

test("without a database it says which one it looked for", async () => {
  const { code, stderr } = await shop.breaking("--against", "git:main", "--usage");
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/--usage: there is no \S*state\.db under \S+; name the database with --state/),
  });
});

test("the embedded database: calls of 30 days, by op and caller", { tags: "full" }, async () => {
  await fill("");
  expect(await hurtIn()).toEqual(HURT);
  const { stdout } = await shop.breaking("--against", "git:main", "--usage");
  const [shown = ""] = docBlocks()
    .filter((one) => one.page === "docs/ci.md")
    .flatMap(commandsOf)
    .flatMap(({ line, output }) => (line.endsWith(" --usage") ? [output] : []));
  expect(stdout.startsWith(`${shown.trimEnd()}\n\ncompared `) ? shown : stdout).toBe(shown);
});

describe(`PostgreSQL${NO_DATABASE}`, () => {
  test.skipIf(NO_DATABASE !== "")("the same figures", async () => {
    const url = (await startSharedDatabase(afterAll)).href;
    await fill(url);
    expect(await hurtIn("--state", url)).toEqual(HURT);
  });

  test.skipIf(NO_DATABASE !== "")("a database that is empty or older is left as it is", { tags: "full" }, async () => {
    const url = (await startSharedDatabase(afterAll)).href;
    const client = new pg.Client(url);
    await client.connect();
    const tables = async (): Promise<readonly string[]> =>
      (
        await client.query("select table_name from information_schema.tables where table_schema = current_schema()")
      ).rows
        .map((row: Json) => String(row.table_name))
        .sort();
    const refused = async () => {
      const { code, stderr } = await shop.breaking("--against", "git:main", "--usage", "--state", url);
      return { code, stderr, tables: await tables() };
    };
    try {
      expect(await refused()).toEqual({
        code: 2,
        stderr: expect.stringContaining("the state database has no tables of toolwright: name that of a server"),
        tables: [],
      });
      await client.query("create table migrations (version integer primary key, name text, applied_at text)");
      await client.query("insert into migrations values (1, 'first', '')");
      expect(await refused()).toEqual({
        code: 2,
        stderr: expect.stringContaining("the state database is older than this toolwright: start a server"),
        tables: ["migrations"],
      });
    } finally {
      await client.end();
    }
  });
});
