/** The compiler for schemas that share definitions: it checks and compiles each of these once. */

import { digestText } from "../../runtime/contract/canonical.js";
import { escapePointer } from "../../runtime/contract/json-pointer.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { JsonSchema } from "../../runtime/contract/registry.js";
import type { Definitions } from "../../runtime/contract/shared-definitions.js";
import type { Called, Compiled, Compiler, SchemaFault } from "./compile.js";
import { callingSchema, withCalls } from "./definition-calls.js";

/** The compiler of a pack, by the definitions that its schemas share. */
export function sharingCompilers(plain: Compiler): (shared: Definitions | undefined) => Compiler {
  const known = new Map<Definitions, Compiler>();
  return (shared) => {
    if (!shared) return plain;
    const made = known.get(shared) ?? sharing(plain, shared);
    known.set(shared, made);
    return made;
  };
}

function sharing(plain: Compiler, shared: Definitions): Compiler {
  const called = calledOf(plain, shared);
  const faultOfAll = definitionFaults(plain);
  return {
    ...plain,
    callsDefinitions: (schema) => callingSchema(schema, shared) !== undefined,
    faultOf(schema) {
      if (!callingSchema(schema, shared)) return plain.faultOf(schema);
      const { $defs = {}, ...root } = schema;
      return plain.faultOf(root) ?? faultOfAll($defs as JsonSchema);
    },
    compile(schema) {
      const calling = callingSchema(schema, shared);
      return calling ? plain.compileCalling(calling.schema, called) : plain.compile(schema);
    },
    issuesOf(schema, value) {
      const { $defs, definitions: _, ...root } = schema;
      const calling =
        isSchema($defs) && holdsOnly($defs, shared)
          ? withCalls(root, (name) => Object.hasOwn($defs, name))
          : callingSchema(schema, shared);
      return calling ? plain.issuesOfCalling(calling.schema, value, called) : plain.issuesOf(schema, value);
    },
  };
}

/** The validators of shared definitions. They call each other, so that the map is complete only at the end. */
function calledOf(plain: Compiler, shared: Definitions): Called {
  const calls = new Map<string, Compiled>();
  const called = { calls, judgedBy: digestText(JSON.stringify(shared)) };
  for (const [name, schema] of Object.entries(shared)) {
    const calling = withCalls(schema, (one) => Object.hasOwn(shared, one));
    calls.set(name, plain.compileCalling(calling.schema, called));
  }
  return called;
}

/** The first fault among definitions; those that ops hold together are checked once. */
function definitionFaults(plain: Compiler): ($defs: JsonSchema) => SchemaFault | undefined {
  const known = new WeakMap<JsonSchema, { readonly fault: SchemaFault | undefined }>();
  return ($defs) => {
    const before = known.get($defs);
    if (before) return before.fault;
    const [fault] = Object.entries($defs).flatMap(([name, one]) => {
      const found = isSchema(one) ? plain.faultOf(one) : undefined;
      return found ? [{ ...found, pointer: `/$defs/${escapePointer(name)}${found.pointer}` }] : [];
    });
    known.set($defs, { fault });
    return fault;
  };
}

const onlyIn = new WeakMap<Definitions, WeakMap<JsonSchema, boolean>>();

/** Whether definitions are all among the shared ones. */
function holdsOnly($defs: JsonSchema, shared: Definitions): boolean {
  const known = onlyIn.get(shared) ?? new WeakMap<JsonSchema, boolean>();
  onlyIn.set(shared, known);
  const all = known.get($defs) ?? Object.entries($defs).every(([name, one]) => shared[name] === one);
  known.set($defs, all);
  return all;
}
