/** The fixed pages of `ot.help`, and the page of a tool. */

import type { Docs } from "../../config/settings.js";
import { docsFolder, docsUrl, UNKNOWN } from "../../contract/help.js";
import { argumentShapes, resultShape } from "../../contract/op-page.js";
import type { ProgramLanguage } from "../../contract/program-language.js";
import type { Parameter, Policy, Tool } from "../../contract/registry.js";
import type { Catalogue } from "./catalogue.js";
import type { Info } from "./info.js";
import { firstExample, toolSource } from "./tools.js";

/** The page for an empty query. */
export function overview({ call, wording }: ProgramLanguage): string {
  const [one, several] = wording.page;
  return `# Help
## Discovery
- ot.tools(): tools, by pattern of their name
- ot.packs(): packs, with the number of their tools
- ot.snippets(): templates of code, called as $name key=value
- ot.aliases(): short names of tools
## Info levels
- info="list": names only
- info="min": names with one sentence (default)
- info="full": everything
## Examples
- ${call("ot.tools", { pattern: "search", info: "full" })}
- ${call("ot.help", { query: "ot.result" })}
- ${call("ot.help", { query: "how to fetch a page" })}
- ${call("ot.help", { query: "$name" })}
## Tips
- Parameters may be shortened: ${call("ot.tools", { p: "search", i: "list" })}
- Call a tool as ${one}; the last expression is the answer
- ${call("ot.result", { handle: "..." })} pages through an answer that was stored
- ${several} makes several calls at once`;
}

/** The section with the URL of a pack's documentation; empty if `docs.base` is not configured. */
export const docsLines = (pack: string, { base, slugs }: Docs): readonly string[] =>
  base === "" ? [] : ["## Docs", docsUrl(base, docsFolder(pack, slugs))];

/** Longest shapes of the level full, in characters. */
const FULL_CHARACTERS = 5000;

/** The page of a tool at a level of detail. */
export function toolPage(
  tool: Tool,
  info: Info,
  { aliases, docs, language }: Pick<Catalogue, "aliases" | "docs" | "language">,
): string {
  if (info === "list") return tool.op;
  const isFull = info === "full";
  const shapes = argumentShapes(tool, isFull ? FULL_CHARACTERS : undefined);
  const result = resultShape(tool, isFull ? FULL_CHARACTERS : undefined);
  const isCut = !isFull && [...shapes.values(), result].some((one) => one?.cut !== undefined);
  const names = aliases.filter((one) => one.tool.op === tool.op).map(({ name }) => name);
  const sections: readonly (readonly [title: string, lines: readonly string[]])[] = [
    ["Signature", [tool.signature[language.signature]]],
    ["Arguments", tool.parameters.map((one) => argumentLine(one, shapes.get(one.name)?.text ?? one.type, language))],
    ["Returns", [result?.text ?? UNKNOWN]],
    ["Example", [firstExample(tool, language) ?? ""].filter((text) => text !== "")],
    ["More", isCut ? [`- ${language.call("ot.help", { query: tool.op, info: "full" })}`] : []],
    ["Policy", isFull && tool.policy ? policyLines(tool.policy) : []],
    ["Kind", isFull ? [tool.kind] : []],
    ["Source", isFull ? [toolSource(tool)] : []],
    ["Aliases", isFull ? [[...tool.aliases, ...names].join(", ")].filter((text) => text !== "") : []],
  ];
  const shown = sections.filter(([, lines]) => lines.length > 0);
  return [
    `# ${tool.op}`,
    isFull ? tool.description : tool.summary,
    ...shown.flatMap(([title, lines]) => [`## ${title}`, ...lines]),
    ...docsLines(tool.group, docs),
  ].join("\n");
}

/** `- query (string, required): What to look for` */
function argumentLine(
  { name, required, default: preset, description }: Parameter,
  type: string,
  language: ProgramLanguage,
): string {
  const presence = required ? ", required" : preset === undefined ? "" : `, default ${language.literal(preset)}`;
  return `- ${name} (${type}${presence})${description ? `: ${description}` : ""}`;
}

const policyLines = (policy: Policy): readonly string[] => [
  ...policy.do.map((rule) => `- do: ${rule}`),
  ...policy.dont.map((rule) => `- don't: ${rule}`),
  ...policy.edge_cases.map((rule) => `- edge case: ${rule}`),
];
