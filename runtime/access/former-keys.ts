/** The keys that a key has replaced: their caller is the same, so what they have begun is theirs, too. */

import { capabilitiesOf } from "../contract/capabilities.js";
import type { Principal } from "../contract/handler.js";
import type { Keys, ShownKey } from "./keys.js";

/** A caller, with the ids of the keys that its key has replaced. */
export interface LastingCaller extends Principal {
  readonly formerIds?: readonly string[];
}

/** A key ends at most as long after the key that replaces it was made. */
const OVERLAP_MS = 7 * 86_400_000;

/** Adds the ids of the keys that the key of a caller has replaced. Without the key store, there are none. Never rejects. */
export async function withFormerIds(keys: Partial<Pick<Keys, "list">>, principal: Principal): Promise<LastingCaller> {
  if (capabilitiesOf(principal).endsWith !== "key" || !keys.list) return principal;
  const known = await keys.list({ all: true }).catch(() => []);
  return { ...principal, formerIds: formerIds(known, principal.id) };
}

/** All ids of a caller. */
export const callerIds = ({ id, formerIds: former = [] }: LastingCaller): readonly string[] => [id, ...former];

/** The ids of the keys that a key has replaced, directly and indirectly. */
function formerIds(known: readonly ShownKey[], id: string): readonly string[] {
  const found = new Set(known.filter(({ key_id }) => key_id === id));
  // Iterating a set includes the elements added meanwhile.
  for (const newer of found) for (const one of known) if (replaces(newer, one)) found.add(one);
  return [...found].map(({ key_id }) => key_id).filter((one) => one !== id);
}

/** Whether a key has replaced another one: `keys rotate` keeps its name, its maker and what it may do, and ends it soon. */
function replaces(newer: ShownKey, older: ShownKey): boolean {
  if (newer === older || older.expires_at === null || kindOf(newer) !== kindOf(older)) return false;
  const made = Date.parse(newer.created_at);
  return Date.parse(older.created_at) <= made && Date.parse(older.expires_at) <= made + OVERLAP_MS;
}

const kindOf = ({ created_by, name, scope, packs, ops, approve }: ShownKey): string =>
  JSON.stringify([created_by, name, scope, packs, ops, approve]);
