/**
 * Selects the rows that a search ranks: bounded reads of the word and trigram tables, with equal results in both
 * databases.
 */

import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { EdgeKind } from "./model.js";
import { inProjects } from "./search-index.js";
import { type Store, tableOf } from "./store.js";

/** Scope of a search. Column filters apply to a search over one kind. */
export interface Scope {
  readonly kinds: readonly EdgeKind[];
  readonly projects: "*" | readonly string[];
  readonly where: Readonly<Record<string, string>>;
}

/** A word of a row that matches a term. */
export interface WordHit {
  readonly term: number;
  readonly kind: string;
  readonly entity_id: string;
  readonly label_count: number;
  readonly body_count: number;
  readonly length: number;
}

/** Most rows of the word table per term. */
const TERM_ROWS = 1000;
/** Rows that are read to find those, if a filter excludes some. */
const MAX_SCANNED_ROWS = 10_000;
/** Rows that are counted to determine the frequency of a term. */
const MAX_COUNTED_ROWS = 50_000;
/** Most trigrams of a search text that are looked up. */
const MAX_GRAMS = 24;
/** The rarest of these, whose rows are read. */
const RARE_GRAMS = 10;
/** Most rows of a trigram; a more frequent one is ignored. */
const GRAM_ROWS = 500;

type Condition = RawBuilder<SqlBool>;

const all = (conditions: readonly unknown[]) => sql.join([...conditions], sql` and `);

/** Matches words equal to a term, or longer words that begin with it. */
const equals = (term: string): Condition => sql<SqlBool>`word = ${term}`;
const begins = (term: string): Condition => sql<SqlBool>`word > ${term} and word < ${`${term}\u{10ffff}`}`;

const ofKinds = ({ kinds }: Scope) => sql<SqlBool>`kind in (${sql.join([...kinds])})`;

/** Rows for one match of a term: in scope and filtered, with a limit at both steps. */
function wordRows(scope: Scope, index: number, word: Condition, range: boolean): RawBuilder<WordHit> {
  const inside = [inProjects("project_id", scope.projects), word];
  const columns = sql`kind, entity_id, label_count, body_count, length`;
  const filters = Object.entries(scope.where).map(([name, value]) => sql<SqlBool>`e.${sql.ref(name)} = ${value}`);
  const [kind] = scope.kinds;
  // A range covers all kinds, which are filtered after the bounded read.
  const early = range ? inside : [...inside, ofKinds(scope)];
  // Ordered by the index, so that both databases stop at the same row.
  const order = range ? sql`order by word, kind, entity_id` : sql`order by kind, entity_id`;
  const head = sql`select ${sql.lit(index)} as term, ${columns}`;
  if (filters.length === 0 && !range)
    return sql`select * from (${head} from onto_search_words where ${all(early)} ${order} limit ${sql.lit(TERM_ROWS)}) t`;
  const read = sql`(select ${columns} from onto_search_words where ${all(early)} ${order} limit ${sql.lit(MAX_SCANNED_ROWS)}) w`;
  const joined =
    filters.length > 0 && kind ? sql`${read} inner join ${sql.table(tableOf(kind))} e on e.id = w.entity_id` : read;
  const late = [...(range ? [ofKinds(scope)] : []), ...filters];
  return sql`select * from (select ${sql.lit(index)} as term, w.kind, w.entity_id, w.label_count, w.body_count, w.length from ${joined} where ${all(late)} limit ${sql.lit(TERM_ROWS)}) t`;
}

/** Words that match the terms, the last term also as a prefix; at most 1,000 rows per term. */
export async function wordHits(store: Store, scope: Scope, of: readonly string[]): Promise<readonly WordHit[]> {
  const last = of.at(-1);
  const parts = of.map((term, index) => wordRows(scope, index, equals(term), false));
  if (last !== undefined) parts.push(wordRows(scope, of.length - 1, begins(last), true));
  const { rows } = await sql<WordHit>`${sql.join(parts, sql` union all `)}`.execute(store.db);
  return rows;
}

/** Number of rows that contain a word, up to 50,000. */
export async function countWord(store: Store, scope: Scope, term: string): Promise<number> {
  const inside = all([inProjects("project_id", scope.projects), equals(term), ofKinds(scope)]);
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from (select 1 from onto_search_words where ${inside} limit ${sql.lit(MAX_COUNTED_ROWS)}) t`.execute(
    store.db,
  );
  return Number(rows[0]?.count ?? 0);
}

/** Whether a term reached the row limit, so that its frequency must be counted. */
export const isCapped = (rows: number): boolean => rows >= TERM_ROWS;

/** Up to 24 trigrams, evenly distributed. */
function sample(grams: readonly string[]): readonly string[] {
  if (grams.length <= MAX_GRAMS) return grams;
  return Array.from({ length: MAX_GRAMS }, (_, i) => grams[Math.floor((i * grams.length) / MAX_GRAMS)] ?? "");
}

/** A row whose label shares trigrams with a text, and their number. */
export interface GramHit {
  readonly kind: EdgeKind;
  readonly entity_id: string;
  readonly count: number;
}

/**
 * Rows whose label shares trigrams with a text, most first; frequent trigrams are ignored.
 *
 * Counted in the database: transferring thousands of rows costs more than reading them.
 */
export async function gramHits(
  store: Store,
  scope: Scope,
  grams: ReadonlySet<string>,
  max: number,
): Promise<readonly GramHit[]> {
  const rare = await rareGrams(store, scope, sample([...grams]));
  if (rare.length === 0) return [];
  const found = sql.join(
    rare.map((gram) => gramRows(scope, gram, sql`kind, entity_id`)),
    sql` union all `,
  );
  const { rows } =
    await sql<GramHit>`select kind, entity_id, count(*) as count from (${found}) g group by kind, entity_id order by count(*) desc, entity_id limit ${sql.lit(max)}`.execute(
      store.db,
    );
  return rows;
}

/** Rows of one trigram, one more than the limit. */
const gramRows = (scope: Scope, gram: string, columns: RawBuilder<unknown>) =>
  sql`select * from (select ${columns} from onto_search_grams where gram = ${gram} and ${all([inProjects("project_id", scope.projects), ofKinds(scope)])} limit ${sql.lit(GRAM_ROWS + 1)}) t`;

/** The least frequent trigrams that occur at all. */
async function rareGrams(store: Store, scope: Scope, grams: readonly string[]): Promise<readonly string[]> {
  if (grams.length === 0) return [];
  const counts = grams.map(
    (gram, i) => sql`select ${sql.lit(i)} as place, count(*) as count from (${gramRows(scope, gram, sql`1 as one`)}) c`,
  );
  const { rows } = await sql<{ place: number; count: number }>`${sql.join(counts, sql` union all `)}`.execute(store.db);
  return rows
    .filter(({ count }) => count > 0 && count <= GRAM_ROWS)
    .sort((a, b) => a.count - b.count || a.place - b.place)
    .slice(0, RARE_GRAMS)
    .map(({ place }) => grams[place] ?? "");
}
