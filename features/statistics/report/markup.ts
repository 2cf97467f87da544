/** HTML templates that escape every value, except HTML that the same templates made. */

const IS_MARKUP = Symbol("markup");

/** HTML made by {@link html}. External data cannot imitate it, because the key is a symbol. */
export interface Markup {
  readonly [IS_MARKUP]: string;
}

/** Values allowed in a template. */
type Insertable = string | number | Markup | readonly Insertable[];

/**
 * Makes HTML from a template. Values become text, or attribute values where the template has double quotes around
 * them.
 */
export const html = (parts: TemplateStringsArray, ...values: readonly Insertable[]): Markup =>
  trustedMarkup(parts.map((part, at) => part + textOf(values[at] ?? "")).join(""));

/** Marks a text as HTML. Never use it for external data. */
export const trustedMarkup = (text: string): Markup => ({ [IS_MARKUP]: text });

/** The text of HTML. */
export const markupText = (markup: Markup): string => markup[IS_MARKUP];

function textOf(value: Insertable): string {
  if (typeof value === "string" || typeof value === "number") return escaped(String(value));
  return isList(value) ? value.map(textOf).join("") : value[IS_MARKUP];
}

const isList = (value: Markup | readonly Insertable[]): value is readonly Insertable[] => Array.isArray(value);

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/**
 * Escapes a text. Control characters and lone surrogates are invalid in HTML and become the replacement character.
 */
const escaped = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cs}]/gu, "\uFFFD").replace(/[&<>"']/g, (one) => ENTITIES[one] ?? one);
