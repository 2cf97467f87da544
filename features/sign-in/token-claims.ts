/** Maps the claims of a verified token to a principal. */

import { isKeyId } from "../../runtime/access/key-text.js";
import { LOCAL_ID } from "../../runtime/access/principal.js";
import { joinedGrants } from "../../runtime/contract/grant.js";
import type { Grant } from "../../runtime/contract/handler.js";
import type { Issuer } from "./oauth-settings.js";
import { signAfter, templateParts } from "./principal-template.js";

/** The claims of a token, whose signature or introspection vouches for them. */
export type Claims = Readonly<Record<string, unknown>>;

/** Longest id of a user. */
const MAX_ID_LENGTH = 300;

/** Stands in front of the ids of users that would else be those of other principals. */
const MARK = "user:";

/** No two texts have one id: one that begins with the mark gets it as well. */
const markedId = (text: string): string =>
  text === LOCAL_ID || isKeyId(text) || text.startsWith(MARK) ? MARK + text : text;

/**
 * The id of the user, which is of no key and not of the owner; undefined if a claim is missing or is no plain text, or if
 * other claims would give the same id.
 */
export function userIdOf({ principal }: Pick<Issuer, "principal">, claims: Claims): string | undefined {
  const parts = templateParts(principal);
  const texts = parts.map((part, at) => {
    if ("text" in part) return part.text;
    const value = Object.hasOwn(claims, part.claim) ? claims[part.claim] : undefined;
    if (typeof value !== "string" || value === "") return undefined;
    const sign = part.claim === "iss" ? undefined : signAfter(parts, at);
    return sign !== undefined && value.includes(sign) ? undefined : value;
  });
  const id = texts.join("");
  const isPlain = id.length <= MAX_ID_LENGTH && !NOT_PLAIN.test(id);
  return isPlain && !texts.includes(undefined) ? markedId(id) : undefined;
}

/** Control characters, and halves of a pair of UTF-16, which databases replace: two ids would become one. */
const NOT_PLAIN = /[\p{Cc}\p{Cs}]/u;

/** Joins the grants of all rules that the claims match; undefined if no rule matches. */
export const grantOf = ({ rules }: Pick<Issuer, "rules">, claims: Claims): Grant | undefined =>
  joinedGrants(
    rules
      .filter(({ when }) => Object.entries(when).every(([name, value]) => has(claims, name, value)))
      .map(({ part }) => part),
  );

/** Whether a claim is a value or a list that holds it; `scope` is a list with spaces (RFC 8693). */
function has(claims: Claims, name: string, value: string): boolean {
  const given = Object.hasOwn(claims, name) ? claims[name] : undefined;
  if (Array.isArray(given)) return given.includes(value);
  if (name === "scope" && typeof given === "string") return given.split(" ").includes(value);
  return given === value;
}
