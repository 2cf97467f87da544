/**
 * The Source for MCP servers (scenario GEN-1.2): snapshots of `tools/list`, which are JSON objects with a `tools` array in the form
 * of the protocol, or whole responses with such a `result`. One pack per file. A fault in one tool leaves out only that tool.
 */

import { isRecord } from "../../runtime/contract/json.js";
import { pointerParts } from "../../runtime/contract/json-pointer.js";
import type { Annotations, JsonSchema } from "../../runtime/contract/registry.js";
import type { Place, Report } from "../core/diagnostic.js";
import type { Definition } from "../core/ir.js";
import { readJsonFile } from "./json-file.js";
import { misspeltMembers } from "./misspelt-members.js";
import type { Source, SourceFile } from "./source.js";

/** Reads `mcp` entries. */
export const mcp: Source = {
  read: async (file, report) => {
    const json = readJsonFile(file, report);
    if (!json) return [];
    const { value } = json;
    const answer = isRecord(value) && value["tools"] === undefined ? value["result"] : undefined;
    const holder = answer ?? value;
    const tools = isRecord(holder) ? holder["tools"] : undefined;
    if (!Array.isArray(tools)) {
      report.add("not-a-tool", json.placeOf(), { what: `${file.file} has no list \`tools\``, form: LIST });
      return [];
    }
    const placeOf = (index: number): Place =>
      answer === undefined ? json.placeOf("tools", index) : json.placeOf("result", "tools");
    const partOf = (index: number) => (pointer: string) =>
      json.placeOf("tools", index, "inputSchema", ...pointerParts(pointer));
    return tools.flatMap((tool, index) =>
      definitionOf(tool, index, placeOf(index), file, report).map((one) => {
        for (const { name, meant } of misspeltMembers(tool, MEMBERS)) {
          const place = answer === undefined ? json.placeOf("tools", index, name) : one.place;
          report.add("member-unknown", place, { tool: one.name, name, meant });
        }
        return answer === undefined ? { ...one, placeAt: partOf(index) } : one;
      }),
    );
  },
};

/** Members that are read of a tool, and whose names are long enough to recognise a misspelt one. */
const MEMBERS = ["description", "inputSchema", "outputSchema", "annotations"];
const TOOL = "{ name, description, inputSchema }";
const LIST = `{ "tools": [${TOOL}] }; \`toolwright snapshot\` does`;

function definitionOf(
  tool: unknown,
  index: number,
  place: Place,
  file: SourceFile,
  report: Report,
): readonly Definition[] {
  const refuse = (what: string): readonly Definition[] => {
    report.addAbout({ origin: "proxy", place }, "not-a-tool", { what, form: TOOL });
    return [];
  };
  if (!isRecord(tool) || typeof tool["name"] !== "string" || tool["name"].trim() === "")
    return refuse(`entry ${index} of \`tools\` has no name`);
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

/** Hints of the server; values that are not booleans are ignored. The title may be on the tool or among the hints. */
export function annotationsOf(tool: Readonly<Record<string, unknown>>): Partial<Annotations> {
  const given = isRecord(tool["annotations"]) ? tool["annotations"] : {};
  const title = tool["title"] ?? given["title"];
  const hints = HINTS.flatMap((hint) => (typeof given[hint] === "boolean" ? [[hint, given[hint]] as const] : []));
  return { ...(typeof title === "string" ? { title } : {}), ...Object.fromEntries(hints) };
}
