/** Where keys are kept, and what is kept of one. */

import type { Grant, Transaction } from "../contract/handler.js";

/** What is kept of a key; times are ISO 8601 in UTC. Never the secret. */
export interface KeyRecord {
  readonly key_id: string;
  readonly name: string;
  readonly scope: string;
  readonly grant: Grant;
  readonly digest: string;
  readonly created_at: string;
  /** Key that made it, or `local`. */
  readonly created_by: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

/** A key that is live. */
export interface LiveKey {
  readonly keyId: string;
  readonly grant: Grant;
  /** In ms since the epoch; undefined for never. */
  readonly expiresAt: number | undefined;
}

/** What a caller is told of a key that is malformed, unknown, expired or revoked: one text for all. */
export const INVALID_KEY = "invalid or expired API key";

/** What a change of the store puts into it, by key id, and what comes of it. */
export interface Change<T> {
  readonly put: readonly KeyRecord[];
  readonly value: T;
}

/** Keeps keys. All of it throws {@link KeysUnreadable} where the store is out of reach. */
export interface KeyStore {
  /** The records of those ids that there are, as the transaction sees them where there is one. */
  read(keyIds: readonly string[], tx?: Transaction): readonly KeyRecord[] | Promise<readonly KeyRecord[]>;
  /** Every record, the oldest first. */
  all(): readonly KeyRecord[] | Promise<readonly KeyRecord[]>;
  /** Whether a key was ever made. */
  anyMade(): boolean | Promise<boolean>;
  /** Whether a key is live at a time. */
  anyLive(now: number): boolean | Promise<boolean>;
  /** Changes the store; no other process changes it between what `edit` sees and what it puts. What `edit` throws changes nothing. */
  change<T>(edit: (records: readonly KeyRecord[]) => Change<T>): Promise<T>;
}

/** Thrown where the keys cannot be read or written: an outage, of which nothing follows for any key. */
export class KeysUnreadable extends Error {
  override readonly name = "KeysUnreadable";
  /** What to do about it. */
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

/** How a key stands. */
export type KeyState = "live" | "expired" | "revoked";

/** How a key stands at a time. */
export function stateOf(record: Pick<KeyRecord, "expires_at" | "revoked_at">, now: number): KeyState {
  if (record.revoked_at !== null) return "revoked";
  return endOf(record) > now ? "live" : "expired";
}
