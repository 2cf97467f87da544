/** Scopes of OAuth as sets: texts with spaces between the scopes. */

/** Most scopes that a server may ask for beyond the configuration. */
export const MAX_WANTED = 20;
/** A scope by RFC 6749, of a length that a consent page can show. */
const SCOPE = /^[\x21\x23-\x5b\x5d-\x7e]{1,200}$/;

const listed = (text = ""): readonly string[] => text.split(" ").filter((one) => one !== "");

/** All scopes of some texts, each once; undefined if there is none. */
export function unionOfScopes(...texts: readonly (string | undefined)[]): string | undefined {
  const all = new Set(texts.flatMap(listed));
  return all.size === 0 ? undefined : [...all].join(" ");
}

/** The scopes of a text that another one lacks. */
export function lackingScopes(scope: string, by: string | undefined): readonly string[] {
  const there = new Set(listed(by));
  return [...new Set(listed(scope))].filter((one) => !there.has(one));
}

/** Whether a text that a server sent is scopes, and not too many. */
export function areScopes(text: string): boolean {
  const all = listed(text);
  return all.length > 0 && all.length <= MAX_WANTED && all.every((one) => SCOPE.test(one));
}
