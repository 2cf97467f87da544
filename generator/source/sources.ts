/** The reading stage: finds the files of every entry of `sources` and gives each to the Source of its kind. */

import { byCodeUnit } from "toolwright/codegen";
import { type Config, packOf, type SourceEntry } from "../config.js";
import type { Place, Report } from "../diagnostic.js";
import type { Definition } from "../ir.js";
import { chatTools } from "./chat-tools.js";
import { mcp } from "./mcp.js";
import type { Source } from "./source.js";

/** One line a kind of definition. */
const SOURCES: Readonly<Record<string, Source>> = { "chat-tools": chatTools, mcp };

/** Whether this version reads sources of a kind. */
export const readsKind = (kind: string): boolean => Object.hasOwn(SOURCES, kind);

/** Keys of an entry that name its kind, whether or not this version reads it. */
const KINDS = ["chat-tools", "functions", "mcp", "openapi"] as const;

interface Reader {
  readonly read: (file: string) => string | undefined;
  readonly list: (pattern: string) => readonly string[];
}

/** Definitions of all sources, ordered by file and then as written. */
export async function readSources(config: Config, reader: Reader, report: Report): Promise<readonly Definition[]> {
  for (const [i, pack] of (config.use ?? []).entries())
    report.add("pack-not-shipped", config.place("use", i), { pack });
  const lists = await Promise.all(
    config.sources.map((entry, i) => readEntry(entry, config.place("sources", i), reader, report)),
  );
  return lists.flat().sort((a, b) => byCodeUnit(a.place.file, b.place.file));
}

async function readEntry(
  entry: SourceEntry,
  place: Place,
  reader: Reader,
  report: Report,
): Promise<readonly Definition[]> {
  const kinds = KINDS.filter((one) => entry[one] !== undefined);
  const [kind] = kinds;
  if (!kind || kinds.length > 1) {
    report.add("config-invalid", place, {
      path: "sources",
      expected: `one of ${KINDS.join(", ")} in each entry`,
      received: kinds.join(" and ") || "none",
    });
    return [];
  }
  const source = SOURCES[kind];
  if (!source) {
    report.add("source-unsupported", place, { kind, known: Object.keys(SOURCES).join(", ") });
    return [];
  }
  const pattern = entry[kind] ?? "";
  const files = reader.list(pattern);
  if (files.length === 0) report.add("source-empty", place, { pattern });
  if (entry.handlers !== undefined && reader.list(entry.handlers).length === 0)
    report.add("handlers-missing", place, { file: `definitions/${entry.handlers}` });
  const read = await Promise.all(files.map((file) => readOne(file, entry, place, source, reader, report)));
  return read.flat();
}

async function readOne(
  file: string,
  entry: SourceEntry,
  place: Place,
  source: Source,
  reader: Reader,
  report: Report,
): Promise<readonly Definition[]> {
  const text = reader.read(file);
  if (text === undefined) {
    report.add("file-unreadable", place, { reason: `${file} is not there` });
    return [];
  }
  const pack = entry.pack ?? packOf(file);
  return source.read({ file, text, entry, pack, place, read: reader.read }, report);
}
