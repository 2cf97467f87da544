/** Parses an OpenAPI description and follows its references inside the project. Nothing is downloaded. */

import { dirname, join, relative } from "node:path/posix";
import { isMap, isNode, isScalar, isSeq, LineCounter } from "yaml";
import type { Place, Report } from "../../../generator/core/diagnostic.js";
import { parseYamlText } from "../../../generator/core/yaml-text.js";
import { readJsonFile } from "../../../generator/source/json-file.js";
import type { SourceFile } from "../../../generator/source/source.js";
import { isRecord } from "../../../runtime/contract/json.js";
import { unescapePointer } from "../../../runtime/contract/json-pointer.js";
import { changesNumber, readExact } from "../../../runtime/contract/read-json.js";
import { reportApiFault } from "../diagnostics.js";
import { keepExactTexts, keepTextsAsWritten } from "./openapi-scalars.js";

/** An unchecked JSON object. */
export type OpenApiObject = Readonly<Record<string, unknown>>;

/** An object and its file, which its references are relative to. */
export interface LocatedObject {
  readonly node: OpenApiObject;
  readonly file: string;
}

/** A value and its file. */
interface Found {
  readonly value: unknown;
  readonly file: string;
}

/** A description and the files that it refers to. */
export interface OpenapiDocument {
  readonly root: LocatedObject;
  /** The object at some keys below an object. A `$ref` in place of any object on the way is followed. */
  readonly below: (from: LocatedObject, ...keys: readonly string[]) => LocatedObject | undefined;
  /** The members of the list at a key of an object, each with its file; the list may be a `$ref`. */
  readonly members: (from: LocatedObject, key: string) => readonly Found[];
  /** The object itself or the target of its `$ref`; undefined, with a diagnostic, if the target does not exist. */
  readonly follow: (node: unknown, file: string) => LocatedObject | undefined;
  /** The target of a reference, with a key that is the same for all spellings of the reference. */
  readonly target: (ref: string, file: string) => (LocatedObject & { readonly key: string }) | undefined;
  /** The same without a diagnostic. */
  readonly find: (ref: string, file: string) => (LocatedObject & { readonly key: string }) | undefined;
  /** Reports a reference without a target. */
  readonly lost: (ref: string, file: string) => void;
  /** How often a reference was followed that leads back to itself: each has been reported, and costs its operation alone. */
  readonly endless: () => number;
  /** Place of the value at `paths/<path>/<method>`, or of the nearest known one. */
  readonly placeOf: (...path: readonly string[]) => Place;
  /** Place of a member of an object of a file. The file is read a second time for the first of them. */
  readonly placeIn: (node: OpenApiObject, file: string, ...path: readonly string[]) => Place;
}

interface Parsed {
  readonly value: unknown;
  readonly placeOf: (...path: readonly string[]) => Place;
  /** Place of the key at any path, or of the nearest one that is known. */
  readonly deepPlaceOf: (...path: readonly string[]) => Place;
}

/** Most references that are followed in a row. */
const MAX_REFERENCES = 16;

/** A description that was converted to OpenAPI 3, or why it could not be converted, if that is not reported yet. */
export type Converted = { readonly node: OpenApiObject } | { readonly reason?: string };

/**
 * Opens a description; undefined, with a diagnostic, if it cannot be read.
 *
 * @param convert converts one in Swagger 2.0
 */
export async function openDocument(
  file: SourceFile,
  report: Report,
  convert: (document: OpenapiDocument) => Promise<Converted>,
): Promise<OpenapiDocument | undefined> {
  const first = parse(file, report);
  if (!first) return undefined;
  const fault = versionFault(first.value);
  if (fault !== undefined || !isRecord(first.value)) {
    reportApiFault(
      report,
      "openapi-version",
      { file: file.file, line: 1, column: 1 },
      { fact: fault ?? "is no object" },
    );
    return undefined;
  }
  const document = documentOf(file, first, report);
  if (first.value["swagger"] === undefined) return document;
  const converted = await convert(document);
  if ("node" in converted) return documentOf(file, { ...first, value: converted.node }, report);
  if (converted.reason !== undefined)
    reportApiFault(report, "openapi-version", first.placeOf(), {
      fact: `cannot be converted from Swagger 2.0: ${converted.reason}`,
    });
  return undefined;
}

