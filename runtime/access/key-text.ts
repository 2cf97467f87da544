/**
 * The text form of an API key, `oub_<keyid>_<secret>`. The secret may contain `_`, so parts are found by position.
 */

import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { randomId } from "../contract/ids.js";

/** The parts of a key. */
export interface KeyText {
  readonly keyId: string;
  readonly secret: string;
}

/** A new key. */
export interface NewKeyText extends KeyText {
  /** The whole key: shown once, never stored. */
  readonly text: string;
}

const PREFIX = "oub_";
const ID_LENGTH = 10;
const SECRET_BYTES = 32;
const SECRET_AT = PREFIX.length + ID_LENGTH + 1;
const KEY = /^oub_[a-z2-7]{10}_[A-Za-z0-9_-]{43}$/;
const KEY_ID = /^[a-z2-7]{10}$/;

/** A digest that no secret has; compared for an unknown key, so that known and unknown keys take the same time. */
export const NO_DIGEST = "0".repeat(64);

/** A random key: 50 bits of id, 256 bits of secret. */
export function newKey(): NewKeyText {
  const keyId = randomId(ID_LENGTH);
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  return { keyId, secret, text: `${PREFIX}${keyId}_${secret}` };
}

/** Parses a key; undefined for any other text, including a key with surrounding white space. */
export const parseKey = (text: string): KeyText | undefined =>
  KEY.test(text)
    ? { keyId: text.slice(PREFIX.length, PREFIX.length + ID_LENGTH), secret: text.slice(SECRET_AT) }
    : undefined;

/** Whether a text has the form of a key id. */
export const isKeyId = (text: string): boolean => KEY_ID.test(text);

/** Whether a text starts like a key, complete or not: such a text must never be repeated. */
export const looksLikeKey = (text: string): boolean => text.trimStart().startsWith(PREFIX);

/** The stored digest of a secret: a slow hash adds nothing to 256 random bits. */
export const secretDigest = (secret: string): string => createHash("sha256").update(secret).digest("hex");

/** Whether a secret has a digest, compared in constant time. */
export const hasDigest = (secret: string, digest: string): boolean =>
  timingSafeEqual(Buffer.from(secretDigest(secret)), Buffer.from(digest));
