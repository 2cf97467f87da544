/** Every snapshot of the corpora, served over stdio and read again, gives the same registry as the file. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { connectUpstream } from "../../runtime/upstream/client.js";
import { expandServer } from "../../runtime/upstream/servers.js";
import { readSnapshot, snapshotText } from "../../runtime/upstream/snapshot.js";
import { registryOf } from "../support/generator-host.js";
import { randomOf, SCALE, shuffled } from "../support/random.js";

const SHARED = fileURLToPath(new URL("../../../shared/", import.meta.url));
const REPLAY = join(SHARED, "tools", "replay-server.mjs");
const CORPORA = join(SHARED, "corpora", "mcp");
const here = existsSync(REPLAY) && existsSync(CORPORA);
const files = here ? readdirSync(CORPORA).sort() : [];
const some = shuffled(files, randomOf(11)).slice(0, Math.max(6, Math.round(files.length * SCALE)));

describe.skipIf(!here)(here ? `at scale ${SCALE}` : "../shared is not there", () => {
  test.each(some)(
    "the tools of %s mean the same after a server has listed them",
    { tags: "full", timeout: 120_000 },
    async (file) => {
      const path = join(CORPORA, file);
      const server = expandServer(
        "replayed",
        { command: process.execPath, args: [REPLAY, path, "--page", "7"] },
        () => undefined,
      );
      if ("reason" in server) throw new Error(server.reason);
      const upstream = await connectUpstream(server, { root: tmpdir(), version: "0" });
      const found = await readSnapshot(server, upstream).finally(() => upstream.close());
      const project = (text: string) => ({
        "toolwright.yaml": "sources: [{ mcp: servers/one.json }]\n",
        "servers/one.json": text,
      });
      const [before, after] = [
        await registryOf(project(readFileSync(path, "utf8"))),
        await registryOf(project(snapshotText(found))),
      ];
      expect(after.tools.map(meaning)).toEqual(before.tools.map(meaning));
      expect(after.registry_version).toBe(before.registry_version);
    },
  );
});

/** A tool without its place in the file. */
const meaning = (tool: object): object => ({ ...tool, source: undefined, policy: undefined });