/** The description `first`, which was read from the file or made from it. */
function documentOf(file: SourceFile, first: Parsed, report: Report): OpenapiDocument {
  const parsedOf = reader(file, first, report);
  const found = finder((path) => (path !== file.file && outside(path) ? undefined : parsedOf(path)));
  const outside = leavesProject(file);
  let circles = 0;
  const placeOf = (ref: string, from: string): Place => placeOfText(file.read(from) ?? "", from, ref);
  const lost: OpenapiDocument["lost"] = (ref, from) => {
    const path = localPath(ref.split("#", 1)[0] ?? "", from);
    const isOutside = path === undefined ? !/^https?:/i.test(ref) : path !== from && outside(path);
    reportApiFault(report, "openapi-reference", placeOf(ref, from), { ref: ref.slice(0, 200), isOutside });
  };
  const circle: OpenapiDocument["lost"] = (ref, from) => {
    circles++;
    reportApiFault(report, "openapi-endless", placeOf(ref, from), { ref: ref.slice(0, 200) });
  };
  const find: OpenapiDocument["find"] = (ref, from) => {
    const { value, ...rest } = found(ref, from) ?? {};
    return isRecord(value) && "key" in rest ? { node: value, ...rest } : undefined;
  };
  const target: OpenapiDocument["target"] = (ref, from) => {
    const one = find(ref, from);
    if (!one) lost(ref, from);
    return one;
  };
  const root = { node: first.value as OpenApiObject, file: file.file };
  return {
    ...{ root, ...walkers(found, lost, circle), target, find, lost, endless: () => circles },
    ...{ placeOf: first.placeOf, placeIn: placesIn(parsedOf) },
  };
}

/** Reads the files of a description, each once. */
function reader(file: SourceFile, first: Parsed, report: Report): (path: string) => Parsed | undefined {
  const files = new Map<string, Parsed | undefined>([[file.file, first]]);
  return (path) => {
    if (!files.has(path)) {
      const text = file.read(path);
      files.set(path, text === undefined ? undefined : parse({ ...file, file: path, text }, report));
    }
    return files.get(path);
  };
}

type Find = (ref: string, from: string) => (Found & { readonly key: string }) | undefined;

/** Finds the target of a reference, which may be in another file of the project. */
function finder(parsedOf: (path: string) => Parsed | undefined): Find {
  return (ref, from) => {
    const [address = "", pointer = ""] = splitOnce(ref, "#");
    const path = localPath(address, from);
    const value = path === undefined ? undefined : pointed(parsedOf(path)?.value, pointer);
    return path === undefined || value === undefined ? undefined : { value, file: path, key: `${path}#${pointer}` };
  };
}

/** The place of a reference in the text of its file, as far as the text has it. */
function placeOfText(text: string, path: string, ref: string): Place {
  const lines = (text.split(ref, 1)[0] ?? "").split("\n");
  return { file: path, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1 };
}

/** The ways through a description that follow references. */
function walkers(
  find: Find,
  lost: OpenapiDocument["lost"],
  circle: OpenapiDocument["lost"],
): Pick<OpenapiDocument, "follow" | "below" | "members"> {
  /** A value itself, or the value that its chain of references ends at. */
  const resolve = (one: Found): Found | undefined => {
    let at = one;
    for (let step = 0; step < MAX_REFERENCES; step++) {
      const $ref = isRecord(at.value) ? at.value["$ref"] : undefined;
      if (typeof $ref !== "string") return at;
      const next = find($ref, at.file);
      if (!next || step === MAX_REFERENCES - 1) {
        (next ? circle : lost)($ref, at.file);
        return undefined;
      }
      at = next;
    }
    return undefined;
  };
  const follow: OpenapiDocument["follow"] = (node, file) => {
    const found = isRecord(node) ? resolve({ value: node, file }) : undefined;
    if (found && isRecord(found.value)) return { node: found.value, file: found.file };
    if (found && isRecord(node)) lost(String(node["$ref"]), file);
    return undefined;
  };
  const below: OpenapiDocument["below"] = (from, ...keys) =>
    keys.reduce<LocatedObject | undefined>((at, key) => at && follow(own(at.node, key), at.file), from);
  const members: OpenapiDocument["members"] = ({ node, file }, key) => {
    const value = own(node, key);
    const found = isRecord(value) ? resolve({ value, file }) : { value, file };
    return found && Array.isArray(found.value) ? found.value.map((one) => ({ value: one, file: found.file })) : [];
  };
  return { follow, below, members };
}

