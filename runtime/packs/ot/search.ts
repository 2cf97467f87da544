/** The search of `ot.help`: similar names for typing errors, words for questions; each entry gets the better score. */

import { byCodeUnit } from "../../contract/canonical.js";
import { isSchema } from "../../contract/json-schema.js";
import type { Tool } from "../../contract/registry.js";
import type { Catalogue, SeenAlias, SeenPack, SeenSnippet } from "./catalogue.js";
import { nearnessOf } from "./nearness.js";
import { type WordFields, wordSearchOf } from "./words.js";

/** A searchable entry. */
export type Entry =
  | { readonly kind: "tool"; readonly name: string; readonly tool: Tool }
  | { readonly kind: "pack"; readonly name: string; readonly pack: SeenPack }
  | { readonly kind: "snippet"; readonly name: string; readonly snippet: SeenSnippet }
  | { readonly kind: "alias"; readonly name: string; readonly alias: SeenAlias };

/** Finds the entries of a query, best first. */
export type Search = (query: string) => readonly Entry[];

/** Share of the best name score that a name needs, since any short names are slightly similar. */
const CLEARLY = 0.6;

const known = new WeakMap<Catalogue, Promise<Search>>();

/** The search over a catalogue, created for its first query. */
export function searchOf(catalogue: Catalogue): Promise<Search> {
  const made = known.get(catalogue) ?? build(catalogue);
  known.set(catalogue, made);
  return made;
}

async function build({ tools, packs, snippets, aliases }: Catalogue): Promise<Search> {
  const entries: readonly Entry[] = [
    ...tools.map((tool) => ({ kind: "tool", name: tool.op, tool }) as const),
    ...packs.map((pack) => ({ kind: "pack", name: pack.name, pack }) as const),
    ...snippets.map((snippet) => ({ kind: "snippet", name: snippet.name, snippet }) as const),
    ...aliases.map((alias) => ({ kind: "alias", name: alias.name, alias }) as const),
  ];
  const [nearness, words] = await Promise.all([
    nearnessOf(entries.map(({ name }) => name)),
    wordSearchOf(entries.map(fieldsOf)),
  ]);
  return (query) => {
    const scores = better(words(query), nearness(query));
    const found: { readonly entry: Entry; readonly score: number }[] = [];
    for (const [at, score] of scores) if (entries[at]) found.push({ entry: entries[at], score });
    return found.sort((a, b) => b.score - a.score || byCodeUnit(a.entry.name, b.entry.name)).map(({ entry }) => entry);
  };
}

type Scores = ReadonlyMap<number, number>;

/** The better of two scores for each entry; a question has no name scores. */
function better(words: Scores, near: Scores): Scores {
  if (near.size === 0) return words;
  const scores = new Map(words);
  const least = CLEARLY * Math.max(0, ...near.values());
  for (const [at, score] of near) if (score >= least) scores.set(at, Math.max(score, scores.get(at) ?? 0));
  return scores;
}

/** The searchable texts of an entry. */
function fieldsOf(entry: Entry): WordFields {
  const { name } = entry;
  switch (entry.kind) {
    case "tool": {
      const { tool } = entry;
      const args: string[] = [];
      const values: string[] = [];
      collect(tool.parameters_schema, args, values);
      return {
        name: [name, tool.tool_name, ...tool.aliases].join(" "),
        description: tool.description,
        args: args.join(" "),
        values: values.join(" "),
      };
    }
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

/** Levels of a schema whose words are indexed. */
const MAX_SCHEMA_DEPTH = 12;

/** Collects names, descriptions and enum values of members at all levels. */
function collect(schema: unknown, args: string[], values: string[], depth = 0): void {
  if (typeof schema !== "object" || schema === null || depth > MAX_SCHEMA_DEPTH) return;
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "enum" && Array.isArray(value)) values.push(...value.map(String));
    else if (typeof value === "object") collect(value, args, values, depth + 1);
    // The description of the root does not belong to an argument.
    else if (keyword === "description" && depth > 0) args.push(String(value));
    if (keyword === "properties" && isSchema(value)) args.push(...Object.keys(value));
  }
}
