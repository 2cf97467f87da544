/** Tells a reviewer of learned words which op a search for a word finds first. */

import { type Ranking, rankingOf } from "../../runtime/catalog/ranking.js";
import type { Tool } from "../../runtime/contract/registry.js";
import { synonymsWith } from "../../runtime/contract/search/synonyms.js";
import { namesOf, titleOf, toolFields } from "../../runtime/contract/search/tool-words.js";
import { indexWords } from "../../runtime/contract/search/word-index.js";

/** The op that a search for a word finds first; undefined if it finds none. The index is made with the first word. */
export function firstFoundIn(tools: readonly Tool[]): (word: string) => string | undefined {
  let rank: Ranking | undefined;
  return (word) => {
    rank ??= rankingOf(
      [{ index: indexWords(tools.map(toolFields)), entries: Int32Array.from(tools.keys()) }],
      tools.map((tool) => ({ name: tool.op, title: titleOf(tool), names: namesOf(tool) })),
      synonymsWith(new Map()),
    );
    const [best] = rank(word, 1).best;
    return best && tools[best.number]?.op;
  };
}
