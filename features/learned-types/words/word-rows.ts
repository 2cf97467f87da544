/**
 * Keeps the words of queries in the state database: a row for each op, word, caller and day. A word is a hash until three
 * queries held it, and a caller always is.
 */

import type { Transaction } from "../../../runtime/contract/handler.js";
import { type HelpWordRow, type LearnedQueries, learnedQueries } from "../tables.js";

/** Queries of one caller that count for an op and word; later ones take the place of earlier ones. */
export const CALLER_COUNT = 3;
/** Queries that held a word before it is stored as text. */
const MIN_QUERIES = 3;
/** Words of an op, and of an op and caller; the rarest and oldest go first. */
const [OP_WORDS, CALLER_WORDS] = [400, 200];
/** Rows of all ops. */
const MAX_ROWS = 50_000;
/** Rows of one caller that are read. */
const MAX_CALLER_ROWS = 2000;

/** The words of a query that led to a call. */
interface CreditedWords {
  readonly op: string;
  /** Hash of the caller. */
  readonly caller: string;
  /** The stems, by their hashes. */
  readonly words: ReadonlyMap<string, string>;
  /** `2026-11-22`. */
  readonly day: string;
}

type Place = Pick<HelpWordRow, "op" | "stem_key" | "caller_key" | "day">;

/** Adds the words of a query, and deletes what is beyond the bounds. */
export async function addWords(tx: Transaction, credited: CreditedWords): Promise<void> {
  const db = learnedQueries(tx);
  const { op, caller, words, day } = credited;
  // One writer at a time: servers that share a database would delete and change the same rows in different orders.
  await db.selectFrom("server_secrets").select("name").where("name", "=", "learning").forUpdate().execute();
  const rows = await db
    .selectFrom("help_words")
    .selectAll()
    .where("op", "=", op)
    .where("stem_key", "in", [...words.keys()])
    .orderBy("day")
    .execute();
  const added: HelpWordRow[] = [];
  for (const [stem_key, stem] of words) {
    const known = rows.filter((row) => row.stem_key === stem_key);
    const own = known.filter(({ caller_key }) => caller_key === caller);
    if (!(await hasRoom(db, own, day))) continue;
    const isText = known.some((row) => row.stem !== null) || heldBy(known) + 1 >= MIN_QUERIES;
    if (isText && known.some((row) => row.stem === null)) await reveal(db, op, stem_key, stem);
    added.push({ op, stem_key, caller_key: caller, day, count: 1, stem: isText ? stem : null });
  }
  if (added.length > 0) await insert(db, added);
  await keepMost(db, CALLER_WORDS, op, caller);
  await keepMost(db, OP_WORDS, op);
  await keepRows(db);
}

/** Makes room for a query among those of a caller, of which the latest count; false if it has as many on this day. */
async function hasRoom(db: LearnedQueries, own: readonly HelpWordRow[], day: string): Promise<boolean> {
  if (heldBy(own) < CALLER_COUNT) return true;
  const [oldest] = own;
  if (!oldest || oldest.day >= day) return false;
  await changeCount(db, oldest, Number(oldest.count) - 1);
  return true;
}

const heldBy = (rows: readonly HelpWordRow[]): number => rows.reduce((sum, { count }) => sum + Number(count), 0);

async function changeCount(db: LearnedQueries, { op, stem_key, caller_key, day }: Place, count: number): Promise<void> {
  const place = { op, stem_key, caller_key, day };
  const row = db.deleteFrom("help_words").where((eb) => eb.and(place));
  if (count === 0) await row.execute();
  else
    await db
      .updateTable("help_words")
      .set({ count })
      .where((eb) => eb.and(place))
      .execute();
}

/** Stores a word as text, once it is unlikely to be data. */
async function reveal(db: LearnedQueries, op: string, stem_key: string, stem: string): Promise<void> {
  const unknown = db.updateTable("help_words").set({ stem }).where("stem", "is", null);
  await unknown.where("op", "=", op).where("stem_key", "=", stem_key).execute();
}

const insert = (db: LearnedQueries, rows: readonly HelpWordRow[]) =>
  db
    .insertInto("help_words")
    .values(rows)
    .onConflict((conflict) =>
      conflict
        .columns(["op", "stem_key", "caller_key", "day"])
        .doUpdateSet((eb) => ({ count: eb("help_words.count", "+", 1) })),
    )
    .execute();

/** Deletes the rarest and oldest words of an op beyond a number: those of one caller, or of all. */
async function keepMost(db: LearnedQueries, most: number, op: string, caller?: string): Promise<void> {
  const own = db.selectFrom("help_words").where("op", "=", op);
  const words = await (caller === undefined ? own : own.where("caller_key", "=", caller))
    .select(({ fn }) => ["stem_key", fn.sum<number>("count").as("held"), fn.max("day").as("last")])
    .groupBy("stem_key")
    .orderBy("held", "desc")
    .orderBy("last", "desc")
    .orderBy("stem_key")
    .execute();
  const excess = words.slice(most).map(({ stem_key }) => stem_key);
  if (excess.length === 0) return;
  const rows = db.deleteFrom("help_words").where("op", "=", op).where("stem_key", "in", excess);
  await (caller === undefined ? rows : rows.where("caller_key", "=", caller)).execute();
}

/** Deletes the rarest and oldest rows beyond the bound of the table. */
async function keepRows(db: LearnedQueries): Promise<void> {
  const { rows } = await db
    .selectFrom("help_words")
    .select(({ fn }) => fn.countAll<number>().as("rows"))
    .executeTakeFirstOrThrow();
  const excess = Number(rows) - MAX_ROWS;
  if (excess <= 0) return;
  const rarest = await db
    .selectFrom("help_words")
    .select(["op", "stem_key", "caller_key", "day"])
    .orderBy("count")
    .orderBy("day")
    .orderBy("op")
    .orderBy("stem_key")
    .limit(excess)
    .execute();
  for (const place of rarest) await changeCount(db, place, 0);
}

/** All rows, by op. */
export const readWords = (tx: Transaction): Promise<readonly HelpWordRow[]> =>
  learnedQueries(tx)
    .selectFrom("help_words")
    .selectAll()
    .orderBy("op")
    .orderBy("stem_key")
    .orderBy("caller_key")
    .execute();

/** The latest rows of a caller. @param caller - its hash */
export const readCallerWords = (tx: Transaction, caller: string): Promise<readonly HelpWordRow[]> =>
  learnedQueries(tx)
    .selectFrom("help_words")
    .selectAll()
    .where("caller_key", "=", caller)
    .orderBy("day", "desc")
    .limit(MAX_CALLER_ROWS)
    .execute();

/** Deletes the rows of a caller, and returns their number. @param caller - its hash */
export async function deleteCallerWords(tx: Transaction, caller: string): Promise<number> {
  const done = await learnedQueries(tx).deleteFrom("help_words").where("caller_key", "=", caller).executeTakeFirst();
  return Number(done.numDeletedRows);
}
