/** Reads the names of members in schemas. */

import type { JsonSchema } from "../contract/registry.js";

/** Most parts of a schema that are read. */
const MAX_PARTS = 2000;

/** The names of members that a schema has at any place. */
export function memberNames(schema: JsonSchema | undefined): ReadonlySet<string> {
  const names = new Set<string>();
  const parts: unknown[] = [schema];
  for (let read = 0; parts.length > 0 && read < MAX_PARTS; read++) {
    const part = parts.pop();
    if (typeof part !== "object" || part === null) continue;
    for (const [name, inner] of Object.entries(part)) {
      if (name === "properties" && typeof inner === "object" && inner !== null)
        for (const key of Object.keys(inner)) names.add(key);
      parts.push(inner);
    }
  }
  return names;
}
