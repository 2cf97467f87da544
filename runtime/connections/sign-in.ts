/**
 * A person's sign-in at an authorization server: the authorization code flow of OAuth 2.1 with PKCE (RFC 7636), state,
 * and the check of `iss` (RFC 9207).
 */

import { createHash, randomBytes } from "node:crypto";
import { type ClientCredentials, issuerEndpoint, issuerMetadata } from "../access/issuer-client.js";
import { oauthErrorCode } from "../access/oauth-error.js";
import type { ConnectionSettings } from "../config/connection-settings.js";
import type { SignedIn } from "./parts.js";
import { unionOfScopes } from "./scopes.js";
import { isRefusal, requestTokens, type Tokens } from "./token-request.js";

/** What is remembered while a person is at the authorization server. */
export interface SignInAttempt extends SignedIn {
  readonly issuer: string;
  readonly state: string;
  readonly verifier: string;
  readonly redirect: string;
  /** The login of the console that began; absent for callers without one. */
  readonly login?: string | undefined;
}

/** What an answer of an authorization server comes to. */
export type SignIn =
  | { readonly kind: "accepted"; readonly tokens: Tokens }
  /** `fault` is what the person is told, `check` what the log says. */
  | { readonly kind: "refused"; readonly fault: SignInFault; readonly check: string };

/** Why a connection was not made: all that the page is told. */
export type SignInFault = "elsewhere" | "cancelled" | "refused";

const RANDOM_BYTES = 32;
/** Parameters that decide; given twice, two readers could read different ones. */
const SINGLE = ["state", "code", "iss", "error"];

const random = (): string => randomBytes(RANDOM_BYTES).toString("base64url");

/**
 * Begins a sign-in.
 *
 * @param redirect where the authorization server sends the person's browser
 * @param wanted scopes that the server has asked for beyond the configuration
 * @returns where the browser goes, and what is remembered
 * @throws Error if the server is out of reach, or does not offer PKCE with S256
 */
export async function beginSignIn(
  { issuer, scope: configured, resource, authorizeParams }: ConnectionSettings,
  client: ClientCredentials,
  {
    redirect,
    state = random(),
    wanted,
  }: { readonly redirect: string; readonly state?: string; readonly wanted?: string | undefined },
): Promise<{ readonly url: URL; readonly attempt: SignInAttempt }> {
  const { metadata } = await issuerMetadata(issuer);
  const methods = metadata["code_challenge_methods_supported"];
  if (!Array.isArray(methods) || !methods.includes("S256"))
    throw new Error(`${issuer} does not say that it supports PKCE with S256`);
  const scope = unionOfScopes(configured, wanted);
  const attempt: SignInAttempt = { issuer, state, verifier: random(), redirect, client, scope, wanted };
  const url = issuerEndpoint(metadata, "authorization_endpoint", issuer);
  const parameters: Readonly<Record<string, string | undefined>> = {
    ...authorizeParams,
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: redirect,
    scope,
    resource,
    state,
    code_challenge: createHash("sha256").update(attempt.verifier).digest("base64url"),
    code_challenge_method: "S256",
  };
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value);
  return { url, attempt };
}

/**
 * Takes the answer of an authorization server, and redeems its code.
 *
 * @param clock ms since the epoch
 */
export async function finishSignIn(
  { resource }: Pick<ConnectionSettings, "resource">,
  attempt: SignInAttempt,
  query: URLSearchParams,
  clock: () => number,
): Promise<SignIn> {
  const metadata = await issuerMetadata(attempt.issuer).then(
    (found) => found.metadata,
    () => undefined,
  );
  const fault = metadata ? answerFault(query, attempt, metadata) : (["refused", "metadata"] as const);
  if (fault) return { kind: "refused", fault: fault[0], check: fault[1] };
  const { verifier: code_verifier, redirect: redirect_uri, client } = attempt;
  const code = query.get("code") ?? "";
  const parameters = { grant_type: "authorization_code", code, redirect_uri, code_verifier, resource };
  const answer = await requestTokens(attempt.issuer, client, parameters, clock);
  return isRefusal(answer)
    ? { kind: "refused", fault: "refused", check: answer.reason }
    : { kind: "accepted", tokens: answer };
}

/** What is wrong with an answer, before its code is redeemed. */
function answerFault(
  query: URLSearchParams,
  attempt: SignInAttempt,
  metadata: Readonly<Record<string, unknown>>,
): readonly [SignInFault, string] | undefined {
  if (SINGLE.some((name) => query.getAll(name).length > 1)) return ["elsewhere", "twice"];
  if (query.get("state") !== attempt.state) return ["elsewhere", "state"];
  const iss = query.get("iss");
  const tellsIssuer = metadata["authorization_response_iss_parameter_supported"] === true;
  if (iss === null ? tellsIssuer : iss !== attempt.issuer) return ["refused", "iss"];
  const error = query.get("error");
  if (error === "access_denied") return ["cancelled", "access_denied"];
  // What the server says is text of a stranger: the log gets a code, and nothing else.
  if (error !== null) return ["refused", oauthErrorCode(error) ?? "an error without a valid code"];
  return query.get("code") ? undefined : ["refused", "code"];
}
