/** Reads a YAML file of `definitions/`: its map as plain data, and where every value of it stands. */

import { isRecord } from "toolwright/codegen";
import {
  type Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  type YAMLMap,
} from "yaml";
import type { Place, Report } from "./diagnostic.js";

/** Keys and indexes that lead to a value. */
export type Path = readonly (string | number)[];

/** Plain data under names. */
export type Values = Readonly<Record<string, unknown>>;

/** A file that was read. */
export interface YamlFile {
  readonly values: Values;
  /** By {@link keyOf} a path: a member stands where its key does. */
  readonly places: ReadonlyMap<string, Place>;
}

/** Characters that such a file may have: more of them take seconds to read. */
const LONGEST = 1_048_576;

/** A path as the key of a map. */
export const keyOf = (path: Path): string => JSON.stringify(path);

/** Finds the place of a path in such a map; that of what encloses it where it is not there, in the end `start`. */
export const placeIn =
  (places: ReadonlyMap<string, Place>, start: Place) =>
  (...path: Path): Place => {
    for (let end = path.length; end >= 0; end--) {
      const found = places.get(keyOf(path.slice(0, end)));
      if (found) return found;
    }
    return start;
  };

/** Parses a file; undefined, with a diagnostic for each fault, where it is no YAML map. A file of nothing is an empty map. */
export function readYaml(file: string, text: string, report: Report): YamlFile | undefined {
  const start: Place = { file, line: 1, column: 1 };
  const refuse = (reason: string, place = start): undefined => void report.add("yaml-invalid", place, { reason });
  if (text.length > LONGEST) return refuse(`it has ${text.length} characters, and may have ${LONGEST}`);
  const lines = new LineCounter();
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  // The library looks for a key among all others, which takes minutes for many; `collect` finds one that stands twice.
  const options = { lineCounter: lines, merge: true, uniqueKeys: false, logLevel: "error" } as const;
  const document = parseDocument(text.replace(/^\ufeff/, ""), options);
  for (const { message, pos } of document.errors) refuse(reasonOf(message), at(pos[0]));
  if (document.errors.length > 0) return undefined;
  const collector: Collector = { at, places: new Map(), refuse, refused: false };
  if (document.contents) collect(document.contents as Node, [], collector);
  if (collector.refused) return undefined;
  const values = valuesOf(document);
  if (values instanceof Error) return refuse(values.message);
  if (isRecord(values)) return { values, places: collector.places };
  report.add("config-invalid", start, { path: "the file", expected: "a map", received: nameOf(values) });
  return undefined;
}

/** The first line of what the library says, without the place. */
function reasonOf(message: string): string {
  const reason = (message.split("\n")[0] ?? "").replace(/ at line \d+, column \d+:$/, "");
  if (reason.startsWith("Source contains multiple documents")) return "it has more than one document";
  return reason.startsWith("Maximum call stack") ? "it nests too deeply" : reason;
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

interface Collector {
  readonly at: (offset: number) => Place;
  readonly places: Map<string, Place>;
  readonly refuse: (reason: string, place: Place) => void;
  refused: boolean;
}

function collect(node: Node, path: Path, collector: Collector): void {
  const { at, places } = collector;
  if (!places.has(keyOf(path)) && node.range) places.set(keyOf(path), at(node.range[0]));
  if (isSeq(node)) for (const [i, item] of node.items.entries()) collect(item as Node, [...path, i], collector);
  if (isMap(node)) collectMembers(node, path, collector);
}

function collectMembers(node: YAMLMap, path: Path, collector: Collector): void {
  const { at, places, refuse } = collector;
  const own = new Map<string, Place>();
  for (const pair of node.items) {
    if (!isPair(pair) || !isScalar(pair.key) || !pair.key.range) continue;
    const name = String(pair.key.value);
    const place = at(pair.key.range[0]);
    const first = name === "<<" ? undefined : own.get(name);
    if (first) {
      refuse(`the key ${name} stands twice in one map, first in line ${first.line}`, place);
      collector.refused = true;
    }
    own.set(name, place);
    places.set(keyOf([...path, name]), place);
    if (pair.value) collect(pair.value as Node, [...path, name], collector);
  }
}

/** A value as a message names it. */
export function nameOf(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, 60));
  if (value === null || typeof value !== "object") return String(value);
  return Array.isArray(value) ? "a list" : "a map";
}
