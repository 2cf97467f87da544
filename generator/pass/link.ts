/** Links: references must resolve inside their own schema, names must be unique inside their pack. Nothing is downloaded. */

import { type JsonSchema, resolvePointer } from "toolwright/codegen";
import type { Report } from "../diagnostic.js";
import { subschemas } from "../dialect.js";
import type { Definition, LinkedDefinition } from "../ir.js";

/** Longer names are refused: they could not be called on any provider. */
const LONGEST_NAME = 256;

/** Links every definition; faults are reported and the definition left out. */
export function link(definitions: readonly Definition[], report: Report): readonly LinkedDefinition[] {
  const first = new Map<string, Definition>();
  return definitions.flatMap((one) => {
    const key = JSON.stringify([one.pack, one.name]);
    const before = first.get(key);
    if (before) {
      const { file, line, column } = before.place;
      report.addAbout(one, "duplicate-tool", { tool: one.name, first: `${file}:${line}:${column}` });
      return [];
    }
    first.set(key, one);
    if (one.name.length > LONGEST_NAME) {
      const reason = `is longer than ${LONGEST_NAME} characters`;
      report.addAbout(one, "name-invalid", { name: one.name.slice(0, 40), reason });
      return [];
    }
    const roots = [one.parameters, ...(one.result ? [one.result] : [])];
    return roots.map((root) => isWhole(one, root, report)).includes(false) ? [] : [{ ...one, linked: true as const }];
  });
}

/** Whether every reference leads to a place inside its schema. */
function isWhole(definition: Definition, root: JsonSchema, report: Report): boolean {
  const refs = new Set([...subschemas(root)].map(({ schema }) => schema["$ref"]));
  const lost = [...refs].filter((ref) => typeof ref === "string" && !targetOf(root, ref));
  for (const ref of lost) report.addAbout(definition, "schema-remote-ref", { tool: definition.name, ref: String(ref) });
  return lost.length === 0;
}

function targetOf(root: JsonSchema, ref: string): JsonSchema | undefined {
  try {
    return resolvePointer(root, ref);
  } catch {
    return undefined; // A percent sign that encodes nothing.
  }
}
