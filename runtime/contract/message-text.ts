/** Text of messages: a count with its noun, and untrusted text escaped for a terminal or a log. */

/** Characters that move the cursor, end the line, or change the direction of writing. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u061c\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** The text with every such character escaped, so that it stays on its line and shows what it contains. */
export const onLine = (text: string): string =>
  text.replace(UNPRINTABLE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Characters that nobody sees, or that look like a space. */
const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

const escaped = (mark: string): string =>
  mark
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

/** As {@link onLine}, and what nobody sees is escaped, too: for what a person decides about. */
export const visible = (text: string): string => onLine(text).replace(UNSEEN, escaped);

/** As {@link visible}, but line breaks and tabs stay. */
export const visibleLines = (text: string): string => onLines(text).replace(UNSEEN, escaped);

/** As {@link onLine}, but line breaks and tabs stay. */
export const onLines = (text: string): string =>
  text
    .split(/(\r?\n|\t)/)
    .map((part, i) => (i % 2 === 1 ? part : onLine(part)))
    .join("");

/** Formats a count with its noun: `1 op`, `2 ops`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** The path of a value in the configuration, as people write it: `sources[0].auth`. */
export const pathText = (path: readonly (string | number)[]): string =>
  path.map((key, i) => (typeof key === "number" ? `[${key}]` : `${i === 0 ? "" : "."}${onLine(key)}`)).join("");
