/** Tokens that are exchanged for those with which callers came (RFC 8693). They stay in the memory of the process. */

import { callerToken } from "../access/caller-tokens.js";
import type { ConnectionSettings } from "../config/connection-settings.js";
import { fail, type Principal } from "../contract/handler.js";
import { rememberToken } from "../contract/known-secrets.js";
import type { TokenUse } from "../contract/token-source.js";
import { type ConnectionsParts, clientCredentials, isFresh, neverWider, refusedBy } from "./parts.js";
import { createRefusals } from "./refusals.js";
import { ACCESS_TOKEN, isRefusal, requestTokens, type TokenRefusal, type Tokens } from "./token-request.js";

const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
/** Most tokens that are kept. */
const MAX_KEPT = 1000;

/** Exchanges tokens, and keeps them until they end. */
export function exchangedTokens({ secret, clock, log }: ConnectionsParts) {
  const kept = new Map<string, Tokens>();
  const refusals = createRefusals(clock);
  const asking = new Map<string, Promise<Tokens | TokenRefusal>>();
  const exchange = (settings: ConnectionSettings, subject: string): Promise<Tokens | TokenRefusal> => {
    const { issuer, scope, resource, audience } = settings;
    const types = { subject_token_type: ACCESS_TOKEN, requested_token_type: ACCESS_TOKEN };
    const parameters = { grant_type: TOKEN_EXCHANGE, subject_token: subject, ...types, scope, resource, audience };
    return requestTokens(issuer, clientCredentials(settings, secret), parameters, clock);
  };
  return {
    async token(settings: ConnectionSettings, { principal }: TokenUse): Promise<string> {
      const subject = subjectOf(settings, principal);
      const key = `${settings.name} ${subject.digest}`;
      const known = kept.get(key);
      if (known && isFresh(known, clock())) return known.access_token;
      const running = asking.get(key) ?? exchange(settings, subject.token).finally(() => asking.delete(key));
      asking.set(key, running);
      const answer = await running;
      if (isRefusal(answer)) {
        log.warn("no token for a connection", {
          ...{ server: settings.name, issuer: settings.issuer, principal: principal?.id, error: answer.reason },
        });
        return refusedBy(settings, answer);
      }
      rememberToken(answer.access_token);
      const [oldest] = kept.keys();
      if (kept.size >= MAX_KEPT && oldest !== undefined) kept.delete(oldest);
      kept.set(key, answer);
      return answer.access_token;
    },
    refused({ name }: ConnectionSettings, { principal }: TokenUse, token: string): void {
      const key = `${name} ${(principal && callerToken(principal)?.digest) ?? ""}`;
      if (kept.get(key)?.access_token === token && refusals.isReplaced(key)) kept.delete(key);
    },
    taken({ name }: ConnectionSettings, { principal }: TokenUse): void {
      refusals.taken(`${name} ${(principal && callerToken(principal)?.digest) ?? ""}`);
    },
    widened: neverWider,
  };
}

/** The token of a caller, which no other authorization server than its own is shown. */
function subjectOf({ name, issuer }: ConnectionSettings, principal: Principal | undefined) {
  const found = principal && callerToken(principal);
  if (!found)
    return fail(
      "UNAVAILABLE",
      `${name} is called with a token that is exchanged for the one of its caller, and this caller came without one: call it over HTTP with an access token of ${issuer}. Keys, logins at the console and the owner of the machine have none.`,
      { server: name },
    );
  if (found.issuer === issuer) return found;
  return fail("UNAVAILABLE", `${name} takes callers of ${issuer} only: their tokens are exchanged there.`, {
    server: name,
  });
}
