/** What connections are made of. */

import type { ClientCredentials } from "../access/issuer-client.js";
import type { ConnectionParts, ConnectionSettings } from "../config/connection-settings.js";
import { expandVariables } from "../config/settings.js";
import { fail, type Logger } from "../contract/handler.js";
import type { State } from "../state/open.js";
import type { ConnectionKey } from "./rows.js";
import { MAX_WANTED } from "./scopes.js";
import type { TokenRefusal, Tokens } from "./token-request.js";

/** Settings of connections, and their surroundings. */
export interface ConnectionsParts extends ConnectionParts {
  /** Where people reach the console, and their browsers the callback. */
  readonly publicUrl?: URL | undefined;
  readonly state: () => Promise<State>;
  /** Value of a variable. */
  readonly secret: (name: string) => string | undefined;
  readonly clock: () => number;
  readonly log: Logger;
}

/** What a sign-in was made with, stored beside its tokens. */
export interface SignedIn {
  readonly client: ClientCredentials;
  /** The scopes that it asked for. */
  readonly scope?: string | undefined;
  /** Those of them, and for the next sign-in, that the server has asked for beyond the configuration. */
  readonly wanted?: string | undefined;
}

/** What a row holds, encrypted. */
export interface ConnectionContent extends Tokens, SignedIn {}

/** Stores tokens that were signed in, encrypted. */
export type StoreTokens = (key: ConnectionKey, tokens: Tokens, signedIn: SignedIn) => Promise<void>;

/** Expands the variables of a client. @throws ToolFailure UNAVAILABLE for one that is not set */
export function clientCredentials(
  { name, client }: ConnectionSettings,
  secret: ConnectionsParts["secret"],
): ClientCredentials {
  const missing: string[] = [];
  const expand = (text: string): string => expandVariables(text, secret, missing);
  const clientId = expand(client.id ?? "");
  const clientSecret = client.secret === undefined ? undefined : expand(client.secret);
  if (missing.length > 0)
    return fail("UNAVAILABLE", `The connection ${name} needs ${missing.join(", ")}, which is not set.`, {
      secret: missing[0],
    });
  return clientSecret === undefined ? { clientId } : { clientId, clientSecret };
}

/** The failure of a connection whose authorization server gives no token. */
export function refusedBy({ name, issuer }: ConnectionSettings, { error, reason }: TokenRefusal): never {
  const why = error === "" ? "is out of reach, or gives no usable answer" : `refuses it with ${error}`;
  return fail("UNAVAILABLE", `There is no token for ${name}: ${issuer} ${why}.`, { server: name, reason });
}

/** The failure where a server asks for a wider scope, and no sign-in of a person can give one. */
export const neverWider = async ({ name }: ConnectionSettings, _: unknown, scope: string): Promise<never> =>
  fail(
    "UNAVAILABLE",
    `${name} asks for the scope ${scope}, which its token does not have. Add it to scope of ${name} in toolwright.yaml, and let the authorization server give it.`,
    { server: name, reason: "insufficient_scope", scope },
  );

/** The failure where a server asks for what no consent page could show. */
export const tooManyScopes = ({ name }: ConnectionSettings): never =>
  fail("UNAVAILABLE", `${name} asks for more than ${MAX_WANTED} scopes, or for scopes of a form that is not valid.`, {
    server: name,
    reason: "insufficient_scope",
  });

/** Whether a token may still be used. */
export const isFresh = ({ use_until: end = Number.POSITIVE_INFINITY }: Tokens, now: number): boolean => end > now;
