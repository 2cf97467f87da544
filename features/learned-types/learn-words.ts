/** The part of `toolwright learn` that writes `definitions/learned/<pack>.words.json`, and says what a reviewer must know. */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import { onLine } from "../../runtime/contract/message-text.js";
import { ownStems } from "../../runtime/contract/own-stems.js";
import type { Tool } from "../../runtime/contract/registry.js";
import { leastCalls } from "./learned-file.js";
import { type JudgedWords, MAX_OP_WORDS, type WordsEntry } from "./words-file.js";

/** A word that was not in the file before. */
interface NewWord {
  readonly word: string;
  /** Band of the queries that held it. */
  readonly queries: string;
  /** The op that a search for it alone found first so far. */
  readonly first?: string;
  /** What to look at: a sentence each. */
  readonly marks: readonly string[];
}

/** What changed in the words of one op. */
export interface LearnedWordsOfOp {
  readonly op: string;
  readonly added: readonly NewWord[];
  /** Words that were not found this time; the next run takes them out. */
  readonly missing: readonly string[];
  readonly removed: readonly string[];
  readonly words: number;
  /** Words that wait for more queries or callers. */
  readonly waiting: number;
}

/** What the words are learned from. */
interface WordSources {
  readonly judged: readonly JudgedWords[];
  /** The ops for which `learn.words` is on. */
  readonly learns: ReadonlySet<string>;
  /** The op that a search for a word finds first, before the word is learned. */
  readonly firstFound: (word: string) => string | undefined;
}

/** Words that so many ops have say little about any of them. */
const COMMON = 3;

/** The entries after learning: pinned ones stay, words that two runs did not find go, as do those of no op. */
export function mergedWords(
  tools: readonly Tool[],
  before: ReadonlyMap<string, WordsEntry>,
  sources: WordSources,
): { readonly entries: ReadonlyMap<string, WordsEntry>; readonly ops: readonly LearnedWordsOfOp[] } {
  const judged = new Map(sources.judged.map((one) => [one.op, one]));
  const entries = new Map<string, WordsEntry>();
  for (const tool of tools) {
    const entry = entryOf(tool, before.get(tool.op), sources.learns.has(tool.op) ? judged.get(tool.op) : "off");
    if (entry) entries.set(tool.op, entry);
  }
  const holders = holdersOf(entries);
  const ops = tools.map(({ op, summary }): LearnedWordsOfOp => {
    const old: WordsEntry["words"] = before.get(op)?.words ?? {};
    const words: WordsEntry["words"] = entries.get(op)?.words ?? {};
    const added = Object.keys(words).filter((word) => !Object.hasOwn(old, word));
    const namesake =
      added.length === 0 ? undefined : tools.find((other) => other.op !== op && other.summary === summary)?.op;
    return {
      op,
      added: added.map((word) => newWord(word, words[word] ?? "", holders.get(word) ?? [], namesake, sources)),
      missing: entries.get(op)?.missing ?? [],
      removed: Object.keys(old).filter((word) => !Object.hasOwn(words, word)),
      words: Object.keys(words).length,
      waiting: judged.get(op)?.waiting ?? 0,
    };
  });
  return { entries, ops };
}

function entryOf(tool: Tool, old: WordsEntry | undefined, found: JudgedWords | "off" | undefined) {
  if (old?.pinned) return old;
  if (found === "off") return undefined;
  const barred = new Set([...ownStems(tool), ...(old?.not ?? [])]);
  const shown = [...(found?.words ?? [])].filter(([word]) => !barred.has(word));
  const now = new Map(shown);
  const isMissing = (word: string): boolean => !now.has(word) && !barred.has(word) && !old?.missing?.includes(word);
  const kept = Object.entries(old?.words ?? {}).filter(([word]) => isMissing(word));
  const all = [...now, ...kept].sort(([a, x], [b, y]) => leastCalls(y) - leastCalls(x) || byCodeUnit(a, b));
  const words = all.slice(0, MAX_OP_WORDS);
  const missing = kept.map(([word]) => word).filter((word) => words.some(([one]) => one === word));
  if (words.length === 0 && !old?.not) return undefined;
  return {
    digest: now.size > 0 ? tool.digest.input : (old?.digest ?? ""),
    words: Object.fromEntries(words),
    ...(missing.length > 0 ? { missing: missing.sort(byCodeUnit) } : {}),
    ...(old?.not ? { not: old.not } : {}),
  };
}

/** The ops of each word. */
function holdersOf(entries: ReadonlyMap<string, WordsEntry>): ReadonlyMap<string, readonly string[]> {
  const holders = new Map<string, string[]>();
  for (const [op, { words }] of entries)
    for (const word of Object.keys(words)) holders.set(word, [...(holders.get(word) ?? []), op]);
  return holders;
}

function newWord(
  word: string,
  queries: string,
  holders: readonly string[],
  namesake: string | undefined,
  { firstFound }: WordSources,
): NewWord {
  const first = firstFound(word);
  const marks = [
    ...(holders.length >= COMMON ? [`a word of ${holders.length} ops: ${holders.join(", ")}`] : []),
    ...(namesake === undefined ? [] : [`moves the op above ${namesake}, which has the same title`]),
  ];
  return { word, queries, ...(first === undefined ? {} : { first }), marks };
}

/** The lines about words whose entries have changed, as a pull request shows them. */
export function wordLines(ops: readonly LearnedWordsOfOp[], dim: (text: string) => string): readonly string[] {
  return ops.flatMap(({ op, added, missing, removed }) => {
    const parts = [
      ...(added.length > 0 ? [`new: ${added.map(({ word, queries }) => `${word} (${queries})`).join(", ")}`] : []),
      ...(missing.length > 0 ? [`not found any more: ${missing.join(", ")}`] : []),
      ...(removed.length > 0 ? [`removed: ${removed.join(", ")}`] : []),
    ];
    if (parts.length === 0) return [];
    const about = added.flatMap(({ word, first, marks }) => [
      `  ${dim(`${word}: ${first === undefined ? "found no op so far" : `found ${onLine(first)} first so far`}`)}`,
      ...marks.map((mark) => `  ${dim(`${word}: LOOK: ${onLine(mark)}`)}`),
    ]);
    return [`${onLine(op)}  words  ${parts.join("; ")}`, ...about];
  });
}
