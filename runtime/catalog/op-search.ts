/** The search over the ops that a caller sees: of `tool_help`, of `ot.help`, and of suggestions. */

import { byCodeUnit } from "../contract/canonical.js";
import type { OwnWords } from "../contract/learned-words.js";
import type { Tool } from "../contract/registry.js";
import { type Synonyms, synonymsWith } from "../contract/search/synonyms.js";
import { stemsOf, textWords, titleOf, toolFields, toolNames } from "../contract/search/tool-words.js";
import { indexWords } from "../contract/search/word-index.js";
import type { Project } from "./project.js";
import { type RankedEntry, rankingOf } from "./ranking.js";
import type { RegistryView } from "./registry.js";
import type { SearchedIndex } from "./terms.js";

/** Ops that a query finds. */
export interface FoundOps {
  /** How many. */
  readonly count: number;
  /** The best of them, the best first. */
  readonly best: readonly { readonly tool: Tool; readonly score: number }[];
  /** Words of the query that no op holds, nor a word like them: at most five. */
  readonly unknown: readonly string[];
  /** The stems that stand for a stem of the query, or that it may be mistyped for. */
  meant(stem: string): readonly string[];
}

/** Whose search it is, and where. */
interface OpSearchOptions {
  /** Only ops below this prefix. */
  readonly below?: string | undefined;
  /** The words of the caller. */
  readonly own?: OwnWords | undefined;
}

/** Finds the best so many ops of a query. */
export type OpSearch = (query: string, most: number, options?: OpSearchOptions) => FoundOps;

/** What the search of a project depends on. */
export type SearchedProject = Pick<Project, "toolIndex"> & { readonly settings: Pick<Project["settings"], "synonyms"> };

const made = new WeakMap<RegistryView, OpSearch>();

/** The search over the listed ops of a view, made for its first query. */
export function opSearchOf(view: RegistryView, project: SearchedProject): OpSearch {
  const search = made.get(view) ?? build(view, project);
  made.set(view, search);
  return search;
}

function build(view: RegistryView, project: SearchedProject): OpSearch {
  const tools = [...view.listed].sort((a, b) => byCodeUnit(a.op, b.op));
  const entries = tools.map((tool): RankedEntry => ({ name: tool.op, title: titleOf(tool), names: toolNames(tool) }));
  const rank = rankingOf(indexesOf(tools, project), entries, synonymsOf(project.settings.synonyms));
  return (query, most, { below, own } = {}) => {
    const isBelow = (entry: number): boolean => entries[entry]?.name.startsWith(`${below}.`) ?? false;
    const { count, best, unknown, meant } = rank(query, most, {
      among: below === undefined ? undefined : isBelow,
      own,
    });
    return {
      count,
      best: best.flatMap(({ number, score }) => (tools[number] ? [{ tool: tools[number], score }] : [])),
      unknown,
      meant,
    };
  };
}

/** The index of the tools that were generated, as far as they are searched, and one of all others. */
function indexesOf(tools: readonly Tool[], { toolIndex }: SearchedProject): readonly SearchedIndex[] {
  const known = toolIndex?.();
  const numbers = new Int32Array(known?.index.texts ?? 0).fill(-1);
  const others: number[] = [];
  tools.forEach((tool, number) => {
    const text = known?.textOf.get(tool);
    if (text === undefined) others.push(number);
    else numbers[text] = number;
  });
  const texts = others.flatMap((number) => (tools[number] ? [toolFields(tools[number])] : []));
  const own = texts.length > 0 ? [{ index: indexWords(texts), entries: Int32Array.from(others) }] : [];
  return known ? [{ index: known.index, entries: numbers }, ...own] : own;
}

const knownSynonyms = new WeakMap<ReadonlyMap<string, string>, Synonyms>();

/** The words that stand for each other in the search, with the synonyms of a project; cached. */
export function synonymsOf(own: ReadonlyMap<string, string>): Synonyms {
  const known = knownSynonyms.get(own);
  if (known) return known;
  const stems = (text: string): readonly string[] => stemsOf(textWords(text));
  const words = [...own].flatMap(([word, meant]) => stems(word).map((one) => [one, stems(meant)] as const));
  const made = synonymsWith(new Map(words));
  knownSynonyms.set(own, made);
  return made;
}
