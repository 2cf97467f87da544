/** Reads a JSON file of definitions: its value with the places of its parts, or a diagnostic for invalid JSON. */

import { messageOf } from "../../runtime/contract/thrown.js";
import type { Place, Report } from "../core/diagnostic.js";
import type { SourceFile } from "./source.js";

/** A parsed file. */
export interface JsonFile {
  readonly value: unknown;
  /** Place of the value at a path of keys or indexes; below the second, of the key, or of the nearest part that is known. */
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

/** A position in a text; line and column count from 1. */
interface Spot {
  readonly line: number;
  readonly column: number;
}

type Path = readonly (string | number)[];

/** Places of one JSON text. */
export interface JsonPlaces {
  /**
   * Position of the value at a path of at most two keys or indexes, otherwise the start of the text; at a longer one, of its key, or of
   * the nearest part that is known.
   */
  readonly placeOf: (path: Path) => Spot;
  /** The end of the text, or of its valid part. */
  readonly end: Spot;
}

const MAX_KEPT_DEPTH = 2;
/** Deepest nesting; deeper nesting is a fault, so that a hostile file cannot exhaust the stack. */
const MAX_JSON_DEPTH = 500;

const SPACE = /[ \t\r\n]*/y;
/** A JSON string. The pattern is unrolled, so that a long string needs no stack. Control characters are not allowed. */
const TEXT = /"[ !#-[\]-\u{10ffff}]*(?:\\(?:["\\/bfnrt]|u[\da-fA-F]{4})[ !#-[\]-\u{10ffff}]*)*"/uy;
const PLAIN = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;

interface Reader {
  readonly text: string;
  readonly offsets: Map<string, number>;
  /** Longest path whose position is kept. */
  readonly depth: number;
  at: number;
}

const keyOf = (path: Path): string => JSON.stringify(path.map(String));

/** Reads a JSON text once and keeps the positions of its outer values. */
export function jsonPlaces(text: string): JsonPlaces {
  const reader: Reader = { text, offsets: new Map(), depth: MAX_KEPT_DEPTH, at: 0 };
  if (readValue(reader, [])) skip(reader, SPACE);
  const starts = lineStarts(text);
  const offsetOf = (path: Path): number => reader.offsets.get(keyOf(path)) ?? 0;
  let last: { readonly outer: number; readonly offsets: Reader["offsets"] } | undefined;
  const inner = (outer: number): Reader["offsets"] => {
    if (last?.outer !== outer) last = { outer, offsets: offsetsFrom(text, outer) };
    return last.offsets;
  };
  return {
    placeOf: (path) => {
      const outer = offsetOf(path.slice(0, MAX_KEPT_DEPTH));
      const found = path.length > MAX_KEPT_DEPTH ? nearestOf(inner(outer), path.slice(MAX_KEPT_DEPTH)) : undefined;
      return spotOf(found ?? outer, starts);
    },
    end: spotOf(reader.at, starts),
  };
}

/** Positions of all parts of the value that begins at an offset; a member's is that of its key. */
function offsetsFrom(text: string, at: number): Reader["offsets"] {
  const reader: Reader = { text, offsets: new Map(), depth: MAX_JSON_DEPTH, at };
  readValue(reader, []);
  return reader.offsets;
}

function nearestOf(offsets: Reader["offsets"], path: Path): number | undefined {
  for (let end = path.length; end > 0; end--) {
    const offset = offsets.get(keyOf(path.slice(0, end)));
    if (offset !== undefined) return offset;
  }
  return undefined;
}

/** Skips the match of a sticky pattern; false without a match. */
function skip(reader: Reader, pattern: RegExp): boolean {
  pattern.lastIndex = reader.at;
  if (!pattern.test(reader.text)) return false;
  reader.at = pattern.lastIndex;
  return true;
}

function skipMark(reader: Reader, mark: string): boolean {
  skip(reader, SPACE);
  if (reader.text[reader.at] !== mark) return false;
  reader.at += 1;
  return true;
}

/** Reads one value; false leaves the reader at the fault. Its position is `from` if given. */
function readValue(reader: Reader, path: Path, from?: number): boolean {
  skip(reader, SPACE);
  if (path.length <= reader.depth) reader.offsets.set(keyOf(path), from ?? reader.at);
  if (path.length > MAX_JSON_DEPTH) return false;
  if (skipMark(reader, "[")) return readMembers(reader, "]", (index) => readValue(reader, [...path, index]));
  if (skipMark(reader, "{")) return readMembers(reader, "}", () => readPair(reader, path));
  return skip(reader, TEXT) || skip(reader, PLAIN);
}

function readMembers(reader: Reader, end: string, readMember: (index: number) => boolean): boolean {
  if (skipMark(reader, end)) return true;
  for (let index = 0; readMember(index); index++) {
    if (skipMark(reader, end)) return true;
    if (!skipMark(reader, ",")) return false;
  }
  return false;
}

function readPair(reader: Reader, path: Path): boolean {
  skip(reader, SPACE);
  const start = reader.at;
  if (!skip(reader, TEXT)) return false;
  const key: unknown = path.length < reader.depth ? JSON.parse(reader.text.slice(start, reader.at)) : "";
  const from = reader.depth > MAX_KEPT_DEPTH ? start : undefined;
  return skipMark(reader, ":") && readValue(reader, [...path, String(key)], from);
}

/** Offsets at which lines begin. */
function lineStarts(text: string): readonly number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function spotOf(offset: number, starts: readonly number[]): Spot {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, column: offset - (starts[low] ?? 0) + 1 };
}
