/**
 * Verifies tokens of identity providers: JWTs by the issuer's keys (RFC 9068), others by introspection (RFC 7662). The
 * caller learns that a token is refused; which check failed is for the log and `config check-token`.
 */

import { createHash } from "node:crypto";
import { type Recheck, withCallerToken } from "../../runtime/access/caller-tokens.js";
import { userPrincipal } from "../../runtime/access/principal.js";
import type { Principal } from "../../runtime/contract/handler.js";
import { isObject } from "../../runtime/contract/json.js";
import { repeatsMember } from "../../runtime/contract/repeated-member.js";
import type { Issuer, OauthSettings } from "./oauth-settings.js";
import { type Claims, grantOf, userIdOf } from "./token-claims.js";
import { type IssuerClient, issuerClient } from "./token-issuer.js";

/** What a token is: of a user, of a user without a grant, or refused by a check. */
export type TokenVerdict =
  | { readonly kind: "accepted"; readonly principal: Principal }
  | { readonly kind: "ungranted"; readonly issuer: string }
  | {
      readonly kind: "refused";
      readonly check: string;
      /** The issuer that the token names, unverified: text of a stranger unless it is a configured one. */
      readonly issuer?: string;
    };

/** Verifies a token. @throws ToolFailure UNAVAILABLE while the issuer is out of reach */
export type TokenCheck = (token: string) => Promise<TokenVerdict>;

/** Longest token that is read. */
export const MAX_TOKEN_LENGTH = 16 * 1024;
/** Most introspected tokens that are remembered. */
const MAX_REMEMBERED = 1000;
/** Types of the header (RFC 9068), and that of providers which name none of their own. */
const TYPES: ReadonlySet<unknown> = new Set([undefined, "at+jwt", "application/at+jwt", "jwt"]);
/**
 * Claims of ID tokens, which are for the client, and of logout tokens (OpenID Connect Back-Channel Logout) and other security
 * events (RFC 8417): never of a token for a resource.
 */
export const NOT_OF_ACCESS_TOKENS: readonly string[] = ["nonce", "at_hash", "c_hash", "events"];
/** The claim `typ` of tokens of Keycloak that are no access tokens. */
const OTHER_TYPES: ReadonlySet<unknown> = new Set(["ID", "Refresh", "Offline", "Logout", "Serialized-ID"]);

const refused = (check: string, issuer?: string): TokenVerdict => ({
  ...{ kind: "refused", check },
  ...(issuer === undefined ? {} : { issuer }),
});

