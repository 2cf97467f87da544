/** The forms in which people write function tools, by the API that they are for; each is read as name, description and schema. */

import { closest } from "../../runtime/contract/closest.js";
import { isRecord } from "../../runtime/contract/json.js";
import { escapePointer } from "../../runtime/contract/json-pointer.js";
import type { Annotations, JsonSchema } from "../../runtime/contract/registry.js";
import type { Place } from "../core/diagnostic.js";
import type { MisspeltMember } from "../core/ir.js";
import { annotationsOf } from "./mcp.js";
import { misspeltMembers } from "./misspelt-members.js";
import type { SourceFile } from "./source.js";

/** The form that messages name. */
export const TOOL_FORM = '{ type: "function", function: { name, description, parameters } }';

/** What is written of a tool. */
export interface WrittenTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
  /** Keys from the tool to its schema. */
  readonly path: readonly string[];
  readonly result?: JsonSchema;
  readonly annotations: Partial<Annotations>;
  readonly misspelt: readonly MisspeltMember[];
}

/** A tool; why something like a tool is none; undefined for anything else. */
type Read = { readonly tool: WrittenTool } | { readonly fault: string } | undefined;

type Fields = Readonly<Record<string, unknown>>;

/** Keys under which a schema of arguments is written, and the types that objects with them have. */
const SCHEMA_KEYS: ReadonlyMap<string, string> = new Map([
  ["parameters", "function"],
  ["input_schema", "custom"],
  ["inputSchema", "function"],
  ["parametersJsonSchema", "function"],
]);

/** Keys of objects that hold a tool, and those of lists of tools. */
export const TOOL_KEYS: readonly string[] = ["function", "toolSpec", ...SCHEMA_KEYS.keys()];
/** Members that are read of a tool, and whose names are long enough to recognise a misspelt one. */
const KNOWN_KEYS: readonly string[] = ["description", "annotations", "outputSchema", ...SCHEMA_KEYS.keys()];
const LIST_KEYS = ["functionDeclarations", "function_declarations"] as const;

/**
 * Reads a tool in any of the forms.
 *
 * @param key - its name where it is a member of an object, unless it has one of its own
 */
export function readTool(value: unknown, key?: string): Read {
  if (!isRecord(value)) return undefined;
  const { type } = value;
  if (isRecord(value["function"]))
    return type === "function" ? partsOf(value["function"], ["function"], key) : { fault: typeFault(type, "function") };
  if (isRecord(value["toolSpec"])) return partsOf(value["toolSpec"], ["toolSpec"], key);
  const schemaKey = schemaKeyOf(value);
  const isNamed = typeof value["name"] === "string";
  const isFunction = type === "function" || (typeof type === "string" && closest(type, ["function"]) !== undefined);
  if (schemaKey === undefined ? !isFunction : !isNamed && !isFunction && !isMember(value, schemaKey, key))
    return faultOf(value);
  const wanted = SCHEMA_KEYS.get(schemaKey ?? "") ?? "function";
  if (type !== undefined && type !== "function" && type !== wanted) return { fault: typeFault(type, wanted) };
  return partsOf(value, [], key);
}

/** Says why a value that looks like a tool cannot be read as a tool. */
function faultOf(value: Fields): Read {
  if (isNameless(value)) return { fault: "has no name" };
  const isCustom = value["type"] === "custom" && typeof value["name"] === "string";
  return isCustom && Object.keys(value).every((key) => CUSTOM_KEYS.includes(key))
    ? { fault: typeFault(value["type"], "function") }
    : undefined;
}

/** All members of a tool whose argument is a text. */
const CUSTOM_KEYS: readonly string[] = ["type", "name", "description", "format"];

/** Whether an object has all of a tool but its name, which a key may give. */
function isNameless(value: Fields): boolean {
  const schemaKey = schemaKeyOf(value);
  return schemaKey !== undefined && value["name"] === undefined && isMember(value, schemaKey, "");
}

/** Whether a member of an object is a tool that has its name from its key. */
const isMember = (value: Fields, schemaKey: string, key: string | undefined): boolean =>
  key !== undefined && typeof value["description"] === "string" && isRecord(value[schemaKey]);

const schemaKeyOf = (value: Fields): string | undefined => [...SCHEMA_KEYS.keys()].find((key) => key in value);

