/** Tells a reviewer of learned words which op a search for a word finds first. */

import { wordSearchOf } from "../../runtime/catalog/word-search.js";
import type { Tool } from "../../runtime/contract/registry.js";
import { toolFields } from "../../runtime/contract/search/entry-words.js";
import { indexWords } from "../../runtime/contract/search/word-index.js";

/** The op that a search for a word finds first; undefined if it finds none. The index is made with the first word. */
export function firstFoundIn(tools: readonly Tool[]): (word: string) => string | undefined {
  let search: ReturnType<typeof wordSearchOf> | undefined;
  return (word) => {
    search ??= wordSearchOf([{ index: indexWords(tools.map(toolFields)), entries: Int32Array.from(tools.keys()) }]);
    let best: { readonly entry: number; readonly score: number } | undefined;
    search(word, (entry, score) => {
      if (!best || score > best.score || (score === best.score && entry < best.entry)) best = { entry, score };
    });
    return best && tools[best.entry]?.op;
  };
}
