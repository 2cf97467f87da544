/** Refuses arguments that still hold a placeholder: the caller copied a suggested call and did not fill it in. */

import { received } from "../../contract/error-body.js";
import type { FieldError } from "../../contract/handler.js";
import { isObject } from "../../contract/json.js";
import { boundedPattern } from "../../contract/pattern/bounded-pattern.js";
import { argumentNames, isHandedOut, placeholderName } from "../../contract/placeholder.js";
import type { JsonObject, JsonSchema, JsonValue, Tool } from "../../contract/registry.js";
import { typeText } from "../../contract/type-text.js";
import { matchingBranch } from "./branch.js";
import { joinPath, memberSchema } from "./schema.js";

/** The keyword of findings about placeholders. */
export const PLACEHOLDER = "placeholder";

/** Placeholders that are reported one by one. */
const MAX_FINDINGS = 100;

interface Walk {
  readonly root: JsonSchema;
  readonly names: ReadonlySet<string>;
  readonly found: FieldError[];
}

/** Findings for texts that are placeholders as a whole, at every level. */
export function handedOut(tool: Tool, args: JsonObject): readonly FieldError[] {
  if (!holdsMark(args)) return [];
  const root = tool.parameters_schema;
  const walk: Walk = { root, names: argumentNames(tool), found: [] };
  visit(args, root, "", walk);
  return walk.found;
}

const holdsMark = (value: JsonValue | undefined): boolean => {
  if (typeof value === "string") return /^\s*[<‹]/.test(value);
  if (Array.isArray(value)) return value.some(holdsMark);
  return isObject(value) && Object.values(value).some(holdsMark);
};

function visit(value: JsonValue, schema: JsonSchema | undefined, path: string, walk: Walk): void {
  if (walk.found.length >= MAX_FINDINGS) return;
  if (typeof value === "string") {
    if (isHandedOut(value, walk.names) && !isId(value, schema, walk))
      walk.found.push(finding(value, schema, path, walk));
    return;
  }
  if (typeof value !== "object" || value === null) return;
  const rule = schema && matchingBranch(schema, value, walk.root);
  const below = (key: string | number): JsonSchema | undefined => rule && memberSchema(rule, key);
  if (Array.isArray(value))
    value.forEach((item: JsonValue, at) => {
      visit(item, below(at), joinPath(path, at), walk);
    });
  else for (const [name, member] of Object.entries(value)) visit(member, below(name), joinPath(path, name), walk);
}

/** Whether `<task_4t8w1n6y>` holds an id that fits, and no name of an argument. */
function isId(value: string, schema: JsonSchema | undefined, { root, names }: Walk): boolean {
  const inner = placeholderName(value) ?? "";
  if (schema === undefined || names.has(inner) || names.has(inner.toLowerCase())) return false;
  const { pattern } = matchingBranch(schema, inner, root);
  return typeof pattern === "string" && boundedPattern(pattern, "u").test(inner) && /\d/.test(inner);
}

function finding(value: string, schema: JsonSchema | undefined, path: string, { root }: Walk): FieldError {
  return {
    path,
    keyword: PLACEHOLDER,
    message: `${path} is a placeholder to fill in`,
    expected: schema ? typeText(schema, root) : "a value",
    received: received(value),
  };
}
