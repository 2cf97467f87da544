/** Placeholders in calls to fill in: how they are written, and how they are recognised when they come back. */

import { dereference, isSchema } from "./json-schema.js";
import type { JsonSchema, Tool } from "./registry.js";
import { clip } from "./scrub.js";

/** Longest text that can be a placeholder, and longest hint inside one. */
const MAX_PLACEHOLDER_LENGTH = 400;
const MAX_HINT_LENGTH = 240;
/** Properties whose names are looked for, and levels below which they are. */
const MAX_NAMES = 2_000;
const MAX_NAME_DEPTH = 6;

/**
 * A placeholder for a value.
 *
 * @example placeholder("state_key", "todo or done") // "<state_key: todo or done>"
 */
export function placeholder(name: string, hint = ""): string {
  const word = name.replace(/[^\p{XID_Continue}]/gu, "_") || "value";
  const said = clip(hint.replaceAll(/[<>\s]+/g, " ").trim(), MAX_HINT_LENGTH);
  return said === "" ? `<${word}>` : `<${word}: ${said}>`;
}

/** What stands for a text of the caller that is not repeated. It is refused when it comes back. */
export const asSent = (length: number): string => `<as sent, ${length} characters>`;

/** Longest text of a caller that is repeated, in characters. */
export const MAX_REPEATED = 500;

/** Whether a value holds {@link asSent} in place of a text, at any level. */
export const holdsSent = (value: unknown): boolean =>
  typeof value === "string"
    ? AS_SENT.test(value)
    : typeof value === "object" && value !== null && Object.values(value).some(holdsSent);

const AS_SENT = /^<(as sent), \d+ characters>$/;
const ANGLED = /^<([\p{XID_Continue}]+)(: ?[^<>]+)?>$/u;

/** Elements of HTML that may be a whole text. */
const ELEMENTS: ReadonlySet<string> = new Set(
  "a b body br button code div em footer form h1 h2 h3 h4 h5 h6 head header hr html i img input li main nav ol p pre script section span strong style table tbody td th thead tr u ul video".split(
    " ",
  ),
);

/** The name inside `<name>`, `<name: …>` or `‹…›`; undefined for any other text. */
export function placeholderName(value: unknown): string | undefined {
  if (typeof value !== "string" || value.length > MAX_PLACEHOLDER_LENGTH) return undefined;
  const text = value.trim();
  if (/^‹[^‹›]*›$/.test(text)) return text.slice(1, -1);
  return (AS_SENT.exec(text) ?? ANGLED.exec(text))?.[1];
}

/** Whether a text is a placeholder: `names` are those of the op's arguments, which may be names of HTML elements, too. */
export function isHandedOut(value: unknown, names: ReadonlySet<string>): boolean {
  const name = placeholderName(value);
  if (name === undefined) return false;
  return !ELEMENTS.has(name.toLowerCase()) || names.has(name) || String(value).includes(":");
}

const known = new WeakMap<JsonSchema, ReadonlySet<string>>();

/** The names of all arguments of a tool, at every level; cached. */
export function argumentNames({ parameters_schema: schema }: Pick<Tool, "parameters_schema">): ReadonlySet<string> {
  const found = known.get(schema);
  if (found) return found;
  const names = new Set<string>();
  collect(schema, schema, names, 0);
  known.set(schema, names);
  return names;
}

function collect(schema: unknown, root: JsonSchema, names: Set<string>, depth: number): void {
  if (!isSchema(schema) || depth > MAX_NAME_DEPTH || names.size > MAX_NAMES) return;
  const said = dereference(schema, root);
  const { properties, items, anyOf, oneOf, allOf } = said;
  for (const part of [items, ...[anyOf, oneOf, allOf].flatMap((one) => (Array.isArray(one) ? one : []))])
    collect(part, root, names, depth + 1);
  if (!isSchema(properties)) return;
  for (const [name, property] of Object.entries(properties)) {
    names.add(name);
    collect(property, root, names, depth + 1);
  }
}
