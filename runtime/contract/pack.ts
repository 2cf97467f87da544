/** What the modules of a pack export beside its functions: its description, bindings, and the projects of the objects that it stores. */

import type { Binding, Transaction } from "./handler.js";

/**
 * `export const pack`: what is said about a pack. It is read from the text, never run.
 *
 * @example
 * export const pack = { summary: "Orders.", entities: { order: "orders" }, topics: ["sales"] } satisfies PackDefinition;
 */
export interface PackDefinition {
  /** One sentence, which help and clients show. */
  readonly summary?: string;
  /** Singular to plural of the things that the ops are about. */
  readonly entities?: Readonly<Record<string, string>>;
  /** Words by which a search finds the pack. */
  readonly topics?: readonly string[];
}

/**
 * `export const bindings`: how functions are bound, by name. A function without an entry is called as it stands.
 *
 * @example
 * export const bindings = {
 *   close_order: { plan: async (id: string) => ({ would_close: id }) },
 * } satisfies Bindings;
 */
export type Bindings = Readonly<Record<string, Binding<never, never>>>;

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
