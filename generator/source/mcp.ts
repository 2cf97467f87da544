/**
 * The source for MCP servers (scenario GEN-1.2): snapshots of `tools/list`, any JSON object with a `tools` array of the
 * protocol's form. One pack a file. The tools are other people's: what is wrong with one costs that one only.
 */

import type { Annotations, JsonSchema } from "toolwright/codegen";
import type { Place, Report } from "../diagnostic.js";
import type { Definition } from "../ir.js";
import { isRecord, readJsonFile } from "./json-file.js";
import type { Source, SourceFile } from "./source.js";

/** Reads `mcp` entries. */
export const mcp: Source = {
  read: async (file, report) => {
    const json = readJsonFile(file, report);
    if (!json) return [];
    const tools = isRecord(json.value) ? json.value["tools"] : undefined;
    if (!Array.isArray(tools)) {
      report.add("no-tools", file.place, { file: file.file });
      return [];
    }
    return tools.flatMap((tool, index) => definitionOf(tool, json.placeOf("tools", index), file, report));
  },
};

function definitionOf(tool: unknown, place: Place, file: SourceFile, report: Report): readonly Definition[] {
  const refuse = (what: string): readonly Definition[] => {
    report.addAbout({ origin: "proxy", place }, "not-a-tool", { what, form: "{ name, description, inputSchema }" });
    return [];
  };
  if (!isRecord(tool) || typeof tool["name"] !== "string" || tool["name"].trim() === "")
    return refuse("an entry of `tools` has no name");
  const { name, description = "", inputSchema = { type: "object" }, outputSchema } = tool;
  if (!isRecord(inputSchema)) return refuse(`inputSchema of ${name} is no schema`);
  return [
    {
      name,
      description: typeof description === "string" ? description : "",
      parameters: inputSchema as JsonSchema,
      ...(isRecord(outputSchema) ? { result: outputSchema as JsonSchema } : {}),
      annotations: annotationsOf(tool),
      pack: file.pack,
      ...(file.entry.kind ? { kind: file.entry.kind } : {}),
      origin: "proxy",
      place,
    },
  ];
}

const HINTS = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"] as const;

/** Hints as the server gives them; what is no truth value is none. The title may stand on the tool or among the hints. */
function annotationsOf(tool: Readonly<Record<string, unknown>>): Partial<Annotations> {
  const given = isRecord(tool["annotations"]) ? tool["annotations"] : {};
  const title = tool["title"] ?? given["title"];
  const hints = HINTS.flatMap((hint) => (typeof given[hint] === "boolean" ? [[hint, given[hint]] as const] : []));
  return { ...(typeof title === "string" ? { title } : {}), ...Object.fromEntries(hints) };
}
