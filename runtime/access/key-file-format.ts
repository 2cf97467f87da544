/** Text of the key file: JSON, parsed strictly, because a damaged record could grant more than was intended. */

import type { Grant } from "../contract/handler.js";
import { isObject } from "../contract/json.js";
import { type KeyRecord, KeysUnreadable } from "./key-store.js";
import { isKeyId } from "./key-text.js";

/**
 * Version 2 has grants with patterns of packs and ops, version 3 also those of ops that wait for an approval. A reader of
 * an earlier version would ignore or refuse them.
 */
const VERSION = 3;
const versionOf = (keys: readonly KeyRecord[]): number => Math.max(1, ...keys.map(({ grant }) => needs(grant)));
const needs = ({ packs, ops, approve }: Grant): number =>
  approve !== undefined ? VERSION : packs !== undefined || ops !== undefined ? 2 : 1;
const DIGEST = /^[0-9a-f]{64}$/;
const LEVELS: ReadonlySet<unknown> = new Set(["read", "write", "admin"]);

/** Prints records to the text of a key file. */
export const keysText = (keys: readonly KeyRecord[]): string =>
  `${JSON.stringify({ version: versionOf(keys), keys }, undefined, 2)}\n`;

/**
 * Parses the text of a key file.
 *
 * @param shown name of the file in messages
 * @throws KeysUnreadable for anything that {@link keysText} does not write; the message does not repeat the contents
 */
export function keysIn(text: string, shown: string): readonly KeyRecord[] {
  const file = jsonIn(text);
  if (isObject(file) && typeof file["version"] === "number" && file["version"] > VERSION)
    throw new KeysUnreadable(`${shown} is of a newer toolwright`, "install the version that wrote it");
  const keys = isObject(file) && isVersion(file["version"]) ? file["keys"] : undefined;
  if (!Array.isArray(keys)) return broken(shown, "is not the JSON that toolwright writes");
  const records = keys.filter(isRecord);
  if (records.length < keys.length) return broken(shown, "has an entry that is no record of a key");
  if (new Set(records.map(({ key_id }) => key_id)).size < records.length) return broken(shown, "has a key id twice");
  return records;
}

const isVersion = (value: unknown): boolean =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= VERSION;

function broken(shown: string, what: string): never {
  throw new KeysUnreadable(`${shown} ${what}`, "restore it from a copy, or move it away and make new keys");
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isText = (value: unknown): boolean => typeof value === "string";
const isTime = (value: unknown): boolean => typeof value === "string" && !Number.isNaN(Date.parse(value));
const isTimeOrNull = (value: unknown): boolean => value === null || isTime(value);

/** Whether a value is a grant. */
export const isGrant = (value: unknown): value is Grant =>
  isObject(value) &&
  // A member that this version does not know may take something away.
  Object.keys(value).every((name) => GRANT_MEMBERS.has(name)) &&
  LEVELS.has(value["level"]) &&
  (value["projects"] === "*" || isTexts(value["projects"])) &&
  isPatterns(value["packs"]) &&
  isPatterns(value["ops"]) &&
  isPatterns(value["approve"]);

const GRANT_MEMBERS: ReadonlySet<string> = new Set(["level", "projects", "packs", "ops", "approve"]);
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isPatterns = (value: unknown): boolean => value === undefined || isTexts(value);

/** Checks of the members of a record. */
const MEMBERS = {
  key_id: (value) => typeof value === "string" && isKeyId(value),
  name: isText,
  scope: isText,
  grant: isGrant,
  digest: (value) => typeof value === "string" && DIGEST.test(value),
  created_at: isTime,
  created_by: isText,
  family: (value) => value === undefined || isText(value),
  expires_at: isTimeOrNull,
  revoked_at: isTimeOrNull,
} as const satisfies Readonly<Record<keyof Required<KeyRecord>, (value: unknown) => boolean>>;

const isRecord = (value: unknown): value is KeyRecord =>
  isObject(value) && Object.entries(MEMBERS).every(([name, fits]) => fits(value[name]));
