/** The search ops: candidates from the index, ranked in code, in pages. */

import { sql } from "kysely";
import { byCodeUnit } from "toolwright/codegen";
import type { OntologySearchArgs, PageArgs, SearchArgs } from "./args.js";
import { countWord, gramHits, isCapped, type Scope, type WordHit, wordHits } from "./candidates.js";
import { countLive } from "./counts.js";
import { hasField, searchColumns } from "./fields.js";
import { type EdgeKind, KINDS, LABELS } from "./model.js";
import { boundsOf, type Page, page } from "./page.js";
import { MIN_SCORE, type Ranked, rankWords, scoreOf, wantedOf } from "./rank.js";
import { labelOf } from "./render.js";
import type { Value } from "./schema.js";
import { getProject, projectOf, projectsInScope, type Store, tableOf, type Work } from "./store.js";
import { shared, snippet, terms, trigrams } from "./text.js";

/** Most rows that are ranked. */
const CANDIDATES = 500;
/** Most of these that were found by trigrams only. */
const GRAM_CANDIDATES = 100;
/** Most terms of a search text. */
const MAX_TERMS = 12;
/** Characters of a description that similarity compares. */
const COMPARED_LENGTH = 1000;
const SNIPPET_LENGTH = 220;
/** Characters of each text that are searched for a snippet. */
const SNIPPET_SOURCE = 20_000;

/** One hit of a search. */
export interface Hit {
  readonly kind: string;
  readonly id: string;
  readonly project_id: string;
  readonly project_name: string;
  readonly label: string;
  readonly snippet: string;
  readonly score: number;
  readonly state_key: string | null;
  readonly type_key: string | null;
}

type Row = Readonly<Record<string, Value>>;
interface Scored {
  readonly kind: EdgeKind;
  readonly row: Row;
  readonly score: number;
}

/** Number of rows per term: as read, or counted if the read reached its limit. */
async function occurrences(store: Store, scope: Scope, of: readonly string[], hits: readonly WordHit[]) {
  const rows = of.map((_, term) => new Set(hits.filter((hit) => hit.term === term).map((hit) => hit.entity_id)).size);
  const counts: number[] = [];
  for (const [index, term] of of.entries()) {
    const read = rows[index] ?? 0;
    counts.push(isCapped(read) ? Math.max(read, await countWord(store, scope, term)) : read);
  }
  return counts;
}

interface Candidates {
  readonly byWord: ReadonlyMap<string, Ranked>;
  readonly byGram: ReadonlyMap<string, EdgeKind>;
}

async function candidatesOf(store: Store, scope: Scope, text: string, of: readonly string[]): Promise<Candidates> {
  const hits = of.length > 0 ? await wordHits(store, scope, of) : [];
  const projectId = scope.projects === "*" || scope.projects.length !== 1 ? undefined : scope.projects[0];
  const { live, words } = await countLive(store, { kinds: scope.kinds, projectId });
  const ranked = rankWords(hits, await occurrences(store, scope, of, hits), { texts: live, words });
  const best = [...ranked].sort((a, b) => b.bm25 - a.bm25 || byCodeUnit(a.id, b.id));
  const known = new Set(best.map(({ id }) => id));
  const hitsByGram = await gramHits(store, scope, trigrams(text), CANDIDATES);
  const grams = hitsByGram.filter(({ entity_id }) => !known.has(entity_id)).slice(0, GRAM_CANDIDATES);
  return {
    byWord: new Map(best.slice(0, CANDIDATES - grams.length).map((found) => [found.id, found])),
    byGram: new Map(grams.map(({ entity_id, kind }) => [entity_id, kind])),
  };
}

const columnsOf = (kind: EdgeKind): readonly string[] => [
  "id",
  LABELS[kind],
  ...["project_id", "state_key", "type_key", "updated_at"].filter(
    (name) => name === "updated_at" || (name === "project_id" && kind !== "project") || hasField(kind, name),
  ),
];

async function rowsOf(
  store: Store,
  kind: EdgeKind,
  ids: readonly string[],
  where: Scope["where"],
): Promise<readonly Row[]> {
  if (ids.length === 0) return [];
  const described = hasField(kind, "description");
  let query = store.db
    .selectFrom(tableOf(kind))
    .select([...columnsOf(kind)])
    .select(
      (described ? sql<Value>`substr(description, 1, ${sql.lit(COMPARED_LENGTH)})` : sql<Value>`''`).as("described"),
    )
    .where("id", "in", [...ids])
    .where("deleted_at", "is", null);
  for (const [name, value] of Object.entries(where)) query = query.where(name, "=", value);
  if (kind === "document" && where["state_key"] === undefined) query = query.where("state_key", "!=", "archived");
  return query.execute() as Promise<readonly Row[]>;
}

const byScore = (a: Scored, b: Scored): number =>
  b.score - a.score ||
  byCodeUnit(String(b.row["updated_at"]), String(a.row["updated_at"])) ||
  byCodeUnit(String(a.row["id"]), String(b.row["id"]));

