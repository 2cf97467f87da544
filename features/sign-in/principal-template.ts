/** Templates of the ids of users, such as `{iss}|{sub}`: no two users may have one id. */

/** A part of a template: the name of a claim, or the text between two. */
export type TemplatePart = { readonly claim: string } | { readonly text: string };

/** A claim in a template. */
const CLAIM = /\{([\w:.-]+)\}/;

/** The parts of a template, in their order. */
export const templateParts = (template: string): readonly TemplatePart[] =>
  template.split(CLAIM).flatMap((part, at): readonly TemplatePart[] => {
    if (at % 2 === 1) return [{ claim: part }];
    return part === "" ? [] : [{ text: part }];
  });

/** The claim of a token that is the same for all users of an issuer. */
const ISSUER = "iss";

/**
 * The sign that ends the claim at a place, if another claim follows that is not the same for all users: what is before the
 * sign is the claim, so a claim that holds the sign could be read in two ways.
 */
export function signAfter(parts: readonly TemplatePart[], at: number): string | undefined {
  const next = parts[at + 1];
  const isLast = !parts.slice(at + 1).some((part) => "claim" in part && part.claim !== ISSUER);
  return isLast || !next || !("text" in next) ? undefined : [...next.text][0];
}

/**
 * Why a template is none, or gives two users one id; undefined if nothing is wrong with it.
 *
 * @param issuers - all that are configured
 */
export function principalFault(template: string, issuers: readonly string[]): string | undefined {
  const parts = templateParts(template);
  const isBroken = parts.some((part) => "text" in part && /[{}]/.test(part.text));
  if (isBroken || !parts.some((part) => "claim" in part)) return 'names claims in braces, such as "{iss}|{sub}"';
  const joined = parts.findIndex((part, at) => "claim" in part && "claim" in (parts[at + 1] ?? {}));
  if (joined !== -1) return `needs a sign between two claims, such as "{iss}|{sub}"`;
  if (issuers.length < 2) return undefined;
  if (!parts.some((part) => "claim" in part && part.claim === ISSUER))
    return "must hold {iss} where there are several issuers, since two of them may use one name";
  const [first, second] = parts;
  const begins = first && "claim" in first && first.claim === ISSUER;
  const sign = second && "text" in second ? [...second.text][0] : undefined;
  if (begins && sign !== undefined && !issuers.some((one) => one.includes(sign))) return undefined;
  return 'must begin with {iss} and a sign that no issuer has, such as "{iss}|{sub}", where there are several issuers: the one may begin like the other';
}
