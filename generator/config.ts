/** Reads `definitions/toolwright.yaml` and what it includes: checked, merged, with the place of every value. */

import { basename } from "node:path/posix";
import {
  closest,
  type FindingLevel,
  type Kind,
  type Level,
  type TargetScope,
  type Tombstone,
} from "toolwright/codegen";
import { type Document, isMap, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument } from "yaml";
import { CONFIG_SCHEMA } from "./config-schema.js";
import type { Place, Report } from "./diagnostic.js";
import { safeName } from "./names.js";

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
  };
  readonly budget?: { readonly tool?: number; readonly help_short?: number; readonly exposed?: number };
  readonly aliases?: Readonly<Record<string, string>>;
  readonly servers?: Readonly<Record<string, ServerEntry>>;
  readonly access?: { readonly allow_write?: boolean; readonly local?: Level };
  readonly state?: string;
  readonly limits?: { readonly call_timeout_ms?: number };
  readonly log?: { readonly level?: string; readonly file?: string | null };
}

/** A checked configuration. */
export interface Config extends ConfigValues {
  /** Where the value at a path of keys and indexes stands; the nearest enclosing one that is known. */
  readonly place: (...path: readonly (string | number)[]) => Place;
}

/** Name of the one file that declares everything, under `definitions/`. */
export const CONFIG_FILE = "toolwright.yaml";

type Path = readonly (string | number)[];
type Places = Map<string, Place>;

const keyOf = (path: Path): string => JSON.stringify(path);

/**
 * Loads the configuration.
 *
 * @param read text of a file under `definitions/`, or undefined where there is none
 * @returns undefined when an error was reported
 */
export function loadConfig(read: (file: string) => string | undefined, report: Report): Config | undefined {
  const places: Places = new Map();
  const values = readFile(CONFIG_FILE, read, report, places, new Set());
  if (values === undefined || report.failed) return undefined;
  const place = (...path: Path): Place => {
    for (let end = path.length; end >= 0; end--) {
      const found = places.get(keyOf(path.slice(0, end)));
      if (found) return found;
    }
    return { file: `definitions/${CONFIG_FILE}`, line: 1, column: 1 };
  };
  checkShape(values, CONFIG_SCHEMA, [], place, report);
  return report.failed ? undefined : { ...withSafePacks(values as unknown as ConfigValues), place };
}

/** Packs under their safe names (decision D5), as everything else knows them; a source of one file says its pack. */
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
export const packOf = (file: string): string => safeName(basename(file).replace(/\.[^.]+$/, ""));

type Values = Readonly<Record<string, unknown>>;

function readFile(
  file: string,
  read: (file: string) => string | undefined,
  report: Report,
  places: Places,
  seen: Set<string>,
  from: Place = { file: `definitions/${file}`, line: 0, column: 0 },
): Values | undefined {
  const at: Place = { file: `definitions/${file}`, line: 1, column: 1 };
  const text = read(file);
  if (text === undefined) {
    const reason = from.line === 0 ? "there is no such file" : `definitions/${file} is not there`;
    report.add("file-unreadable", from, { reason });
    return undefined;
  }
  if (seen.has(file)) return {};
  seen.add(file);
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, merge: true, logLevel: "error" });
  for (const fault of document.errors) {
    const { line, col } = lines.linePos(fault.pos[0]);
    const reason = (fault.message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:$/, "");
    report.add("yaml-invalid", { file: at.file, line, column: col }, { reason });
  }
  if (document.errors.length > 0) return undefined;
  const own: Places = new Map();
  if (document.contents) collect(document.contents as Node, [], own, at.file, lines);
  const values = valuesOf(document);
  if (values instanceof Error) {
    report.add("yaml-invalid", at, { reason: values.message });
    return undefined;
  }
  if (!isRecord(values)) {
    report.add("config-invalid", at, { path: "the file", expected: "a map", received: nameOf(values) });
    return undefined;
  }
  const merged = includes(values)
    .map((name, i) => readFile(name, read, report, places, seen, own.get(keyOf(["include", i]))))
    .reduce<Values>((base, one) => (one ? merge(base, one) : base), {});
  for (const [key, place] of own) places.set(key, place);
  return merge(merged, values);
}

/** The document as plain data. An alias without an anchor, one that holds itself, or too many of them: the error. */
function valuesOf(document: Document): unknown {
  try {
    const values: unknown = document.toJS() ?? {};
    JSON.stringify(values);
    return values;
  } catch (cause) {
    return cause instanceof TypeError ? new Error("an alias refers to what encloses it") : cause;
  }
}

