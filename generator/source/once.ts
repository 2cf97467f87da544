/** Leaves out definitions that several arrays, files or entries export again. */

import { packOf } from "../config/config.js";
import type { SourceEntry } from "../config/values.js";
import type { Definition } from "../core/ir.js";

/**
 * Each definition once in a pack, and once in an entry without a pack: in the pack of the file that it stands in, else in the
 * first pack that exports it.
 */
export function once(
  lists: readonly (readonly Definition[])[],
  entries: readonly SourceEntry[],
): readonly Definition[] {
  const seen = new Set<string>();
  return lists
    .flatMap((list, i) =>
      entries[i]?.pack === undefined && entries[i]?.["chat-tools"] !== undefined ? inOnePack(list) : list,
    )
    .filter((one) => {
      if (one.origin !== "local") return true;
      const key = JSON.stringify([one.pack, keyOf(one)]);
      const isFirst = !seen.has(key);
      seen.add(key);
      return isFirst;
    });
}

function inOnePack(list: readonly Definition[]): readonly Definition[] {
  const packs = new Map<string, string>();
  for (const one of list) {
    const isHome = one.pack === packOf(one.place.file);
    if (isHome || !packs.has(keyOf(one))) packs.set(keyOf(one), one.pack);
  }
  return list.filter((one) => packs.get(keyOf(one)) === one.pack);
}

/** The same for two definitions that are the same text. */
const keyOf = ({ name, description, parameters, place: { file, line, column } }: Definition): string =>
  JSON.stringify([name, file, line, column, description, parameters]);
