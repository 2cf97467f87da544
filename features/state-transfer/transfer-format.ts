/**
 * The file of `state export`: a header, then for each table its name and its rows, and an end with the number of rows
 * and a digest of everything before it. One JSON value a line, read and written a line at a time.
 */

import { createHash } from "node:crypto";
import { isRecord } from "../../runtime/contract/json.js";
import { UsageError } from "../../runtime/contract/usage-error.js";

/** A table in the header. */
export interface TableHeader {
  readonly name: string;
  readonly columns: readonly string[];
}

/** The first line. */
export interface Header {
  readonly toolwright_state: typeof FORMAT;
  /** The version of the package that wrote it. */
  readonly version: string;
  readonly at: string;
  /** The newest migration. */
  readonly migration: number;
  /** Versions of the tables of packs, by their name. */
  readonly packs: Readonly<Record<string, number>>;
  readonly tables: readonly TableHeader[];
}

/** Version of the form of the file. */
export const FORMAT = 1;

/** Values of one row, in the order of the columns. */
export type Row = readonly unknown[];

/** A part of the file after its header. */
export type ExportPart =
  | { readonly kind: "table"; readonly name: string }
  | { readonly kind: "row"; readonly row: Row }
  | { readonly kind: "end" };

/** Longest line that is read, in bytes. */
const MAX_LINE_BYTES = 256 * 1024 * 1024;

const NEWLINE = 0x0a;

/** Writes lines, and the digest of them at the end. */
export function createWriter(write: (text: string) => Promise<void>) {
  const hash = createHash("sha256");
  let rows = 0;
  const line = async (value: unknown): Promise<void> => {
    const text = `${JSON.stringify(value)}\n`;
    hash.update(text);
    await write(text);
  };
  return {
    header: (header: Header) => line(header),
    table: (name: string) => line({ table: name }),
    async row(row: Row): Promise<void> {
      rows++;
      await line(row.map(encoded));
    },
    async end(): Promise<number> {
      await write(`${JSON.stringify({ end: true, rows, sha256: hash.digest("hex") })}\n`);
      return rows;
    },
  };
}

/** Bytes, for which JSON has no form, are an object with one key. */
function encoded(value: unknown): unknown {
  const bytes = value instanceof ArrayBuffer ? new Uint8Array(value) : value;
  if (bytes instanceof Uint8Array) return { bytes: Buffer.from(bytes).toString("base64") };
  if (typeof value === "object" && value !== null) throw new Error("a value of the database has no form in the file");
  return value;
}

const decoded = (value: unknown): unknown =>
  isRecord(value) && typeof value["bytes"] === "string" ? Buffer.from(value["bytes"], "base64") : value;

/** Lines of a stream with their bytes; a line without its end is one that was cut off. */
async function* linesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  let parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    let from = 0;
    for (let to = chunk.indexOf(NEWLINE); to >= 0; to = chunk.indexOf(NEWLINE, from)) {
      yield Buffer.concat([...parts, chunk.subarray(from, to + 1)]);
      [parts, size, from] = [[], 0, to + 1];
    }
    parts.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > MAX_LINE_BYTES) throw new UsageError(`a line of the file is longer than ${MAX_LINE_BYTES} bytes`);
  }
  if (size > 0) throw CUT;
}

const CUT = new UsageError("the file is cut off, so nothing is imported: export again, or copy all of the file");

const damaged = (line: number, what: string): UsageError =>
  new UsageError(`line ${line} of the file ${what}, so nothing is imported: export again, or use another copy`);

/** An opened file: its header, then its parts. */
export interface OpenedExport {
  readonly header: Header;
  readonly parts: AsyncGenerator<ExportPart>;
}

/**
 * Reads a file. The last part is `end`.
 *
 * @throws UsageError if it is no such file, of a newer form, cut off or changed; the parts too, when they get there
 */
export async function openReading(chunks: AsyncIterable<Uint8Array>): Promise<OpenedExport> {
  const lines = linesOf(chunks);
  const first = await lines.next();
  const header: unknown = first.done ? undefined : parsed(first.value);
  if (!first.done && isHeader(header)) return { header, parts: partsOf(lines, first.value) };
  throw new UsageError(
    isRecord(header) && typeof header["toolwright_state"] === "number" && header["toolwright_state"] > FORMAT
      ? "the file is of a newer toolwright: install the version that wrote it"
      : "this is no file of toolwright state export",
  );
}

async function* partsOf(lines: AsyncGenerator<Buffer>, first: Buffer): AsyncGenerator<ExportPart> {
  const hash = createHash("sha256").update(first);
  let rows = 0;
  let at = 1;
  for await (const line of lines) {
    at++;
    const value = parsed(line);
    if (isRecord(value) && value["end"] === true) {
      if (value["rows"] !== rows || value["sha256"] !== hash.digest("hex"))
        throw damaged(at, "says that lines before it were changed or are missing");
      if (!(await lines.next()).done) throw damaged(at + 1, "comes after the end");
      yield { kind: "end" };
      return;
    }
    hash.update(line);
    if (Array.isArray(value)) {
      rows++;
      yield { kind: "row", row: value.map(decoded) };
    } else if (isRecord(value) && typeof value["table"] === "string") yield { kind: "table", name: value["table"] };
    else throw damaged(at, "is neither a table nor a row");
  }
  throw CUT;
}

function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString("utf8"));
  } catch {
    return undefined;
  }
}

const isNumber = (value: unknown): boolean => Number.isSafeInteger(value);

function isHeader(value: unknown): value is Header {
  if (!isRecord(value) || value["toolwright_state"] !== FORMAT) return false;
  const { version, at, migration, packs, tables } = value;
  const isTable = (one: unknown): boolean =>
    isRecord(one) &&
    typeof one["name"] === "string" &&
    Array.isArray(one["columns"]) &&
    one["columns"].every((name) => typeof name === "string");
  return (
    typeof version === "string" &&
    typeof at === "string" &&
    isNumber(migration) &&
    isRecord(packs) &&
    Object.values(packs).every(isNumber) &&
    Array.isArray(tables) &&
    tables.every(isTable)
  );
}
