/** Real servers nobody here wrote: every snapshot of the corpora builds, in one registry. `SCALE=1` takes all of them. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { buildProject } from "../support/generator-host.js";
import type { Json } from "../support/project.js";
import { randomOf, SCALE, shuffled } from "../support/random.js";

const CORPORA = fileURLToPath(new URL("../../../shared/corpora/", import.meta.url));
const here = existsSync(CORPORA);
const parsed = (path: string): Json => JSON.parse(readFileSync(CORPORA + path, "utf8"));

/** File name to snapshot: one a server; the benchmark's collection is split. */
function snapshots(): readonly (readonly [name: string, text: string])[] {
  const files = readdirSync(`${CORPORA}mcp`).map(
    (name) => [name, readFileSync(`${CORPORA}mcp/${name}`, "utf8")] as const,
  );
  const collection = parsed("mcp-repo/livemcpbench.json").servers.map((one: Json) => [
    `live-${one.server}.json`,
    JSON.stringify(one),
  ]);
  return [
    ...files,
    ["github-mcp-server.json", readFileSync(`${CORPORA}mcp-repo/github-mcp-server.json`, "utf8")],
    ...collection,
  ];
}

describe.skipIf(!here)(here ? `at scale ${SCALE}` : "../shared/corpora is not there", () => {
  test("every tool of every server is in the registry, without an error", { timeout: 600_000 }, async () => {
    const all = snapshots();
    const some = shuffled(all, randomOf(7)).slice(0, Math.max(8, Math.round(all.length * SCALE)));
    const files = Object.fromEntries(some.map(([name, text]) => [`servers/${name}`, text]));
    const built = await buildProject({ ...files, "toolwright.yaml": "sources: [{ mcp: servers/*.json }]\n" });
    expect(built.diagnostics.filter((one) => one.severity === "error")).toEqual([]);
    const expected = some.reduce((sum, [, text]) => sum + JSON.parse(text).tools.length, 0);
    expect(built.registry?.tools.length).toBe(expected);
    for (const { path, text } of built.files) expect(text, path).not.toMatch(/\brequire\(/);
  });
});