const own = (node: OpenApiObject, key: string): unknown => (Object.hasOwn(node, key) ? node[key] : undefined);

function placesIn(parsedOf: (file: string) => Parsed | undefined): OpenapiDocument["placeIn"] {
  const paths = new Map<string, ReturnType<typeof pathsOf>>();
  return (node, file, ...path) => {
    const parsed = parsedOf(file);
    const known = paths.get(file) ?? pathsOf(parsed?.value);
    paths.set(file, known);
    return parsed?.deepPlaceOf(...known(node), ...path) ?? { file, line: 1, column: 1 };
  };
}

/** Finds the path of an object inside a value. */
function pathsOf(root: unknown): (node: object) => readonly string[] {
  const parents = new Map<object, readonly [parent: object, key: string]>();
  const waiting = isObject(root) ? [root] : [];
  for (let holder = waiting.pop(); holder; holder = waiting.pop())
    for (const [key, member] of Object.entries(holder))
      if (isObject(member) && !parents.has(member)) {
        parents.set(member, [holder, key]);
        waiting.push(member);
      }
  return (node) => {
    const path: string[] = [];
    for (let at = parents.get(node); at; at = parents.get(at[0])) path.unshift(at[1]);
    return path;
  };
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null;

function versionFault(value: unknown): string | undefined {
  if (!isRecord(value)) return "is no object";
  const { swagger } = value;
  if (swagger !== undefined)
    return String(swagger) === "2.0" || swagger === 2
      ? undefined
      : `is written in Swagger ${String(swagger).slice(0, 20)}`;
  const version = value["openapi"];
  if (version === undefined) return "has no member `openapi`";
  return /^3\.[0-2](\.|$)/.test(String(version)) ? undefined : `is written in OpenAPI ${String(version).slice(0, 20)}`;
}

/** Path of an address such as `./common.yaml`, relative to the file; undefined for URLs, absolute paths and names of other machines. */
function localPath(address: string, from: string): string | undefined {
  if (address === "") return from;
  const path = decoded(address);
  return [address, path].some((one) => /^[a-z][a-z0-9+.-]*:|^\/|[\\\0]/i.test(one))
    ? undefined
    : join(dirname(from), path);
}

/**
 * Whether a file is outside of the project and of the folder of its description, or hidden, as the files with secrets are. A link is
 * what it leads to.
 */
function leavesProject({ file, leadsOut }: SourceFile): (path: string) => boolean {
  const folder = dirname(file);
  const isBelow = (path: string): boolean => !/(?:^|\/)\./.test(path);
  return (path) => !(isBelow(relative(folder, path)) || isBelow(path)) || leadsOut?.(path, folder) === true;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function splitOnce(text: string, mark: string): readonly [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}

/** The value at a JSON pointer, or the schema with that `$anchor`. */
function pointed(value: unknown, pointer: string): unknown {
  if (pointer !== "" && !pointer.startsWith("/")) return anchored(value, pointer);
  let at = value;
  for (const part of pointer.split("/").slice(1)) {
    const key = unescapePointer(decoded(part));
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as OpenApiObject)[key];
  }
  return at;
}

/** The schema below a value with an `$anchor`. */
function anchored(value: unknown, name: string): unknown {
  const waiting: unknown[] = [value];
  for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
    if (typeof at !== "object" || at === null) continue;
    if (isRecord(at) && (at["$anchor"] === name || at["$dynamicAnchor"] === name)) return at;
    waiting.push(...Object.values(at).reverse());
  }
  return undefined;
}

