/**
 * A PostgreSQL with a full disk or damaged tables: each is reported as such, and calls work again once the disk has
 * room.
 */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { create, exec, names, probe, serveWithState, statefulRoot } from "../../support/databases/outage.js";
import { type Cluster, NO_CLUSTER, startCluster } from "../../support/databases/postgres-cluster.js";
import { olderCaller } from "../../support/servers/replicas.js";
import { empty, fill, mountSmall, NO_MOUNT } from "./small-disk.js";

const SLOW = 120_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

describe.skipIf(NO_CLUSTER !== "")(`a PostgreSQL of its own${NO_CLUSTER}`, () => {
  let cluster: Cluster;
  beforeAll(async () => {
    cluster = await startCluster(later);
  }, SLOW);
  afterAll(async () => {
    for (const clean of cleaning.reverse()) await clean();
  });

  /** Stores until that fails; the error. */
  async function untilRefused(server: { readonly url: string }) {
    const description = "x".repeat(2000);
    for (let i = 0; i < 2000; i++) {
      const { answer } = await exec(server, { op: "oubliette.project.create", args: { name: `p${i}`, description } });
      if (!answer.ok) return answer.error;
    }
    throw new Error("everything was stored");
  }

  test.skipIf(NO_MOUNT !== "")(
    `a full disk${NO_MOUNT}: told in answers and by /readyz, and over with it`,
    { timeout: SLOW },
    async () => {
      const folder = mkdtempSync(join(tmpdir(), "toolwright-space-"));
      later(() => rmSync(folder, { recursive: true, force: true }));
      mountSmall(folder, 12, later);
      if (process.getuid?.() === 0) execFileSync("chown", ["postgres", folder]);
      spawnSync("chmod", ["700", folder]);
      cluster.sql(`create tablespace small location '${folder}'`);
      cluster.sql("create database small tablespace small");
      later(() => void cluster.sql("drop database small with (force)"));
      const server = await serveWithState(await statefulRoot(), cluster.url.replace(/postgres$/, "small"));
      expect((await exec(server, create("before"))).answer.ok).toBe(true);
      fill(folder);
      const error = await untilRefused(server);
      expect(error).toMatchObject({ code: "UNAVAILABLE", details: { reason: "disk_full" } });
      expect(error.message).toContain("disk full");
      await expect.poll(() => probe(server, "/readyz")).toBe(503);
      expect(await names(server)).toContain("before");
      const command = '",".join(str(n * 7919 * 104729 % 1000003) for n in range(60000))';
      const call = { id: "run", method: "tools/call", params: { name: "run", arguments: { command } } };
      const reply = (await (await olderCaller(server)).send(server, call)).find(({ id }) => id === "run");
      expect(reply.result.content[0].text).toMatch(
        /^0,346464,.+\n\(The rest is lost: the result could not be stored, UNAVAILABLE: The state database cannot store anything: disk full\./,
      );
      empty(folder);
      await expect.poll(() => probe(server, "/readyz")).toBe(200);
      expect((await exec(server, create("after"))).answer.ok).toBe(true);
    },
  );

  test("a damaged table: UNAVAILABLE with the reason", { tags: "full", timeout: SLOW }, async () => {
    const server = await serveWithState(await statefulRoot(), cluster.url);
    expect((await exec(server, create("before"))).answer.ok).toBe(true);
    cluster.garble("oubliette_projects");
    await expect
      .poll(async () => (await exec(server, { op: "oubliette.project.list" })).answer.error?.details?.reason, {
        timeout: 10_000,
      })
      .toBe("damaged");
    expect(server.child.exitCode).toBeNull();
  });
});
