/** Looks up the project of a stored object among the packs that declare their objects. */

import type { ProjectLookup, StoredData } from "../call/services.js";
import type { Transaction } from "../contract/handler.js";
import type { PackObjects } from "./pack-modules.js";

/** Lookups in the state database. */
export interface StoredProjects {
  /** The project of an object; `undefined` if it does not exist. */
  readonly projectOf: ProjectLookup;
  /** Whether a project exists. */
  exists(id: string): Promise<boolean>;
}

/** Creates the lookups. Nothing is opened or imported before the first one. */
export function storedProjects(
  state: () => Promise<StoredData>,
  declared: () => Promise<readonly PackObjects[]>,
): StoredProjects {
  /** The first answer of the packs whose objects have such an id; `undefined` if no pack answers. */
  const ask = async <T>(
    isAsked: (pack: PackObjects) => boolean,
    question: (pack: PackObjects, tx: Transaction) => Promise<T | undefined>,
    data?: StoredData,
  ): Promise<T | undefined> => {
    const packs = (await declared()).filter(isAsked);
    if (packs.length === 0) return undefined;
    const opened = data ?? (await state());
    for (const { tables } of packs) if (tables) await opened.ensure(tables);
    return opened.transaction("read", async (tx) => {
      for (const pack of packs) {
        const answer = await question(pack, tx);
        if (answer !== undefined) return answer;
      }
      return undefined;
    });
  };
  return {
    projectOf: (kind, id, data) =>
      ask(
        (pack) => isOf(pack, id) && (kind === "" || pack.objects.kinds.includes(kind)),
        ({ objects }, tx) => objects.projectOf(tx, kind, id),
        data,
      ),
    async exists(id) {
      const found = await ask(
        (pack) => isOf(pack, id),
        async ({ objects }, tx) => (await objects.projectExists(tx, id)) || undefined,
      );
      return found === true;
    },
  };
}

const isOf = ({ objects }: PackObjects, id: string): boolean =>
  objects.ids === undefined || id.search(objects.ids) !== -1;
