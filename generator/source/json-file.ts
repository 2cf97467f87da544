/** Reads a JSON file of definitions: its value, where its parts stand, and a diagnostic where it is no JSON. */

import { messageOf } from "toolwright/codegen";
import type { Place, Report } from "../diagnostic.js";
import { jsonPlaces } from "./json-places.js";
import type { SourceFile } from "./source.js";

/** A parsed file. */
export interface JsonFile {
  readonly value: unknown;
  /** Where the value at a path of at most two keys or indexes begins. */
  readonly placeOf: (...path: readonly (string | number)[]) => Place;
}

/** Parses a file; undefined, with a diagnostic, where it is no JSON. A byte order mark is passed over. */
export function readJsonFile(file: SourceFile, report: Report): JsonFile | undefined {
  const text = file.text.replace(/^\ufeff/, "");
  const places = jsonPlaces(text);
  try {
    const value: unknown = JSON.parse(text);
    return { value, placeOf: (...path) => ({ file: file.file, ...places.placeOf(path) }) };
  } catch (cause) {
    // The engine quotes a part of the file where it has no position; the place says as much.
    const reason = messageOf(cause).replace(/(, (\.\.\.)?".*|( in JSON)? at position \d+.*)$/s, "");
    report.add("syntax-error", { file: file.file, ...places.end }, { reason });
    return undefined;
  }
}
