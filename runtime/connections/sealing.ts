/** Encryption of stored connections: AES-256-GCM, bound to the row that holds the text. */

import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import type { StateKey } from "../config/connection-settings.js";

/** An encrypted text, and the id of its key. */
export interface Sealed {
  readonly body: string;
  readonly key_id: string;
}

/** Encrypts and decrypts with the keys of a configuration. */
export interface Seal {
  /** @param place what identifies the row: the text opens nowhere else */
  close(text: string, place: readonly string[]): Sealed;
  /** Undefined if the key is not configured, or the row was tampered with. */
  open(sealed: Sealed, place: readonly string[]): string | undefined;
  /** Whether a key of this id is configured. */
  has(id: string): boolean;
  /** Whether a row is encrypted with the first key. */
  isCurrent(sealed: Pick<Sealed, "key_id">): boolean;
}

const ALGORITHM = "aes-256-gcm";
const IV_BYTES = 12;
const TAG_BYTES = 16;

const aad = (place: readonly string[]): Buffer => Buffer.from(JSON.stringify(place));

/** @param keys the first encrypts, all decrypt; settings with stored connections have one */
export function createSeal(keys: readonly StateKey[]): Seal {
  const [first] = keys;
  return {
    close(text, place) {
      if (!first) throw new Error("no key encrypts the state");
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, first.key, iv).setAAD(aad(place));
      const content = [cipher.update(text, "utf8"), cipher.final()];
      return { body: Buffer.concat([iv, ...content, cipher.getAuthTag()]).toString("base64"), key_id: first.id };
    },
    open({ body, key_id: id }, place) {
      const found = keys.find((one) => one.id === id);
      const bytes = Buffer.from(body, "base64");
      if (!found || bytes.length < IV_BYTES + TAG_BYTES) return undefined;
      const decipher = createDecipheriv(ALGORITHM, found.key, bytes.subarray(0, IV_BYTES), {
        authTagLength: TAG_BYTES,
      });
      decipher.setAAD(aad(place)).setAuthTag(bytes.subarray(-TAG_BYTES));
      try {
        return decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES), undefined, "utf8") + decipher.final("utf8");
      } catch {
        return undefined;
      }
    },
    has: (id) => keys.some((one) => one.id === id),
    isCurrent: ({ key_id: id }) => id === first?.id,
  };
}
