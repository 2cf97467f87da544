/** A full disk under the embedded database: calls report it, nothing is stored partially, and all works again once there is room. */

import { execFileSync, spawnSync } from "node:child_process";
import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { create, exec, names, probe, statefulRoot } from "../../support/databases/outage.js";
import { type HttpServed, serveHttp } from "../../support/http.js";
import { CHECKOUT, type Json, toolwright } from "../../support/project.js";
import { empty, fill, mountSmall, NO_MOUNT } from "./small-disk.js";

const SLOW = 120_000;

/** A disk that can be filled. */
interface SmallDisk {
  readonly name: string;
  /** Why no such disk is available; empty if one is. */
  readonly missing: string;
  /** Puts `.onetool/` of a root on it. */
  place(root: string): void;
  fill(root: string, server: HttpServed): void;
  free(root: string, server: HttpServed): void;
  /** Runs `doctor` as one that has the same disk. */
  doctor(root: string): Promise<string>;
}

const home = (root: string): string => join(root, ".onetool");
const doctorOf = async (root: string): Promise<string> =>
  (await toolwright(["doctor", "--json", "--root", root])).stdout;

/** A file system of a few megabytes, filled by a file. */
const TMPFS: SmallDisk = {
  name: "a small file system",
  missing: NO_MOUNT,
  place: (root) => mountSmall(home(root), 6, onTestFinished),
  fill: (root) => fill(home(root)),
  free: (root) => empty(home(root)),
  doctor: doctorOf,
};

/** What the system lets the process write, which works without any right. */
const LIMIT: SmallDisk = {
  name: "a limit on the size of files",
  missing: spawnSync("prlimit", ["--version"]).status === 0 ? "" : " (skipped: no prlimit)",
  place: () => undefined,
  fill(root, { child }) {
    const size = statSync(join(home(root), "state.db-wal")).size;
    execFileSync("prlimit", ["--pid", String(child.pid), `--fsize=${size + 2048}:unlimited`]);
  },
  free: (_root, { child }) => void execFileSync("prlimit", ["--pid", String(child.pid), "--fsize=unlimited:unlimited"]),
  async doctor(root) {
    const launcher = join(CHECKOUT, "generator", "launch.mjs");
    const given = ["--fsize=4096:unlimited", process.execPath, launcher, "doctor", "--json", "--root", root];
    return spawnSync("prlimit", given, { encoding: "utf8" }).stdout;
  },
};

describe.each([TMPFS, LIMIT].map((disk) => [`${disk.name}${disk.missing}`, disk] as const))(
  "a server on %s",
  (_name, disk) => {
    test.skipIf(disk.missing !== "")(
      "says so in answers, log, doctor and /readyz, and recovers",
      { timeout: SLOW, tags: "slow" },
      async () => {
        const root = await statefulRoot();
        disk.place(root);
        const server = await serveHttp(root, ["--allow-write"]);
        expect((await exec(server, create("before", "before"))).answer.ok).toBe(true);
        expect(await probe(server, "/readyz")).toBe(200);
        disk.fill(root, server);
        const description = "x".repeat(2000);
        const failed: Json[] = [];
        for (let i = 0; i < 400 && failed.length < 3; i++) {
          const { answer } = await exec(server, {
            op: "oubliette.project.create",
            args: { name: `p${i}`, description },
          });
          if (!answer.ok) failed.push({ name: `p${i}`, ...answer.error });
        }
        expect(failed.length).toBe(3);
        for (const error of failed) {
          expect(error).toMatchObject({ code: "UNAVAILABLE", details: { reason: "disk_full" } });
          expect(error.message).toContain("disk full");
        }
        const keyed = await exec(server, {
          op: "oubliette.project.create",
          args: { name: "keyed", description },
          idempotency_key: "k",
        });
        expect(keyed.answer.error).toMatchObject({ code: "UNAVAILABLE", details: { reason: "disk_full" } });
        await expect.poll(() => probe(server, "/readyz")).toBe(503);
        // What is there can be read.
        expect(await names(server)).toContain("before");
        expect(await disk.doctor(root)).toMatch(/disk full/);
        expect(server.stderr()).toMatch(/disk full/);
        expect(server.stderr()).not.toMatch(/no transaction is active|INTERNAL/);
        disk.free(root, server);
        await expect.poll(() => probe(server, "/readyz")).toBe(200);
        expect(
          (
            await exec(server, {
              op: "oubliette.project.create",
              args: { name: "keyed", description },
              idempotency_key: "k",
            })
          ).answer,
        ).toMatchObject({ ok: true, result: { name: "keyed" } });
        expect((await exec(server, create("before", "before"))).answer.meta.replayed).toBe(true);
        const stored = await names(server);
        for (const { name } of failed) expect(stored).not.toContain(name);
        expect(stored.filter((name) => name === "keyed")).toEqual(["keyed"]);
        expect(JSON.parse(await doctorOf(root)).findings.find(({ what }: Json) => what === "database")).toMatchObject({
          ok: true,
        });
      },
    );

    test.skipIf(disk.missing !== "" || disk === LIMIT)(
      "a server starts on a full disk, and is ready once there is room",
      { timeout: SLOW, tags: "slow" },
      async () => {
        const root = await statefulRoot();
        disk.place(root);
        disk.fill(root, undefined as never);
        const server = await serveHttp(root, ["--allow-write"]);
        const { answer } = await exec(server, create("early"));
        expect(answer.error).toMatchObject({ code: "UNAVAILABLE", details: { reason: "disk_full" } });
        expect(await probe(server, "/readyz")).toBe(503);
        const keys = await toolwright(["keys", "init", "--root", root]);
        expect(keys.stderr).toMatch(/disk is full: free space on the disk of \.onetool\//);
        disk.free(root, server);
        await expect.poll(() => probe(server, "/readyz")).toBe(200);
        expect((await exec(server, create("early"))).answer.ok).toBe(true);
      },
    );
  },
);
