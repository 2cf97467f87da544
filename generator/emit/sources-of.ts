/** Finds the definition files of a generated file, for its header. */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import type { Registry } from "../../runtime/contract/registry.js";

/** Files of all tools, or of the tools of one pack, sorted. */
export function sourcesOf(registry: Registry, pack?: string): readonly string[] {
  const tools = registry.tools.filter((one) => pack === undefined || one.group === pack);
  return [...new Set(tools.map((one) => one.source.file))].sort(byCodeUnit);
}
