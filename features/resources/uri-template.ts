/** URI templates, level 1 of RFC 6570: text with `{variables}` in it (`expose.resources`). */

/** A parsed template: a text before each variable, and one after the last; a plain address has no variable. */
export interface UriTemplate {
  readonly texts: readonly string[];
  readonly variables: readonly string[];
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/;
/** Characters that end the value of a variable. */
const PART_END = /[/?#]/;

/**
 * Parses a template; undefined if it has expressions other than `{name}`, a name twice, or no text between two
 * variables.
 */
export function readTemplate(template: string): UriTemplate | undefined {
  const pieces = template.split(/\{([^{}]*)\}/);
  const texts = pieces.filter((_, i) => i % 2 === 0);
  const variables = pieces.filter((_, i) => i % 2 === 1);
  const isSound =
    texts.every((text) => !/[{}]/.test(text)) &&
    texts.slice(1, -1).every((text) => text !== "") &&
    variables.every((name) => VARIABLE.test(name)) &&
    new Set(variables).size === variables.length;
  return isSound ? { texts, variables } : undefined;
}

/** The decoded values of the variables in an address; undefined if the address does not match. */
export function matchTemplate({ texts, variables }: UriTemplate, uri: string): ReadonlyMap<string, string> | undefined {
  const [first = "", ...rest] = texts;
  if (!uri.startsWith(first)) return undefined;
  const values = new Map<string, string>();
  let at = first.length;
  for (const [i, name] of variables.entries()) {
    const text = rest[i] ?? "";
    // The shortest value leaves the most for the next ones, so that backtracking could find nothing more.
    const end = i === variables.length - 1 ? uri.length - text.length : uri.indexOf(text, at + 1);
    const value = decodedValue(uri.slice(at, Math.max(at, end)));
    if (value === undefined || !uri.startsWith(text, end)) return undefined;
    values.set(name, value);
    at = end + text.length;
  }
  return at === uri.length ? values : undefined;
}

function decodedValue(text: string): string | undefined {
  if (text === "" || PART_END.test(text)) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** A character of literal text, any one character of a value, or any number of them. */
type Token = { readonly kind: "text"; readonly char: string } | { readonly kind: "one" | "many" };

const tokensOf = ({ texts }: UriTemplate): readonly Token[] =>
  texts.flatMap((text, i): Token[] => [
    ...(i === 0 ? [] : ([{ kind: "one" }, { kind: "many" }] as const)),
    ...[...text].map((char): Token => ({ kind: "text", char })),
  ]);

/** Whether both can match the same character. */
function meet(a: Token, b: Token): boolean {
  if (a.kind === "text" && b.kind === "text") return a.char === b.char;
  const text = a.kind === "text" ? a : b;
  return text.kind !== "text" || !PART_END.test(text.char);
}

/** Whether some address matches both templates. */
export function overlap(one: UriTemplate, other: UriTemplate): boolean {
  const [a, b] = [tokensOf(one), tokensOf(other)];
  /** For each index in `b`, whether the rest of `a` and the rest of `b` from there match a common address. */
  let after: readonly boolean[] = [];
  for (let i = a.length; i >= 0; i--) {
    const row: boolean[] = [];
    for (let j = b.length; j >= 0; j--) row[j] = common({ a: a[i], b: b[j], row, after, j });
    after = row;
  }
  return after[0] ?? false;
}

interface Cell {
  readonly a: Token | undefined;
  readonly b: Token | undefined;
  readonly row: readonly boolean[];
  readonly after: readonly boolean[];
  readonly j: number;
}

function common({ a, b, row, after, j }: Cell): boolean {
  if (!a && !b) return true;
  const skipsA = a?.kind === "many" && (after[j] ?? false);
  const skipsB = b?.kind === "many" && (row[j + 1] ?? false);
  if (skipsA || skipsB) return true;
  if (!a || !b || !meet(a, b)) return false;
  // A `many` token stays at its place, and the other token takes its character.
  if (a.kind === "many") return row[j + 1] ?? false;
  if (b.kind === "many") return after[j] ?? false;
  return after[j + 1] ?? false;
}
