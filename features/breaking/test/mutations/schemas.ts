/** Schemas for the mutation benchmark: a small set of its own, and those of real tools where the corpora are there. */

import { CORPORA, hasCorpora, snapshotFiles } from "../../../../test/support/corpora.js";
import type { Json } from "../../../../test/support/project.js";
import { randomOf, shuffled } from "../../../../test/support/random.js";

/** The keyword, spelled so that no linter takes the schema for a promise. */
const THEN = "then";

const object = (properties: Json, rest: Json = {}): Json => ({ type: "object", properties, ...rest });

/** Inputs that use what real tools seldom use. */
export const OWN_SCHEMAS: readonly Json[] = [
  object(
    {
      project_id: { type: "string", format: "uuid" },
      state: { enum: ["todo", "in_progress", "done"] },
      limit: { type: "integer", minimum: 1, maximum: 100, default: 20 },
      due: { type: ["string", "null"], format: "date" },
    },
    { required: ["project_id"], additionalProperties: false },
  ),
  object(
    {
      query: { type: "string", minLength: 1, maxLength: 200 },
      tags: { type: "array", items: { type: "string", pattern: "^[a-z]+$" }, uniqueItems: true, maxItems: 5 },
      exact: { type: "boolean" },
    },
    { required: ["query"] },
  ),
  object(
    {
      target: {
        oneOf: [
          object({ kind: { const: "task" }, id: { type: "integer" } }, { required: ["kind", "id"] }),
          object({ kind: { const: "note" }, text: { type: "string" } }, { required: ["kind"] }),
        ],
      },
      dry: { type: "boolean" },
    },
    { required: ["target"] },
  ),
  object(
    { node: { $ref: "#/$defs/node" } },
    {
      $defs: {
        node: object(
          { value: { type: ["number", "string"] }, children: { type: "array", items: { $ref: "#/$defs/node" } } },
          { required: ["value"], additionalProperties: false },
        ),
      },
    },
  ),
  object(
    {
      headers: { type: "object", additionalProperties: { type: "string" } },
      method: { type: "string", enum: ["GET", "POST", "PUT"] },
      body: { anyOf: [{ type: "string" }, { type: "object" }, { type: "null" }] },
      timeout: { type: "number", exclusiveMinimum: 0, maximum: 60 },
    },
    { required: ["method"] },
  ),
  object(
    {
      from: { type: "string", format: "date-time" },
      to: { type: "string", format: "date-time" },
      zone: { type: "string" },
    },
    { dependentRequired: { to: ["from"] }, additionalProperties: false },
  ),
  object(
    { id: { type: "string" }, email: { type: "string", format: "email" } },
    { anyOf: [{ required: ["id"] }, { required: ["email"] }] },
  ),
  object(
    {
      mode: { enum: ["fast", "slow"] },
      retries: { type: "integer", minimum: 0, multipleOf: 2 },
      note: { type: "string", nullable: true },
    },
    { if: { properties: { mode: { const: "slow" } }, required: ["mode"] }, [THEN]: { required: ["retries"] } },
  ),
  object({
    point: { type: "array", prefixItems: [{ type: "number" }, { type: "number" }], items: false, minItems: 2 },
    label: { type: "string", not: { const: "none" } },
  }),
  object({
    filter: {
      allOf: [object({ a: { type: "string" } }), object({ b: { type: "integer" } }, { required: ["b"] })],
      unevaluatedProperties: false,
    },
  }),
  object({
    values: { type: "array", contains: { type: "integer" }, items: { type: ["integer", "string"] } },
    prefs: {
      type: "object",
      patternProperties: { "^x-": { type: "string" } },
      additionalProperties: { type: "boolean" },
    },
  }),
  object({
    version: { const: 2 },
    ratio: { type: "number", minimum: 0, maximum: 1 },
    names: {
      type: "object",
      propertyNames: { pattern: "^[a-z]+$" },
      additionalProperties: { type: "integer" },
      minProperties: 1,
    },
  }),
];

/** Inputs of real tools, a seeded selection; none without the corpora. */
export function realSchemas(count: number, seed: number): readonly Json[] {
  if (!hasCorpora || CORPORA === "") return [];
  const tools = snapshotFiles().flatMap(([, text]) => JSON.parse(text).tools as readonly Json[]);
  const inputs = tools
    .map((one) => one.inputSchema)
    .filter(
      (one) =>
        one?.type === "object" && Object.keys(one.properties ?? {}).length > 0 && JSON.stringify(one).length < 20_000,
    );
  return shuffled(inputs, randomOf(seed)).slice(0, count);
}
