/** The interface of a key store, and the record of a key. */

import type { Grant, Transaction } from "../contract/handler.js";

/** The stored data of a key, without its secret; times are ISO 8601 in UTC. */
export interface KeyRecord {
  readonly key_id: string;
  readonly name: string;
  readonly scope: string;
  readonly grant: Grant;
  readonly digest: string;
  readonly created_at: string;
  /** Key id of the maker, or `local`. */
  readonly created_by: string;
  /** Its family: see `key-family.ts`; absent in records of versions before families. */
  readonly family?: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

/** A live key. */
export interface LiveKey {
  readonly keyId: string;
  readonly grant: Grant;
  /** In ms since the epoch; undefined for never. */
  readonly expiresAt: number | undefined;
}

/** Message for a key that is malformed, unknown, expired or revoked: the same for all. */
export const INVALID_KEY = "invalid or expired API key";

/** Message for a token of an identity provider that is not accepted, whatever the reason. */
export const INVALID_TOKEN = "invalid or expired token";

/** The result of an edit: records to store, by key id, and a value to return. */
export interface KeyEdit<T> {
  readonly put: readonly KeyRecord[];
  readonly value: T;
}

/** Stores keys. All methods throw {@link KeysUnreadable} if the store is out of reach. */
export interface KeyStore {
  /** The existing records of these ids, as seen by the transaction if one is given. */
  read(keyIds: readonly string[], tx?: Transaction): readonly KeyRecord[] | Promise<readonly KeyRecord[]>;
  /** All records, the oldest first. */
  all(): readonly KeyRecord[] | Promise<readonly KeyRecord[]>;
  /** Whether a key was ever made. */
  anyMade(): boolean | Promise<boolean>;
  /** Whether a key is live at a time. */
  anyLive(now: number): boolean | Promise<boolean>;
  /**
   * Changes the store; no other process changes it between the records that `edit` sees and the result it stores. An
   * error of `edit` changes nothing.
   */
  change<T>(edit: (records: readonly KeyRecord[]) => KeyEdit<T>): Promise<T>;
}

/** Thrown if the keys cannot be read or written: an outage, which says nothing about any key. */
export class KeysUnreadable extends Error {
  override readonly name = "KeysUnreadable";
  /** How to fix it. */
  readonly remedy: string;
  constructor(message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.remedy = remedy;
  }
}

/** Whether a thrown value is a {@link KeysUnreadable}, from this copy of the package or another. */
export const isKeysUnreadable = (value: unknown): value is KeysUnreadable =>
  value instanceof Error && value.name === "KeysUnreadable";

/** When a key expires, in ms since the epoch; Infinity for never. */
export const endOf = ({ expires_at }: Pick<KeyRecord, "expires_at">): number =>
  expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at);

/** State of a key. */
export type KeyState = "live" | "expired" | "revoked";

/** State of a key at a time. */
export function stateOf(record: Pick<KeyRecord, "expires_at" | "revoked_at">, now: number): KeyState {
  if (record.revoked_at !== null) return "revoked";
  return endOf(record) > now ? "live" : "expired";
}
