/** `definitions/learned/<pack>.words.json`: the words by which callers look for the ops of a pack, an op a line, sorted. */

import { byCodeUnit, canonicalJson } from "../../runtime/contract/canonical.js";
import { isRecord } from "../../runtime/contract/json.js";
import { WORD_FORM } from "../../runtime/contract/learned-words.js";
import { LearnedFault, learnedOps } from "./learned-file.js";

/** How the names of these files end. */
export const WORDS_SUFFIX = ".words.json";

const VERSION = 1;
/** Words of one op. */
export const MAX_OP_WORDS = 400;

/** The words of one op. */
export interface WordsEntry {
  /** Digest of the input of the op when the words were learned. */
  readonly digest: string;
  /** Stem to the band of queries that held it. */
  readonly words: Readonly<Record<string, string>>;
  /** Words that the latest `learn` did not find; the next one takes them out. */
  readonly missing?: readonly string[];
  /** Words that are never learned for the op. */
  readonly not?: readonly string[];
  /** Whether a person keeps the words; they are never changed. */
  readonly pinned?: true;
}

/** Words by op. */
type WordsFile = ReadonlyMap<string, WordsEntry>;

/** What callers have shown about the words of an op. */
export interface JudgedWords {
  readonly op: string;
  /** Stem to band: those that may be proposed. */
  readonly words: ReadonlyMap<string, string>;
  /** How many words wait for more queries or callers. */
  readonly waiting: number;
  /** Callers that must have used a word. */
  readonly callers: number;
}

/** The text of a file of words. */
export function wordsText(entries: WordsFile): string {
  const lines = [...entries]
    .sort(([a], [b]) => byCodeUnit(a, b))
    .map(([op, entry]) => `  ${JSON.stringify(op)}: ${canonicalJson(entry)}`);
  return `{"version":${VERSION},"ops":{\n${lines.join(",\n")}\n}}\n`;
}

/** Reads a file of words. @throws LearnedFault with the fault and its op */
export const readWordsFile = (text: string): WordsFile =>
  new Map(Object.entries(learnedOps(text, VERSION)).map(([op, entry]) => [op, checked(op, entry)]));

const isWord = (value: unknown): boolean => typeof value === "string" && WORD_FORM.test(value);
const areWords = (value: unknown): boolean => value === undefined || (Array.isArray(value) && value.every(isWord));
const A_WORD = "of at most 20 letters in lower case, without other characters";

/** What the fields of an entry must be. */
const FIELDS: Readonly<Record<keyof WordsEntry, readonly [isRight: (value: unknown) => boolean, what: string]>> = {
  digest: [(value) => typeof value === "string", "a text"],
  missing: [areWords, `a list of words ${A_WORD}`],
  not: [areWords, `a list of words ${A_WORD}`],
  pinned: [(value) => value === undefined || value === true, "true, or absent"],
  words: [
    (value) => isRecord(value) && Object.entries(value).every(([word, band]) => isWord(word) && isBand(band)),
    `an object of words ${A_WORD}, each with a band of queries such as "30+"`,
  ],
};

const isBand = (band: unknown): boolean => typeof band === "string" && /^\d{1,6}\+$/.test(band);

/** What an entry that a person writes may leave out. */
const WRITTEN = { digest: "", words: {} } as const;

function checked(op: string, given: unknown): WordsEntry {
  if (!isRecord(given)) throw new LearnedFault(`${op} is not an object`, op);
  const isWritten = given["pinned"] === true || given["not"] !== undefined;
  const entry: Readonly<Record<string, unknown>> = isWritten ? { ...WRITTEN, ...given } : given;
  for (const [field, [isRight, what]] of Object.entries(FIELDS))
    if (!isRight(entry[field])) throw new LearnedFault(`${op}: "${field}" must be ${what}`, op);
  const extra = Object.keys(entry).find((field) => !Object.hasOwn(FIELDS, field));
  if (extra !== undefined) throw new LearnedFault(`${op} has an unknown field ${JSON.stringify(extra)}`, op);
  const words = entry as unknown as WordsEntry;
  const count = Object.keys(words.words).length;
  if (count > MAX_OP_WORDS)
    throw new LearnedFault(`${op} has ${count} words: keep ${MAX_OP_WORDS} of them at most`, op);
  return words;
}
