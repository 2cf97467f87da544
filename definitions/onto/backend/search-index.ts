/** Updates the words, trigrams and counts of live entities with every write. */

import { type Expression, type SqlBool, sql } from "kysely";
import { searchColumns } from "./fields.js";
import type { EdgeKind } from "./model.js";
import { labelOf } from "./render.js";
import type { EntityRow, SearchGramRow, SearchWordRow } from "./schema.js";
import { projectOf, type Store } from "./store.js";
import { trigrams, wordCounts } from "./text.js";

/** Most distinct words of one entity that are indexed; the rest of a very long body is not searched. */
const MAX_INDEXED_WORDS = 5000;
/** Rows per statement; both databases limit the number of parameters. */
const CHUNK = 500;

interface Entry {
  readonly words: readonly SearchWordRow[];
  readonly grams: readonly SearchGramRow[];
  /** Length of the text in words. */
  readonly length: number;
}

const total = (counts: ReadonlyMap<string, number>): number => [...counts.values()].reduce((a, b) => a + b, 0);

/** The index entry of a row; it is deterministic, so that it can be removed again. */
export function entryOf(kind: EdgeKind, row: EntityRow): Entry {
  const owner = { project_id: projectOf(kind, row), kind, entity_id: row.id };
  const label = wordCounts(labelOf(kind, row));
  const body = wordCounts(
    searchColumns(kind)
      .map((name) => row[name] ?? "")
      .join("\n"),
  );
  const length = total(label) + total(body);
  const kept = [...new Set([...label.keys(), ...body.keys()])].slice(0, MAX_INDEXED_WORDS);
  return {
    words: kept.map((word) => ({
      ...owner,
      word,
      label_count: label.get(word) ?? 0,
      body_count: body.get(word) ?? 0,
      length,
    })),
    grams: [...trigrams(labelOf(kind, row))].map((gram) => ({ ...owner, gram })),
    length,
  };
}

function* chunks<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let i = 0; i < items.length; i += CHUNK) yield items.slice(i, i + CHUNK);
}

async function insertEntry({ db }: Store, entry: Entry): Promise<void> {
  for (const rows of chunks(entry.words))
    await db
      .insertInto("onto_search_words")
      .values([...rows])
      .execute();
  for (const rows of chunks(entry.grams))
    await db
      .insertInto("onto_search_grams")
      .values([...rows])
      .execute();
}

async function removeEntry({ db }: Store, kind: EdgeKind, row: EntityRow, entry: Entry): Promise<void> {
  const project = projectOf(kind, row);
  for (const rows of chunks(entry.words)) {
    const names = rows.map(({ word }) => word);
    await db
      .deleteFrom("onto_search_words")
      .where("project_id", "=", project)
      .where("word", "in", names)
      .where("kind", "=", kind)
      .where("entity_id", "=", row.id)
      .execute();
  }
  for (const rows of chunks(entry.grams)) {
    const names = rows.map(({ gram }) => gram);
    await db
      .deleteFrom("onto_search_grams")
      .where("gram", "in", names)
      .where("project_id", "=", project)
      .where("kind", "=", kind)
      .where("entity_id", "=", row.id)
      .execute();
  }
}

/** The facet that a row is counted by besides its state, for list filters. */
const facetOf = (kind: EdgeKind, row: EntityRow): string => String(row[kind === "risk" ? "impact" : "type_key"] ?? "");

async function count({ db }: Store, kind: EdgeKind, row: EntityRow, live: number, words: number): Promise<void> {
  const group = {
    project_id: projectOf(kind, row),
    kind,
    state_key: String(row["state_key"] ?? ""),
    facet: facetOf(kind, row),
  };
  await db
    .insertInto("onto_tallies")
    .values({ ...group, live, words })
    .onConflict((conflict) =>
      conflict.columns(["project_id", "kind", "state_key", "facet"]).doUpdateSet({
        live: sql<number>`onto_tallies.live + ${sql.lit(live)}`,
        words: sql<number>`onto_tallies.words + ${sql.lit(words)}`,
      }),
    )
    .execute();
}

/** Adds a new row to the index and the counts. */
export async function addToIndex(store: Store, kind: EdgeKind, row: EntityRow): Promise<void> {
  const entry = entryOf(kind, row);
  await insertEntry(store, entry);
  await count(store, kind, row, 1, entry.length);
}

/** Removes a row from the index and the counts. */
export async function removeFromIndex(store: Store, kind: EdgeKind, row: EntityRow): Promise<void> {
  const entry = entryOf(kind, row);
  await removeEntry(store, kind, row, entry);
  await count(store, kind, row, -1, -entry.length);
}

/** Updates the index for a changed row; equal texts are not written. */
export async function changeInIndex(store: Store, kind: EdgeKind, before: EntityRow, after: EntityRow): Promise<void> {
  const same = (name: string) => before[name] === after[name];
  const textual = labelOf(kind, before) !== labelOf(kind, after) || !searchColumns(kind).every(same);
  if (!textual && same("state_key") && facetOf(kind, before) === facetOf(kind, after)) return;
  const [old, entry] = [entryOf(kind, before), entryOf(kind, after)];
  if (textual) {
    await removeEntry(store, kind, before, old);
    await insertEntry(store, entry);
  }
  await count(store, kind, before, -1, -old.length);
  await count(store, kind, after, 1, entry.length);
}

/** A condition for the projects in scope. */
export const inProjects = (column: string, projects: "*" | readonly string[]): Expression<SqlBool> => {
  if (projects === "*") return sql<SqlBool>`1 = 1`;
  if (projects.length === 0) return sql<SqlBool>`1 = 0`;
  if (projects.length === 1) return sql<SqlBool>`${sql.ref(column)} = ${projects[0]}`;
  return sql<SqlBool>`${sql.ref(column)} in (${sql.join(projects)})`;
};
