/** The ops `oubliette.token.*`: API keys, which have a store of their own. */

import { askKeys } from "../../access/admission.js";
import type { Maker } from "../../access/key-life.js";
import { isLocalOwner } from "../../access/principal.js";
import { capabilitiesOf } from "../../contract/capabilities.js";
import { fieldError, invalid } from "../../contract/error-body.js";
import { fail, type Principal } from "../../contract/handler.js";
import type { HostContext } from "../host.js";
import { markOf, type PageBounds, pageOfRows } from "./store.js";
import type * as T from "./types.js";

const DAY_MS = 86_400_000;

/** @throws ToolFailure PERMISSION_DENIED for a user: the key could outlive the user's account */
function makerOf(principal: Principal): Maker {
  if (isLocalOwner(principal)) return "local call";
  if (capabilitiesOf(principal).endsWith === "token")
    fail(
      "PERMISSION_DENIED",
      "Only a key makes or revokes keys, not a signed-in user: use an admin key, or the command line.",
    );
  return { keyId: principal.id };
}

/** `oubliette.token.create`: the only answer that contains a key. */
export async function createToken(
  { name, scope, expires_in_days: days, no_expiry = false }: T.TokenNew,
  { host, principal }: HostContext,
): Promise<T.TokenMade> {
  if (no_expiry && days !== undefined)
    invalid([
      fieldError("no_expiry", "one_of", "no_expiry and expires_in_days do not go together", "one of them", no_expiry),
    ]);
  const life = no_expiry ? { lifeMs: null } : days === undefined ? {} : { lifeMs: days * DAY_MS };
  const { key, record } = await askKeys(host.keys.create({ name, scope, ...life }, makerOf(principal)));
  const { key_id, expires_at } = record;
  return { key_id, key, name: record.name, scope: record.scope, expires_at };
}

/** `oubliette.token.list`. */
export async function listTokens(
  { include_revoked: all, limit, cursor }: Required<Pick<T.TokenQuery, "include_revoked">> & PageBounds,
  { host }: HostContext,
): Promise<T.TokenList> {
  const placeOf = ({ id, created_at }: { id: string; created_at: string }) => `${created_at} ${id}`;
  const end = cursor === undefined ? undefined : placeOf(markOf(cursor));
  const rows = (await askKeys(host.keys.list({ all })))
    .map((token) => ({ ...token, id: token.key_id, place: placeOf({ ...token, id: token.key_id }) }))
    .filter(({ place }) => end === undefined || place < end)
    .sort((a, b) => (a.place < b.place ? 1 : -1));
  const { items, next } = pageOfRows(rows, limit);
  return { tokens: items.map(({ id: _, place: __, ...token }) => token), ...next };
}

/** `oubliette.token.revoke`. */
export async function revokeToken(
  { key_id, cascade }: Required<T.TokenEnd>,
  { host, principal }: HostContext,
): Promise<T.TokenRevoked> {
  return { revoked: [...(await askKeys(host.keys.revoke(key_id, { cascade, by: makerOf(principal) })))] };
}
