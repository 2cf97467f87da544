/** What the rows of callers allow to propose to all: words that several callers used, in bands. */

import { FADED, WORD_BANDS } from "../../../runtime/contract/learned-words.js";
import type { HelpWordRow } from "../tables.js";
import type { JudgedWords } from "../words-file.js";
import { CALLER_COUNT } from "./word-rows.js";

/** Who the callers are. */
interface Callers {
  /** The one who counts for a caller, by its hash: keys that made one another are one. */
  readonly countedAs: (callerKey: string) => string;
  /** Callers that must have used a word; undefined: two, or one where there is no other than this one. */
  readonly needed: number | undefined;
  /** The caller without a key, as it is counted. */
  readonly local: string;
}

/** Callers that must have used a word, if the project does not say. */
const MIN_CALLERS = 2;
/** Queries that must have held it. */
const [MIN_QUERIES] = WORD_BANDS;

/**
 * The words of each op.
 *
 * @param fadedDay - the last day whose rows count half
 */
export function judgeWords(rows: readonly HelpWordRow[], fadedDay: string, callers: Callers): readonly JudgedWords[] {
  const isLocal = rows.every(({ caller_key }) => callers.countedAs(caller_key) === callers.local);
  const needed = callers.needed ?? (isLocal ? 1 : MIN_CALLERS);
  const ops = new Map<string, HelpWordRow[]>();
  for (const row of rows) ops.set(row.op, [...(ops.get(row.op) ?? []), row]);
  return [...ops].map(([op, own]) => ({ op, callers: needed, ...wordsIn(own, fadedDay, callers.countedAs, needed) }));
}

function wordsIn(rows: readonly HelpWordRow[], fadedDay: string, countedAs: Callers["countedAs"], needed: number) {
  const stems = new Map<string, { stem: string | null; readonly counts: Map<string, number> }>();
  for (const { stem_key, stem, caller_key, day, count } of rows) {
    const word = stems.get(stem_key) ?? { stem, counts: new Map<string, number>() };
    stems.set(stem_key, word);
    word.stem ??= stem;
    const who = countedAs(caller_key);
    const more = Number(count) * (day > fadedDay ? 1 : FADED);
    word.counts.set(who, Math.min(CALLER_COUNT, (word.counts.get(who) ?? 0) + more));
  }
  const words = new Map<string, string>();
  let waiting = 0;
  for (const { stem, counts } of stems.values()) {
    const held = [...counts.values()].reduce((sum, count) => sum + count, 0);
    if (stem !== null && held >= MIN_QUERIES && counts.size >= needed) words.set(stem, bandOf(held));
    else waiting++;
  }
  return { words, waiting };
}

const bandOf = (queries: number): string => `${WORD_BANDS.filter((least) => queries >= least).at(-1) ?? 0}+`;
