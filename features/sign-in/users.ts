/** Resolves the principals of bearer tokens that identity providers issued, and challenges clients to get one. */

import { INVALID_TOKEN } from "../../runtime/access/key-store.js";
import { looksLikeKey } from "../../runtime/access/key-text.js";
import type { CheckHeader } from "../../runtime/config/sign-in-settings.js";
import { isToolFailure } from "../../runtime/contract/handler.js";
import { newTraceId } from "../../runtime/contract/ids.js";
import { onLine } from "../../runtime/contract/message-text.js";
import type { Say } from "../../runtime/contract/quiet-log.js";
import { messageOf } from "../../runtime/contract/thrown.js";
import { metadataPath } from "../../runtime/serve/http/callers.js";
import { refusal } from "../../runtime/serve/http/message.js";
import { type OauthSettings, resourceClaims } from "./oauth-settings.js";
import { type TokenVerdict, tokenCheck } from "./token-check.js";

const BEARER = /^bearer ([\w.~+/-]+=*)$/i;

/** Checks requests by settings, for as long as these are in force. */
export function headerCheck(oauth: OauthSettings, say: Say): CheckHeader {
  const check = tokenCheck(oauth);
  const refuse = (verdict: Refused): Response => {
    const trace_id = newTraceId();
    const { kind, more } = refusedFields(verdict, oauth);
    say("a token was refused", kind, { ...more, trace_id });
    return verdict.kind === "refused"
      ? challenge(oauth, 401, "invalid_token", trace_id)
      : challenge(oauth, 403, "insufficient_scope", trace_id);
  };
  return async (shown) => {
    if (shown === null) return challenge(oauth, 401);
    const [, token] = BEARER.exec(shown) ?? [];
    if (token === undefined) return refuse({ kind: "refused", check: "form" });
    if (looksLikeKey(token)) return undefined;
    const verdict = await check(token).catch((error: unknown) => {
      if (isToolFailure(error)) say("an identity provider is away", { error: messageOf(error.cause) });
      throw error;
    });
    return verdict.kind === "accepted" ? verdict.principal : refuse(verdict);
  };
}

type Refused = Exclude<TokenVerdict, { readonly kind: "accepted" }>;

/** Longest issuer in the log that is not a configured one, in characters. */
const MAX_ISSUER_LENGTH = 200;

/** What the log says of a refused token. An issuer that is not configured is text of a stranger, and makes no kind. */
function refusedFields(verdict: Refused, { issuers }: OauthSettings) {
  const check = verdict.kind === "refused" ? verdict.check : "grants";
  const { issuer } = verdict;
  if (issuer === undefined) return { kind: { check } };
  if (issuers.some((one) => one.issuer === issuer)) return { kind: { check, issuer } };
  return { kind: { check }, more: { issuer: onLine(issuer.slice(0, MAX_ISSUER_LENGTH)) } };
}

const MESSAGES = {
  invalid_token: INVALID_TOKEN,
  insufficient_scope: "This token grants nothing here.",
} as const;

/** The challenge by RFC 6750: a request without a token gets no error code. */
function challenge(
  oauth: OauthSettings,
  status: 401 | 403,
  error?: keyof typeof MESSAGES,
  trace_id?: string,
): Response {
  const { scopes_supported: scopes = [] } = resourceClaims(oauth);
  const fields = {
    ...(error === undefined ? {} : { error, error_description: MESSAGES[error] }),
    ...(scopes.length > 0 ? { scope: scopes.join(" ") } : {}),
    resource_metadata: new URL(metadataPath(oauth.resource), oauth.resource).href,
  };
  const text = Object.entries(fields).map(([name, value]) => `${name}="${value.replaceAll(/["\\]/g, "")}"`);
  return refusal(status, error === undefined ? "A token or a key is needed." : MESSAGES[error], {
    headers: { "WWW-Authenticate": `Bearer ${text.join(", ")}` },
    data: {
      code: status === 401 ? "UNAUTHENTICATED" : "PERMISSION_DENIED",
      ...(trace_id === undefined ? {} : { trace_id }),
    },
  });
}
