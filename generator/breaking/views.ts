/** Every schema that says something about the same value: in unions, conditions and negations as well. */

import { isSchema } from "toolwright/codegen";
import type { Facts } from "./facts.js";
import { inside, listOf, mapOf, type Node, type SchemaNode, targetOf } from "./node.js";

const LISTED = ["allOf", "anyOf", "oneOf"] as const;
const SINGLE = ["not", "if", "then", "else"] as const;
const KEYED = ["dependentSchemas", "dependencies"] as const;
/** Most views of one place. */
const MAX_VIEWS = 80;

/** The schemas and those inside them that are about the same value. */
export function viewsOf(nodes: readonly Node[]): Facts {
  const views: SchemaNode[] = [];
  const met = new Set<unknown>();
  const open = [...nodes];
  for (let at = 0; at < open.length && views.length < MAX_VIEWS; at++) {
    const node = open[at] as Node;
    if (!isSchema(node.schema) || met.has(node.schema)) continue;
    met.add(node.schema);
    views.push(node as SchemaNode);
    const { schema } = node;
    const target = targetOf(node, schema["$ref"]);
    if (target) open.push(target);
    const held = [
      ...LISTED.flatMap((keyword) => listOf(schema[keyword])),
      ...SINGLE.map((keyword) => schema[keyword]),
      ...KEYED.flatMap((keyword) => Object.values(mapOf(schema[keyword]))),
    ];
    for (const one of held) open.push(inside(node, one));
  }
  return views;
}
