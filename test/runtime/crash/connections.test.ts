/** A PostgreSQL without free connections: calls share the existing ones, and `doctor` names the cause. */

import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { create, exec, probe, serveWithState, statefulRoot } from "../../support/databases/outage.js";
import { type Cluster, NO_CLUSTER, startCluster } from "../../support/databases/postgres-cluster.js";
import { toolwright } from "../../support/project.js";

const SLOW = 120_000;
const cleaning: (() => unknown)[] = [];

describe.skipIf(NO_CLUSTER !== "")(`a PostgreSQL with one connection for us${NO_CLUSTER}`, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster((clean) => void cleaning.push(clean));
    cluster.sql("create role few login connection limit 1; create schema few authorization few");
  }, SLOW);
  afterAll(async () => {
    for (const clean of cleaning.reverse()) await clean();
  });

  test("calls wait for it, and doctor says what another process lacks", { tags: "full", timeout: SLOW }, async () => {
    const url = new URL(cluster.url);
    url.username = "few";
    const root = await statefulRoot();
    const server = await serveWithState(root, url.href);
    expect((await exec(server, create("first"))).answer.ok).toBe(true);
    const many = await Promise.all(Array.from({ length: 8 }, (_, i) => exec(server, create(`at once ${i}`))));
    expect(many.map(({ answer }) => answer.error)).toEqual(many.map(() => undefined));
    expect(await probe(server, "/readyz")).toBe(200);
    const doctor = await toolwright(["doctor", "--root", root], { env: { TOOLWRIGHT_STATE: url.href } });
    expect(doctor.stdout).toMatch(/FAIL database .*too many connections for role "few"/);
    expect(doctor.stdout).toMatch(/connections left \(max_connections\)/);
    expect(doctor.code).toBe(1);
  });
});
