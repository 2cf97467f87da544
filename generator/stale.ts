/** Whether `generated/` is older than `definitions/`: digests of the sources that the last `generate` read, kept in a cache. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { digestText } from "toolwright/codegen";
import { openDisk } from "./files.js";

/** Path of the cache under `.onetool/`. It is never committed: a changed comment must not make a generated diff. */
export const SOURCES_CACHE = "cache/sources.json";

/** Files that differ from what the last `generate` read; empty where there is no cache, since then nothing is known. */
export function staleSources(root: string, home: string): readonly string[] {
  const known = readCache(join(root, home, SOURCES_CACHE));
  const { read } = openDisk(root);
  return Object.entries(known).flatMap(([path, digest]) => (digestText(read(path) ?? "") === digest ? [] : [path]));
}

function readCache(path: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
