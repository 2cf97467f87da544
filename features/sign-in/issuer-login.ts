/**
 * Signs people in at the console through an identity provider: OpenID Connect's authorization code flow with PKCE
 * (RFC 7636), state, nonce and the check of `iss` (RFC 9207). What is to be remembered until the provider answers is
 * sealed in a cookie, so that any instance takes the answer, and only from the browser that began.
 */

import { createHash, randomBytes } from "node:crypto";
import { issuerEndpoint } from "../../runtime/access/issuer-client.js";
import type { Principal } from "../../runtime/contract/handler.js";
import { onLine } from "../../runtime/contract/message-text.js";
import type { LoginRefusal } from "../../runtime/serve/console/login-ways.js";
import type { Issuer, LoginClient, OauthSettings } from "./oauth-settings.js";
import { MAX_TOKEN_LENGTH, tokenCheck, verifiedJwt } from "./token-check.js";
import type { Claims } from "./token-claims.js";
import { type IssuerClient, issuerClient } from "./token-issuer.js";
import { personName } from "./user-names.js";

/** A sign-in that has begun: where the browser goes, and what its cookie holds. */
export interface Begun {
  readonly url: string;
  readonly sealed: string;
  /** Tells this sign-in from others of the browser. */
  readonly id: string;
}

/** What an answer of a provider comes to. */
export type LoginOutcome =
  | {
      readonly kind: "accepted";
      readonly principal: Principal;
      readonly issuer: string;
      /** What the provider calls the person. */
      readonly name: string | undefined;
      /** Identifies the answer, which may be taken once. */
      readonly answer: string;
      /** Where the person was in the console. */
      readonly to: string;
      /** Digest of the login that the browser had when it began. */
      readonly before: string | undefined;
    }
  | {
      readonly kind: "refused";
      readonly fault: LoginRefusal;
      readonly check: string;
      /** The provider at which the sign-in began; absent where that is not known. */
      readonly issuer?: string;
      readonly to: string;
    };

/** Signs people in. Both methods throw a ToolFailure UNAVAILABLE while the provider is out of reach. */
export interface IssuerLogins {
  /** Begins a sign-in; undefined for an issuer at which people cannot log in. */
  begin(issuer: string, place: Pick<Attempt, "redirect" | "to" | "before">): Promise<Begun | undefined>;
  /** Takes the answer of a provider, with the cookie of the browser that brings it. */
  finish(sealed: string | undefined, query: URLSearchParams): Promise<LoginOutcome>;
}

/** What the sign-ins need. */
export interface IssuerLoginsParts {
  readonly settings: OauthSettings;
  /** The key that seals what browsers carry; the same for all instances. */
  readonly sealingKey: () => Promise<string>;
  readonly clock?: () => number;
}

/** Where providers lead browsers back to. */
export const LOGIN_CALLBACK_PATH = "/api/login/callback";

/** The URL to which providers lead back, which is registered with them: never from a request, which could name another host. */
export const callbackUrl = (resource: string, publicUrl: URL | undefined): URL =>
  new URL(LOGIN_CALLBACK_PATH, publicUrl ?? resource);

/** Time in which a person signs in. */
export const LOGIN_SIGN_IN_S = 600;
const RANDOM_BYTES = 32;
const PURPOSE = "console sign-in";
/** Types of the header of ID tokens. */
const ID_TOKEN_TYPES: ReadonlySet<unknown> = new Set([undefined, "jwt"]);
/** Parameters that decide; given twice, two readers could read different ones. */
const SINGLE = ["state", "code", "iss", "error"];
/** Longest error code of a provider in the log. */
const MAX_ERROR_LENGTH = 60;

interface Known {
  readonly issuer: Issuer;
  readonly login: LoginClient;
  readonly client: IssuerClient;
}

/** What is remembered while a person is at the provider. */
interface Attempt {
  readonly issuer: string;
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly redirect: string;
  readonly to: string;
  /** Digest of the login that the browser has: its cookie does not come back with the answer, from another site. */
  readonly before?: string | undefined;
}

const random = (): string => randomBytes(RANDOM_BYTES).toString("base64url");

/** Length of the id of a sign-in. */
const ID_LENGTH = 16;

/** The id of the sign-in whose answer has this state. */
export const signInId = (state: string): string => createHash("sha256").update(state).digest("hex").slice(0, ID_LENGTH);

/** Asks nothing before the first sign-in. */
export function issuerLogins({ settings, sealingKey, clock = Date.now }: IssuerLoginsParts): IssuerLogins {
  const known = new Map(
    settings.issuers.flatMap((issuer): readonly (readonly [string, Known])[] =>
      issuer.login ? [[issuer.issuer, { issuer, login: issuer.login, client: issuerClient(issuer) }]] : [],
    ),
  );
  const check = tokenCheck(settings, clock);
  const seal = sealOf(sealingKey, clock);
  return {
    async begin(name, place) {
      const at = known.get(name);
      if (!at) return undefined;
      const attempt: Attempt = { ...place, issuer: name, state: random(), nonce: random(), verifier: random() };
      const url = authorizationUrl(await at.client.metadata(), { at, attempt, resource: settings.resource });
      return { url, sealed: await seal.close(attempt), id: signInId(attempt.state) };
    },
    async finish(sealed, query) {
      const attempt = sealed === undefined ? undefined : await seal.open(sealed);
      const at = attempt && known.get(attempt.issuer);
      const refuse = (fault: LoginRefusal, failed: string): LoginOutcome => {
        const begunAt = at ? { issuer: at.issuer.issuer } : {};
        return { kind: "refused", fault, check: failed, ...begunAt, to: attempt?.to ?? "" };
      };
      if (!attempt || !at) return refuse("elsewhere", "attempt");
      const fault = answerFault(query, attempt, await at.client.metadata(), known.size > 1);
      if (fault) return refuse(...fault);
      const tokens = await redeemed(at, attempt, { code: query.get("code") ?? "", resource: settings.resource });
      if (typeof tokens === "string") return refuse("refused", tokens);
      const person = await idClaims(tokens.idToken, at, { nonce: attempt.nonce, now: clock() });
      if (typeof person === "string") return refuse("refused", `ID token: ${person}`);
      const verdict = await check(tokens.accessToken);
      if (verdict.kind === "refused") return refuse("refused", `access token: ${verdict.check}`);
      if (verdict.kind === "ungranted") return refuse("ungranted", "grants");
      const { issuer, state: answer, to, before } = attempt;
      return { ...verdict, name: personName(person), issuer, answer, to, before };
    },
  };
}

