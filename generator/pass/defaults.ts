/** Finds and removes defaults that their own schema refuses: filling them in would make every call fail. */

import { escapePointer } from "../../runtime/contract/json-pointer.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";
import { type Compiled, type Compiler, issueText } from "../core/compile.js";
import { argumentAt, subschemas } from "../core/dialect.js";

/** A default that does not fit, and the subschema that holds it. */
export interface Misfit {
  readonly argument: string;
  readonly reason: string;
  readonly schema: JsonSchema;
  /** Place of the subschema in the schema. */
  readonly pointer: string;
}

/** Defaults that do not fit, at any depth, in the order of the schema. */
export function misfits(root: JsonSchema, compiled: Compiled, compiler: Compiler): readonly Misfit[] {
  const properties = isSchema(root["properties"]) ? root["properties"] : {};
  const top = Object.entries(properties).flatMap(([name, schema]) =>
    isSchema(schema) && Object.hasOwn(schema, "default") ? [{ name, schema }] : [],
  );
  const defaults = Object.fromEntries(top.map(({ name, schema }) => [name, schema["default"]]));
  const issues = top.length === 0 ? [] : compiled.issuesOf(defaults);
  const found = top.flatMap(({ name, schema }): readonly Misfit[] => {
    const at = `/${escapePointer(name)}`;
    const issue = issues.find(({ instancePath }) => instancePath === at || instancePath.startsWith(`${at}/`));
    return issue ? [{ argument: name, reason: issueText(issue), schema, pointer: `/properties${at}` }] : [];
  });
  return [...found, ...nestedMisfits(root, new Set(top.map((one) => one.schema)), compiler)];
}

function nestedMisfits(root: JsonSchema, done: ReadonlySet<JsonSchema>, compiler: Compiler): readonly Misfit[] {
  const { $schema, $defs, definitions } = root;
  return subschemas(root).flatMap(({ schema, pointer }): readonly Misfit[] => {
    if (pointer === "" || done.has(schema) || !Object.hasOwn(schema, "default")) return [];
    try {
      const [issue] = compiler.issuesOf({ $schema, $defs, definitions, ...schema }, schema["default"]);
      return issue ? [{ argument: argumentAt(pointer), reason: issueText(issue), schema, pointer }] : [];
    } catch {
      return []; // The schema refers to a place outside itself; the validation of the call decides.
    }
  });
}

/** A copy without the defaults of some of its subschemas. */
export function withoutDefaults(root: JsonSchema, misfit: ReadonlySet<unknown>): JsonSchema {
  const copy = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(copy);
    if (!isSchema(value)) return value;
    const entries = Object.entries(value).filter(([key]) => key !== "default" || !misfit.has(value));
    return Object.fromEntries(entries.map(([key, member]) => [key, copy(member)]));
  };
  return misfit.size === 0 ? root : (copy(root) as JsonSchema);
}
