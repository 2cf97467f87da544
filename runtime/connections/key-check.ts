/** Keys of `state_encryption` that do not open what is stored under their ids: found, named, and never overwritten. */

import type { StateKey } from "../config/connection-settings.js";
import { fail } from "../contract/handler.js";
import { counted } from "../contract/message-text.js";
import type { State } from "../state/open.js";
import { type ConnectionKey, keysInUse, rowIdentity, type StoredConnection, storedUnder } from "./rows.js";
import { createSeal, type Seal } from "./sealing.js";

/** A key that does not open rows that name it: a finding, and what to do. */
export interface KeyFault {
  readonly id: string;
  readonly found: string;
  readonly remedy: string;
}

const WRONG_REMEDY = (id: string): string =>
  `put the value of ${id} back with which they were stored; if it is lost, give the new value another id, and people sign in again`;

/** What to do about a row that does not open. */
export const keyRemedy = (seal: Seal, id: string): string =>
  seal.has(id)
    ? `correct state_encryption.keys: ${WRONG_REMEDY(id)}`
    : `put the key ${id} back behind the first one of state_encryption.keys; if it is lost, people sign in again`;

/** The keys of a configuration that do not open what is stored under their ids. */
export async function keyFaults(state: State, keys: readonly StateKey[]): Promise<readonly KeyFault[]> {
  const seal = createSeal(keys);
  const known = (await keysInUse(state)).filter(({ key_id: id }) => seal.has(id));
  const faults = known.map(async ({ key_id: id }): Promise<readonly KeyFault[]> => {
    const rows = await storedUnder(state, id);
    const unopened = rows.filter((row) => seal.open(row, rowIdentity(row)) === undefined).length;
    if (unopened === 0) return [];
    const remedy = WRONG_REMEDY(id);
    const all = counted(rows.length, "stored connection");
    return unopened === rows.length
      ? [{ id, found: `the key ${id} does not open the ${all} that it encrypted: its value is another one`, remedy }]
      : [
          {
            ...{ id, found: `the key ${id} does not open ${unopened} of ${all} under it` },
            remedy: `${remedy}. Rows that were changed in the database end by "toolwright connections revoke"`,
          },
        ];
  });
  return (await Promise.all(faults)).flat();
}

/**
 * The text of a row; undefined without one, and where its key is gone, so that a new sign-in takes its place.
 *
 * @throws ToolFailure UNAVAILABLE where the configured key does not open it: the row is that of the right value, which a new
 * sign-in would overwrite
 */
export function openedText(seal: Seal, key: ConnectionKey, row: StoredConnection | undefined): string | undefined {
  const text = row && seal.open(row, rowIdentity(key));
  if (!row || text !== undefined || !seal.has(row.key_id)) return text;
  return fail(
    "UNAVAILABLE",
    `What is stored for ${key.server} cannot be opened: state_encryption.keys has another value for the key ${row.key_id}. The operator of this server must correct it; a new sign-in does not help.`,
    { server: key.server, reason: "wrong_encryption_key" },
  );
}
