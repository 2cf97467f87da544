/** `util.schema.field_info`: the columns of a kind, from the same tables that validation uses. Pure. */

import { closest, fieldError, invalid } from "toolwright/codegen";
import { FIELDS, type Field, type FieldType } from "./fields.js";
import { EDGE_KINDS, type EdgeKind, STATES, type StatefulKind } from "./model.js";
import { defaultOf } from "./values.js";

/** Arguments of the op. */
export interface FieldInfoArgs {
  /** `ontology_` and a kind. */
  readonly entity_type: string;
  readonly field_name?: string;
}

/** One column in the answer. */
export interface FieldInfo {
  readonly name: string;
  readonly type: string;
  readonly enum: readonly string[] | null;
  readonly default: unknown;
  readonly nullable: boolean;
  /** Ops that write it; empty if only the backend sets it. */
  readonly writable_by: readonly string[];
}

const TYPE_NAMES: Readonly<Record<FieldType, string>> = {
  text: "string",
  markdown: "markdown",
  state: "string",
  type_key: "type key",
  enum: "string",
  integer: "integer",
  number: "number",
  time: "timestamp",
  object: "object",
};

/** Kinds with a create op of their own. */
const CREATED: readonly string[] = ["project", "task", "goal", "plan", "document"];

function writers(kind: EdgeKind, { by }: Field): readonly string[] {
  const ops = by.map((verb) => {
    if (verb === "project") return "onto.project.create";
    return verb === "create" && !CREATED.includes(kind) ? "onto.project.create" : `onto.${kind}.${verb}`;
  });
  return [...new Set(ops)].sort();
}

function shown(kind: EdgeKind, field: Field): FieldInfo {
  const given = field.required ? null : defaultOf(kind, field);
  return {
    name: field.name,
    type: TYPE_NAMES[field.type],
    enum: field.type === "state" ? STATES[kind as StatefulKind] : (field.values ?? null),
    default: field.type === "object" ? {} : given,
    nullable: field.nullable === true,
    writable_by: writers(kind, field),
  };
}

/** The fields of an entity type, or the requested one. @throws ToolFailure VALIDATION_ERROR for an unknown name */
export function fieldInfo({ entity_type, field_name }: FieldInfoArgs): { readonly fields: readonly FieldInfo[] } {
  const kind = EDGE_KINDS.find((known) => entity_type === `ontology_${known}`);
  if (!kind)
    return invalid([fieldError("entity_type", "enum", "entity_type is unknown", "an entity type", entity_type)]);
  const fields = FIELDS[kind].map((field) => shown(kind, field));
  if (field_name === undefined) return { fields };
  const found = fields.filter(({ name }) => name === field_name);
  if (found.length > 0) return { fields: found };
  const names = fields.map(({ name }) => name);
  const error = fieldError("field_name", "enum", `a ${kind} has no such field`, names.join("|"), field_name);
  const near = closest(field_name, names);
  return invalid([near ? { ...error, did_you_mean: near } : error]);
}
