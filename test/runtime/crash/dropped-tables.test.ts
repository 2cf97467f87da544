/** A PostgreSQL that loses a table while it is used: calls, readiness and `doctor` name it, until it is back. */

import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { create, exec, LIST, probe, serveWithState, statefulRoot } from "../../support/databases/outage.js";
import { eachCase } from "../../support/each-case.js";
import { toolwright } from "../../support/project.js";
import { NO_DATABASE, startSharedDatabase } from "../../support/shared-database.js";

const SLOW = 120_000;

describe.skipIf(NO_DATABASE !== "")(`PostgreSQL${NO_DATABASE}`, () => {
  const statement = async (url: URL, text: string): Promise<void> => {
    const client = new pg.Client(url.href);
    await client.connect();
    await client.query(text);
    await client.end();
  };

  eachCase(
    [
      ["ledger", create("late", "one key")],
      ["server_secrets", undefined],
      ["pack_versions", undefined],
      ["api_keys", undefined],
      ["stat_calls", undefined],
      ["stat_hours", { op: "ot.stats" }],
      ["oubliette_projects", create("late")],
      ["oubliette_projects", LIST],
    ] as const,
    "ledger",
  )(
    "%s is dropped while serving: calls that need it say so, the server is not ready, doctor names it",
    { timeout: SLOW, tags: "slow" },
    async (table, call) => {
      const url = await startSharedDatabase(onTestFinished);
      const root = await statefulRoot();
      const server = await serveWithState(root, url.href);
      expect((await exec(server, create("before", "a key"))).answer.ok).toBe(true);
      expect(await probe(server, "/readyz")).toBe(200);
      const doctor = () => toolwright(["doctor", "--root", root], { env: { TOOLWRIGHT_STATE: url.href } });
      expect((await doctor()).stdout).toMatch(/ok +database/);
      await statement(url, `alter table ${table} rename to elsewhere`);
      if (call) {
        const { answer } = await exec(server, call);
        expect(answer.error).toMatchObject({ code: "UNAVAILABLE", details: { reason: "emptied" } });
        expect(answer.error.message).toMatch(/was emptied.*Restore it/);
      }
      await expect.poll(() => probe(server, "/readyz")).toBe(503);
      expect(server.stderr()).toContain(`it lacks ${table}`);
      if (!table.startsWith("oubliette")) {
        const { stdout, code } = await doctor();
        expect(stdout).toMatch(new RegExp(`FAIL database .*it lacks ${table}`));
        expect(stdout).toMatch(/restore the tables of the state database from a copy/);
        expect(code).toBe(1);
      }
      await statement(url, `alter table elsewhere rename to ${table}`);
      await expect.poll(() => probe(server, "/readyz")).toBe(200);
      if (call) expect((await exec(server, call)).answer.ok).toBe(true);
    },
  );

  test("all tables of a pack are dropped: doctor says so", { timeout: SLOW, tags: "full" }, async () => {
    const url = await startSharedDatabase(onTestFinished);
    const root = await statefulRoot();
    const server = await serveWithState(root, url.href);
    await exec(server, create("before"));
    await statement(url, "drop table oubliette_events, oubliette_sessions, oubliette_workspaces, oubliette_projects");
    const ran = await toolwright(["doctor", "--root", root], { env: { TOOLWRIGHT_STATE: url.href } });
    expect(ran.stdout).toMatch(/FAIL database .*it lacks oubliette_…/);
    expect(ran.code).toBe(1);
  });
});
