/** Finds objects that `allOf` closes to their own members, so that no value with all of them is valid. */

import { isRecord } from "../../../runtime/contract/json.js";
import type { LocatedObject, OpenApiObject, OpenapiDocument } from "./openapi-document.js";

/** Most parts of `allOf` that are looked at. */
const MAX_PARTS = 64;

/**
 * The members that some parts of an object declare, and that a part which is closed by `additionalProperties: false` does not know.
 * JSON Schema lets no value have them, and their authors mean that it has them.
 */
export function membersShutOut(schema: OpenApiObject, file: string, document: OpenapiDocument): readonly string[] {
  if (!Array.isArray(schema["allOf"])) return [];
  const parts: OpenApiObject[] = [];
  collect({ node: schema, file }, document, parts);
  const closed = parts.filter((part) => part["additionalProperties"] === false && !isRecord(part["patternProperties"]));
  const names = new Set(closed.length === 0 ? [] : parts.flatMap((part) => Object.keys(propertiesIn(part))));
  return [...names].filter((name) => closed.some((part) => !Object.hasOwn(propertiesIn(part), name)));
}

function collect({ node, file }: LocatedObject, document: OpenapiDocument, parts: OpenApiObject[]): void {
  if (parts.length >= MAX_PARTS) return;
  const { $ref, allOf } = node;
  if (typeof $ref === "string") {
    const target = document.find($ref, file);
    if (target && !parts.includes(target.node)) collect(target, document, parts);
    return;
  }
  parts.push(node);
  for (const part of Array.isArray(allOf) ? allOf : [])
    if (isRecord(part)) collect({ node: part, file }, document, parts);
}

const propertiesIn = ({ properties }: OpenApiObject): OpenApiObject => (isRecord(properties) ? properties : {});
