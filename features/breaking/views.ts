/** Every schema that says something about the same value: in unions, conditions and negations as well. */

import { listOrEmpty } from "../../runtime/contract/json.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import {
  equalityText,
  isSameText,
  type RootedSchema,
  referencedSchema,
  rootedSchema,
  type SchemaNode,
  schemasByName,
} from "./node.js";

const LISTED = ["allOf", "anyOf", "oneOf"] as const;
const SINGLE = ["not", "if", "then", "else"] as const;
const KEYED = ["dependentSchemas", "dependencies"] as const;
/** Most views of one place. */
const MAX_VIEWS = 80;

type Views = readonly SchemaNode[];

/** The schemas and those inside them that are about the same value. */
export const viewsOf = (nodes: readonly RootedSchema[]): Views => surveyed(nodes).views;

interface Survey {
  readonly views: Views;
  /** Schemas below `if` and `not`: they decide what else holds. */
  readonly conditions: ReadonlySet<unknown>;
}

function surveyed(nodes: readonly RootedSchema[]): Survey {
  const views: SchemaNode[] = [];
  const conditions = new Set<unknown>();
  const met = new Set<unknown>();
  const open = [...nodes];
  for (let at = 0; at < open.length && views.length < MAX_VIEWS; at++) {
    const node = open[at] as RootedSchema;
    if (!isSchema(node.schema) || met.has(node.schema)) continue;
    met.add(node.schema);
    views.push(node as SchemaNode);
    const below = heldBy(node as SchemaNode);
    if (conditions.has(node.schema)) for (const one of below) conditions.add(one.schema);
    for (const keyword of CONDITIONS) conditions.add(node.schema[keyword]);
    open.push(...below);
  }
  return { views, conditions };
}

const CONDITIONS = ["if", "not"] as const;

function heldBy(node: SchemaNode): readonly RootedSchema[] {
  const { schema } = node;
  const target = referencedSchema(node, schema["$ref"]);
  const held = [
    ...LISTED.flatMap((keyword) => listOrEmpty(schema[keyword])),
    ...SINGLE.map((keyword) => schema[keyword]),
    ...KEYED.flatMap((keyword) => Object.values(schemasByName(schema[keyword]))),
  ];
  return [...(target ? [target] : []), ...(node.beside ?? []), ...held.map((one) => rootedSchema(node, one))];
}

/** The views of the new side that the old side does not have as well; conditions stay. */
export function newViews(old: Views, later: readonly RootedSchema[]): Views {
  const texts = new Set(old.map((one) => equalityText(one.schema)));
  const { views, conditions } = surveyed(later);
  return views.filter(
    (one) =>
      conditions.has(one.schema) ||
      !texts.has(equalityText(one.schema)) ||
      !old.some((other) => isSameText(other, one)),
  );
}

/** Schemas of a part of the value that say something else than its facts do. */
export const differingSchemas = (
  facts: readonly RootedSchema[],
  later: readonly RootedSchema[],
): readonly RootedSchema[] =>
  later.filter((one) => one.schema !== true && !facts.some((fact) => isSameText(fact, one)));