const typeFault = (type: unknown, wanted: string): string =>
  type === undefined ? "has no type" : `has the type ${JSON.stringify(type)?.slice(0, 60)}, not "${wanted}"`;

function partsOf(fields: Fields, path: readonly string[], key: string | undefined): Read {
  const { name = key, description = "" } = fields;
  const schemaKey = schemaKeyOf(fields);
  const written = schemaKey === undefined ? undefined : fields[schemaKey];
  const isNested = isRecord(written) && Object.keys(written).length === 1 && isRecord(written["json"]);
  const parameters = isNested ? written["json"] : (written ?? { type: "object", properties: {} });
  if (typeof name !== "string" || name.trim() === "") return { fault: "has no name" };
  if (!isRecord(parameters)) return { fault: `has ${schemaKey} that are no schema` };
  if (typeof description !== "string") return { fault: "has a description that is no text" };
  const { outputSchema } = fields;
  return {
    tool: {
      name,
      description,
      parameters: parameters as JsonSchema,
      path: [...path, ...(schemaKey === undefined ? [] : [schemaKey]), ...(isNested ? ["json"] : [])],
      ...(isRecord(outputSchema) ? { result: outputSchema as JsonSchema } : {}),
      annotations: annotationsOf(fields),
      misspelt: misspeltMembers(fields, KNOWN_KEYS).map((one) =>
        schemaKey === undefined ? { ...one, pointer: `/${escapePointer(one.name)}` } : one,
      ),
    },
  };
}

/** A list of tools in a value: its items with the keys that lead to each from the value. */
export interface ToolList {
  readonly items: readonly {
    readonly value: unknown;
    readonly path: readonly (string | number)[];
    readonly key?: string;
  }[];
}

/** The tools that a value holds: a list, one tool, tools by name, or lists by name; undefined if nothing in it is like a tool. */
export function toolsIn(value: unknown): ToolList | undefined {
  const items = itemsIn(value, [], 0);
  return items.some((one) => readTool(one.value, one.key) !== undefined) ? { items } : undefined;
}

/** Levels of objects in which tools are looked for: lists by name, and declarations within a list. */
const MAX_LEVELS = 3;

function itemsIn(value: unknown, path: readonly (string | number)[], level: number): ToolList["items"] {
  if (level > MAX_LEVELS) return [];
  if (Array.isArray(value))
    return value.flatMap((one, index) => {
      const list = isRecord(one) ? LIST_KEYS.find((key) => Array.isArray(one[key])) : undefined;
      const at = [...path, index];
      if (list && isRecord(one)) return itemsIn(one[list], [...at, list], level + 1);
      return (readTool(one) ? undefined : groupIn(one, at, level)) ?? [{ value: one, path: at }];
    });
  if (!isRecord(value)) return [];
  if (readTool(value) !== undefined && !isNameless(value)) return [{ value, path }];
  const members = Object.entries(value);
  const isByName = members.some(([key, one]) => readTool(one, key) !== undefined);
  return members.flatMap(([key, one]) => {
    const at = [...path, key];
    if (Array.isArray(one)) return itemsIn(one, at, level + 1);
    const group = readTool(one, key) ? undefined : groupIn(one, at, level);
    return group ?? (isByName && isRecord(one) ? [{ value: one, path: at, key }] : []);
  });
}

/** The tools of something within a list or an object, if it has any. */
function groupIn(value: unknown, path: readonly (string | number)[], level: number): ToolList["items"] | undefined {
  const items = itemsIn(value, path, level + 1);
  return items.some((one) => readTool(one.value, one.key) !== undefined) ? items : undefined;
}

/** One list of tools: its export name or key, its items (empty if unreadable), and their places. */
export interface ListedTools extends ToolList {
  readonly name: string;
  /** Place of an item, or of the part of it that keys lead to; the nearest part that is known. */
  readonly placeOf: (item: ToolList["items"][number], ...keys: readonly string[]) => Place;
}

/** Contents of a file: its lists of tools, and the names of all its exports, for messages about missing ones. */
export interface FileToolLists {
  readonly lists: readonly ListedTools[];
  readonly names: readonly string[];
  /** Files that it imports. */
  readonly imports: readonly string[];
}

/** Whether the pattern of an entry may match several files. */
export const isOneOfMany = ({ entry }: Pick<SourceFile, "entry">): boolean =>
  (entry["chat-tools"] ?? entry.functions)?.includes("*") ?? false;
