/**
 * Keeps summaries in the state database: a row for each op and digest of its input. A server adds what it has seen since it
 * wrote last, in one transaction under a lock of the row; merging is commutative and associative, so the order of servers
 * does not matter.
 */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import type { Transaction } from "../../runtime/contract/handler.js";
import { iso } from "../../runtime/state/schema.js";
import { decode, encode } from "./codec.js";
import { mergeOps, type OpSummary } from "./op-summary.js";
import { revealed } from "./reveal.js";
import { learnedQueries } from "./tables.js";

/** Longest summary of one op that is written, in characters. */
const MAX_LENGTH = 4_000_000;

/** The summary of one op. */
export interface OpRow {
  readonly op: string;
  /** Digest of the input of the op. */
  readonly digest: string;
  readonly summary: OpSummary;
}

/**
 * Adds summaries to the rows.
 *
 * @param nameOf the key of an id, if this server has seen it
 */
export async function addSummaries(
  tx: Transaction,
  rows: readonly OpRow[],
  now: number,
  nameOf: (id: string) => string | undefined,
): Promise<void> {
  // In one order, so that servers that share a database never wait for each other in a circle.
  for (const row of [...rows].sort((a, b) => byCodeUnit(a.op, b.op))) await addSummary(tx, row, now, nameOf);
}

async function addSummary(
  tx: Transaction,
  { op, digest, summary }: OpRow,
  now: number,
  nameOf: (id: string) => string | undefined,
): Promise<void> {
  const db = learnedQueries(tx);
  const key = { op, digest };
  // A row must exist before it can be locked.
  const empty = db.insertInto("learned").values({ ...key, body: "", updated_at: iso(now) });
  await empty.onConflict((conflict) => conflict.columns(["op", "digest"]).doNothing()).execute();
  const at = db.selectFrom("learned").select("body").where("op", "=", op).where("digest", "=", digest);
  const before = decode((await at.forUpdate().executeTakeFirst())?.body ?? "");
  const body = encode(revealed(before ? mergeOps(before, summary) : summary, nameOf));
  if (body.length > MAX_LENGTH) return;
  await db
    .updateTable("learned")
    .set({ body, updated_at: iso(now) })
    .where("op", "=", op)
    .where("digest", "=", digest)
    .execute();
}

/** All summaries that can be read, sorted by op. */
export async function readSummaries(tx: Transaction): Promise<readonly OpRow[]> {
  const rows = await learnedQueries(tx).selectFrom("learned").selectAll().orderBy("op").orderBy("digest").execute();
  return rows.flatMap(({ op, digest, body }) => {
    const summary = decode(body);
    return summary ? [{ op, digest, summary }] : [];
  });
}
