/** Requests to the token endpoint of an authorization server (RFC 6749), and what they answer. */

import {
  askForm,
  type ClientCredentials,
  issuerEndpoint,
  issuerMetadata,
  jsonIn,
  withAddressInFailure,
} from "../access/issuer-client.js";
import { oauthErrorCode } from "../access/oauth-error.js";
import { isObject } from "../contract/json.js";
import { onLine } from "../contract/message-text.js";
import { messageOf } from "../contract/thrown.js";

/** Tokens as they are stored. */
export interface Tokens {
  readonly access_token: string;
  readonly refresh_token?: string;
  /** Until when the access token is used, in ms since the epoch: shortly before it expires. Absent if the server does not say. */
  readonly use_until?: number;
}

/** Why there are no tokens. */
export interface TokenRefusal {
  /** Error code of the server, such as `invalid_grant`; empty if it gave no usable answer. */
  readonly error: string;
  /** For the log: never what the server wrote beside its error code. */
  readonly reason: string;
}

/** Whether a request for tokens was refused. */
export const isRefusal = (answer: Tokens | TokenRefusal): answer is TokenRefusal => "error" in answer;

/** Types of tokens that are used as access tokens (RFC 8693, 3). */
export const ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token";
const JWT = "urn:ietf:params:oauth:token-type:jwt";

/** Longest token that is stored, in characters. */
const MAX_TOKEN_LENGTH = 64 * 1024;
/** Longest lifetime of a token that is believed: a year. */
const MAX_LIFE_S = 31_536_000;
/** Time before its end from which a token is not used any more, at most. */
const EARLY_MS = 30_000;

/**
 * Asks for tokens. Never rejects.
 *
 * @param parameters `grant_type` and what it takes; those that are undefined are left out
 * @param now ms since the epoch, from which the lifetime counts
 */
export async function requestTokens(
  issuer: string,
  client: ClientCredentials,
  parameters: Readonly<Record<string, string | undefined>>,
  now: () => number,
): Promise<Tokens | TokenRefusal> {
  try {
    const { metadata } = await issuerMetadata(issuer);
    const url = issuerEndpoint(metadata, "token_endpoint", issuer);
    const given = Object.entries(parameters).filter((one): one is [string, string] => one[1] !== undefined);
    const asked = now();
    const supported = metadata["token_endpoint_auth_methods_supported"];
    const asking = askForm(url, Object.fromEntries(given), client, supported);
    const { status, body } = await withAddressInFailure(
      url,
      asking.then(async (answer) => ({ status: answer.status, body: await jsonIn(answer) })),
    );
    return tokensIn(status, body, asked);
  } catch (error) {
    return { error: "", reason: onLine(messageOf(error)) };
  }
}

function tokensIn(status: number, body: unknown, asked: number): Tokens | TokenRefusal {
  const answer = isObject(body) ? body : {};
  const { error, access_token, refresh_token, expires_in, token_type } = answer;
  if (typeof error === "string") {
    const code = oauthErrorCode(error) ?? "an error without a valid code";
    return { error: code, reason: `it answers ${code} (HTTP ${status})` };
  }
  if (status !== 200) return { error: "", reason: `HTTP ${status}` };
  if (!isToken(access_token)) return { error: "", reason: "an answer without an access token" };
  if (typeof token_type !== "string" || token_type.toLowerCase() !== "bearer")
    return { error: "", reason: "an answer with a token that is no bearer token" };
  // Of token exchange (RFC 8693): a refresh token may be issued with the type of a bearer token.
  if (![undefined, ACCESS_TOKEN, JWT].includes(answer["issued_token_type"] as string | undefined))
    return { error: "", reason: "an answer with a token that is no access token, by issued_token_type" };
  const lifeMs = Math.min(Number(expires_in), MAX_LIFE_S) * 1000;
  return {
    access_token,
    ...(isToken(refresh_token) ? { refresh_token } : {}),
    ...(lifeMs > 0 ? { use_until: asked + lifeMs - Math.min(EARLY_MS, lifeMs / 5) } : {}),
  };
}

/** A token that a header can hold (RFC 6750). */
const isToken = (value: unknown): value is string =>
  typeof value === "string" && value.length <= MAX_TOKEN_LENGTH && /^[\x21-\x7e]+$/.test(value);
