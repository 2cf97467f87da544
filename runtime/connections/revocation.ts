/** Ends connections: their rows, and what authorization servers have given for them (RFC 7009). */

import { askForm, issuerEndpoint, issuerMetadata, withAddressInFailure } from "../access/issuer-client.js";
import type { Logger } from "../contract/handler.js";
import { messageOf } from "../contract/thrown.js";
import { within } from "../contract/within.js";
import type { State } from "../state/open.js";
import type { ConnectionContent } from "./parts.js";
import { type ConnectionKey, rowIdentity, takeConnection } from "./rows.js";
import type { Seal } from "./sealing.js";

/** How long the end of connections waits for authorization servers, in all. */
const WAIT_MS = 5_000;
/** Connections that are revoked at once. */
const MAX_REVOKED_AT_ONCE = 8;

/** What ending connections needs. */
export interface EndingParts {
  readonly state: State;
  readonly seal: Seal;
  readonly log: Logger;
}

/**
 * Deletes connections, then has their authorization servers revoke the tokens, as far as they do so in time. A failure there
 * is logged: the row is gone all the same.
 *
 * @returns how many there were
 */
export async function endConnections(
  { state, seal, log }: EndingParts,
  keys: readonly ConnectionKey[],
): Promise<number> {
  const held: Held[] = [];
  let ended = 0;
  for (const key of keys) {
    const row = await takeConnection(state, key);
    if (!row) continue;
    ended++;
    const text = seal.open(row, rowIdentity(key));
    if (text !== undefined) held.push({ key, content: JSON.parse(text) as ConnectionContent });
  }
  await revokeTokens({ log }, held);
  return ended;
}

/** The tokens of a connection whose row is gone. */
interface Held {
  readonly key: ConnectionKey;
  readonly content: ConnectionContent;
}

/** Has authorization servers revoke tokens, as far as they do so in time. Never rejects: a failure is logged. */
export async function revokeTokens({ log }: Pick<EndingParts, "log">, tokens: readonly Held[]): Promise<void> {
  const held = [...tokens];
  let left = held.length;
  const revokeNext = async (): Promise<void> => {
    for (let one = held.pop(); one; one = held.pop()) {
      const { server, issuer } = one.key;
      await revoked(issuer, one.content).catch((error: unknown) =>
        log.warn("an authorization server was not told that a connection has ended", {
          ...{ server, issuer, error: messageOf(error) },
        }),
      );
      left--;
    }
  };
  await within(WAIT_MS, Promise.all(Array.from({ length: MAX_REVOKED_AT_ONCE }, revokeNext)));
  if (left > 0)
    log.warn("authorization servers take long to be told that connections have ended", { left, limit_ms: WAIT_MS });
}

/** The refresh token first: with it most servers end the grant. @throws Error if the server is out of reach, or refuses */
async function revoked(issuer: string, { client, refresh_token, access_token }: ConnectionContent): Promise<void> {
  const { metadata } = await issuerMetadata(issuer);
  if (metadata["revocation_endpoint"] === undefined) return;
  const url = issuerEndpoint(metadata, "revocation_endpoint", issuer);
  const { token_endpoint_auth_methods_supported: usual, revocation_endpoint_auth_methods_supported: methods = usual } =
    metadata;
  const tokens = { ...(refresh_token ? { refresh_token } : {}), access_token };
  for (const [token_type_hint, token] of Object.entries(tokens)) {
    const { status } = await withAddressInFailure(url, askForm(url, { token, token_type_hint }, client, methods));
    if (status !== 200) throw new Error(`its revocation_endpoint answers HTTP ${status}`);
  }
}
