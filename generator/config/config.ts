/** Reads `definitions/toolwright.yaml` and the files it includes, checks and merges them, and keeps the place of every value. */

import { posix } from "node:path";
import { mergeMaps, type Values } from "../../runtime/contract/json.js";
import type { SourceEntry } from "../../runtime/contract/settings/entries.js";
import type { WrittenConfig } from "../../runtime/contract/settings/project-settings.js";
import type { Place, Report } from "../core/diagnostic.js";
import { rulesWith } from "../core/feature-rules.js";
import { RESERVED_PACKS, safeName } from "../core/names.js";
import type { DiagnosticCode } from "../core/rules.js";
import { checkRequired, checkShape } from "../core/shape.js";
import { placeOfPath, type ReadYaml, readYaml, type YamlFile } from "../core/yaml-file.js";
import { checkRules, checkSourceKeys, kindsOf } from "./rules.js";
import { type ConfigFeature, configSchema } from "./schema.js";

/** A checked configuration. */
export interface Config extends WrittenConfig {
  /** Place of the value at a path of keys and indexes, or of the nearest enclosing value. */
  readonly place: (...path: readonly (string | number)[]) => Place;
}

/** Options of {@link loadConfig}. */
interface ConfigOptions {
  /** Default: none. */
  readonly features?: readonly ConfigFeature[];
  /** Default: parses it. */
  readonly parse?: ReadYaml;
}

/** Name of the main configuration file under `definitions/`. */
export const CONFIG_FILE = "toolwright.yaml";

/** The files of a configuration, which are not checked yet. */
export interface ConfigFiles {
  readonly layers: readonly ConfigLayer[];
  /** All files merged. */
  readonly values: Values;
  readonly place: Config["place"];
}

/** One file. */
interface ConfigLayer extends YamlFile {
  readonly place: Config["place"];
}

/**
 * Loads the configuration. Each file is checked separately, so that every fault is reported at its own place.
 *
 * @param read text of a file by its path relative to `definitions/`, or undefined if it does not exist
 * @param options whose keys may be in it, and what reads a file as YAML
 * @returns undefined when an error was reported
 */
export const loadConfig = (
  read: (file: string) => string | undefined,
  report: Report,
  { features = [], parse }: ConfigOptions = {},
): Config | undefined => checkConfig(readConfigFiles(read, report, parse), report, features);

/** Reads the files of a configuration. @param read as of {@link loadConfig} */
export function readConfigFiles(
  read: (file: string) => string | undefined,
  report: Report,
  parse: ReadYaml = readYaml,
): ConfigFiles {
  const layers = readLayers(CONFIG_FILE, { read, report, parse, seen: new Set() });
  const places = new Map(layers.flatMap((layer) => [...layer.places]));
  const values = layers.reduce<Values>((base, layer) => mergeMaps(base, layer.values), {});
  return { layers, values, place: placeOfPath(places, { file: shownPath(CONFIG_FILE), line: 1, column: 1 }) };
}

/** Checks a configuration. @returns undefined when an error was reported, also while the files were read */
export function checkConfig(
  { layers, values, place }: ConfigFiles,
  report: Report,
  features: readonly ConfigFeature[] = [],
): Config | undefined {
  const shape = configSchema(features);
  // Keys that are required may be in another file.
  for (const one of layers) checkShape(one.values, { ...shape, required: [] }, [], { place: one.place, report });
  const checking = { place, report };
  // A file that could not be read may name the plugins.
  if (!report.sorted().some(({ code }) => UNREAD.includes(code))) checkSourceKeys(values, checking);
  // Required keys are not reported as missing if a file could not be read.
  if (!report.failed) checkRequired(values, shape, [], checking);
  if (!report.failed) {
    const config = values as unknown as WrittenConfig;
    checkRules(config, Object.keys(rulesWith(features)), checking);
    for (const one of features) one.checkKeys?.(config, checking);
  }
  return report.failed ? undefined : { ...withSafePacks(values as unknown as WrittenConfig), place };
}

const UNREAD: readonly string[] = [
  "file-unreadable",
  "project-missing",
  "yaml-invalid",
] satisfies readonly DiagnosticCode[];

interface Reading {
  readonly read: (file: string) => string | undefined;
  readonly report: Report;
  readonly parse: ReadYaml;
  /** Files that were read already: each counts once, at its first include, which also ends cycles. */
  readonly seen: Set<string>;
}

/** The included files of a file, then the file itself; later ones override earlier ones. */
function readLayers(file: string, reading: Reading, from?: Place): readonly ConfigLayer[] {
  const { read, report, parse, seen } = reading;
  if (seen.has(posix.normalize(file))) return [];
  seen.add(posix.normalize(file));
  const shown = shownPath(file);
  const text = read(file);
  if (text === undefined) {
    if (from) report.add("file-unreadable", from, { reason: `${shown} is not there` });
    else report.add("project-missing", { file: shown, line: 1, column: 1 }, { above: projectAbove(read) });
    return [];
  }
  const layer = parse(shown, text, report);
  if (layer === undefined) return [];
  const place = placeOfPath(layer.places, { file: shown, line: 1, column: 1 });
  const below = includes(layer.values).flatMap(({ name, i }) => readLayers(name, reading, place("include", i)));
  return [...below, { ...layer, place }];
}

/** Number of parent folders that are searched for a project. */
const MAX_PARENT_FOLDERS = 8;

/** The nearest parent folder with a project, relative to the root, for commands that run in a subfolder. */
function projectAbove(read: Reading["read"]): string | undefined {
  const folders = Array.from({ length: MAX_PARENT_FOLDERS }, (_, i) =>
    Array(i + 1)
      .fill("..")
      .join("/"),
  );
  return folders.find((one) => read(`../${one}/definitions/${CONFIG_FILE}`) !== undefined);
}

const includes = ({ include }: Values): readonly { readonly name: string; readonly i: number }[] =>
  Array.isArray(include) ? include.flatMap((name, i) => (typeof name === "string" ? [{ name, i }] : [])) : [];

/** Name of a file in messages: paths are relative to `definitions/` unless they start with `~` or `/`. */
const shownPath = (file: string): string =>
  /^(?:[/\\~]|[A-Za-z]:)/.test(file) ? file : posix.join("definitions", file);

/** Renames packs to their safe names; a source without a pattern gets its pack from its file. */
function withSafePacks(values: WrittenConfig): WrittenConfig {
  const { packs, sources } = values;
  const named = Object.entries(packs ?? {}).map(([name, entry]) => [safeName(name), entry] as const);
  return { ...values, ...(packs ? { packs: Object.fromEntries(named) } : {}), sources: sources.map(withSafePack) };
}

function withSafePack(entry: SourceEntry): SourceEntry {
  const pattern = kindsOf(entry)[0]?.pattern ?? "";
  const pack = entry.pack ?? (pattern.includes("*") ? undefined : packOf(pattern));
  return pack === undefined ? entry : { ...entry, pack: safeName(pack) };
}

/** The pack of a file of the package or of an extension tool: its name without the extension. */
export const packOfFile = (file: string): string => safeName(posix.basename(file).replace(/\.[^.]+$/, ""));

/** Default pack of a source: the name of its file. `index.ts`, and one that help reserves such as `read.ts`, is called like its folder. */
export function packOf(file: string): string {
  const name = packOfFile(file);
  const folder = posix.basename(posix.dirname(file));
  const isOfFolder = file.endsWith(".ts") && (name === "index" || RESERVED_PACKS.has(name));
  return isOfFolder && folder !== "." && folder !== "definitions" ? safeName(folder) : name;
}
