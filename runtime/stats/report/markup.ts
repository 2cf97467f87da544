/** HTML that cannot be broken by what is put into it: every value is escaped, but for HTML that was made here too. */

const IS_MARKUP = Symbol("markup");

/** HTML made by {@link html}. No data from outside can pass for it: the key is a symbol. */
export interface Markup {
  readonly [IS_MARKUP]: string;
}

/** What may be put into HTML. */
type Insertable = string | number | Markup | readonly Insertable[];

/** The HTML of a template. Values become text, or attribute values where the template has double quotes around them. */
export const html = (parts: TemplateStringsArray, ...values: readonly Insertable[]): Markup =>
  trusted(parts.map((part, at) => part + textOf(values[at] ?? "")).join(""));

/** Text that is HTML by itself. Never for what came from outside. */
export const trusted = (text: string): Markup => ({ [IS_MARKUP]: text });

/** The text of finished HTML. */
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

/** Control characters and halves of characters have no place in HTML: they show as what cannot be shown. */
const escaped = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cs}]/gu, "\uFFFD").replace(/[&<>"']/g, (one) => ENTITIES[one] ?? one);
