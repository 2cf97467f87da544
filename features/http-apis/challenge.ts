/** Challenges of protected resources (RFC 6750). */

/** Longest challenge that is read, in characters. */
const MAX_CHALLENGE_LENGTH = 4096;

/** The scopes that a refusal asks for: of a 403 with `error="insufficient_scope"`; undefined for any other answer. */
export function scopeAskedFor({ status, headers }: Pick<Response, "status" | "headers">): string | undefined {
  const challenge = headers.get("www-authenticate") ?? "";
  if (status !== 403 || challenge.length > MAX_CHALLENGE_LENGTH || !/^bearer /i.test(challenge)) return undefined;
  if (!/[ ,]error="?insufficient_scope"?(?:[ ,]|$)/i.test(challenge)) return undefined;
  const [, scope] = /[ ,]scope="([^"]+)"/i.exec(challenge) ?? [];
  return scope;
}
