/**
 * Results that are too large for a reply: stored until they expire, private to their caller. This store keeps them in
 * `.onetool/tmp`; that of `result-rows.ts` in a database that servers share.
 */

import { randomBytes } from "node:crypto";
import { mkdir, readdir, readFile, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { LOCAL_ID } from "../access/principal.js";
import { type CanCall, EVERY_OP } from "../catalog/advice.js";
import type { OutputSettings } from "../config/run-settings.js";
import { stateDirectory } from "../config/state-directory.js";
import { writeAtomically } from "../contract/atomic-write.js";
import { isToolFailure, ToolFailure } from "../contract/handler.js";
import { withoutKeys } from "../contract/scrub.js";
import { codeOf } from "../contract/thrown.js";
import type { LanguageTexts } from "./languages/language.js";
import { collectionOf, firstLines, readableJson, resultSentence } from "./result-text.js";
import { type Boundary, boundaryText } from "./sanitize.js";
import { tableLists } from "./sql/table.js";
import { tablesText } from "./sql/table-text.js";

/** Metadata of a stored result. */
export interface ResultMeta {
  readonly handle: string;
  readonly total_lines: number;
  readonly size_bytes: number;
  /** ISO, UTC. */
  readonly created_at: string;
  /** The op that the result comes from. */
  readonly tool: string;
  /** Owner of the result: `local`, or a key id; absent: local. */
  readonly caller?: string;
  /** Whether text read from it must be sanitised again. */
  readonly sanitized?: true;
}

/** The final text of a run. */
export interface FinalText {
  /** Already redacted if there is a boundary, but without its tags. */
  readonly text: string;
  readonly boundary?: Boundary;
  /** The op of the final call, else the last op called, else `run`. */
  readonly tool: string;
  /** The only caller that may read a stored result: `local`, or a key id; default: local. */
  readonly caller?: string;
  /** What the caller can call; default: every op. */
  readonly can?: CanCall;
  /** Writes a call in the language of the program. */
  readonly call: LanguageTexts["call"];
}

/** A reply. */
export type Reply =
  | { readonly kind: "inline"; readonly text: string }
  | { readonly kind: "stored"; readonly text: string; readonly meta: ResultMeta };

/** The result of looking up a handle. */
export type FoundResult =
  | { readonly kind: "found"; readonly meta: ResultMeta; readonly text: string }
  | { readonly kind: "unknown" }
  | { readonly kind: "expired" };

/** Bounds of stored results: bytes of one, and bytes and number of those of a caller, whose oldest ones expire early. */
export const RESULT_BOUNDS = { bytes: 64 * 1024 * 1024, callerBytes: 256 * 1024 * 1024, callerResults: 2000 } as const;

/** A result to store. */
export interface NewResult extends Omit<ResultMeta, "created_at"> {
  readonly content: string;
}

/** Where large results are kept. */
export interface ResultStore {
  /**
   * Stores a result, and deletes those that have expired.
   *
   * @throws ToolFailure, or an error of the file system, if it cannot be stored
   */
  keep(result: NewResult): Promise<ResultMeta>;
  /**
   * Reads a result.
   *
   * @param reader caller, to which results of other keys do not exist; default: local
   * @throws ToolFailure UNAVAILABLE if the database cannot be read
   */
  read(handle: string, reader?: string): Promise<FoundResult>;
  /** Deletes expired files, as a server starts. */
  clean(): Promise<void>;
}

const FOLDER = "tmp";
/** Form of a handle. */
export const HANDLE = /^[0-9a-f]{12}$/;
const FILE = /^result-([0-9a-f]{12})\.(?:txt|meta\.json)(?:\.[\da-f-]+\.tmp)?$/;

/** Path of a file of a stored result. */
export const resultFile = (root: string, handle: string, end: "txt" | "meta.json"): string =>
  join(root, ".onetool", FOLDER, `result-${handle}.${end}`);

/**
 * The reply of a finished run: its text, or, if it is larger than `maxInlineSize` bytes, a handle, a summary and a
 * preview. If it cannot be stored: as much of it as may be inline, with a note.
 */
export async function replyOf(
  results: Pick<ResultStore, "keep">,
  final: FinalText,
  output: OutputSettings,
): Promise<Reply> {
  const whole = final.boundary ? boundaryText(final.text, final.boundary) : final.text;
  if (output.maxInlineSize === 0 || Buffer.byteLength(whole) <= output.maxInlineSize)
    return { kind: "inline", text: whole };
  try {
    const content = withoutKeys(readableJson(final.text));
    const meta = await results.keep(newResult(content, final));
    return { kind: "stored", text: envelope(meta, content, final, output), meta };
  } catch (error) {
    const reason = isToolFailure(error) ? `${error.code}: ${error.message}` : `${codeOf(error) ?? "an error"}.`;
    const start = firstLines(final.text, Number.POSITIVE_INFINITY, output.maxInlineSize);
    const text = final.boundary ? boundaryText(start, final.boundary) : start;
    return { kind: "inline", text: `${text}\n(The rest is lost: the result could not be stored, ${reason})` };
  }
}

/** A result with a new handle. */
export const newResult = (
  content: string,
  { tool, boundary, caller = LOCAL_ID }: Pick<FinalText, "tool" | "boundary" | "caller">,
): NewResult => ({
  content,
  handle: randomBytes(6).toString("hex"),
  total_lines: content.split("\n").length,
  size_bytes: Buffer.byteLength(content),
  tool,
  ...(caller === LOCAL_ID ? {} : { caller }),
  ...(boundary ? { sanitized: true } : {}),
});

/** A store in `.onetool/tmp` of a project, for one machine. */
export const fileResults = (root: string, resultTtl: number, now: () => Date): ResultStore => ({
  async keep(result) {
    checkSize(result);
    const meta = await store(root, result, now());
    await cleanResults(root, resultTtl, now());
    await dropOldest(root, meta);
    return meta;
  },
  read: (handle, reader) => readStoredResult(root, handle, resultTtl, now(), reader),
  clean: () => cleanResults(root, resultTtl, now()),
});

/** Stores a text with its metadata. */
async function store(root: string, { content, ...result }: NewResult, now: Date): Promise<ResultMeta> {
  const { handle, total_lines, size_bytes, ...rest } = result;
  const meta: ResultMeta = { handle, total_lines, size_bytes, created_at: now.toISOString(), ...rest };
  await mkdir(join(await stateDirectory(root), FOLDER), { recursive: true, mode: 0o700 });
  // The text is written first, so that a result with metadata is complete.
  await keep(resultFile(root, handle, "txt"), content);
  await keep(resultFile(root, handle, "meta.json"), `${JSON.stringify(meta)}\n`);
  return meta;
}

const keep = (file: string, text: string): Promise<void> => writeAtomically(file, text, { mode: 0o600 });

function envelope(meta: ResultMeta, content: string, final: FinalText, output: OutputSettings): string {
  const { handle, total_lines, size_bytes } = meta;
  const start = firstLines(content, output.previewLines, output.previewBytes);
  const value = collectionOf(final.text);
  const table = tablesText(value);
  const { boundary, tool, can = EVERY_OP } = final;
  // Names of columns are untrusted, too.
  const marked = (text: string): string => (boundary ? boundaryText(text, boundary) : text);
  return JSON.stringify({
    handle,
    total_lines,
    size_bytes,
    summary: resultSentence({ text: final.text, lines: total_lines, tool, foreign: boundary !== undefined }, value),
    ...(table === undefined ? {} : { table: marked(table) }),
    preview: marked(start),
    query: final.call("ot.result", { handle, offset: 1, limit: 50 }),
    ...(table === undefined || !can("ot.query") ? {} : { sql: askedAt(handle, value, final.call, marked) }),
  });
}

/** A first query; of the first of several tables, whose path is untrusted text, too. */
function askedAt(handle: string, value: unknown, call: FinalText["call"], marked: (text: string) => string): string {
  const lists = tableLists(value);
  const asked = { handle, sql: "select count(*) from r" };
  return lists.length > 1 ? marked(call("ot.query", { ...asked, rows: lists[0]?.[0] ?? "" })) : call("ot.query", asked);
}

/**
 * Reads a stored result and deletes it if it has expired. An invalid handle never reaches the disk.
 *
 * @param reader caller, to which results of other keys do not exist; default: local
 */
export async function readStoredResult(
  root: string,
  handle: string,
  resultTtl: number,
  now: Date,
  reader = LOCAL_ID,
): Promise<FoundResult> {
  if (!HANDLE.test(handle)) return { kind: "unknown" };
  try {
    const meta = JSON.parse(await readFile(resultFile(root, handle, "meta.json"), "utf8")) as ResultMeta;
    // The owner of the machine could read the files in any case.
    if (reader !== LOCAL_ID && reader !== meta.caller) return { kind: "unknown" };
    if (isExpired(Date.parse(meta.created_at), resultTtl, now)) {
      await remove(root, handle);
      return { kind: "expired" };
    }
    return { kind: "found", meta, text: await readFile(resultFile(root, handle, "txt"), "utf8") };
  } catch {
    return { kind: "unknown" };
  }
}

/** @throws ToolFailure for a result that is too large to be kept */
export function checkSize({ size_bytes }: Pick<NewResult, "size_bytes">): void {
  if (size_bytes <= RESULT_BOUNDS.bytes) return;
  throw new ToolFailure(
    "VALIDATION_ERROR",
    `It has ${size_bytes} bytes, and at most ${RESULT_BOUNDS.bytes} are kept. Return a part of it.`,
  );
}

/** Deletes the oldest results of a caller that are beyond the bounds. The latest one stays. */
async function dropOldest(root: string, latest: ResultMeta): Promise<void> {
  const folder = join(root, ".onetool", FOLDER);
  const names = await readdir(folder).catch(() => []);
  const own: ResultMeta[] = [];
  for (const name of names) {
    const [, handle] = name.endsWith(".meta.json") ? (FILE.exec(name) ?? []) : [];
    const meta = handle === undefined ? undefined : await metaOf(root, handle);
    if (meta && meta.caller === latest.caller && meta.handle !== latest.handle) own.push(meta);
  }
  own.sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at));
  let bytes = latest.size_bytes;
  for (const [at, { handle, size_bytes }] of own.entries()) {
    bytes += size_bytes;
    if (bytes > RESULT_BOUNDS.callerBytes || at + 1 >= RESULT_BOUNDS.callerResults) await remove(root, handle);
  }
}

/** Metadata of a result; undefined if another process has deleted it. */
const metaOf = (root: string, handle: string): Promise<ResultMeta | undefined> =>
  readFile(resultFile(root, handle, "meta.json"), "utf8").then(
    (text) => JSON.parse(text) as ResultMeta,
    () => undefined,
  );

const isExpired = (since: number, ttl: number, now: Date): boolean => ttl > 0 && now.getTime() - since > ttl * 1000;

async function remove(root: string, handle: string): Promise<void> {
  await rm(resultFile(root, handle, "meta.json"), { force: true });
  await rm(resultFile(root, handle, "txt"), { force: true });
}

/** Deletes expired results, files without their counterpart, and partial files from a crash. */
export async function cleanResults(root: string, resultTtl: number, now: Date): Promise<void> {
  if (resultTtl === 0) return;
  const folder = join(root, ".onetool", FOLDER);
  const names = await readdir(folder).catch(() => []);
  for (const name of names) {
    if (!FILE.test(name)) continue;
    const file = join(folder, name);
    const written = await stat(file).catch(() => undefined);
    // A file that cannot be deleted must not fail a run.
    if (written && isExpired(written.mtimeMs, resultTtl, now)) await rm(file, { force: true }).catch(() => undefined);
  }
}
