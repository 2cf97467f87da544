/** Copies a schema into a form that json-schema-to-typescript prints correctly: own type names, masked names, one form of tuples. */

import { unescapePointer } from "../../runtime/contract/json-pointer.js";
import { isSchema, resolvePointer } from "../../runtime/contract/json-schema.js";
import type { JsonSchema, JsonValue } from "../../runtime/contract/registry.js";
import type { Apart } from "../../runtime/contract/shared-definitions.js";
import { subschemas } from "../core/dialect.js";
import { capital, nameWords } from "../core/names.js";
import { inComment } from "../core/printer.js";
import { commonTypes, possibleTypes, printedSchema, type Types } from "./printed-schema.js";

/** Placeholder for the name of a type while it is printed, since the printer would change `K8sListArgs` and `A$b$Args`. */
export const STAND_IN = "ToolwrightStandIn";

/** Prefix for names that every object inherits, which the printer would confuse with methods, and for a `$ref` that is data. */
export const MASK_PREFIX = "toolwright$masked$";

const masked = (name: string): string => (name in Object.prototype || name === "$ref" ? MASK_PREFIX + name : name);

/** A value as data, in which `$ref` is not a reference. */
function data(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(data);
  if (!isSchema(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [masked(name), data(one)]));
}

/** Names of definitions by reference, the definitions, and the schema that holds them. */
interface Targets {
  readonly root: JsonSchema;
  readonly names: ReadonlyMap<string, string>;
  readonly schemas: ReadonlyMap<string, JsonSchema>;
  /** Whether a name is that of a definition with a type of its own. */
  readonly isShared: Apart["isShared"];
}

/**
 * Makes the copy. Every referenced schema except `#` becomes a definition of the root, named after {@link STAND_IN}, so that the
 * types of two tools never share a name, and a referenced property is printed only once.
 */
export function typesSchema(root: JsonSchema, isShared: Apart["isShared"] = () => false): JsonSchema {
  const targets = { ...targetsOf(root), isShared };
  const $defs = Object.fromEntries([...targets.schemas].map(([name, schema]) => [name, copy(schema, targets)]));
  return { ...(copy(root, targets) as JsonSchema), $defs } as JsonSchema;
}

function targetsOf(root: JsonSchema): Omit<Targets, "isShared"> {
  const names = new Map<string, string>();
  const schemas = new Map<string, JsonSchema>();
  for (const { schema } of subschemas(root)) {
    const ref = schema["$ref"];
    const target = typeof ref === "string" ? resolvePointer(root, ref) : undefined;
    if (typeof ref !== "string" || !target || target === root || names.has(ref)) continue;
    const known = [...schemas].find(([, one]) => one === target)?.[0];
    const name = known ?? freeName(ref, schemas);
    names.set(ref, name);
    schemas.set(name, target);
  }
  return { root, names, schemas };
}

/** The definition that a reference names. */
function sharedName(ref: string): string | undefined {
  const [, name] = /^#\/\$defs\/([^/]*)$/.exec(ref) ?? [];
  return name === undefined ? undefined : unescapePointer(decodeURIComponent(name));
}

/** Stands for the type of a shared definition while types are printed. */
export const sharedMark = (name: string): string => `${SHARED}${Buffer.from(name).toString("hex")}$`;

const SHARED = "ToolwrightShared$";

/** Replaces the marks in printed types. */
export const withSharedTypes = (text: string, typeOf: (name: string) => string): string =>
  text.replace(/ToolwrightShared\$([0-9a-f]*)\$/g, (_, hex: string) => typeOf(Buffer.from(hex, "hex").toString()));

const KEYWORDS: ReadonlySet<string> = new Set(["#", "properties", "$defs", "definitions"]);

/** `#/$defs/tree_node` is `TreeNode`, with a number if the name is taken. */
function freeName(ref: string, taken: ReadonlyMap<string, unknown>): string {
  const parts = ref.split("/").filter((part) => !KEYWORDS.has(part));
  const stem =
    STAND_IN + (parts.flatMap((part) => nameWords(decodeURIComponent(part)).map(capital)).join("") || "Part");
  for (let i = 1; ; i++) {
    const name = i === 1 ? stem : `${stem}${i}`;
    if (!taken.has(name)) return name;
  }
}

type Entries = readonly (readonly [string, unknown])[];

function copy(value: unknown, targets: Targets, types?: Types): unknown {
  if (Array.isArray(value)) return value.map((one) => copy(one, targets, types));
  if (!isSchema(value)) return value;
  const { root } = targets;
  const left = commonTypes(types, possibleTypes(value, root));
  return Object.fromEntries(
    Object.entries(printedSchema(value, left)).flatMap(([key, member]) => keyword(key, member, targets, left)),
  );
}

/** Keywords whose schemas are about the same value. */
const SAME_VALUE: ReadonlySet<string> = new Set(["allOf", "anyOf", "oneOf"]);

const MAPS: ReadonlySet<string> = new Set(["properties", "patternProperties"]);
const DATA: ReadonlySet<string> = new Set(["enum", "const", "default"]);
/**
 * Keywords that a type needs. All others are removed: the printer has its own keywords (`tsType` is code that it prints unchanged, and is ours alone),
 * prints definitions separately, prefers titles and ids to our names, and treats unknown keywords as the sign of an object.
 */
const PRINTED: ReadonlySet<string> = new Set([
  ...["tsType", "$ref", "type", "enum", "const", "default", "nullable", "description", "deprecated"],
  ...["properties", "patternProperties", "additionalProperties", "required"],
  ...["items", "additionalItems", "minItems", "maxItems", "allOf", "anyOf", "oneOf"],
]);

function keyword(key: string, member: JsonValue | undefined, targets: Targets, types: Types): Entries {
  if (!PRINTED.has(key) || (key === "deprecated" && typeof member !== "boolean")) return [];
  if (DATA.has(key)) return [[key, data(member)]];
  if (key === "description") return typeof member === "string" ? [[key, inComment(member)]] : [];
  if (key === "required" && Array.isArray(member))
    return [[key, member.map((one: JsonValue) => (typeof one === "string" ? masked(one) : one))]];
  if (key === "$ref" && typeof member === "string") {
    const name = targets.names.get(member);
    const shared = name === undefined ? sharedName(member) : undefined;
    if (shared !== undefined && targets.isShared(shared)) return [["tsType", sharedMark(shared)]];
    return [[key, name === undefined ? "#" : `#/$defs/${name}`]];
  }
  if (MAPS.has(key) && isSchema(member))
    return [[key, Object.fromEntries(Object.entries(member).map(([name, one]) => [masked(name), copy(one, targets)]))]];
  return [[key, copy(member, targets, SAME_VALUE.has(key) ? types : undefined)]];
}
