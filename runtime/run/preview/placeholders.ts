/** Answers in the place of those that a preview does not ask for: of the type that the op declares, and recognised among arguments. */

import { isObject } from "../../contract/json.js";
import type { JsonSchema, JsonValue } from "../../contract/registry.js";

/** Most members of an answer. */
const MAX_MEMBERS = 200;
const MAX_DEPTH = 6;
/** Numbers in the place of assumed ones begin here: few programs have such numbers of their own. */
const FIRST_NUMBER = 8_000_000_000_000_000;

/** Makes placeholders, each different from all others. */
export interface Placeholders {
  /**
   * A value of a schema: of its members those that can be recognised, which are texts and numbers. A program that reads
   * another one fails.
   *
   * @param label of a member, by its path
   * @returns undefined if the value itself cannot be recognised
   */
  of(schema: JsonSchema | undefined, label: (path: string) => string): JsonValue | undefined;
}

/** @param told is given each text and number that stands for an assumed one, with its label */
export function createPlaceholders(told: (value: string | number, label: string) => void): Placeholders {
  let made = 0;
  const next = (): number => {
    made += 1;
    return made;
  };
  return {
    of(schema, label) {
      if (schema === undefined) return text(label(""), undefined);
      let left = MAX_MEMBERS;
      const build = (given: JsonSchema, path: readonly string[]): JsonValue | undefined => {
        const rule = plain(given, schema);
        const type = typeOf(rule);
        if (type === "object") {
          const members = Object.entries(isObject(rule["properties"]) ? rule["properties"] : {});
          const built = members.flatMap(([name, member]) => {
            if (path.length >= MAX_DEPTH || left-- <= 0) return [];
            const value = build(member as JsonSchema, [...path, name]);
            return value === undefined ? [] : [[name, value] as const];
          });
          return Object.fromEntries(built);
        }
        const known = label(path.join("."));
        if (type === "string") return text(known, rule);
        if (type === "integer" || type === "number") return number(known);
        return undefined;
      };
      return build(schema, []);
    },
  };

  function text(label: string, rule: JsonSchema | undefined): string | undefined {
    // A value of an enum is too common to be recognised.
    if (rule && ("enum" in rule || "const" in rule)) return undefined;
    const isUuid = rule?.["format"] === "uuid";
    const value = isUuid ? `00000000-0000-4000-8000-${String(next()).padStart(12, "0")}` : textFor(label);
    told(value, label);
    return value;
  }

  function number(label: string): number {
    const value = FIRST_NUMBER + next();
    told(value, label);
    // In a text, such as f"see {number}".
    told(String(value), label);
    return value;
  }
}

/** The text in the place of an assumed one. The label itself would be refused as an argument that is to be filled in. */
const textFor = (label: string): string => label.replace("‹", "[assumed ").replace("›", "]");

/** The schema behind references within `root`, and of several the first that is not null. */
function plain(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let rule = schema;
  for (let step = 0; step < MAX_DEPTH; step++) {
    const ref = rule["$ref"];
    const some = [rule["anyOf"], rule["oneOf"]].find(Array.isArray) as readonly JsonSchema[] | undefined;
    const next = typeof ref === "string" ? at(root, ref) : some?.find((one) => one["type"] !== "null");
    if (!next) return rule;
    rule = next;
  }
  return rule;
}

function at(root: JsonSchema, ref: string): JsonSchema | undefined {
  let found: unknown = root;
  for (const part of ref.replace(/^#\/?/, "").split("/").filter(Boolean))
    found = isObject(found) ? Object.entries(found).find(([name]) => name === part)?.[1] : undefined;
  return isObject(found) ? (found as JsonSchema) : undefined;
}

function typeOf(rule: JsonSchema): unknown {
  const { type } = rule as { readonly type?: unknown };
  const found = Array.isArray(type) ? type.find((one) => one !== "null") : type;
  return found ?? ("properties" in rule ? "object" : "enum" in rule ? "string" : undefined);
}
