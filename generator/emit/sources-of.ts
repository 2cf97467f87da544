/** Which definition files a generated file was made from, for its header. */

import { byCodeUnit, type Registry } from "toolwright/codegen";

/** Files of all tools, or of one pack's, sorted. */
export function sourcesOf(registry: Registry, pack?: string): readonly string[] {
  const tools = registry.tools.filter((one) => pack === undefined || one.group === pack);
  return [...new Set(tools.map((one) => one.source.file))].sort(byCodeUnit);
}
