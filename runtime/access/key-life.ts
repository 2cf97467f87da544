/** Creates, revokes and rotates keys, as pure changes of all records of the store. */

import { fieldError, invalid } from "../contract/error-body.js";
import { approvalPatterns, covers } from "../contract/grant.js";
import { type FieldError, fail, type Grant } from "../contract/handler.js";
import { type GrantPatternKind, isPattern } from "../contract/unmatched-patterns.js";
import { familiesOf, OWNERS_FAMILY } from "./key-family.js";
import { endOf, INVALID_KEY, type KeyEdit, type KeyRecord, type LiveKey, stateOf } from "./key-store.js";
import { newKey, secretDigest } from "./key-text.js";
import { type ParsedScope, parseScope } from "./scope.js";

/** A request for a key. */
export interface KeyRequest {
  readonly name: string;
  readonly scope: string;
  /** Patterns of packs and of ops to which the key is bound; absent: all. */
  readonly packs?: readonly string[];
  readonly ops?: readonly string[];
  /** Patterns of ops whose writes wait for an approval, beside those of the key that makes it. */
  readonly approve?: readonly string[];
  /** Lifetime in ms; null: no expiry; absent: 90 days, or less if the key that makes it expires earlier. */
  readonly lifeMs?: number | null;
}

/**
 * Who makes or revokes a key: a live key; `local`, the owner of the store, on the command line; `local call`, a call of the
 * owner without a key.
 */
export type Maker = Pick<LiveKey, "keyId"> | "local" | "local call";

/** A new key: the only place that has its text. */
export interface IssuedKey {
  readonly key: string;
  readonly record: KeyRecord;
}

/** Options of a revocation. */
export interface Revocation {
  /** The revoking key; default: the owner of the store. */
  readonly by?: Maker;
  /** Whether keys made by the key are revoked, too; default: true. */
  readonly cascade?: boolean;
}

type Records = readonly KeyRecord[];

const DAY_MS = 86_400_000;
const LIFE_MS = 90 * DAY_MS;
/** Longest life of a key: ten years. */
export const MAX_LIFE_MS = 3650 * DAY_MS;
const OVERLAP_MS = DAY_MS;
const MAX_NAME_LENGTH = 80;
const OUTRANKS = "no key makes one that may do more than itself";

const iso = (ms: number): string | null => (ms === Number.POSITIVE_INFINITY ? null : new Date(ms).toISOString());

/** Parameters of {@link makeKey}. */
export interface MakeParts {
  readonly wanted: KeyRequest;
  readonly scope: ParsedScope;
  readonly maker: Maker;
  readonly now: number;
}

/** Makes a key. */
export function makeKey(records: Records, { wanted, scope, maker, now }: MakeParts): KeyEdit<IssuedKey> {
  const above = liveMaker(records, maker, now);
  const most = above ? endOf(above) : Number.POSITIVE_INFINITY;
  const { name, packs, ops, lifeMs = Math.min(LIFE_MS, most - now) } = wanted;
  const approve = [...new Set([...(above ? approvalPatterns(above.grant) : []), ...(wanted.approve ?? [])])];
  const bounds = {
    ...(packs ? { packs } : {}),
    ...(ops ? { ops } : {}),
    ...(approve.length > 0 ? { approve } : {}),
  };
  const end = lifeMs === null ? Number.POSITIVE_INFINITY : now + lifeMs;
  const outranks = above && scope.kind === "grant" && !covers(above.grant, { ...scope.grant, ...bounds });
  const errors = [
    ...nameErrors(name),
    ...(scope.kind === "fault" ? [fieldError("scope", "scope", scope.message, "a scope", wanted.scope)] : []),
    ...patternErrors("packs", "pack", packs),
    ...patternErrors("ops", "op", ops),
    ...patternErrors("approve", "op", wanted.approve),
    ...lifeErrors(lifeMs, end > most),
    ...(outranks ? [fieldError("scope", "scope", OUTRANKS, "a smaller scope", wanted.scope)] : []),
  ];
  if (scope.kind === "fault" || errors.length > 0) return invalid(errors);
  const from = {
    name,
    scope: wanted.scope,
    grant: { ...scope.grant, ...bounds },
    end,
    createdBy: above?.key_id ?? "local",
    family: above ? familiesOf(records)(above.key_id) : maker === "local call" ? OWNERS_FAMILY : undefined,
  };
  const made = keyOf(from, records, now);
  return { put: [made.record], value: made };
}

/** Makes an admin key if there is no live one. */
export function makeFirst(records: Records, now: number): KeyEdit<IssuedKey> {
  const one = records.find((record) => record.grant.level === "admin" && stateOf(record, now) === "live");
  if (one) return fail("CONFLICT", `The admin key ${one.key_id} is live already.`);
  const wanted: KeyRequest = { name: "admin", scope: "admin" };
  return makeKey(records, { wanted, scope: parseScope(wanted.scope), maker: "local", now });
}

