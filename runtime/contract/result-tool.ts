/**
 * `ot.result` as every project has it: what was stored must be readable without the pack `ot`, and by every key. It is not
 * listed then.
 */

import { isObject } from "./json.js";
import type { Parameter, Tool } from "./registry.js";
import type { ValidationIssue, Validator } from "./validation.js";

const summary = "Pages through a stored result, or searches its lines.";

const argument = (name: string, type: string, description: string, preset?: Parameter["default"]): Parameter => ({
  ...{ name, original: name, required: preset === undefined, aliases: [], type },
  ...(preset === undefined ? {} : { default: preset }),
  description,
});

const parameters: readonly Parameter[] = [
  argument("handle", "string|object", "Of a reply that was stored, or the answer of ot.keep."),
  argument("offset", "integer", "First line, from 1.", 1),
  argument("limit", "integer", "Most lines.", 100),
  argument(
    "search",
    "string",
    "Only lines that this regular expression fits, letter case ignored; offset and limit then count these.",
    "",
  ),
  argument("fuzzy", "boolean", "Search for words that are near, best first.", false),
];

const HANDLE = { anyOf: [{ type: "string" }, { type: "object", additionalProperties: {} }] };

const properties = Object.fromEntries(
  parameters.map(({ name, type, description = "", default: preset }) => [
    name,
    preset === undefined ? { ...HANDLE, description } : { type, description, default: preset },
  ]),
);

const NOT_DIGESTED = "0".repeat(64);

/** The tool. */
export const RESULT_TOOL: Tool = {
  op: "ot.result",
  tool_name: "result",
  description: summary,
  parameters_schema: { type: "object", properties, required: ["handle"], additionalProperties: false },
  group: "ot",
  kind: "read",
  action: "result",
  examples: [],
  access: "read",
  target: "global",
  aliases: [],
  summary,
  signature: {
    python: "ot.result(handle: str | dict, offset: int = 1, limit: int = 100, search: str = '', fuzzy: bool = False)",
    typescript:
      "ot.result(args: { handle: string | Record<string, unknown>; offset?: number; limit?: number; search?: string; fuzzy?: boolean }): Promise<unknown>",
  },
  parameters,
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  constraints: [],
  notes: [],
  source: { kind: "local", file: "toolwright/definitions/packs/ot.ts", call: { export: "result" }, shipped: true },
  tokens: { definition: 0, help: 0 },
  digest: { input: NOT_DIGESTED, docs: NOT_DIGESTED, op: NOT_DIGESTED },
};

/** Whether the op that reads stored results is the shipped one: a project may have an op of that name. */
export const readsResults = (tool: Tool | undefined): boolean =>
  tool?.op === RESULT_TOOL.op && tool.source.shipped === true;

const FITS: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  "string|object": (value) => typeof value === "string" || isObject(value),
  integer: Number.isInteger,
  boolean: (value) => typeof value === "boolean",
};

/** Checks the arguments of {@link RESULT_TOOL}, as a generated validator does. */
export const validateResultQuery: Validator = (data) => {
  validateResultQuery.errors = isObject(data) ? parameters.flatMap((one) => issuesOf(one, data[one.name])) : [];
  return validateResultQuery.errors.length === 0;
};

function issuesOf({ name, type, required }: Parameter, value: unknown): readonly ValidationIssue[] {
  const instancePath = `/${name}`;
  if (value === undefined)
    return required ? [{ instancePath: "", keyword: "required", params: { missingProperty: name } }] : [];
  return FITS[type]?.(value) === true ? [] : [{ instancePath, keyword: "type", params: { type } }];
}
