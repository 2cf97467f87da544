/** Keeps large results in rows of a database that servers share, so that any of them gives a result back. */

import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { sql } from "kysely";
import { LOCAL_ID } from "../access/principal.js";
import type { Transaction } from "../contract/handler.js";
import { withinStateMs } from "../state/deadline.js";
import type { State } from "../state/open.js";
import { queries } from "../state/schema.js";
import { checkSize, HANDLE, type NewResult, RESULT_BOUNDS, type ResultMeta, type ResultStore } from "./results.js";

/** Bytes of a chunk before it is compressed. */
const CHUNK_BYTES = 1024 * 1024;
/** Chunks of one query. */
const CHUNKS_AT_ONCE = 8;
/** Expired results that are deleted as another one is stored. */
const MAX_DELETED = 100;
/** Time limit for storing a result: its run has ended, and its caller waits. */
const STORE_MS = 10_000;

/** Parts of {@link rowResults}. */
export interface RowResultsParts {
  readonly state: () => Promise<State>;
  /** Seconds; 0: results are kept for good. */
  readonly resultTtl: number;
  /** Results that this machine stored as files, before it used the database or in an earlier version. */
  readonly files: ResultStore;
}

/** A store in PostgreSQL. Times are those of the database. */
export const rowResults = ({ state, resultTtl, files }: RowResultsParts): ResultStore => ({
  async keep(result) {
    checkSize(result);
    const chunks = await compressed(result.content);
    return withinStateMs(STORE_MS, async () =>
      (await state()).transaction("write", (tx) => store(tx, result, chunks, resultTtl)),
    );
  },
  async read(handle, reader = LOCAL_ID) {
    if (!HANDLE.test(handle)) return { kind: "unknown" };
    const found = await (await state()).transaction("read", (tx) => read(tx, handle, reader));
    if (!found) return files.read(handle, reader);
    if (found === "expired") return { kind: "expired" };
    return { kind: "found", meta: found.meta, text: await textOf(found.chunks) };
  },
  clean: files.clean,
});

/** The threads of the process compress several chunks at once. */
async function compressed(content: string): Promise<readonly Buffer[]> {
  const bytes = Buffer.from(content);
  const parts = Array.from({ length: Math.ceil(bytes.length / CHUNK_BYTES) }, (_, at) =>
    bytes.subarray(at * CHUNK_BYTES, (at + 1) * CHUNK_BYTES),
  );
  return Promise.all(parts.map((part) => promisify(gzip)(part, { level: 1 })));
}

async function textOf(chunks: readonly Buffer[]): Promise<string> {
  const parts = chunks.map((chunk) => promisify(gunzip)(chunk, { maxOutputLength: CHUNK_BYTES }));
  return Buffer.concat(await Promise.all(parts)).toString("utf8");
}

/** Stores a result with its chunks. Other servers do the same at the same time: rows that they have locked are skipped. */
async function store(tx: Transaction, result: NewResult, chunks: readonly Buffer[], ttl: number): Promise<ResultMeta> {
  const { content: _, tool, caller = LOCAL_ID, sanitized = false, handle, total_lines, size_bytes } = result;
  const db = queries(tx);
  await deleteExpired(tx);
  await expireOldest(tx, caller, RESULT_BOUNDS.callerBytes - size_bytes);
  const { created_at } = await db
    .insertInto("results")
    .values({
      handle,
      caller,
      op: tool,
      created_at: sql`now()`,
      expires_at: ttl === 0 ? sql`'infinity'` : sql`now() + make_interval(secs => ${ttl})`,
      total_lines,
      size_bytes,
      is_sanitized: sanitized,
    })
    .returning("created_at")
    .executeTakeFirstOrThrow();
  for (const [seq, gz] of chunks.entries()) await db.insertInto("result_chunks").values({ handle, seq, gz }).execute();
  return metaOf({ handle, total_lines, size_bytes, created_at, op: tool, caller, is_sanitized: sanitized });
}

const deleteExpired = (tx: Transaction) =>
  sql`delete from results where handle in
    (select handle from results where expires_at < now() limit ${MAX_DELETED} for update skip locked)`.execute(
    queries(tx),
  );

/** Lets the oldest results of a caller expire, so that the others have at most so many bytes, and are not too many. */
const expireOldest = (tx: Transaction, caller: string, bytes: number) =>
  sql`update results set expires_at = now() where handle in
    (select handle from results where handle in
      (select handle from
        (select handle, sum(size_bytes) over newest_first as bytes, row_number() over newest_first as place
         from results where caller = ${caller} and expires_at > now()
         window newest_first as (order by created_at desc, handle)) as newest
       where bytes > ${bytes} or place >= ${RESULT_BOUNDS.callerResults})
     for update skip locked)`.execute(queries(tx));

/** A result in rows. */
type Read = "expired" | { readonly meta: ResultMeta; readonly chunks: readonly Buffer[] } | undefined;

/** Reads a result as it is at one moment. */
async function read(tx: Transaction, handle: string, reader: string): Promise<Read> {
  const db = queries(tx);
  const row = await db
    .selectFrom("results")
    .selectAll()
    .select(sql<boolean>`expires_at <= now()`.as("is_expired"))
    .where("handle", "=", handle)
    .executeTakeFirst();
  if (!row || (reader !== LOCAL_ID && reader !== row.caller)) return undefined;
  if (row.is_expired) return "expired";
  const chunks: Buffer[] = [];
  for (;;) {
    const some = await db
      .selectFrom("result_chunks")
      .select("gz")
      .where("handle", "=", handle)
      .where("seq", ">=", chunks.length)
      .orderBy("seq")
      .limit(CHUNKS_AT_ONCE)
      .execute();
    chunks.push(...some.map(({ gz }) => gz));
    if (some.length < CHUNKS_AT_ONCE) return { meta: metaOf(row), chunks };
  }
}

/** What is known of a result in rows. */
interface Facts extends Pick<ResultMeta, "handle" | "total_lines" | "size_bytes"> {
  readonly created_at: Date;
  readonly op: string;
  readonly caller: string;
  readonly is_sanitized: boolean;
}

const metaOf = ({ handle, total_lines, size_bytes, created_at, op, caller, is_sanitized }: Facts): ResultMeta => ({
  handle,
  total_lines,
  size_bytes,
  created_at: created_at.toISOString(),
  tool: op,
  ...(caller === LOCAL_ID ? {} : { caller }),
  ...(is_sanitized ? { sanitized: true } : {}),
});