/** Looked up in the records, because the maker may just have been revoked. */
function liveMaker(records: Records, maker: Maker, now: number): KeyRecord | undefined {
  if (typeof maker === "string") return undefined;
  const record = records.find((one) => one.key_id === maker.keyId);
  return record && stateOf(record, now) === "live" ? record : fail("UNAUTHENTICATED", INVALID_KEY);
}

function nameErrors(name: string): readonly FieldError[] {
  const length = name.trim().length;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  if (length > 0 && length <= MAX_NAME_LENGTH && !/[\u0000-\u001f\u007f-\u009f]/.test(name)) return [];
  return [fieldError("name", "name", `a name has 1 to ${MAX_NAME_LENGTH} characters on one line`, "a name", name)];
}

const MAX_PATTERNS = 100;

function patternErrors(
  path: string,
  kind: GrantPatternKind,
  patterns: readonly string[] | undefined,
): readonly FieldError[] {
  if (!patterns) return [];
  const expected = kind === "pack" ? 'names of packs, such as "git*"' : 'names of ops, such as "*.list"';
  const isFit = patterns.length > 0 && patterns.length <= MAX_PATTERNS;
  const bad = patterns.find((one) => !isPattern(kind, one));
  if (isFit && bad === undefined) return [];
  const message =
    bad === undefined ? `1 to ${MAX_PATTERNS} patterns are needed` : `${JSON.stringify(bad)} is no pattern of ${path}`;
  return [fieldError(path, "pattern", message, expected, bad ?? patterns.length)];
}

function lifeErrors(lifeMs: number | null, outlives: boolean): readonly FieldError[] {
  const path = lifeMs === null ? "no_expiry" : "expires_in_days";
  if (outlives) return [fieldError(path, "life", "no key makes one that outlives it", "a shorter life", lifeMs)];
  if (lifeMs === null || (lifeMs > 0 && lifeMs <= MAX_LIFE_MS)) return [];
  return [fieldError(path, "life", "a key lives longer than no time and at most 3650 days", "a life", lifeMs)];
}

interface KeyParts {
  readonly name: string;
  readonly scope: string;
  readonly grant: Grant;
  readonly end: number;
  readonly createdBy: string;
  /** Undefined for a family of its own. */
  readonly family: string | undefined;
}

function keyOf(parts: KeyParts, records: Records, now: number): IssuedKey {
  const { keyId, secret, text } = newKey();
  if (records.some((one) => one.key_id === keyId)) return keyOf(parts, records, now);
  const { end, createdBy, family = keyId, ...given } = parts;
  const origin = { created_at: new Date(now).toISOString(), created_by: createdBy, family };
  const ends = { expires_at: iso(end), revoked_at: null };
  return { key: text, record: { key_id: keyId, ...given, digest: secretDigest(secret), ...origin, ...ends } };
}

function recordOf(records: Records, keyId: string): KeyRecord {
  return records.find((one) => one.key_id === keyId) ?? fail("NOT_FOUND", "There is no key with this id.");
}

/** Parameters of {@link revokeKey}. */
export interface RevokeParts extends Revocation {
  readonly keyId: string;
  readonly now: number;
}

/** Revokes a key, and by default the keys made by it. */
export function revokeKey(
  records: Records,
  { keyId, now, by = "local", cascade = true }: RevokeParts,
): KeyEdit<readonly string[]> {
  liveMaker(records, by, now);
  const first = recordOf(records, keyId);
  const hit = cascade ? withMade(first, records) : [first];
  const put = hit
    .filter(({ revoked_at }) => revoked_at === null)
    .map((one) => ({ ...one, revoked_at: new Date(now).toISOString() }));
  return { put, value: put.map(({ key_id }) => key_id) };
}

/** A key and all keys made by it, directly and indirectly; each once. */
function withMade(first: KeyRecord, records: Records): readonly KeyRecord[] {
  const made = new Map<string, KeyRecord[]>();
  for (const one of records) {
    const others = made.get(one.created_by);
    if (others) others.push(one);
    else made.set(one.created_by, [one]);
  }
  const found = new Set([first]);
  // Iterating a set includes the elements added meanwhile.
  for (const { key_id } of found) for (const one of made.get(key_id) ?? []) found.add(one);
  return [...found];
}

/**
 * Replaces a live key by a new one with the same name, scope, maker and family. It lives as long as the old key did from its
 * start; if a key made the old one, it expires at the old key's time: only the maker may grant a longer life.
 */
export function rotateKey(records: Records, keyId: string, now: number, overlapMs = OVERLAP_MS): KeyEdit<IssuedKey> {
  const old = recordOf(records, keyId);
  const state = stateOf(old, now);
  if (state !== "live") return fail("CONFLICT", `The key ${keyId} is ${state}: create a new one.`);
  const { name, scope, grant, created_by: createdBy } = old;
  const end = createdBy === "local" ? now + endOf(old) - Date.parse(old.created_at) : endOf(old);
  const family = familiesOf(records)(keyId);
  const made = keyOf({ name, scope, grant, end, createdBy, family }, records, now);
  return { put: [{ ...old, expires_at: iso(Math.min(endOf(old), now + overlapMs)) }, made.record], value: made };
}
