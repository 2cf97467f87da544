/** The search of `ot.help`: similar names for typing errors, words for questions; each entry gets the better score. */

import { keepBest } from "../../catalog/best.js";
import { type SearchedIndex, wordSearchOf } from "../../catalog/word-search.js";
import { byCodeUnit } from "../../contract/canonical.js";
import type { Tool } from "../../contract/registry.js";
import { toolFields, type WordFields } from "../../contract/search/entry-words.js";
import type { ToolIndex } from "../../contract/search/search-file.js";
import { indexWords } from "../../contract/search/word-index.js";
import type { Catalogue, SeenAlias, SeenPack, SeenSnippet } from "./catalogue.js";
import { nearnessOf } from "./nearness.js";

/** A searchable entry. */
export type Entry =
  | { readonly kind: "tool"; readonly name: string; readonly tool: Tool }
  | { readonly kind: "pack"; readonly name: string; readonly pack: SeenPack }
  | { readonly kind: "snippet"; readonly name: string; readonly snippet: SeenSnippet }
  | { readonly kind: "alias"; readonly name: string; readonly alias: SeenAlias };

/** An entry with its score. */
export interface ScoredEntry {
  readonly entry: Entry;
  readonly score: number;
}

/** The entries of one kind that a query finds. */
export interface FoundEntries {
  readonly kind: Entry["kind"];
  readonly count: number;
  /** The best of them, the best first; equal ones in the order of their names. */
  readonly best: readonly ScoredEntry[];
}

/** Finds the entries of a query, of each kind the best so many. */
export type Search = (query: string, most: number) => readonly FoundEntries[];

/** The entries of all kinds, the best first; equal ones in the order of their names. */
export const inOneOrder = (found: readonly FoundEntries[]): readonly Entry[] =>
  found
    .flatMap(({ best }) => best)
    .sort((a, b) => b.score - a.score || byCodeUnit(a.entry.name, b.entry.name))
    .map(({ entry }) => entry);

/** Share of the best name score that a name needs, since any short names are slightly similar. */
const CLEARLY = 0.6;

const made = new WeakMap<Catalogue, Promise<Search>>();

/** The search over a catalogue, created for its first query. */
export function searchOf(catalogue: Catalogue): Promise<Search> {
  const search = made.get(catalogue) ?? build(catalogue);
  made.set(catalogue, search);
  return search;
}

async function build({ tools, packs, snippets, aliases, toolIndex }: Catalogue): Promise<Search> {
  const entries: readonly Entry[] = [
    ...tools.map((tool) => ({ kind: "tool", name: tool.op, tool }) as const),
    ...packs.map((pack) => ({ kind: "pack", name: pack.name, pack }) as const),
    ...snippets.map((snippet) => ({ kind: "snippet", name: snippet.name, snippet }) as const),
    ...aliases.map((alias) => ({ kind: "alias", name: alias.name, alias }) as const),
  ];
  const kinds = Uint8Array.from(entries, ({ kind }) => KINDS.indexOf(kind));
  const nearness = nearnessOf(
    entries.map(({ name }) => name),
    CLEARLY,
  );
  const words = wordSearchOf(indexesOf(entries, await toolIndex()));
  return (query, most) => {
    const found = KINDS.map(() => keepBest(most));
    const add = (entry: number, score: number): void => found[kinds[entry] ?? 0]?.add(entry, score);
    const near = clearest(nearness(query));
    words(query, near.size === 0 ? add : (entry, score) => add(entry, Math.max(score, taken(near, entry))));
    for (const [entry, score] of near) add(entry, score);
    return found.map((all, at) => ({
      kind: KINDS[at] ?? "tool",
      count: all.count(),
      best: all.kept().flatMap(({ number, score }) => (entries[number] ? [{ entry: entries[number], score }] : [])),
    }));
  };
}

const KINDS = ["tool", "pack", "snippet", "alias"] as const satisfies readonly Entry["kind"][];

/** The name scores that count. A question has none. */
function clearest(near: ReadonlyMap<number, number>): Map<number, number> {
  const least = CLEARLY * Math.max(0, ...near.values());
  return new Map([...near].filter(([, score]) => score >= least));
}

/** Removes the score of an entry from the map and returns it; 0 if the map has none. */
function taken(scores: Map<number, number>, entry: number): number {
  const score = scores.get(entry);
  scores.delete(entry);
  return score ?? 0;
}

/** The index of the tools that were generated, as far as they are entries, and one of all other entries. */
function indexesOf(entries: readonly Entry[], known: ToolIndex | undefined): readonly SearchedIndex[] {
  const numbers = new Int32Array(known?.index.texts ?? 0).fill(-1);
  const others: number[] = [];
  entries.forEach((entry, number) => {
    const text = entry.kind === "tool" ? known?.textOf.get(entry.tool) : undefined;
    if (text === undefined) others.push(number);
    else numbers[text] = number;
  });
  const texts = others.flatMap((number) => (entries[number] ? [fieldsOf(entries[number])] : []));
  const own = { index: indexWords(texts), entries: Int32Array.from(others) };
  return known ? [{ index: known.index, entries: numbers }, own] : [own];
}

/** The searchable texts of an entry. */
function fieldsOf(entry: Entry): WordFields {
  const { name } = entry;
  switch (entry.kind) {
    case "tool":
      return toolFields(entry.tool);
    case "pack":
      return { name, description: entry.pack.summary, args: "", values: "" };
    case "snippet":
      return {
        name,
        description: entry.snippet.description ?? "",
        args: [...entry.snippet.parameters].map(([key, one]) => `${key} ${one.description ?? ""}`).join(" "),
        values: "",
      };
    case "alias":
      return { name, description: entry.alias.target, args: "", values: "" };
  }
}
