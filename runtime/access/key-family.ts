/**
 * Families of keys: the keys that made one another, with those that have replaced them. A family counts as one caller:
 * no member decides about a call that another member asked for. A key of the command line begins a family of its own.
 */

import type { KeyRecord } from "./key-store.js";
import { LOCAL_ID } from "./principal.js";

/** What the family of a key depends on. */
export type Related = Pick<KeyRecord, "key_id" | "created_by" | "name" | "family">;

/** The family of the owner of the machine, and of the keys that calls without a key have made. */
export const OWNERS_FAMILY = LOCAL_ID;

/**
 * The family of each caller, by its id.
 *
 * @param known - all keys ever made. One without a stored family, of an earlier version, belongs to that of its maker; one of
 * the command line belongs to the family of the keys there with the same name, since a replacement keeps the name.
 */
export function familiesOf(known: readonly Related[]): (id: string) => string {
  const byId = new Map(known.map((one) => [one.key_id, one]));
  return (id) => {
    let last = id;
    // A file that was written by hand may have a circle.
    for (const seen = new Set<string>(); !seen.has(last); ) {
      seen.add(last);
      const key = byId.get(last);
      if (!key) return last;
      if (key.family !== undefined) return key.family;
      if (key.created_by === LOCAL_ID) return `name ${key.name}`;
      last = key.created_by;
    }
    return last;
  };
}