function parse(file: SourceFile, report: Report): Parsed | undefined {
  return isJson(file) ? parseJson(file, report) : parseYaml(file, report);
}

/** Whether a file is JSON: it begins like it, and a YAML file, which may begin with a brace too, can be read as JSON. */
function isJson({ file, text }: SourceFile): boolean {
  if (!/^\ufeff?\s*\{/.test(text)) return false;
  if (!/\.ya?ml$/i.test(file)) return true;
  try {
    JSON.parse(text.replace(/^\ufeff/, ""));
    return true;
  } catch {
    return false;
  }
}

/** Parses JSON, with places of its two outer levels. */
function parseJson(file: SourceFile, report: Report): Parsed | undefined {
  const json = readJsonFile(file, report);
  const { value, placeOf } = json ?? {};
  const text = file.text.replace(/^\ufeff/, "");
  if (json && changesNumber(text)) keepExactTexts(value, readExact(text));
  return placeOf && { value, placeOf: (...path) => placeOf(...path.slice(0, 2)), deepPlaceOf: placeOf };
}

/** Longest YAML description, in characters; a million of them takes some seconds to read. */
const MAX_YAML_LENGTH = 16_777_216;

function parseYaml({ file, text }: SourceFile, report: Report): Parsed | undefined {
  const lines = new LineCounter();
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  if (text.length > MAX_YAML_LENGTH) {
    const reason = `it has ${text.length} characters, and may have ${MAX_YAML_LENGTH}`;
    report.add("yaml-invalid", { file, line: 1, column: 1 }, { reason });
    return undefined;
  }
  const parsed = parseYamlText(text.replace(/^\ufeff/, ""), lines, keepTextsAsWritten);
  if ("faults" in parsed) {
    const [first] = parsed.faults;
    if (first) report.add("yaml-invalid", at(first.offset), { reason: first.reason });
    return undefined;
  }
  const { document, value } = parsed;
  const offsets = new Map<string, number>();
  keepOffsets(document.contents, [], offsets, MAX_KEPT_DEPTH);
  const placeBy = (known: ReadonlyMap<string, number>, path: readonly string[]): Place => {
    for (let end = path.length; end > 0; end--) {
      const offset = known.get(JSON.stringify(path.slice(0, end)));
      if (offset !== undefined) return at(offset);
    }
    return at(0);
  };
  let all: ReadonlyMap<string, number> | undefined;
  return {
    value,
    placeOf: (...path) => placeBy(offsets, path),
    deepPlaceOf: (...path) => {
      all ??= allOffsets(text);
      return placeBy(all, path);
    },
  };
}

/** Depth to which places are kept, `paths/<path>/<method>`, so that the parsed document, ten times its text, can be freed. */
const MAX_KEPT_DEPTH = 3;

/** Positions of all keys and items of a text that has been read before. */
function allOffsets(text: string): ReadonlyMap<string, number> {
  const offsets = new Map<string, number>();
  const parsed = parseYamlText(text.replace(/^\ufeff/, ""), new LineCounter());
  if ("document" in parsed) keepOffsets(parsed.document.contents, [], offsets, Number.POSITIVE_INFINITY);
  return offsets;
}

function keepOffsets(node: unknown, path: readonly string[], offsets: Map<string, number>, depth: number): void {
  if (path.length === depth) return;
  const keep = (key: string, offset: number | undefined, value: unknown): void => {
    const below = [...path, key];
    offsets.set(JSON.stringify(below), offset ?? 0);
    keepOffsets(value, below, offsets, depth);
  };
  if (isSeq(node))
    for (const [index, item] of node.items.entries()) keep(String(index), isNode(item) ? item.range?.[0] : 0, item);
  if (isMap(node))
    for (const { key, value } of node.items) if (isScalar(key)) keep(String(key.value), key.range?.[0], value);
}
