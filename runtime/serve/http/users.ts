/** Resolves the principals of bearer tokens that identity providers issued, and challenges clients to get one. */

import { INVALID_TOKEN } from "../../access/key-store.js";
import { looksLikeKey } from "../../access/key-text.js";
import { type TokenCheck, type TokenVerdict, tokenCheck } from "../../access/token-check.js";
import type { OauthSettings } from "../../config/oauth-settings.js";
import { isToolFailure, type Logger, type Principal } from "../../contract/handler.js";
import { newTraceId } from "../../contract/ids.js";
import { onLine } from "../../contract/message-text.js";
import { quietly } from "../../contract/quiet-log.js";
import { messageOf } from "../../contract/thrown.js";
import { refusal } from "./message.js";

/** Resolves the principal of an `Authorization` header; undefined if keys decide: without issuers, and for a key. */
export type UserCallers = (shown: string | null) => Promise<Principal | Response | undefined>;

const BEARER = /^bearer ([\w.~+/-]+=*)$/i;

/** @param settings read at each request; the keys of issuers are kept until it changes */
export function userCallers(settings: () => OauthSettings | undefined, log: Logger): UserCallers {
  let made: { readonly key: string; readonly check: TokenCheck } | undefined;
  const say = quietly(log);
  const checkOf = (oauth: OauthSettings): TokenCheck => {
    const key = JSON.stringify(oauth);
    if (made?.key !== key) made = { key, check: tokenCheck(oauth) };
    return made.check;
  };
  const refuse = (verdict: Refused, oauth: OauthSettings): Response => {
    const trace_id = newTraceId();
    const { kind, more } = refusedFields(verdict, oauth);
    say("a token was refused", kind, { ...more, trace_id });
    return verdict.kind === "refused"
      ? challenge(oauth, 401, "invalid_token", trace_id)
      : challenge(oauth, 403, "insufficient_scope", trace_id);
  };
  return async (shown) => {
    const oauth = settings();
    if (!oauth) return undefined;
    if (shown === null) return challenge(oauth, 401);
    const [, token] = BEARER.exec(shown) ?? [];
    if (token === undefined) return refuse({ kind: "refused", check: "form" }, oauth);
    if (looksLikeKey(token)) return undefined;
    const verdict = await checkOf(oauth)(token).catch((error: unknown) => {
      if (isToolFailure(error)) say("an identity provider is away", { error: messageOf(error.cause) });
      throw error;
    });
    if (verdict.kind === "accepted") return verdict.principal;
    return refuse(verdict, oauth);
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

/** The scopes that clients may ask for, as the metadata names them. */
export function scopesOf({ issuers }: OauthSettings): { readonly scopes_supported?: readonly string[] } {
  const scopes = [...new Set(issuers.flatMap((issuer) => issuer.scopes))];
  return scopes.length > 0 ? { scopes_supported: scopes } : {};
}

/** The path of the metadata of the resource (RFC 9728): before the path of the resource itself. */
export function metadataPath(oauth: OauthSettings | undefined): string | undefined {
  if (!oauth) return undefined;
  const { pathname } = new URL(oauth.resource);
  return `/.well-known/oauth-protected-resource${pathname === "/" ? "" : pathname}`;
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
  const { scopes_supported: scopes = [] } = scopesOf(oauth);
  const fields = {
    ...(error === undefined ? {} : { error, error_description: MESSAGES[error] }),
    ...(scopes.length > 0 ? { scope: scopes.join(" ") } : {}),
    resource_metadata: new URL(metadataPath(oauth) ?? "", oauth.resource).href,
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
