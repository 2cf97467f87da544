/** `ot.packs`: shows packs and their tools. */

import type { JsonValue } from "../../contract/registry.js";
import type { SeenPack } from "./catalogue.js";
import type { Info } from "./info.js";

/** A pack at a level of detail. */
export function packEntry(pack: SeenPack, info: Info): JsonValue {
  if (info === "list") return pack.name;
  if (info === "full") return packText(pack);
  return { name: pack.name, source: pack.source, tool_count: pack.tools.length };
}

/** A pack with its instructions and its tools. */
export function packText({ name, source, instructions, tools }: SeenPack): string {
  return [
    `# ${name} pack`,
    `Source: ${source}`,
    ...(instructions === undefined ? [] : [instructions]),
    "## Tools",
    ...tools.map(({ op, summary }) => `- **${op}**: ${summary}`),
  ].join("\n");
}
