/** Who sends a request over HTTP. The official SDK reads the header and makes the challenge. */

import {
  bearerAuthChallengeResponse,
  getOAuthProtectedResourceMetadataUrl,
  OAuthError,
  OAuthErrorCode,
  verifyBearerToken,
} from "@modelcontextprotocol/server";
import { isToolFailure, type Principal } from "../contract/handler.js";
import { refusal } from "../mcp/http-message.js";
import type { HttpAccess } from "../mcp/http-settings.js";
import { askKeys, type KeyCheck } from "./admission.js";
import { principalOfKey } from "./callers.js";
import { INVALID_KEY } from "./key-store.js";

/** Who sends a request; a response refuses it. */
export type PrincipalOf = (request: Request) => Promise<Principal | Response>;

/** What decides. */
export interface HttpCallerOptions {
  readonly keys: () => KeyCheck;
  readonly access: () => HttpAccess;
  /** Whether only this machine can connect. */
  readonly isLoopback: boolean;
  /** Who calls where no key is needed. */
  readonly local: () => Principal | Promise<Principal>;
}

/**
 * Where a key is needed, whose it is; elsewhere everybody who can connect is the local caller, but for who shows a key that is none.
 * A key is needed from the first one on that was made: with the end of the last one its holder would become the local caller.
 */
export function httpCallers({ keys, access, isLoopback, local }: HttpCallerOptions): PrincipalOf {
  const needsKey = async (): Promise<boolean> =>
    access() === "keys" || !isLoopback || (await askKeys(keys().anyMade()));
  return async (request) => {
    // A reload may bring `none` to a door that others can reach.
    if (isLoopback && access() === "none") return local();
    try {
      const shown = request.headers.get("authorization");
      if (shown === null && !(await needsKey())) return await local();
      return await callerOf(keys(), shown, request);
    } catch (error) {
      if (!isToolFailure(error)) throw error;
      const data = { code: error.code, ...error.details };
      return refusal(503, error.message, { headers: { "Retry-After": "5" }, data });
    }
  };
}

/** Seconds for which the SDK may believe a key: it is verified again with each request. */
const BELIEVED_S = 300;

/** A scheme and a key. The SDK passes over what comes after them, which another reader of the header may take for the key. */
const TWO_WORDS = /^\S+ \S+$/;

async function callerOf(keys: KeyCheck, shown: string | null, request: Request): Promise<Principal | Response> {
  if (shown !== null && !TWO_WORDS.test(shown)) return challenge(badKey(), request);
  let principal: Principal | undefined;
  const verifyAccessToken = async (token: string) => {
    principal = await principalOfKey(keys, token);
    if (!principal) throw badKey();
    const expiresAt = Math.floor(Date.now() / 1000) + BELIEVED_S;
    return { token, clientId: principal.id, scopes: [], expiresAt };
  };
  try {
    await verifyBearerToken(shown, { verifier: { verifyAccessToken } });
    return principal ?? challenge(badKey(), request);
  } catch (error) {
    if (!OAuthError.isInstance(error)) throw error;
    // A header of another form is answered as a key that is not live.
    return challenge(shown === null ? error : badKey(), request);
  }
}

const badKey = (): OAuthError => new OAuthError(OAuthErrorCode.InvalidToken, INVALID_KEY);

const challenge = (error: OAuthError, { url }: Request): Response =>
  bearerAuthChallengeResponse(error, { resourceMetadataUrl: getOAuthProtectedResourceMetadataUrl(endpointOf(url)) });

const endpointOf = (url: string): URL => new URL("/mcp", url);

/**
 * What RFC 9728 has a client find out about the endpoint. There is no authorization server: keys are made by `toolwright keys`, which
 * is why the SDK's own document, which must name one, does not fit.
 */
export const resourceMetadata = ({ url }: Request): Response =>
  Response.json({
    resource: endpointOf(url).href,
    resource_name: "toolwright",
    bearer_methods_supported: ["header"],
  });
