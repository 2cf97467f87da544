/** Looks up the project of a stored object: `prj_…` are projects of the pack oubliette, all others of the pack onto. */

import type { Transaction } from "../contract/handler.js";
import type { State } from "../state/open.js";

/** Lookups in the state database. */
export interface StoredProjects {
  /** The project of an object; `undefined` if it does not exist. */
  projectOf(kind: string, id: string): Promise<string | undefined>;
  /** Whether a project exists. */
  exists(id: string): Promise<boolean>;
}

const OUBLIETTE_KINDS: ReadonlySet<string> = new Set(["workspace", "session"]);
const OUBLIETTE_ID = /^(?:prj|wsp|ses)_/;

/** Creates the lookups. Nothing is opened or imported before the first one. */
export function storedProjects(state: () => Promise<State>): StoredProjects {
  const ask = async <T>(question: (tx: Transaction) => Promise<T>): Promise<T> =>
    (await state()).transaction("read", question);
  return {
    async projectOf(kind, id) {
      const isOurs = OUBLIETTE_KINDS.has(kind) || (["", "project"].includes(kind) && OUBLIETTE_ID.test(id));
      const { projectOf } = isOurs
        ? await import("../packs/oubliette/project-of.js")
        : await import("../packs/onto/project-of.js");
      return ask((tx) => projectOf(tx, kind, id));
    },
    async exists(id) {
      const { projectExists } = OUBLIETTE_ID.test(id)
        ? await import("../packs/oubliette/project-of.js")
        : await import("../packs/onto/project-of.js");
      return ask((tx) => projectExists(tx, id));
    },
  };
}
