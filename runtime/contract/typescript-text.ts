/** Writes values and calls as TypeScript. */

import { writeJson } from "./exact-number.js";
import { isObject } from "./json.js";
import type { JsonObject, JsonValue } from "./registry.js";

const NAME = /^[A-Za-z_$][\w$]*$/;

/** What begins or ends a literal of a text. */
export type TypescriptQuote = '"' | "'" | "`";

/** A text as it stands between two quotes: on one line, and no part of it ends the literal, or begins code in it. */
export function typescriptText(text: string, quote: TypescriptQuote): string {
  const json = JSON.stringify(text).slice(1, -1);
  const escaped = quote === '"' ? json : json.replace(/['`${]/g, "\\$&");
  return escaped.replace(/[\u2028\u2029]/g, (one) => `\\u${one.charCodeAt(0).toString(16)}`);
}

/** A member by its name: written as any other, `__proto__` would be the prototype. */
const nameText = (name: string): string => {
  if (name === "__proto__") return '["__proto__"]';
  return NAME.test(name) ? name : typescriptLiteral(name);
};

/** A value as a literal: `{ limit: 5, tags: ["a"] }`. */
export function typescriptLiteral(value: JsonValue): string {
  if (typeof value === "string") return `"${typescriptText(value, '"')}"`;
  if (Array.isArray(value)) return `[${value.map(typescriptLiteral).join(", ")}]`;
  if (!isObject(value)) return writeJson(value);
  const members = Object.entries(value).map(
    ([name, item]) => `${nameText(name)}: ${typescriptLiteral(item as JsonValue)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** A call of an op: `await onto.task.list({ limit: 5 })`. */
export const typescriptCall = (op: string, args: JsonObject): string =>
  `await ${op}(${Object.keys(args).length === 0 ? "" : typescriptLiteral(args)})`;
