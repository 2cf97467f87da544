/** Reads `definitions/toolwright.yaml` and what it includes: checked, merged, with the place of every value. */

import { posix } from "node:path";
import {
  type FindingLevel,
  type Kind,
  type Level,
  mergeMaps,
  type TargetScope,
  type Tombstone,
} from "toolwright/codegen";
import { checkRules } from "./config-rules.js";
import { CONFIG_SCHEMA } from "./config-schema.js";
import type { Place, Report } from "./diagnostic.js";
import { safeName } from "./names.js";
import { checkRequired, checkShape, type Shape } from "./shape.js";
import { placeIn, readYaml, type Values, type YamlFile } from "./yaml-file.js";

/** One entry of `sources`. Exactly one of the four kinds is set. */
export interface SourceEntry {
  readonly "chat-tools"?: string;
  readonly functions?: string;
  readonly mcp?: string;
  readonly openapi?: string;
  readonly exports?: readonly string[];
  readonly pack?: string;
  readonly kind?: Kind;
  readonly handlers?: string;
  /** Base address of an HTTP API, in place of its description's. */
  readonly server?: string;
  readonly auth?: AuthEntry;
}

/** `sources[].auth`: credentials of an HTTP API; values name variables, and are filled in at run time. */
export interface AuthEntry {
  readonly bearer?: string;
  readonly basic?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
}

/** One item of `ops.<tool>.constraints`: exactly one key is set. */
export interface ConstraintEntry {
  readonly at_least_one_change?: { readonly except?: readonly string[]; readonly of?: readonly string[] };
  readonly one_of?: readonly (readonly string[])[];
  readonly requires?: { readonly argument: string; readonly equals?: unknown; readonly needs: readonly string[] };
}

/** `ops.<tool>`: what configuration says about one tool. */
export interface OpEntry {
  readonly op?: string;
  readonly kind?: Kind;
  readonly access?: Level;
  readonly target?: TargetScope;
  readonly project_from?: string;
  readonly aliases?: readonly string[];
  readonly arguments?: Readonly<Record<string, string>>;
  readonly notes?: readonly string[];
  readonly examples?: readonly Readonly<Record<string, unknown>>[];
  readonly constraints?: readonly ConstraintEntry[];
  readonly destructive?: boolean;
  readonly idempotent?: boolean;
  readonly open_world?: boolean;
  readonly deadline_ms?: number;
  readonly dry_run?: boolean;
  readonly hidden?: boolean;
}

/** `packs.<pack>`. */
export interface PackEntry {
  readonly summary?: string;
  readonly entities?: Readonly<Record<string, string>>;
  readonly topics?: readonly string[];
  readonly target?: TargetScope;
}

/** `policies.<op>`: a pinned policy. */
export interface PolicyEntry {
  readonly do?: readonly string[];
  readonly dont?: readonly string[];
  readonly edge_cases?: readonly string[];
  readonly source_hash?: string;
}

/** `breaking`: what configuration makes of findings. */
export interface BreakingEntry {
  readonly profile?: "wire" | "code" | "all";
  readonly fail_on?: FindingLevel;
  /** Rule to level. */
  readonly level?: Readonly<Record<string, FindingLevel | "off">>;
  /** Rule to globs of ops. */
  readonly ignore?: Readonly<Record<string, readonly string[]>>;
}

/** `servers.<name>`: an upstream MCP server. */
export interface ServerEntry {
  readonly type?: "stdio" | "http";
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Seconds. */
  readonly timeout?: number;
  readonly enabled?: boolean;
  readonly lazy?: boolean;
  readonly sanitize?: boolean;
}

/** `expose.resources.<address>`, `expose.prompts.<name>`: the op behind it; what clients are told of it is read at run time. */
export interface OfferEntry {
  readonly op: string;
}

/** Names of `surfaces`. */
type SurfaceName = "skill" | "openai" | "anthropic" | "typescript" | "python";

/** The configuration as written; keys of parts that only the runtime reads are typed where they are used. */
export interface ConfigValues {
  readonly use?: readonly string[];
  readonly sources: readonly SourceEntry[];
  readonly packs?: Readonly<Record<string, PackEntry>>;
  readonly vocabulary?: { readonly verbs?: Readonly<Record<string, Kind>> };
  readonly ops?: Readonly<Record<string, OpEntry>>;
  readonly policies?: Readonly<Record<string, PolicyEntry>>;
  readonly synonyms?: Readonly<Record<string, string>>;
  readonly breaking?: BreakingEntry;
  readonly reserved?: readonly Tombstone[];
  /** What clients are shown; read at run time too. */
  readonly expose?: {
    readonly gateway?: boolean;
    readonly run?: boolean;
    readonly hot?: readonly string[];
    readonly signatures?: number;
    readonly resources?: Readonly<Record<string, OfferEntry>>;
    readonly prompts?: Readonly<Record<string, OfferEntry>>;
  };
  readonly budget?: { readonly tool?: number; readonly help_short?: number; readonly exposed?: number };
  /** What is emitted to `generated/surfaces/`. */
  readonly surfaces?: readonly SurfaceName[];
  readonly aliases?: Readonly<Record<string, string>>;
  readonly projects?: Readonly<Record<string, string>>;
  readonly servers?: Readonly<Record<string, ServerEntry>>;
  readonly access?: { readonly allow_write?: boolean; readonly local?: Level };
  readonly state?: string;
  readonly limits?: { readonly call_timeout_ms?: number };
  readonly docs?: { readonly base?: string; readonly slugs?: Readonly<Record<string, string>> };
  readonly log?: { readonly level?: string; readonly file?: string | null };
}

