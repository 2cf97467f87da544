/** Detects secrets in names and values, and masks them in texts and addresses. */

import { scrub } from "./scrub.js";

/** Shown in place of a secret. */
export const MASK = "***";

/** Whether a text refers to a variable such as `${KEY}`. */
export const hasReference = (text: string): boolean => /\$\{[A-Za-z_]/.test(text);

const SECRET_WORDS = new Set(
  "key apikey token secret password passwd pass pat auth authorization credential credentials bearer sig signature".split(
    " ",
  ),
);

/** Whether a name is typical of a secret. */
export const soundsSecret = (name: string): boolean =>
  name
    .replace(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .some((word) => SECRET_WORDS.has(word));

/** Whether a value looks like a key: long, of letters and digits. */
export const looksSecret = (text: string): boolean =>
  scrub(text) !== text || (/^[A-Za-z0-9_-]{24,}$/.test(text) && /\d/.test(text) && /[A-Za-z]/.test(text));

/** Masks a secret text; names of variables stay, and so do `Bearer` and similar words. */
export const masked = (text: string): string =>
  text
    .split(/(\$\{[A-Za-z_][A-Za-z0-9_]*(?::-[^}]*)?\})/)
    .map((part, i) => (i % 2 === 1 ? part.replace(/:-[^}]+/, `:-${MASK}`) : maskedLiteral(part)))
    .join("");

function maskedLiteral(text: string): string {
  const [, scheme = "", rest = ""] = /^((?:(?:Bearer|Basic|Token)\s+|\s*)?)(.*)$/is.exec(text) ?? [];
  return scheme + (rest === "" ? "" : MASK);
}

/** An address with its password and the secrets in its query masked; any other text unchanged. */
export function maskedAddress(text: string): string {
  const [whole, scheme = "", rest = ""] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/is.exec(text) ?? [];
  if (whole === undefined) return text;
  // In a text that is not a web address, everything before the last @ may be a password.
  const isWeb = /^https?:/i.test(scheme) && URL.canParse(text);
  const user = (isWeb ? /^([^/?#]*)@/s : /^(.*)@/s).exec(rest)?.[1];
  const after = user === undefined ? rest : rest.slice(user.length + 1);
  const clean = after
    .replace(/([?&])([^=&#]+)=([^&#]+)/g, (_, mark: string, key: string, one: string) =>
      soundsSecret(key) || looksSecret(one) ? `${mark}${key}=${masked(one)}` : `${mark}${key}=${one}`,
    )
    .replace(/(?<=\/)[^/?#]+/g, (part) => (looksSecret(part) ? masked(part) : part));
  return scheme + (user === undefined ? "" : `${maskedUser(user, scheme)}@`) + clean;
}

/** The user name of a database is not secret; in other addresses it may be a token. */
function maskedUser(user: string, scheme: string): string {
  const [, name = "", password] = /^([^:]*)(?::(.*))?$/s.exec(user) ?? [];
  const shown = /^postgres/i.test(scheme) ? name : masked(name);
  return password === undefined ? shown : `${shown}:${masked(password)}`;
}
