/** Resolves the principal of an HTTP request. The MCP SDK parses the header and builds the challenge. */

import {
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken,
} from "@modelcontextprotocol/server";
import { askKeys, type KeyCheck } from "../../access/admission.js";
import { principalOfKey } from "../../access/callers.js";
import { INVALID_KEY } from "../../access/key-store.js";
import type { CheckHeader, SignInSettings } from "../../config/sign-in-settings.js";
import type { HttpAccess, HttpSettings } from "../../config/transport-settings.js";
import { isToolFailure, type Logger, type Principal } from "../../contract/handler.js";
import { quietly } from "../../contract/quiet-log.js";
import { refusal } from "./message.js";

/** Resolves the principal of a request; a response means that the request is refused. */
export type PrincipalOf = (request: Request) => Promise<Principal | Response>;

/** What the decision depends on. */
export interface HttpCallerOptions {
  readonly keys: () => KeyCheck;
  readonly access: () => HttpAccess;
  /** Whether others than this machine can reach the server, read at each request. */
  readonly isReachable: () => boolean;
  /** The URL that clients know, if it is configured. */
  readonly publicUrl: () => URL | undefined;
  /** Sign-in beside keys, read at each request. */
  readonly signIn: () => SignInSettings | undefined;
  readonly log: Logger;
  /** The principal of requests that need no key. */
  readonly local: () => Principal | Promise<Principal>;
}

/**
 * Resolves the principal from the bearer key. Without a key, a client is the local caller unless a key is required. An
 * invalid key is refused, except on loopback with `access.http: none`. Once a key has been made, one is required;
 * otherwise the holder of the last key would become the local caller when it ends.
 */
export function httpCallers({
  keys,
  access,
  isReachable,
  publicUrl,
  signIn,
  log,
  local,
}: HttpCallerOptions): PrincipalOf {
  const users = userCallers(signIn, log);
  const needsKey = async (): Promise<boolean> =>
    access() === "keys" || isReachable() || signIn() !== undefined || (await askKeys(keys().anyMade()));
  return async (request) => {
    // A reload may set `access.http` to `none` while other machines can connect.
    if (!isReachable() && access() === "none") return local();
    try {
      const shown = request.headers.get("authorization");
      if (shown === null && !(await needsKey())) return await local();
      return (await users(shown)) ?? (await callerOf(keys(), shown, endpointOf(request.url, publicUrl())));
    } catch (error) {
      if (!isToolFailure(error)) throw error;
      const data = { code: error.code, ...error.details };
      return refusal(503, error.message, { headers: { "Retry-After": "5" }, data });
    }
  };
}

/** Checks requests by the sign-in in force; undefined if keys decide. What is known of issuers is kept until it changes. */
function userCallers(signIn: HttpCallerOptions["signIn"], log: Logger): CheckHeader {
  let made: { readonly key: string; readonly check: Promise<CheckHeader> } | undefined;
  const say = quietly(log);
  return async (shown) => {
    const current = signIn();
    if (!current) return undefined;
    const key = JSON.stringify(current.own);
    if (made?.key !== key) made = { key, check: current.checkHeader(say) };
    return (await made.check)(shown);
  };
}

/** Seconds for which the SDK may trust a key; the key is verified again with each request anyway. */
const BELIEVED_S = 300;

/** A scheme and a key. The SDK ignores anything after them, which another reader of the header may take for the key. */
const TWO_WORDS = /^\S+ \S+$/;

async function callerOf(keys: KeyCheck, shown: string | null, endpoint: URL): Promise<Principal | Response> {
  if (shown !== null && !TWO_WORDS.test(shown)) return challenge(badKey(), endpoint);
  let principal: Principal | undefined;
  const verifyAccessToken = async (token: string) => {
    principal = await principalOfKey(keys, token);
    if (!principal) throw badKey();
    const expiresAt = Math.floor(Date.now() / 1000) + BELIEVED_S;
    return { token, clientId: principal.id, scopes: [], expiresAt };
  };
  try {
    await verifyBearerToken(shown, { verifier: { verifyAccessToken } });
    return principal ?? challenge(badKey(), endpoint);
  } catch (error) {
    if (!OAuthError.isInstance(error)) throw error;
    // A malformed header gets the same answer as a key that is not live.
    return challenge(shown === null ? error : badKey(), endpoint);
  }
}

const badKey = (): OAuthError => new OAuthError(OAuthErrorCode.InvalidToken, INVALID_KEY);

const challenge = (error: OAuthError, endpoint: URL): Response =>
  bearerAuthChallengeResponse(error, { resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(endpoint) });

/** The endpoint as the client knows it. */
const endpointOf = (url: string, publicUrl: URL | undefined): URL => new URL("/mcp", publicUrl ?? url);

/** Path of the protected resource metadata (RFC 9728) of an origin. */
export const ORIGIN_METADATA = "/.well-known/oauth-protected-resource";

/** The path of the metadata of a resource (RFC 9728): before the path of the resource itself. */
export function metadataPath(resource: string): string {
  const { pathname } = new URL(resource);
  return `${ORIGIN_METADATA}${pathname === "/" ? "" : pathname}`;
}

/**
 * The protected resource metadata (RFC 9728) of the endpoint. Without sign-in there is no authorization server,
 * since keys are made by `toolwright keys`; the SDK's own document does not fit because it must name one.
 */
export const resourceMetadata = (
  { url }: Request,
  { publicUrl, signIn }: Pick<HttpSettings, "publicUrl" | "signIn">,
): Response =>
  Response.json({
    resource: signIn?.resource ?? endpointOf(url, publicUrl).href,
    ...signIn?.metadata,
    resource_name: "toolwright",
    bearer_methods_supported: ["header"],
  });
