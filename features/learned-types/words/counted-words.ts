/** Which words of a query say how callers call an op: those that its own texts lack, and that are no data of the call. */

import { isDataLike } from "../../../runtime/contract/data-keys.js";
import { WORD_FORM } from "../../../runtime/contract/learned-words.js";
import { ownStems } from "../../../runtime/contract/own-stems.js";
import type { Tool } from "../../../runtime/contract/registry.js";
import { stemsOf, textWords } from "../../../runtime/contract/search/tool-words.js";
import { looksSecret } from "../../../runtime/contract/secret-detection.js";
import { textsOf } from "../variant.js";

/** Longest query that is learned from, in characters: a longer one may be a pasted text. */
const MAX_QUERY_LENGTH = 200;
/** Words of a query that count. */
const MAX_WORDS = 20;
/** Characters in a call that are looked at; nothing is learned from a call with more. */
const MAX_TEXT_LENGTH = 200_000;

/**
 * The stems of a query that count for the op that was called after it.
 *
 * @param request - the call as it was sent, wherever its arguments stand: a word in any of its texts does not count
 */
export function countedWords(query: string, tool: Tool, request: unknown): readonly string[] {
  if (query.length > MAX_QUERY_LENGTH || looksSecret(query)) return [];
  const given = [...textsOf(tool, request)];
  if (given.reduce((sum, { length }) => sum + length, 0) > MAX_TEXT_LENGTH) return [];
  const words = query.split(/\s+/u).filter((word) => !isData(word));
  const stems = new Set(stemsIn(words.join(" ")).filter((stem) => WORD_FORM.test(stem) && !isOddWord(stem)));
  for (const stem of [...ownStems(tool), ...given.flatMap(stemsIn)]) stems.delete(stem);
  return [...stems].slice(0, MAX_WORDS);
}

const stemsIn = (text: string): readonly string[] => stemsOf(textWords(text));

/** Addresses, names of hosts and files, numbers and ids. */
const isData = (word: string): boolean => /[\d@\\~]|:\/\/|\/.*\/|\p{L}\.\p{L}/u.test(word) || isLong(word);

const isLong = (word: string): boolean => word.split(/[^\p{L}]+/u).some((letters) => letters.length > MAX_LETTERS);
const MAX_LETTERS = 20;

/** Letters that make no word, such as a part of a key; of other alphabets nothing is known. */
const isOddWord = (stem: string): boolean => /^[a-z]+$/.test(stem) && isDataLike(stem);
