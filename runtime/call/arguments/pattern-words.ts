/** Says a pattern in words: `^project\.[a-z]+(?:\.[a-z]+)?$` is `project.<word>[.<word>]`. */

/** Longest pattern that is read, and longest text of it, in characters. */
const MAX_PATTERN_LENGTH = 300;
const MAX_LENGTH = 80;

/** Parts of a pattern that are read; any other part has no words. */
const LITERAL = /^(?:[\p{L}\p{N}_\-:/,@#% ]|\\[.\-/:+*?()[\]{}|$^_])/u;
const CLASS = /^(?:\[(?!\^)((?:[^\]\\]|\\.)+)\]|\\([dw]))/;
const QUANTITY = /^(?:[+*?]|\{(\d+)(?:,(\d*))?\})/;

/**
 * The pattern in words; undefined if it does not describe a whole text, or has parts without words.
 *
 * @example patternWords("^task\\.[a-z0-9_]+$") // "task.<word>"
 */
export function patternWords(pattern: string): string | undefined {
  const [, inner] = /^\^(.*)\$$/su.exec(pattern) ?? [];
  if (inner === undefined || pattern.length > MAX_PATTERN_LENGTH) return undefined;
  const read = sequence(inner);
  return read && read.rest === "" && read.words !== "" && read.words.length <= MAX_LENGTH ? read.words : undefined;
}

interface Words {
  readonly words: string;
  readonly rest: string;
}

/** Reads up to the end, or to a bracket that closes a group. */
function sequence(pattern: string): Words | undefined {
  let [words, rest] = ["", pattern];
  while (rest !== "" && rest[0] !== ")") {
    const part =
      rest[0] === "|" ? { words: "|", rest: rest.slice(1) } : (group(rest) ?? charactersOf(rest) ?? literal(rest));
    if (!part) return undefined;
    words += part.words;
    rest = part.rest;
  }
  return { words, rest };
}

function group(pattern: string): Words | undefined {
  const [open] = /^\((?:\?:)?/.exec(pattern) ?? [];
  const inner = open === undefined ? undefined : sequence(pattern.slice(open.length));
  if (inner?.rest[0] !== ")") return undefined;
  const rest = inner.rest.slice(1);
  const [quantity = ""] = QUANTITY.exec(rest) ?? [];
  const after = rest.slice(quantity.length);
  if (quantity === "") return { words: inner.words.includes("|") ? `(${inner.words})` : inner.words, rest: after };
  if (quantity === "?") return { words: `[${inner.words}]`, rest: after };
  return { words: quantity === "+" ? `${inner.words}[…]` : `[${inner.words}…]`, rest: after };
}

function charactersOf(pattern: string): Words | undefined {
  const [found, listed, escaped] = CLASS.exec(pattern) ?? [];
  if (found === undefined) return undefined;
  const rest = pattern.slice(found.length);
  const [quantity = ""] = QUANTITY.exec(rest) ?? [];
  const isDigits = escaped === "d" || listed === "0-9" || listed === "\\d";
  const said = `<${isDigits ? counted(quantity, "digit", "number") : counted(quantity, "character", "word")}>`;
  const isOptional = quantity === "?" || quantity === "*";
  return { words: isOptional ? `[${said}]` : said, rest: rest.slice(quantity.length) };
}

/** `4 digits`, `2 to 4 digits`, `digit`, `number`. */
function counted(quantity: string, one: string, several: string): string {
  const [, least, most] = /^\{(\d+)(?:,(\d*))?\}$/.exec(quantity) ?? [];
  if (least === undefined) return quantity === "" || quantity === "?" ? one : several;
  const size = most === undefined ? least : `${least} to ${most || "more"}`;
  return `${size} ${one}${size === "1" ? "" : "s"}`;
}

function literal(pattern: string): Words | undefined {
  const [found] = LITERAL.exec(pattern) ?? [];
  if (found === undefined || QUANTITY.test(pattern.slice(found.length))) return undefined;
  return { words: found.replace(/^\\/, ""), rest: pattern.slice(found.length) };
}
