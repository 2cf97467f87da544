/** Generates ids, and provides the clock for new rows. */

import { createHash, randomBytes } from "node:crypto";
import { type FieldError, fieldError } from "toolwright/codegen";
import { type EdgeKind, ID_PATTERNS, ID_PREFIXES } from "./model.js";

/** Clock and id generator; tests replace them. */
export interface Origin {
  now(): Date;
  newId(kind: EdgeKind | "edge"): string;
}

/** Base 32 without letters that look like digits. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const RANDOM_BYTES = 10;
const BITS = 5;

function base32(bytes: Uint8Array): string {
  let text = "";
  let held = 0;
  let bits = 0;
  for (const byte of bytes) {
    held = (held << 8) | byte;
    bits += 8;
    while (bits >= BITS) {
      bits -= BITS;
      text += ALPHABET[(held >> bits) & 31];
      held &= (1 << bits) - 1;
    }
  }
  return text;
}

const idOf = (kind: EdgeKind | "edge", bytes: Uint8Array): string => `${ID_PREFIXES[kind]}_${base32(bytes)}`;

/** The system clock, and ids with 80 random bits. */
export const SYSTEM: Origin = { now: () => new Date(), newId: (kind) => idOf(kind, randomBytes(RANDOM_BYTES)) };

/** Ids with 80 bits of a seed, one after the other. */
export function seededIds(seed: string): Origin["newId"] {
  let made = 0;
  return (kind) => {
    made += 1;
    return idOf(kind, createHash("sha256").update(`${seed} ${made}`).digest().subarray(0, RANDOM_BYTES));
  };
}

const PATTERNS = new Map(Object.entries(ID_PATTERNS).map(([kind, pattern]) => [kind, new RegExp(pattern)]));
const KIND_OF_PREFIX = new Map(Object.entries(ID_PREFIXES).map(([kind, prefix]) => [prefix as string, kind]));

/** The error for an id that does not have the form of its kind; `undefined` if it has. */
export function idError(kind: EdgeKind | "edge", id: string, path: string): FieldError | undefined {
  if (PATTERNS.get(kind)?.test(id)) return undefined;
  const other = KIND_OF_PREFIX.get(id.slice(0, Math.max(0, id.indexOf("_"))));
  const message = other ? `${path} is the id of a ${other}, not of a ${kind}` : `${path} is not an id of a ${kind}`;
  return fieldError(path, "pattern", message, `id<${kind}>`, id);
}

/** The kind of an id by its prefix; `undefined` for a UUID. */
export const kindOfId = (id: string): EdgeKind | undefined =>
  KIND_OF_PREFIX.get(id.slice(0, Math.max(0, id.indexOf("_")))) as EdgeKind | undefined;
