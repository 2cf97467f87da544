/** How a pack declares to which project a stored object belongs. */

import type { Transaction } from "./handler.js";

/**
 * Lookups of the objects that a pack stores. A handlers module exports them as `storedObjects`; they decide what a key may
 * reach that is limited to some projects.
 *
 * @example
 * export const storedObjects: StoredObjects = {
 *   kinds: ["note"],
 *   // The id of a note begins with its project: "prj_7/note_1".
 *   projectOf: async (_tx, _kind, id) => id.split("/")[0],
 *   projectExists: async () => false,
 * };
 */
export interface StoredObjects {
  /** Kinds of objects, as `x-id` names them in the parameters of ops. */
  readonly kinds: readonly string[];
  /** The form of their ids, if it differs from the ids of other packs. */
  readonly ids?: RegExp;
  /**
   * The project of an object; `undefined` if it does not exist.
   *
   * @param kind - empty for an id of any kind
   */
  projectOf(tx: Transaction, kind: string, id: string): Promise<string | undefined>;
  /** Whether the pack stores a project with this id, for which a key may be made. */
  projectExists(tx: Transaction, id: string): Promise<boolean>;
}