async function scoredOf(store: Store, scope: Scope, text: string): Promise<readonly Scored[]> {
  const of = terms(text).slice(0, MAX_TERMS);
  const { byWord, byGram } = await candidatesOf(store, scope, text, of);
  const wanted = wantedOf(text, of.length);
  const scored: Scored[] = [];
  for (const kind of scope.kinds) {
    const worded = [...byWord.values()].filter((found) => found.kind === kind).map(({ id }) => id);
    const alike = [...byGram].filter(([, of]) => of === kind).map(([id]) => id);
    for (const row of await rowsOf(store, kind, [...worded, ...alike], scope.where)) {
      const found = byWord.get(String(row["id"]));
      const label = labelOf(kind, row);
      // A row without a matching word needs a third of the trigrams.
      if (!found && shared(wanted.grams, trigrams(label)) * 3 < wanted.grams.size) continue;
      scored.push({ kind, row, score: scoreOf(wanted, found, label, String(row["described"] ?? "")) });
    }
  }
  return scored.filter(({ score }) => score >= MIN_SCORE).sort(byScore);
}

/** Clipped texts of the hits on a page, by id. */
async function textsOf(store: Store, hits: readonly Scored[]): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  for (const kind of new Set(hits.map((hit) => hit.kind))) {
    const names = searchColumns(kind);
    const ids = hits.filter((hit) => hit.kind === kind).map(({ row }) => String(row["id"]));
    const parts = names.map((name) => sql<Value>`substr(${sql.ref(name)}, 1, ${sql.lit(SNIPPET_SOURCE)})`.as(name));
    if (parts.length === 0) continue;
    const rows = await store.db
      .selectFrom(tableOf(kind))
      .select(["id", ...parts])
      .where("id", "in", ids)
      .execute();
    for (const row of rows as readonly Row[])
      texts.set(String(row["id"]), names.map((name) => row[name] ?? "").join("\n"));
  }
  return texts;
}

async function projectNames({ db }: Store, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom("onto_projects")
    .select(["id", "name"])
    .where("id", "in", [...new Set(ids)])
    .execute();
  return new Map(rows.map((row) => [String(row["id"]), String(row["name"])]));
}

const projectIdOf = ({ kind, row }: Scored): string => projectOf(kind, row as never);

const textOf = (value: Value | undefined): string | null => (typeof value === "string" ? value : null);

async function showHits(store: Store, hits: readonly Scored[], of: readonly string[]): Promise<readonly Hit[]> {
  const texts = await textsOf(store, hits);
  const names = await projectNames(store, hits.map(projectIdOf));
  return hits.map((hit) => {
    const { kind, row, score } = hit;
    const id = String(row["id"]);
    const projectId = projectIdOf(hit);
    return {
      kind,
      id,
      project_id: projectId,
      project_name: names.get(projectId) ?? "",
      label: labelOf(kind, row),
      snippet: snippet(texts.get(id) ?? "", of, SNIPPET_LENGTH),
      score,
      state_key: textOf(row["state_key"]),
      type_key: textOf(row["type_key"]),
    };
  });
}

/** A page of hits, or a hint if there are none. */
export type HitPage = Page<Hit> & { readonly hint?: string };

async function search(store: Store, scope: Scope, text: string, args: PageArgs, hint: string): Promise<HitPage> {
  const bounds = boundsOf(args);
  const hits = await scoredOf(store, scope, text);
  const part = hits.slice(bounds.offset, bounds.offset + bounds.limit);
  const answer = page(await showHits(store, part, terms(text)), bounds, hits.length);
  return hits.length === 0 ? { ...answer, hint } : answer;
}

const FILTERS = ["state_key", "type_key"] as const;

/** The search op of one kind. */
export const searchOf =
  (kind: EdgeKind): Work<SearchArgs, HitPage> =>
  async (store, args) => {
    if (args.project_id !== undefined) await getProject(store, args.project_id);
    const where = Object.fromEntries(FILTERS.flatMap((name) => (args[name] === undefined ? [] : [[name, args[name]]])));
    const scope: Scope = { kinds: [kind], projects: projectsInScope(store, args.project_id), where };
    const hint = `Nothing fits. Try fewer or other words, drop filters, or list with onto.${kind}.list.`;
    return search(store, scope, args.search, args, hint);
  };

/** `onto.search`: over all kinds of a project, or the requested ones. */
export const searchAll: Work<OntologySearchArgs, HitPage> = async (store, args) => {
  if (args.project_id !== undefined) await getProject(store, args.project_id);
  const kinds = KINDS.filter((kind) => !args.types?.length || args.types.includes(kind));
  const scope: Scope = { kinds, projects: projectsInScope(store, args.project_id), where: {} };
  const hint =
    "Nothing fits. Try fewer or other words, drop project_id or types, or find projects with onto.project.search.";
  return search(store, scope, args.query, args, hint);
};
