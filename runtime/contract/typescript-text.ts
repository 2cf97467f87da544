/** Writes values and calls as TypeScript. */

import { writeJson } from "./exact-number.js";
import { isObject } from "./json.js";
import type { JsonObject, JsonValue } from "./registry.js";

const NAME = /^[A-Za-z_$][\w$]*$/;

/** A value as a literal: `{ limit: 5, tags: ["a"] }`. */
export function typescriptLiteral(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(typescriptLiteral).join(", ")}]`;
  if (!isObject(value)) return writeJson(value);
  const members = Object.entries(value).map(
    ([name, item]) => `${NAME.test(name) ? name : JSON.stringify(name)}: ${typescriptLiteral(item as JsonValue)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** A call of an op: `await onto.task.list({ limit: 5 })`. */
export const typescriptCall = (op: string, args: JsonObject): string =>
  `await ${op}(${Object.keys(args).length === 0 ? "" : typescriptLiteral(args)})`;
