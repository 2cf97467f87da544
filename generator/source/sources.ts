/** The reading stage: finds the files of every entry of `sources` and passes them to the Source of their kind. */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import type { SourceEntry } from "../../runtime/contract/settings/entries.js";
import { type Config, packOf } from "../config/config.js";
import { isBuiltIn, kindsOf } from "../config/rules.js";
import type { Place, Report } from "../core/diagnostic.js";
import { dialectOf, strangeDialect } from "../core/dialect.js";
import type { Definition } from "../core/ir.js";
import { chatTools } from "./chat-tools.js";
import { mcp } from "./mcp.js";
import { offeredTools } from "./offered-tools.js";
import { type ShippedPacks, shippedDefinitions } from "./shipped.js";
import type { Source, SourceFile } from "./source.js";

/** The sources of the core, by the kind of an entry. */
const SOURCES: ReadonlyMap<string, Source> = new Map<string, Source>([
  ["chat-tools", chatTools],
  ["functions", { readAll: async (files, report) => (await import("./functions.js")).readFunctions(files, report) }],
  ["mcp", mcp],
  ["module", { read: async (file, report) => (await import("./module.js")).moduleTools(file, report) }],
]);

interface Reader {
  readonly read: (file: string) => string | undefined;
  readonly leadsOut?: SourceFile["leadsOut"];
  readonly readModule?: SourceFile["readModule"];
  readonly onlyNames?: SourceFile["onlyNames"];
  readonly list: (pattern: string) => readonly string[];
  readonly shipped?: () => ShippedPacks;
}

/** Definitions of all sources and of the shipped packs in use, sorted by file, then in the order of the text. */
export async function readSources(
  config: Config,
  reader: Reader,
  report: Report,
  added: ReadonlyMap<string, Source> = new Map(),
): Promise<readonly Definition[]> {
  const lists = await Promise.all(
    config.sources.map((entry, i) => {
      const [{ kind, pattern } = { kind: "", pattern: "" }] = kindsOf(entry);
      const source = SOURCES.get(kind) ?? added.get(kind);
      const placeOf = (...key: readonly string[]) => config.place("sources", i, ...key);
      if (source) return readEntry({ entry, pattern, source, placeOf }, reader, report);
      // Unknown kinds are reported with those that plugins add.
      if (isBuiltIn(kind)) report.add("config-invalid", placeOf(kind), unreadKind(i, kind, added));
      return [];
    }),
  );
  const own = distinctDefinitions(lists, config.sources);
  const found = [...own, ...shippedDefinitions(config, reader.shipped?.() ?? new Map(), own, report)];
  for (const { name, parameters, place } of found) {
    const dialect = strangeDialect(parameters);
    if (dialect) report.add("schema-dialect", place, { tool: name, dialect, read: dialectOf(parameters) });
  }
  return [...offeredTools(config, found, report)].sort((a, b) => byCodeUnit(a.place.file, b.place.file));
}

/** What is said of a kind of the package whose feature is not there. */
const unreadKind = (i: number, kind: string, added: ReadonlyMap<string, Source>) => ({
  path: `sources.${i}`,
  expected: `one of ${[...SOURCES.keys(), ...added.keys()].sort(byCodeUnit).join(", ")}, which this installation reads`,
  received: kind,
});

/** The configuration with the pack entries of sources added; its own values have precedence. */
export function withDeclaredPacks(config: Config, definitions: readonly Definition[]): Config {
  const packs = new Map(Object.entries(config.packs ?? {}));
  for (const { pack, pack_entry } of definitions)
    if (pack_entry) packs.set(pack, { ...pack_entry, ...packs.get(pack) });
  return { ...config, packs: Object.fromEntries(packs) };
}

interface Entry {
  readonly entry: SourceEntry;
  readonly pattern: string;
  readonly source: Source;
  /** Place of a key of the entry, or of the entry. */
  readonly placeOf: (...key: readonly string[]) => Place;
}

async function readEntry(
  { entry, pattern, source, placeOf }: Entry,
  reader: Reader,
  report: Report,
): Promise<readonly Definition[]> {
  const files = reader.list(pattern);
  if (files.length === 0) report.add("source-empty", placeOf(), { pattern, snapshots: source === mcp });
  if (entry.handlers !== undefined && reader.list(entry.handlers).length === 0)
    report.add("handlers-missing", placeOf("handlers"), { file: `definitions/${entry.handlers}` });
  const opened = files.flatMap((file) => openOne(file, entry, placeOf, reader, report));
  if ("readAll" in source) return source.readAll(opened, report);
  return (await Promise.all(opened.map((file) => source.read(file, report)))).flat();
}

function openOne(
  file: string,
  entry: SourceEntry,
  placeOf: Entry["placeOf"],
  reader: Reader,
  report: Report,
): readonly SourceFile[] {
  const text = reader.read(file);
  if (text === undefined) {
    report.add("file-unreadable", placeOf(), { reason: `${file} is not there` });
    return [];
  }
  const pack = entry.pack ?? packOf(file);
  const { read, leadsOut, readModule, onlyNames } = reader;
  return [{ file, text, entry, pack, place: placeOf(), placeOf, read, leadsOut, readModule, onlyNames }];
}

/**
 * Each definition once in a pack, and once in an entry without a pack: in the pack of the file that it stands in, else in the
 * first pack that exports it.
 */
export function distinctDefinitions(
  lists: readonly (readonly Definition[])[],
  entries: readonly SourceEntry[],
): readonly Definition[] {
  const seen = new Set<string>();
  return lists
    .flatMap((list, i) =>
      entries[i]?.pack === undefined && entries[i]?.["chat-tools"] !== undefined ? inOnePack(list) : list,
    )
    .filter((one) => {
      if (one.origin !== "local") return true;
      const key = JSON.stringify([one.pack, keyOf(one)]);
      const isFirst = !seen.has(key);
      seen.add(key);
      return isFirst;
    });
}

function inOnePack(list: readonly Definition[]): readonly Definition[] {
  const packs = new Map<string, string>();
  for (const one of list) {
    const isHome = one.pack === packOf(one.place.file);
    if (isHome || !packs.has(keyOf(one))) packs.set(keyOf(one), one.pack);
  }
  return list.filter((one) => packs.get(keyOf(one)) === one.pack);
}

/** The same for two definitions that are the same text. */
const keyOf = ({ name, description, parameters, place: { file, line, column } }: Definition): string =>
  JSON.stringify([name, file, line, column, description, parameters]);
