/** Hashes of keys, arguments and callers: the same on every server of a database, and no use to a reader without its key. */

import { createHmac } from "node:crypto";

/** Hashes with the key of a database. */
export interface Hashing {
  hash(text: string): string;
  /** The id of a key of results. */
  idOf(key: string): string;
  /** The key of an id, if this process has seen it. */
  nameOf(id: string): string | undefined;
}

/** Characters of a hash: 72 bits. */
const HASH_LENGTH = 12;
/** Keys whose ids and names are in memory. */
const MAX_KEYS = 20_000;

/** Hashes with a secret. */
export function hashingWith(secret: string): Hashing {
  const ids = new Map<string, string>();
  const names = new Map<string, string>();
  const hash = (text: string): string =>
    createHmac("sha256", secret).update(text).digest("base64url").slice(0, HASH_LENGTH);
  return {
    hash,
    idOf(key) {
      const known = ids.get(key);
      if (known !== undefined) return known;
      if (ids.size >= MAX_KEYS) {
        ids.clear();
        names.clear();
      }
      const id = hash(`key ${key}`);
      ids.set(key, id);
      names.set(id, key);
      return id;
    },
    nameOf: (id) => names.get(id),
  };
}
