/** Real MCP servers of others: the snapshots of `../shared/corpora`, if that folder exists. */

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Json } from "./project.js";

/** The folder of the corpora. */
export const CORPORA = fileURLToPath(new URL("../../../shared/corpora/", import.meta.url));

/** What tests read of them. */
const PARTS = [
  "bfcl",
  "mcp",
  "mcp-repo/livemcpbench.json",
  "mcp-repo/github-mcp-server.json",
  "json-schema-test-suite/draft7",
];

/** Whether the corpora are there, with all their parts; tests that need them say so and are skipped. */
export const hasCorpora = PARTS.every((part) => existsSync(CORPORA + part));

/** A snapshot as a file of `definitions/servers/`: its name and its text. */
export type SnapshotFile = readonly [name: string, text: string];

/** Every snapshot, one a server; the benchmark's collection is split. */
export function snapshotFiles(): readonly SnapshotFile[] {
  const read = (path: string): string => readFileSync(CORPORA + path, "utf8");
  const collection: Json = JSON.parse(read("mcp-repo/livemcpbench.json"));
  return [
    ...readdirSync(`${CORPORA}mcp`)
      .sort()
      .map((name): SnapshotFile => [name, read(`mcp/${name}`)]),
    ["github-mcp-server.json", read("mcp-repo/github-mcp-server.json")],
    ...collection.servers.map((one: Json): SnapshotFile => [`live-${one.server}.json`, JSON.stringify(one)]),
  ];
}
