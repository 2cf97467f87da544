/**
 * The connections of a project: tokens of its own (`client_credentials`), and tokens that were signed in for all callers
 * (`shared`) or by each of them (`per_user`), which are stored encrypted and renewed once for all servers, and tokens that
 * are exchanged for those of callers (`token_exchange`).
 */

import type { ConnectionSettings } from "../config/connection-settings.js";
import { fail } from "../contract/handler.js";
import { rememberToken } from "../contract/known-secrets.js";
import type { ConnectionMode } from "../contract/settings/parts.js";
import type { TokenSource, TokenUse } from "../contract/token-source.js";
import { exchangedTokens } from "./exchanged-tokens.js";
import {
  type ConnectionsParts,
  clientCredentials,
  isFresh,
  neverWider,
  refusedBy,
  type SignedIn,
  tooManyScopes,
} from "./parts.js";
import { createRefusals } from "./refusals.js";
import { endConnections } from "./revocation.js";
import type { ConnectionKey } from "./rows.js";
import { areScopes } from "./scopes.js";
import { createSeal } from "./sealing.js";
import { createSignIns, type SignIns } from "./sign-ins.js";
import { storedScopes, storedTokens } from "./stored-tokens.js";
import { isRefusal, requestTokens, type TokenRefusal, type Tokens } from "./token-request.js";

/** The connections of a project. */
export interface Connections extends TokenSource {
  /** Stores tokens that were signed in for all callers, encrypted. */
  store(name: string, tokens: Tokens, signedIn: SignedIn): Promise<void>;
  /** Scopes that a server of all callers has asked for beyond the configuration. */
  wanted(name: string): Promise<string | undefined>;
  /** Deletes connections, and has their authorization servers revoke the tokens. Returns how many there were. */
  end(keys: readonly ConnectionKey[]): Promise<number>;
  readonly signIns: SignIns;
}

/** Where the tokens of a mode come from. */
interface Source {
  token(settings: ConnectionSettings, use: TokenUse): Promise<string>;
  refused(settings: ConnectionSettings, use: TokenUse, token: string): void;
  taken(settings: ConnectionSettings, use: TokenUse): void;
  widened(settings: ConnectionSettings, use: TokenUse, scope: string): Promise<string>;
}

/** Asks nothing before the first token. */
export function createConnections(parts: ConnectionsParts): Connections {
  const seal = createSeal(parts.keys);
  const own = ownTokens(parts);
  const stored = storedTokens(parts, seal);
  const settingsFor = ({ name }: TokenUse): ConnectionSettings =>
    parts.settings.get(name) ?? fail("UNAVAILABLE", `There is no connection ${name} in toolwright.yaml.`);
  const sharedKey = (name: string) =>
    ({ kind: "shared", principal: "", server: name, issuer: settingsFor({ name }).issuer }) as const;
  const exchanged = exchangedTokens(parts);
  const sources: Readonly<Record<ConnectionMode, Source>> = {
    client_credentials: own,
    shared: stored,
    per_user: stored,
    token_exchange: exchanged,
  };
  return {
    token: async (use) => {
      const settings = settingsFor(use);
      return sources[settings.mode].token(settings, use);
    },
    refused: (use, token) => {
      const settings = settingsFor(use);
      sources[settings.mode].refused(settings, use, token);
    },
    taken: (use) => {
      const settings = settingsFor(use);
      sources[settings.mode].taken(settings, use);
    },
    widened: async (use, scope) => {
      const settings = settingsFor(use);
      return areScopes(scope) ? sources[settings.mode].widened(settings, use, scope) : tooManyScopes(settings);
    },
    store: (name, tokens, signedIn) => stored.store(sharedKey(name), tokens, signedIn),
    wanted: async (name) => (await storedScopes(await parts.state(), seal, sharedKey(name)))?.wanted,
    end: async (keys) => endConnections({ state: await parts.state(), seal, log: parts.log }, keys),
    signIns: createSignIns(parts, seal, stored.store),
  };
}

/** Tokens of toolwright itself, which a process keeps in its memory: another one gets its own at no cost. */
function ownTokens({ secret, clock, log }: ConnectionsParts) {
  const kept = new Map<string, Tokens>();
  const refusals = createRefusals(clock);
  const asking = new Map<string, Promise<Tokens | TokenRefusal>>();
  const ask = (settings: ConnectionSettings): Promise<Tokens | TokenRefusal> => {
    const { name, issuer, scope, resource } = settings;
    const running = asking.get(name);
    if (running) return running;
    const client = clientCredentials(settings, secret);
    const made = requestTokens(issuer, client, { grant_type: "client_credentials", scope, resource }, clock);
    asking.set(name, made);
    return made.finally(() => asking.delete(name));
  };
  return {
    async token(settings: ConnectionSettings): Promise<string> {
      const known = kept.get(settings.name);
      if (known && isFresh(known, clock())) return known.access_token;
      const answer = await ask(settings);
      if (isRefusal(answer)) {
        log.warn("no token for a connection", {
          ...{ server: settings.name, issuer: settings.issuer, error: answer.reason },
        });
        return refusedBy(settings, answer);
      }
      rememberToken(answer.access_token);
      kept.set(settings.name, answer);
      return answer.access_token;
    },
    refused({ name }: ConnectionSettings, _: TokenUse, token: string): void {
      if (kept.get(name)?.access_token === token && refusals.isReplaced(name)) kept.delete(name);
    },
    taken: ({ name }: ConnectionSettings): void => refusals.taken(name),
    widened: neverWider,
  };
}