/** Encrypts an attempt for the time that a person has; opens what it has closed itself. */
function sealOf(sealingKey: () => Promise<string>, clock: () => number) {
  const key = async () =>
    createHash("sha256")
      .update(`${PURPOSE} ${await sealingKey()}`)
      .digest();
  return {
    async close(attempt: Attempt): Promise<string> {
      const { EncryptJWT } = await import("jose");
      const expires = Math.floor(clock() / 1000) + LOGIN_SIGN_IN_S;
      const jwt = new EncryptJWT({ ...attempt }).setProtectedHeader({ alg: "dir", enc: "A256GCM" });
      return jwt.setExpirationTime(expires).encrypt(await key());
    },
    async open(sealed: string): Promise<Attempt | undefined> {
      const { errors, jwtDecrypt } = await import("jose");
      const secret = await key();
      const options = { currentDate: new Date(clock()), requiredClaims: ["exp"], keyManagementAlgorithms: ["dir"] };
      return jwtDecrypt(sealed, secret, options).then(
        // The key is ours, so that what it opens has this form.
        ({ payload }) => payload as unknown as Attempt,
        (error: unknown) => (error instanceof errors.JOSEError ? undefined : Promise.reject(error)),
      );
    },
  };
}

/** @throws ToolFailure UNAVAILABLE for an issuer without the endpoint */
function authorizationUrl(
  metadata: Readonly<Record<string, unknown>>,
  { at, attempt, resource }: { readonly at: Known; readonly attempt: Attempt; readonly resource: string },
): string {
  const url = issuerEndpoint(metadata, "authorization_endpoint", at.issuer.issuer);
  const parameters = {
    response_type: "code",
    client_id: at.login.clientId,
    redirect_uri: attempt.redirect,
    scope: at.login.scopes.join(" "),
    resource,
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: createHash("sha256").update(attempt.verifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url.href;
}

/** What is wrong with an answer, before anything is asked. */
function answerFault(
  query: URLSearchParams,
  attempt: Attempt,
  metadata: Readonly<Record<string, unknown>>,
  isOneOfMany: boolean,
): readonly [LoginRefusal, string] | undefined {
  if (SINGLE.some((name) => query.getAll(name).length > 1)) return ["elsewhere", "twice"];
  if (query.get("state") !== attempt.state) return ["elsewhere", "state"];
  // An issuer among several could send the code of another one, so that each must say who it is.
  const tellsIssuer = isOneOfMany || metadata["authorization_response_iss_parameter_supported"] === true;
  const iss = query.get("iss");
  if (iss === null ? tellsIssuer : iss !== attempt.issuer) return ["refused", "iss"];
  const error = query.get("error");
  if (error === "access_denied") return ["cancelled", "access_denied"];
  if (error !== null) return ["refused", `the provider says ${onLine(error.slice(0, MAX_ERROR_LENGTH))}`];
  return query.get("code") ? undefined : ["refused", "code"];
}

/** The tokens that the issuer gives for a code, or why it gives none. */
async function redeemed(
  { client, login }: Known,
  { verifier, redirect }: Attempt,
  { code, resource }: { readonly code: string; readonly resource: string },
): Promise<{ readonly idToken: string; readonly accessToken: string } | string> {
  const answer = await client.redeem(
    { grant_type: "authorization_code", code, redirect_uri: redirect, code_verifier: verifier, resource },
    login,
  );
  const { error, id_token: idToken, access_token: accessToken, token_type: type } = answer;
  if (typeof error === "string") return `the provider says ${onLine(error.slice(0, MAX_ERROR_LENGTH))}`;
  if (typeof idToken !== "string") return "no ID token";
  if (idToken.length > MAX_TOKEN_LENGTH) return "ID token: length";
  if (typeof accessToken !== "string" || typeof type !== "string" || type.toLowerCase() !== "bearer")
    return "no bearer token";
  return { idToken, accessToken };
}

/** The claims of an ID token, or the check of OpenID Connect Core, 3.1.3.7, that it fails. */
async function idClaims(
  token: string,
  { issuer, login, client }: Known,
  { nonce, now }: { readonly nonce: string; readonly now: number },
): Promise<Claims | string> {
  const read = await verifiedJwt(token, { issuer, client, now, types: ID_TOKEN_TYPES, audience: login.clientId });
  if (typeof read === "string") return read;
  const checks: Readonly<Record<string, (claims: Claims) => boolean>> = {
    sub: ({ sub }) => typeof sub === "string" && sub !== "",
    exp: ({ exp }) => typeof exp === "number",
    iat: ({ iat }) => typeof iat === "number" && iat * 1000 - issuer.skewMs <= now,
    azp: ({ azp, aud }) => (azp === undefined ? !Array.isArray(aud) || aud.length === 1 : azp === login.clientId),
    nonce: (claims) => claims["nonce"] === nonce,
  };
  return Object.entries(checks).find(([, isFit]) => !isFit(read))?.[0] ?? read;
}