/** Reads and asks nothing before the first token. */
export function tokenCheck({ resource, issuers }: OauthSettings, clock: () => number = Date.now): TokenCheck {
  const known = issuers.map((issuer) => ({ issuer, client: issuerClient(issuer) }));
  const asking = known.filter(({ issuer }) => issuer.introspection !== undefined);
  const remembered = new Map<string, Remembered>();

  const verdict = ({ issuer, claims }: { readonly issuer: Issuer; readonly claims: Claims }): TokenVerdict =>
    verdictOf(claims, { resource, issuer, now: clock() });

  /** The claims of an active token. Callers at the same time wait for one question. */
  const introspected = (token: string, issuer: Issuer, client: IssuerClient): Remembered => {
    const digest = createHash("sha256").update(`${issuer.issuer} ${token}`).digest("base64url");
    const cached = remembered.get(digest);
    if (cached && cached.until > clock()) return cached;
    remembered.delete(digest);
    const claims = client
      .introspect(token)
      .then((answer) => (answer["active"] === true ? { iss: issuer.issuer, ...answer } : undefined));
    const [oldest] = remembered.keys();
    if (remembered.size >= MAX_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    const entry = { until: clock() + (issuer.introspection?.cacheMs ?? 0), claims };
    remembered.set(digest, entry);
    claims.catch(() => remembered.get(digest) === entry && remembered.delete(digest));
    return entry;
  };

  const check: TokenCheck = async (token) => {
    if (token.length > MAX_TOKEN_LENGTH) return refused("length");
    const named = issuerIn(token);
    const jwt = known.find(({ issuer }) => issuer.introspection === undefined && issuer.issuer === named);
    if (jwt) {
      const read = await verifiedJwt(token, { ...jwt, now: clock(), types: TYPES });
      if (typeof read === "string") return refused(read, jwt.issuer.issuer);
      return kept(verdict({ issuer: jwt.issuer, claims: read }), token, jwt.issuer);
    }
    // No provider sees a token that may be of another one.
    const asked =
      named === undefined && asking.length === 1 ? asking[0] : asking.find(({ issuer }) => issuer.issuer === named);
    if (!asked) return refused(named === undefined ? "form" : "issuer", named);
    const { claims: answer, until: at } = introspected(token, asked.issuer, asked.client);
    const claims = await asked.client.shared(answer);
    if (!claims) return refused("inactive", asked.issuer.issuer);
    if (!isAccessToken(claims)) return refused("token_type", asked.issuer.issuer);
    const again = async () => {
      const next = await check(token);
      return next.kind === "accepted" ? next.principal : undefined;
    };
    return kept(verdict({ issuer: asked.issuer, claims }), token, asked.issuer, { at, again });
  };
  return check;
}

/**
 * Whether an answer is of an access token that may be shown as a bearer token. `token_type` is that of RFC 6749, 5.1, or
 * of some providers the kind of the token; absent in many answers.
 */
function isAccessToken({ token_type: type }: Claims): boolean {
  return type === undefined || (typeof type === "string" && ["bearer", "access_token"].includes(type.toLowerCase()));
}

/** The answer of an introspection, and until when it holds. */
interface Remembered {
  readonly until: number;
  /** Undefined for a token that is not active. */
  readonly claims: Promise<Claims | undefined>;
}

/** What the claims of a token come to, for which its signature or its issuer vouches. */
function verdictOf(claims: Claims, expected: Expected): TokenVerdict {
  const { issuer } = expected;
  const fault = claimFault(claims, expected);
  if (fault !== undefined) return refused(fault, issuer.issuer);
  const id = userIdOf(issuer, claims);
  if (id === undefined) return refused("principal", issuer.issuer);
  const grant = grantOf(issuer, claims);
  if (!grant) return { kind: "ungranted", issuer: issuer.issuer };
  const until = Number(claims["exp"]) * 1000 + issuer.skewMs;
  return { kind: "accepted", principal: userPrincipal({ id, grant, until }) };
}

/** Keeps the token beside an accepted caller, for servers that are called with an exchanged one. */
function kept(verdict: TokenVerdict, token: string, { issuer }: Issuer, recheck?: Recheck): TokenVerdict {
  if (verdict.kind !== "accepted") return verdict;
  return { kind: "accepted", principal: withCallerToken(verdict.principal, token, issuer, recheck) };
}

/** The issuer that a JWT names, unverified: it chooses the keys that verify it. */
function issuerIn(token: string): string | undefined {
  const parts = token.split(".");
  if (parts.length !== 3) return undefined;
  try {
    const claims: unknown = JSON.parse(Buffer.from(parts[1] ?? "", "base64url").toString());
    return isObject(claims) && typeof claims["iss"] === "string" ? claims["iss"] : undefined;
  } catch {
    return undefined;
  }
}

/** What a JWT must be beside signed by its issuer. */
interface ExpectedJwt {
  readonly issuer: Issuer;
  readonly client: Pick<IssuerClient, "keys">;
  readonly now: number;
  /** Types of the header, in lower case. */
  readonly types: ReadonlySet<unknown>;
  readonly audience?: string;
}

/** The claims of a JWT whose signature is the issuer's, or the check that failed. */
export async function verifiedJwt(
  token: string,
  { issuer, client, now, types, audience }: ExpectedJwt,
): Promise<Claims | string> {
  const fault = textFault(token);
  if (fault !== undefined) return fault;
  const { errors, jwtVerify } = await import("jose");
  try {
    const { payload, protectedHeader } = await jwtVerify(token, client.keys, {
      algorithms: [...issuer.algorithms],
      issuer: issuer.issuer,
      clockTolerance: issuer.skewMs / 1000,
      currentDate: new Date(now),
      ...(audience === undefined ? {} : { audience }),
    });
    if (!types.has(protectedHeader.typ?.toLowerCase())) return "type";
    return payload;
  } catch (error) {
    if (error instanceof errors.JWTExpired) return "expired";
    if (error instanceof errors.JWTClaimValidationFailed) return error.claim;
    if (error instanceof errors.JOSEAlgNotAllowed) return "algorithm";
    if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys) return "key";
    if (error instanceof errors.JWSSignatureVerificationFailed) return "signature";
    if (error instanceof errors.JOSEError || error instanceof TypeError) return "form";
    throw error;
  }
}

/**
 * Why the header or the claims of a JWT are not what every reader reads: no JSON object in UTF-8, or a member is there
 * twice, so that what the issuer has signed may mean something else to it.
 */
function textFault(token: string): "form" | "members" | undefined {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  try {
    for (const part of token.split(".").slice(0, 2)) {
      const text = decoder.decode(Buffer.from(part, "base64url"));
      const value: unknown = JSON.parse(text);
      if (!isObject(value)) return "form";
      if (repeatsMember(text, value)) return "members";
    }
    return undefined;
  } catch {
    return "form";
  }
}

interface Expected {
  readonly resource: string;
  readonly issuer: Issuer;
  readonly now: number;
}

/** The first check of the claims that fails. */
function claimFault(claims: Claims, { resource, issuer, now }: Expected): string | undefined {
  return Object.entries(CHECKS).find(([, isFit]) => !isFit(claims, { resource, issuer, now }))?.[0];
}

/** The end of the year 9999, in seconds: a later time is none that anybody meant. */
const MAX_TIME_S = 253_402_300_799;
/** A NumericDate of RFC 7519; `NaN`, which no check passes, for what is none. */
const secondsOr = (value: unknown, absent: number): number => {
  if (value === undefined) return absent;
  return typeof value === "number" && Math.abs(value) <= MAX_TIME_S ? value : Number.NaN;
};

const CHECKS: Readonly<Record<string, (claims: Claims, expected: Expected) => boolean>> = {
  iss: ({ iss }, { issuer }) => iss === issuer.issuer,
  aud: ({ aud }, { resource }) => (Array.isArray(aud) ? aud.includes(resource) : aud === resource),
  exp: ({ exp }, { now, issuer }) => secondsOr(exp, Number.NaN) * 1000 + issuer.skewMs > now,
  nbf: ({ nbf }, { now, issuer }) => secondsOr(nbf, 0) * 1000 - issuer.skewMs <= now,
  iat: ({ iat }, { now, issuer }) => secondsOr(iat, 0) * 1000 - issuer.skewMs <= now,
  id_token: (claims) =>
    !NOT_OF_ACCESS_TOKENS.some((name) => Object.hasOwn(claims, name)) && !OTHER_TYPES.has(claims["typ"]),
  // A token that is bound to a key of the client proves nothing without that key, which is not checked here.
  cnf: ({ cnf }) => cnf === undefined,
};
