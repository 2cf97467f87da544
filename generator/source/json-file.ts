/** Reads a JSON file of definitions: its value with the places of its parts, or a diagnostic for invalid JSON. */

import { messageOf } from "../../runtime/contract/message-of.js";
import type { Place, Report } from "../core/diagnostic.js";
import { jsonPlaces } from "./json-places.js";
import type { SourceFile } from "./source.js";

/** A parsed file. */
export interface JsonFile {
  readonly value: unknown;
  /** Place of the value at a path of at most two keys or indexes. */
  readonly placeOf: (...path: readonly (string | number)[]) => Place;
}

/** Parses a file; undefined, with a diagnostic, if it is not JSON. A byte order mark is skipped. */
export function readJsonFile(file: SourceFile, report: Report): JsonFile | undefined {
  const text = file.text.replace(/^\ufeff/, "");
  const places = jsonPlaces(text);
  try {
    const value: unknown = JSON.parse(text);
    return { value, placeOf: (...path) => ({ file: file.file, ...places.placeOf(path) }) };
  } catch (cause) {
    // Removes the position or the quoted part of the file from the engine's message; the place gives the position.
    const reason = messageOf(cause).replace(/(, (\.\.\.)?".*|( in JSON)? at position \d+.*)$/s, "");
    report.add("syntax-error", { file: file.file, ...places.end }, { reason });
    return undefined;
  }
}
