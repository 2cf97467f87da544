/** `toolwright doctor` on a database that servers share: connections, messages, clocks, and configurations that differ. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";
import { sharedFindings } from "../../../runtime/cli/doctor-database.js";
import { openState } from "../../../runtime/state/open.js";
import { type Survey, surveyOf } from "../../../runtime/state/survey.js";
import { type Json, temporaryFolder, toolwright } from "../../support/project.js";
import { NO_DATABASE, startSharedDatabase } from "../../support/shared-database.js";

const replica = (name: string, digest = "d", pool = 10) => ({ id: name, name, version: "1", digest, pool });
const SOUND: Survey = { replicas: [], pool: 10, maxConnections: 100, skewMs: 200, delivers: true };
const found = (survey: Partial<Survey>) =>
  sharedFindings({ ...SOUND, ...survey }).map(({ what, ok, found: text }) => `${ok ? "ok" : "FAIL"} ${what}: ${text}`);

test("a sound database", () => {
  expect(found({})).toEqual([
    "ok connections: a server takes 11 of 100 connections, and 5 are spare",
    "ok messages: notifications of PostgreSQL arrive",
    "ok clock: the clock of this machine is within 1 s of that of the database",
    "ok replicas: 0 servers on this database",
  ]);
  expect(found({ replicas: [replica("a/1"), replica("b/2")] })).toEqual([
    "ok connections: 2 servers may take 22 of 100 connections, and 5 are spare",
    expect.anything(),
    expect.anything(),
    "ok replicas: 2 servers on this database, of one configuration",
  ]);
  expect(sharedFindings(undefined)).toEqual([]);
});

test.each<[Partial<Survey>, string]>([
  [
    { replicas: Array.from({ length: 9 }, (_, i) => replica(`s/${i}`)) },
    "FAIL connections: 9 servers may take 99 of 100 connections, and 5 are spare",
  ],
  [{ pool: 95 }, "FAIL connections: a server takes 96 of 100 connections, and 5 are spare"],
  [
    { delivers: false },
    "FAIL messages: notifications of PostgreSQL do not arrive on the connection that listens: servers poll each second",
  ],
  [{ skewMs: 1500 }, "FAIL clock: the clock of this machine is 1.5 s ahead of that of the database"],
  [{ skewMs: -61_000 }, "FAIL clock: the clock of this machine is 61.0 s behind that of the database"],
  [
    { replicas: [replica("a/1"), replica("b/2", "other"), replica("c/3")] },
    "FAIL replicas: servers of this database differ in configuration, generated/ or version: a/1, c/3 | b/2",
  ],
])("one check fails for %j", (survey, line) => {
  expect(found(survey).filter((one) => one.startsWith("FAIL"))).toEqual([line]);
});

describe.skipIf(NO_DATABASE !== "")(`on PostgreSQL${NO_DATABASE}`, () => {
  test("looks at the database, and says where notifications do not arrive", async () => {
    const { href: url } = await startSharedDatabase(onTestFinished);
    const deaf = new URL(url);
    deaf.pathname = "/template1";
    const survey = async (listenUrl: string) => {
      const state = await openState({ url, listenUrl, root: temporaryFolder(), pool: 3 });
      try {
        return await surveyOf(state);
      } finally {
        await state.close();
      }
    };
    expect(await survey(url)).toMatchObject({ replicas: [], pool: 3, delivers: true });
    expect(await survey(deaf.href)).toMatchObject({ delivers: false });
    expect((await survey(url))?.maxConnections).toBeGreaterThan(10);
    expect(Math.abs((await survey(url))?.skewMs ?? Number.NaN)).toBeLessThan(1000);
  });

  test("the command prints it", { tags: "full", timeout: 60_000 }, async () => {
    const { href: url } = await startSharedDatabase(onTestFinished);
    const root = temporaryFolder();
    await toolwright(["init", "--root", root, "--yes"]);
    writeFileSync(
      join(root, "definitions", "toolwright.yaml"),
      stringify({ sources: [], state: { url, pool: 1000, listen_url: url } }),
    );
    await toolwright(["generate", "--root", root]);
    const { stdout } = await toolwright(["doctor", "--json", "--root", root]);
    const { findings } = JSON.parse(stdout);
    expect(
      findings.filter(({ what }: Json) => ["connections", "messages", "clock", "replicas"].includes(what)),
    ).toEqual([
      expect.objectContaining({ what: "connections", ok: false }),
      expect.objectContaining({ what: "messages", ok: true }),
      expect.objectContaining({ what: "clock", ok: true }),
      expect.objectContaining({ what: "replicas", ok: true }),
    ]);
  });
});
