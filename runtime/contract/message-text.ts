/** Text of messages: a count with its noun, and untrusted text escaped for a terminal or a log. */

/** Characters that move the cursor, end the line, or change the direction of writing, and halves of a pair of UTF-16. */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\u061c\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** A character as JSON escapes it. */
export const escapedMark = (mark: string): string =>
  mark
    .split("")
    .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
    .join("");

/** The text with every such character escaped, so that it stays on its line and shows what it contains. */
export const onLine = (text: string): string => text.replace(UNPRINTABLE, escapedMark);

/** Characters that nobody sees, or that look like a space. */
const UNSEEN = /[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/** As {@link onLine}, and what nobody sees is escaped, too: for what a person decides about. */
export const visibleText = (text: string): string => onLine(text).replace(UNSEEN, escapedMark);

/** As {@link visibleText}, but line breaks and tabs stay. */
export const visibleLines = (text: string): string => onLines(text).replace(UNSEEN, escapedMark);

/** As {@link onLine}, but line breaks and tabs stay. */
export const onLines = (text: string): string =>
  text
    .split(/(\r?\n|\t)/)
    .map((part, i) => (i % 2 === 1 ? part : onLine(part)))
    .join("");

/** What belongs to a picture: the selector after it, the joiner between two. */
const OF_A_PICTURE =
  /(?<=\p{Emoji})\ufe0f|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})/u;
/** What moves the cursor, changes the direction, or is not seen. */
const NOT_SHOWN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
const NOT_FOR_A_TERMINAL = new RegExp(`(?!\\r?\\n|\\t|${OF_A_PICTURE.source})${NOT_SHOWN.source}`, "gu");

/**
 * A text as standard streams get it: line breaks, tabs, spaces and pictures stay; what a terminal obeys, or nobody sees, is escaped.
 * JSON stays JSON of the same value.
 */
export const forTerminal = (text: string): string => text.replace(NOT_FOR_A_TERMINAL, escapedMark);

/** Formats a count with its noun: `1 op`, `2 ops`. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`;

/** The path of a value in the configuration, as people write it: `sources[0].auth`. */
export const pathText = (path: readonly (string | number)[]): string =>
  path.map((key, i) => (typeof key === "number" ? `[${key}]` : `${i === 0 ? "" : "."}${onLine(key)}`)).join("");
