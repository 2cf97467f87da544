/** Which rows a search looks at: bounded reads of the word and trigram tables, the same in both databases (`ontology.md` 9). */

import { type RawBuilder, type SqlBool, sql } from "kysely";
import { type EdgeKind, PLURALS } from "./model.js";
import { inProjects } from "./search-index.js";
import type { Store } from "./store.js";

/** Where a search looks. Filters on columns hold for a search over one kind. */
export interface Scope {
  readonly kinds: readonly EdgeKind[];
  readonly projects: "*" | readonly string[];
  readonly where: Readonly<Record<string, string>>;
}

/** A word of a row that fits a term. */
export interface WordHit {
  readonly term: number;
  readonly kind: string;
  readonly entity_id: string;
  readonly label_count: number;
  readonly body_count: number;
  readonly length: number;
}

/** Rows of the word table that one term may bring in. */
const TERM_ROWS = 1000;
/** Rows that are read to find those when a filter leaves some out. */
const SCANNED = 20_000;
/** Rows that are counted to tell how common a term is. */
const COUNTED = 50_000;
/** Trigrams of a search text that are looked up. */
const GRAMS = 24;
/** Rows that a trigram may have; a more common one tells nothing. */
const GRAM_ROWS = 300;

type Condition = RawBuilder<SqlBool>;

const all = (conditions: readonly unknown[]) => sql.join([...conditions], sql` and `);

/** Words that equal a term, or begin with it and are longer. */
const equals = (term: string): Condition => sql<SqlBool>`word = ${term}`;
const begins = (term: string): Condition => sql<SqlBool>`word > ${term} and word < ${`${term}\u{10ffff}`}`;

const ofKinds = ({ kinds }: Scope) => sql<SqlBool>`kind in (${sql.join([...kinds])})`;

/** The rows of one reading of a term: in scope, filtered, bounded at both steps. */
function wordRows(scope: Scope, index: number, word: Condition, range: boolean): RawBuilder<WordHit> {
  const inside = [inProjects("project_id", scope.projects), word];
  const columns = sql`kind, entity_id, label_count, body_count, length`;
  const filters = Object.entries(scope.where).map(([name, value]) => sql<SqlBool>`e.${sql.ref(name)} = ${value}`);
  const [kind] = scope.kinds;
  // A range spans kinds, so that they are filtered after the bounded read.
  const early = range ? inside : [...inside, ofKinds(scope)];
  // In the order of the index, so that both databases stop at the same row.
  const order = range ? sql`order by word, kind, entity_id` : sql`order by kind, entity_id`;
  const head = sql`select ${sql.lit(index)} as term, ${columns}`;
  if (filters.length === 0 && !range)
    return sql`select * from (${head} from search_words where ${all(early)} ${order} limit ${sql.lit(TERM_ROWS)}) t`;
  const read = sql`(select ${columns} from search_words where ${all(early)} ${order} limit ${sql.lit(SCANNED)}) w`;
  const joined =
    filters.length > 0 && kind ? sql`${read} inner join ${sql.table(PLURALS[kind])} e on e.id = w.entity_id` : read;
  const late = [...(range ? [ofKinds(scope)] : []), ...filters];
  return sql`select * from (select ${sql.lit(index)} as term, w.kind, w.entity_id, w.label_count, w.body_count, w.length from ${joined} where ${all(late)} limit ${sql.lit(TERM_ROWS)}) t`;
}

/** The words that fit the terms, the last term also as a beginning; at most 1,000 rows a term. */
export async function wordHits(store: Store, scope: Scope, of: readonly string[]): Promise<readonly WordHit[]> {
  const last = of.at(-1);
  const parts = of.map((term, index) => wordRows(scope, index, equals(term), false));
  if (last !== undefined) parts.push(wordRows(scope, of.length - 1, begins(last), true));
  const { rows } = await sql<WordHit>`${sql.join(parts, sql` union all `)}`.execute(store.db);
  return rows;
}

/** In how many rows a word occurs, up to 50,000. */
export async function countWord(store: Store, scope: Scope, term: string): Promise<number> {
  const inside = all([inProjects("project_id", scope.projects), equals(term), ofKinds(scope)]);
  const { rows } = await sql<{
    count: number;
  }>`select count(*) as count from (select 1 from search_words where ${inside} limit ${sql.lit(COUNTED)}) t`.execute(
    store.db,
  );
  return Number(rows[0]?.count ?? 0);
}

/** Whether a term brought in as many rows as it may, so that its number has to be counted. */
export const isCapped = (rows: number): boolean => rows >= TERM_ROWS;

/** Up to 24 trigrams, evenly taken. */
function sample(grams: readonly string[]): readonly string[] {
  if (grams.length <= GRAMS) return grams;
  return Array.from({ length: GRAMS }, (_, i) => grams[Math.floor((i * grams.length) / GRAMS)] ?? "");
}

/** Rows whose label shares trigrams with a text, and how many; trigrams that hundreds of labels have do not count. */
export async function gramHits(
  store: Store,
  scope: Scope,
  grams: ReadonlySet<string>,
): Promise<ReadonlyMap<string, { readonly kind: EdgeKind; readonly count: number }>> {
  const rows = await gramRows(store, scope, sample([...grams]));
  const occurs = new Map<string, number>();
  for (const { gram } of rows) occurs.set(gram, (occurs.get(gram) ?? 0) + 1);
  const hits = new Map<string, { kind: EdgeKind; count: number }>();
  for (const { gram, kind, entity_id } of rows)
    if ((occurs.get(gram) ?? 0) <= GRAM_ROWS)
      hits.set(entity_id, { kind, count: (hits.get(entity_id)?.count ?? 0) + 1 });
  return hits;
}

interface GramRow {
  readonly gram: string;
  readonly kind: EdgeKind;
  readonly entity_id: string;
}

async function gramRows(store: Store, scope: Scope, grams: readonly string[]): Promise<readonly GramRow[]> {
  if (grams.length === 0) return [];
  const inside = all([inProjects("project_id", scope.projects), ofKinds(scope)]);
  const parts = grams.map(
    (gram) =>
      sql`select * from (select gram, kind, entity_id from search_grams where gram = ${gram} and ${inside} limit ${sql.lit(GRAM_ROWS + 1)}) t`,
  );
  const { rows } = await sql<GramRow>`${sql.join(parts, sql` union all `)}`.execute(store.db);
  return rows;
}
