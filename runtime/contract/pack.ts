/** What the file of a pack exports beside its functions: a pack of a project, of a folder or of a package. */

import type { Binding } from "./handler.js";

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
