/** The search of `ot.help`: that of ops, and the same ranking over packs, snippets and aliases. */

import { synonymsOf } from "../../catalog/op-search.js";
import { rankingOf } from "../../catalog/ranking.js";
import { byCodeUnit } from "../../contract/canonical.js";
import type { OwnWords } from "../../contract/learned-words.js";
import type { Tool } from "../../contract/registry.js";
import type { WordFields } from "../../contract/search/tool-words.js";
import { indexWords } from "../../contract/search/word-index.js";
import type { Catalogue, CataloguePack, SeenAlias, SeenSnippet } from "./catalogue.js";

/** A searchable entry. */
export type SearchEntry =
  | { readonly kind: "tool"; readonly name: string; readonly tool: Tool }
  | { readonly kind: "pack"; readonly name: string; readonly pack: CataloguePack }
  | { readonly kind: "snippet"; readonly name: string; readonly snippet: SeenSnippet }
  | { readonly kind: "alias"; readonly name: string; readonly alias: SeenAlias };

/** An entry with its score. */
export interface ScoredEntry {
  readonly entry: SearchEntry;
  readonly score: number;
}

/** The entries of one kind that a query finds. */
export interface FoundEntries {
  readonly kind: SearchEntry["kind"];
  readonly count: number;
  /** The best of them, the best first; equal ones in the order of their names. */
  readonly best: readonly ScoredEntry[];
  /** Words of the query that no entry has, nor a word like them. */
  readonly unknown: readonly string[];
}

/** Finds the entries of a query, of each kind the best so many. */
export type EntrySearch = (query: string, most: number, own?: OwnWords) => readonly FoundEntries[];

/** The entries of all kinds, the best first; equal ones in the order of their names. */
export const inOneOrder = (found: readonly FoundEntries[]): readonly SearchEntry[] =>
  found
    .flatMap(({ best }) => best)
    .sort((a, b) => b.score - a.score || byCodeUnit(a.entry.name, b.entry.name))
    .map(({ entry }) => entry);

const made = new WeakMap<Catalogue, EntrySearch>();

/** The search over a catalogue, created for its first query. */
export function searchOf(catalogue: Catalogue): EntrySearch {
  const search = made.get(catalogue) ?? build(catalogue);
  made.set(catalogue, search);
  return search;
}

/** Every entry but the tools. */
type Other = Exclude<SearchEntry, { readonly kind: "tool" }>;

const OTHER_KINDS = ["pack", "snippet", "alias"] as const satisfies readonly Other["kind"][];

function build({ searchOps, packs, snippets, aliases, synonyms }: Catalogue): EntrySearch {
  const others: readonly Other[] = [
    ...packs.map((pack) => ({ kind: "pack", name: pack.name, pack }) as const),
    ...snippets.map((snippet) => ({ kind: "snippet", name: snippet.name, snippet }) as const),
    ...aliases.map((alias) => ({ kind: "alias", name: alias.name, alias }) as const),
  ];
  const index = indexWords(others.map(fieldsOf));
  const rank = rankingOf(
    [{ index, entries: Int32Array.from(others.keys()) }],
    others.map((other) => ({ name: other.name, title: fieldsOf(other).title, names: other.name })),
    synonymsOf(synonyms),
  );
  return (query, most, own) => {
    const tools = searchOps(query, most, { own });
    const { best, unknown } = rank(query, others.length);
    const found = best.flatMap(({ number, score }) => {
      const entry = others[number];
      return entry ? [{ entry, score }] : [];
    });
    return [
      {
        kind: "tool",
        count: tools.count,
        unknown: tools.unknown,
        best: tools.best.map(({ tool, score }) => ({ entry: { kind: "tool", name: tool.op, tool }, score })),
      },
      ...OTHER_KINDS.map((kind): FoundEntries => {
        const ofKind = found.filter(({ entry }) => entry.kind === kind);
        return { kind, count: ofKind.length, best: ofKind.slice(0, most), unknown };
      }),
    ];
  };
}

/** The searchable texts of an entry. */
function fieldsOf(entry: Other): WordFields {
  const { name } = entry;
  const fields = { name, description: "", args: "", values: "" };
  switch (entry.kind) {
    case "pack":
      return { ...fields, title: entry.pack.summary };
    case "snippet": {
      const args = [...entry.snippet.parameters].map(([key, one]) => `${key} ${one.description ?? ""}`);
      return { ...fields, title: entry.snippet.description ?? "", args: args.join(" ") };
    }
    case "alias":
      return { ...fields, title: entry.alias.target };
  }
}
