/** Finds a part of an op's arguments or result by the path under which help shows it: `entities[].props`, `returns.items`. */

import { acceptedNames } from "./accepted-names.js";
import { alternatives, dereference, isSchema, itemSchemas } from "./json-schema.js";
import { resultSchema } from "./known-result.js";
import type { JsonObject, JsonSchema, Tool } from "./registry.js";

/** The parts of a tool that its schemas are read from. */
export type DescribedTool = Pick<Tool, "parameters" | "parameters_schema" | "result_schema" | "learned_result">;

/** A schema, and the one in which its references are looked up. */
export interface SchemaPlace {
  readonly schema: JsonSchema;
  readonly root: JsonSchema;
}

/** The names under which the result is asked for; an argument with the first name wins, and the second is left. */
const RESULT_NAMES = ["returns", "->"] as const;

/** The path of the result of a tool. */
export const resultPath = (tool: DescribedTool): string => RESULT_NAMES[argumentSchemas(tool).has("returns") ? 1 : 0];

/** The schema of each argument, by both its names; undefined for one that the schema only mentions. */
export function argumentSchemas({ parameters, parameters_schema }: DescribedTool): ReadonlyMap<string, JsonSchema> {
  const { declared } = acceptedNames(parameters_schema);
  const known = parameters.flatMap(({ name, original }) => {
    const schema = declared.get(original);
    return schema ? [[name, schema] as const] : [];
  });
  return new Map([...known, ...declared]);
}

/** The part at a path; undefined if there is none. */
export function placeAtPath(tool: DescribedTool, path: string): SchemaPlace | undefined {
  const root = tool.parameters_schema;
  const found = below([{ properties: Object.fromEntries(argumentSchemas(tool)) as JsonObject }], `.${path}`, root);
  if (found) return { schema: found, root };
  const result = resultSchema(tool);
  const name = RESULT_NAMES.find((one) => path.startsWith(one));
  if (!result || name === undefined) return undefined;
  const schema = below([result], path.slice(name.length), result);
  return schema && { schema, root: result };
}

/** Schemas of one place that are looked into. */
const MAX_ALTERNATIVES = 100;
/** Lists inside lists whose brackets may be left out. */
const MAX_LISTS = 6;

/** The schema below some alternatives; the steps are `.name`, `.*` for a member of a map, `[]` and `[0]`. */
function below(schemas: readonly JsonSchema[], path: string, root: JsonSchema, lists = 0): JsonSchema | undefined {
  if (path === "") return schemas.length === 1 ? schemas[0] : ({ anyOf: schemas } as unknown as JsonSchema);
  const options = expanded(schemas, root);
  const [item, position] = /^\[(\d{0,6})\]/.exec(path) ?? [];
  if (item !== undefined)
    return into(
      options.map((one) => itemOf(one, position)),
      path.slice(item.length),
      root,
    );
  if (!path.startsWith(".")) return undefined;
  const names = [...new Set(options.flatMap((one) => Object.keys(propertiesOf(one))))].sort(
    (a, b) => b.length - a.length,
  );
  const rest = path.slice(1);
  const name = names.find((one) => rest.startsWith(one) && /^(?:[.[]|$)/.test(rest.slice(one.length)));
  if (name !== undefined) {
    const members = options.map((one) =>
      Object.hasOwn(propertiesOf(one), name) ? propertiesOf(one)[name] : undefined,
    );
    return into(members, rest.slice(name.length), root);
  }
  const isMember = /^\*(?:[.[]|$)/.test(rest);
  if (isMember)
    return into(
      options.map(({ additionalProperties: values }) => values),
      rest.slice(1),
      root,
    );
  // The brackets of a list may be left out.
  const items = options.map((one) => itemOf(one, "")).filter(isSchema);
  return items.length > 0 && lists < MAX_LISTS ? below(items, path, root, lists + 1) : undefined;
}

function into(found: readonly unknown[], path: string, root: JsonSchema): JsonSchema | undefined {
  const schemas = [...new Set(found)].map((one) => (one === true ? {} : one)).filter(isSchema);
  return schemas.length > 0 ? below(schemas, path, root) : undefined;
}

const propertiesOf = ({ properties }: JsonSchema): JsonSchema => (isSchema(properties) ? properties : {});

function itemOf(schema: JsonSchema, position: string | undefined): unknown {
  const { tuple, rest } = itemSchemas(schema);
  const isList = schema["type"] === "array" || rest !== undefined || tuple.length > 0;
  if (position !== undefined && position !== "") return tuple[Number(position)] ?? rest;
  return rest ?? (isList && tuple.length === 0 ? true : undefined);
}

/** Schemas without references, and the alternatives of unions in place of them. */
function expanded(schemas: readonly JsonSchema[], root: JsonSchema): readonly JsonSchema[] {
  const all = new Set<JsonSchema>(schemas.map((one) => dereference(one, root)));
  for (const one of all) {
    if (all.size > MAX_ALTERNATIVES) break;
    for (const option of alternatives(one)) all.add(dereference(option, root));
  }
  return [...all];
}