/** A checked configuration. */
export interface Config extends ConfigValues {
  /** Where the value at a path of keys and indexes stands; the nearest enclosing one that is known. */
  readonly place: (...path: readonly (string | number)[]) => Place;
}

/** Name of the one file that declares everything, under `definitions/`. */
export const CONFIG_FILE = "toolwright.yaml";

/**
 * Loads the configuration. Every file is checked by itself, so that each fault is where it was written, and all are reported.
 *
 * @param read text of a file by its path from `definitions/`, or undefined where there is none
 * @returns undefined when an error was reported
 */
export function loadConfig(read: (file: string) => string | undefined, report: Report): Config | undefined {
  const start: Place = { file: shownPath(CONFIG_FILE), line: 1, column: 1 };
  const layers = readLayers(CONFIG_FILE, { read, report, seen: new Set() });
  const places = new Map(layers.flatMap((layer) => [...layer.places]));
  const values = layers.reduce<Values>((base, layer) => mergeMaps(base, layer.values), {});
  const checking = { place: placeIn(places, start), report };
  // What a file that could not be read would have said is not missing.
  if (!report.failed) checkRequired(values, CONFIG_SCHEMA, [], checking);
  if (!report.failed) checkRules(values as unknown as ConfigValues, checking);
  return report.failed ? undefined : { ...withSafePacks(values as unknown as ConfigValues), place: checking.place };
}

interface Reading {
  readonly read: (file: string) => string | undefined;
  readonly report: Report;
  /** Files that were read already: each counts once, where it is included first, so that a circle ends. */
  readonly seen: Set<string>;
}

/** What a file includes, then the file itself: each lies over those before it. */
function readLayers(file: string, reading: Reading, from?: Place): readonly YamlFile[] {
  const { read, report, seen } = reading;
  if (seen.has(posix.normalize(file))) return [];
  seen.add(posix.normalize(file));
  const shown = shownPath(file);
  const text = read(file);
  if (text === undefined) {
    if (from) report.add("file-unreadable", from, { reason: `${shown} is not there` });
    else report.add("project-missing", { file: shown, line: 1, column: 1 }, { above: projectAbove(read) });
    return [];
  }
  const layer = readYaml(shown, text, report);
  if (layer === undefined) return [];
  const place = placeIn(layer.places, { file: shown, line: 1, column: 1 });
  checkShape(layer.values, ANY_PART, [], { place, report });
  return [...includes(layer.values).flatMap(({ name, i }) => readLayers(name, reading, place("include", i))), layer];
}

/** How far up a project is looked for. */
const LEVELS = 8;

/** The nearest folder above with a project, as a path from the root: people run commands where they stand. */
function projectAbove(read: Reading["read"]): string | undefined {
  const folders = Array.from({ length: LEVELS }, (_, i) =>
    Array(i + 1)
      .fill("..")
      .join("/"),
  );
  return folders.find((one) => read(`../${one}/definitions/${CONFIG_FILE}`) !== undefined);
}

/** The shape of one file of several: what must be there may be in another. */
const ANY_PART: Shape = { ...CONFIG_SCHEMA, required: [] };

const includes = ({ include }: Values): readonly { readonly name: string; readonly i: number }[] =>
  Array.isArray(include) ? include.flatMap((name, i) => (typeof name === "string" ? [{ name, i }] : [])) : [];

/** A file as messages name it: paths are relative to `definitions/` unless they start with `~` or `/`. */
const shownPath = (file: string): string =>
  /^(?:[/\\~]|[A-Za-z]:)/.test(file) ? file : posix.join("definitions", file);

/** Packs under their safe names, as everything else knows them; a source of one file says its pack. */
function withSafePacks(values: ConfigValues): ConfigValues {
  const { packs, sources } = values;
  const named = Object.entries(packs ?? {}).map(([name, entry]) => [safeName(name), entry] as const);
  return { ...values, ...(packs ? { packs: Object.fromEntries(named) } : {}), sources: sources.map(withSafePack) };
}

function withSafePack(entry: SourceEntry): SourceEntry {
  const pattern = entry["chat-tools"] ?? entry.mcp ?? entry.openapi ?? entry.functions ?? "";
  const pack = entry.pack ?? (pattern.includes("*") ? undefined : packOf(pattern));
  return pack === undefined ? entry : { ...entry, pack: safeName(pack) };
}

/** Pack of a file that names none: its own name, without the ending. */
export const packOf = (file: string): string => safeName(posix.basename(file).replace(/\.[^.]+$/, ""));
