/** Builds the help document of one op, which `tool_help` and the documentation show. */

import { acceptedNames, OTHERS } from "../../runtime/contract/accepted-names.js";
import { argumentOf, type HelpDocument, UNKNOWN } from "../../runtime/contract/help.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import { learnedFrom } from "../../runtime/contract/known-result.js";
import { type NormalSchema, normalizeLearned } from "../../runtime/contract/normal-schema.js";
import type { Example, JsonSchema, JsonValue, Parameter } from "../../runtime/contract/registry.js";
import { definitionJson } from "../../runtime/contract/shared-definitions.js";
import type { Extracted } from "../core/ir.js";
import { textBeginning } from "../core/printer.js";
import { constraintText } from "./notes.js";
import { readableType } from "./signature.js";

const MAX_EXAMPLES = 3;
const MAX_DEFAULT_LENGTH = 40;

/** Ops of the same build that are not hidden, for two-step examples and see-also lists. */
export type Siblings = ReadonlyMap<string, Extracted>;

/** The help document of a tool. */
export function helpDocument(tool: Extracted, all: Siblings): HelpDocument {
  return {
    kind: tool.op_kind,
    summary: tool.summary,
    usage: `${tool.op}(${[...tool.parameter_list.map(usageOf), ...othersOf(tool)].join(", ")})`,
    args: tool.parameter_list.map(argumentOf),
    notes: [...tool.notes, ...bytesNotes(tool)],
    ...(tool.policy ? { policy: tool.policy } : {}),
    examples: [...tool.examples, ...twoSteps(tool, all)].slice(0, MAX_EXAMPLES),
    description: tool.description,
    returns: returnsOf(tool),
    errors: errorsOf(tool),
    see_also: seeAlso(tool, all),
    constraints: tool.constraints.map(constraintText),
  };
}

function returnsOf({ output, learned }: Extracted): string {
  if (output) return readableType(output);
  if (!learned) return UNKNOWN;
  return `${readableType(normalizeLearned(learned.schema))} (${learnedFrom(learned)})`;
}

/** What agents get in place of bytes, where a result has them. */
const BYTES_NOTE = "MCP: bytes come as a content block; the result has size and block, its number, in their place.";

function bytesNotes({ result, output, learned }: Extracted): readonly string[] {
  const schema = result ?? learned?.schema;
  if (!schema || !mayHaveBytes(schema)) return [];
  return hasBytes(output ?? normalizeLearned(schema)) ? [BYTES_NOTE] : [];
}

/** Whether a schema or one of its definitions names such a member: few do, and to walk all that a schema reaches is long. */
function mayHaveBytes({ $defs, ...root }: JsonSchema): boolean {
  return [root, ...Object.values(isSchema($defs) ? $defs : {})].some((one) => definitionJson(one).includes('"mime"'));
}

/** Whether a result has media, `{ type, mime, bytes }`, at whatever depth. */
function hasBytes(schema: NormalSchema): boolean {
  switch (schema.kind) {
    case "array":
      return hasBytes(schema.items);
    case "tuple":
      return [...schema.items, ...(schema.rest ? [schema.rest] : [])].some(hasBytes);
    case "union":
      return schema.members.some(hasBytes);
    case "object": {
      const names = schema.properties.map(({ name }) => name);
      if (names.includes("bytes") && names.includes("mime")) return true;
      return schema.properties.some((one) => hasBytes(one.schema)) || (schema.values ? hasBytes(schema.values) : false);
    }
    default:
      return false;
  }
}

const othersOf = ({ parameters }: Extracted): readonly string[] => (acceptedNames(parameters).open ? [OTHERS] : []);

/** `project_id`, `state_key?`, `limit=20` */
function usageOf(one: Parameter): string {
  if (one.required) return one.name;
  return one.default === undefined ? `${one.name}?` : `${one.name}=${shortDefault(one.default)}`;
}

function shortDefault(value: JsonValue): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length > MAX_DEFAULT_LENGTH ? `${textBeginning(text, MAX_DEFAULT_LENGTH - 1)}…` : text;
}

/** An example in two steps: find the id, then use it. */
function twoSteps(tool: Extracted, all: Siblings): readonly Example[] {
  if (tool.action !== "get" || tool.entity === undefined) return [];
  const list = all.get(`${tool.pack}.${tool.entity}.list`);
  const first = list?.examples[0];
  const then = tool.examples[0];
  if (!first || !then) return [];
  return [
    { ...first, title: "Step 1: find the id" },
    { ...then, title: "Step 2: use it" },
  ];
}

function errorsOf(tool: Extracted): readonly string[] {
  const hasIds = tool.parameter_list.some((one) => one.type.startsWith("id"));
  const versioned = tool.parameter_list.some((one) => /^expected_(\w+_)?version$/.test(one.original));
  return [
    "VALIDATION_ERROR",
    ...(hasIds ? ["NOT_FOUND"] : []),
    ...(tool.op_kind === "write" ? ["PERMISSION_DENIED"] : []),
    ...(versioned ? ["CONFLICT"] : []),
  ];
}

/** The other ops of the same entity, reads first. */
function seeAlso(tool: Extracted, all: Siblings): readonly string[] {
  if (tool.entity === undefined) return [];
  const near = [...all.values()].filter(
    (one) => one.pack === tool.pack && one.entity === tool.entity && one.op !== tool.op,
  );
  const ordered = [...near.filter((one) => one.op_kind === "read"), ...near.filter((one) => one.op_kind === "write")];
  return ordered.map((one) => one.op).slice(0, 6);
}