const includes = (values: Values): readonly string[] =>
  Array.isArray(values["include"]) ? values["include"].filter((one): one is string => typeof one === "string") : [];

/** Maps merge; lists and scalars replace. */
function merge(base: Values, over: Values): Values {
  const result = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const before = result.get(key);
    result.set(key, isRecord(before) && isRecord(value) ? merge(before, value) : value);
  }
  return Object.fromEntries(result);
}

function collect(node: Node, path: Path, places: Places, file: string, lines: LineCounter): void {
  const note = (at: Path, offset: number | undefined): void => {
    if (offset === undefined) return;
    const { line, col } = lines.linePos(offset);
    places.set(keyOf(at), { file, line, column: col });
  };
  if (!places.has(keyOf(path))) note(path, node.range?.[0]);
  if (isSeq(node))
    for (const [i, item] of node.items.entries()) collect(item as Node, [...path, i], places, file, lines);
  if (!isMap(node)) return;
  for (const pair of node.items) {
    if (!isPair(pair) || !isScalar(pair.key)) continue;
    const below = [...path, String(pair.key.value)];
    note(below, pair.key.range?.[0]);
    if (pair.value) collect(pair.value as Node, below, places, file, lines);
  }
}

interface Shape {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: false | Shape;
  readonly items?: Shape;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly format?: "date";
}

function checkShape(value: unknown, shape: Shape, path: Path, place: Config["place"], report: Report): void {
  const expected = mismatch(value, shape);
  const named = path.join(".") || "the file";
  if (expected !== undefined)
    report.add("config-invalid", place(...path), { path: named, expected, received: nameOf(value) });
  else if (Array.isArray(value) && shape.items) {
    for (const [i, item] of value.entries()) checkShape(item, shape.items, [...path, i], place, report);
  } else if (isRecord(value) && (shape.properties || shape.additionalProperties))
    checkMembers(value, shape, path, place, report);
}

function checkMembers(value: Values, shape: Shape, path: Path, place: Config["place"], report: Report): void {
  const { properties = {}, required = [], additionalProperties: rest } = shape;
  for (const name of required.filter((one) => !Object.hasOwn(value, one))) {
    const missing = [...path, name].join(".");
    report.add("config-invalid", place(...path), { path: missing, expected: "set", received: "nothing" });
  }
  for (const [key, member] of Object.entries(value)) {
    const below = (Object.hasOwn(properties, key) ? properties[key] : undefined) ?? rest;
    if (below) checkShape(member, below, [...path, key], place, report);
    else reportUnknown(key, Object.keys(properties), place(...path, key), path, report);
  }
}

/** More names than this are counted. */
const MOST_LISTED = 40;

function reportUnknown(key: string, known: readonly string[], at: Place, path: Path, report: Report): void {
  report.add("config-unknown-key", at, {
    key: [...path, key].join("."),
    nearest: closest(key, known),
    known: known.length > MOST_LISTED ? `${known.length} names, see the README` : known.join(", "),
  });
}

/** What was expected, when the value itself does not fit; undefined when it does. */
function mismatch(value: unknown, shape: Shape): string | undefined {
  const types = shape.type === undefined ? [] : [shape.type].flat();
  if (types.length > 0 && !types.some((type) => hasType(value, type))) return types.map(withArticle).join(" or ");
  if (shape.enum && !shape.enum.includes(value as string)) return `one of ${shape.enum.join(", ")}`;
  if (shape.format === "date" && !isDay(value)) return "a day like 2026-11-01";
  if (shape.minimum !== undefined && typeof value === "number" && value < shape.minimum)
    return `at least ${shape.minimum}`;
  return undefined;
}

/** Whether a value is a day of the calendar, `YYYY-MM-DD`. */
export const isDay = (value: unknown): value is string =>
  typeof value === "string" &&
  /^\d{4}-\d{2}-\d{2}$/.test(value) &&
  new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) === true;

const WORDS: Readonly<Record<string, string>> = {
  object: "a map",
  array: "a list",
  string: "a text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  null: "null",
};

const withArticle = (type: string): string => WORDS[type] ?? type;

function hasType(value: unknown, type: string): boolean {
  if (type === "object") return isRecord(value);
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  if (type === "null") return value === null;
  return typeof value === type;
}

const isRecord = (value: unknown): value is Values =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function nameOf(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 60));
  if (value === null || typeof value !== "object") return String(value);
  return Array.isArray(value) ? "a list" : "a map";
}
