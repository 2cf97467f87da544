/** Reads a YAML file of `definitions/` as plain data, with the place of every value. */

import { isMap, isPair, isScalar, isSeq, LineCounter, type Node, type YAMLMap } from "yaml";
import { isRecord, type Values } from "../../runtime/contract/json.js";
import type { Place, Report } from "./diagnostic.js";
import { messageValue } from "./message-value.js";
import { parseYamlText } from "./yaml-text.js";

/** Keys and indexes that lead to a value. */
export type Path = readonly (string | number)[];

/** A file that was read. */
export interface YamlFile {
  readonly values: Values;
  /** Places by {@link pathKey} of the path; the place of a member is that of its key. */
  readonly places: ReadonlyMap<string, Place>;
}

/** Longest file that is read, in characters: longer ones take seconds. */
const MAX_YAML_LENGTH = 1_048_576;

/** A path as it is written in messages: `sources[1].handlers`. */
export const yamlPathText = (path: Path): string =>
  path.reduce<string>((text, one) => text + (typeof one === "number" ? `[${one}]` : text === "" ? one : `.${one}`), "");

/** A path as the key of a map. */
export const pathKey = (path: Path): string => JSON.stringify(path);

/** Finds the place of a path; falls back to the nearest enclosing path, then to `start`. */
export const placeOfPath =
  (places: ReadonlyMap<string, Place>, start: Place) =>
  (...path: Path): Place => {
    for (let end = path.length; end >= 0; end--) {
      const found = places.get(pathKey(path.slice(0, end)));
      if (found) return found;
    }
    return start;
  };

/** Reads a file: {@link readYaml}, or one that knows what it read before. */
export type ReadYaml = (file: string, text: string, report: Report) => YamlFile | undefined;

/** Parses a file; undefined, with a diagnostic for each fault, if it is not a YAML map. An empty file is an empty map. */
export function readYaml(file: string, text: string, report: Report): YamlFile | undefined {
  const start: Place = { file, line: 1, column: 1 };
  const refuse = (reason: string, place = start): undefined => void report.add("yaml-invalid", place, { reason });
  if (text.length > MAX_YAML_LENGTH) return refuse(`it has ${text.length} characters, and may have ${MAX_YAML_LENGTH}`);
  const lines = new LineCounter();
  const at = (offset: number): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line, column: col };
  };
  const parsed = parseYamlText(text.replace(/^\ufeff/, ""), lines);
  if ("faults" in parsed) {
    for (const { reason, offset } of parsed.faults) refuse(reason, at(offset));
    return undefined;
  }
  const places = new Map<string, Place>();
  if (parsed.document.contents) collect(parsed.document.contents, [], { at, places });
  const values = parsed.value ?? {};
  if (isRecord(values)) return { values, places };
  report.add("config-invalid", start, { path: "the file", expected: "a map", received: messageValue(values) });
  return undefined;
}

interface Collector {
  readonly at: (offset: number) => Place;
  readonly places: Map<string, Place>;
}

function collect(node: Node, path: Path, collector: Collector): void {
  const { at, places } = collector;
  if (!places.has(pathKey(path)) && node.range) places.set(pathKey(path), at(node.range[0]));
  if (isSeq(node)) for (const [i, item] of node.items.entries()) collect(item as Node, [...path, i], collector);
  if (isMap(node)) collectMembers(node, path, collector);
}

function collectMembers(node: YAMLMap, path: Path, collector: Collector): void {
  const { at, places } = collector;
  for (const pair of node.items) {
    if (!isPair(pair) || !isScalar(pair.key) || !pair.key.range) continue;
    const below = [...path, String(pair.key.value)];
    places.set(pathKey(below), at(pair.key.range[0]));
    if (pair.value) collect(pair.value as Node, below, collector);
  }
}
