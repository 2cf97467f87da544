/** Emits `help/index.json`, which `tool_help` serves, `help/search.json`, and `help/<op>.md`, which people and the documentation site read. */

import { type HelpDocument, type HelpIndexFile, listedHelp } from "../../runtime/contract/help.js";
import type { Registry, Tool } from "../../runtime/contract/registry.js";
import { SEARCH_FILE, searchFile } from "../../runtime/contract/search/search-file.js";
import { readableSignature } from "../../runtime/contract/signature-text.js";
import { htmlMark, inCode, inFence, inMarkdown, jsLiteral, prettyJson } from "../core/printer.js";
import { extractPolicy } from "../pass/policy.js";
import type { EmitContext, Emitter, VirtualFile } from "./emitter.js";

/** Emits `help/`. */
export const helpEmitter: Emitter = {
  name: "help",
  emit: (registry, context) => [
    { path: "help/index.json", text: prettyJson(indexOf(registry, context)) },
    { path: SEARCH_FILE, text: prettyJson(searchFile(registry)) },
    ...registry.tools.flatMap((tool): readonly VirtualFile[] => {
      const document = context.help.get(tool.op);
      return document ? [{ path: `help/${tool.op}.md`, text: page(tool, document) }] : [];
    }),
  ],
};

type IndexParts = Pick<EmitContext, "help" | "config" | "snippets" | "instructions">;

function indexOf(registry: Registry, { help: documents, config, snippets, instructions }: IndexParts): HelpIndexFile {
  const ops = registry.tools.flatMap((tool) => {
    const document = documents.get(tool.op);
    return document ? [[tool.op, listedHelp(document, tool)] as const] : [];
  });
  const packs = registry.packs.map(({ name, summary }) => {
    const said = instructions.get(name);
    return [name, { summary, ...(said === undefined ? {} : { instructions: said }) }] as const;
  });
  return {
    registry_version: registry.registry_version,
    ops: Object.fromEntries(ops),
    packs: Object.fromEntries(packs),
    aliases: Object.entries(config.aliases ?? {})
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, target]) => ({ name, target })),
    snippets,
  };
}

type Section = (tool: Tool, document: HelpDocument) => readonly string[];

const bullets = (title: string, items: readonly string[]): readonly string[] =>
  items.length > 0 ? [`## ${title}`, items.map((one) => `- ${inMarkdown(one)}`).join("\n")] : [];

/** Sections of a page, in order; empty ones are left out. */
const SECTIONS: readonly Section[] = [
  (tool) => [`# ${inMarkdown(tool.op)} (${tool.kind})`, inMarkdown(tool.summary)],
  (_tool, document) => [`Usage: ${inCode(document.usage)}`],
  (_tool, document) =>
    document.description === document.summary ? [] : ["## Description", inMarkdown(document.description.trim())],
  (tool) => (tool.parameters.length > 0 ? ["## Arguments", argumentTable(tool)] : []),
  (_tool, document) => bullets("Do", document.policy?.do ?? []),
  (_tool, document) => bullets("Do not", document.policy?.dont ?? []),
  (_tool, document) => bullets("Edge cases", document.policy?.edge_cases ?? []),
  (tool) =>
    isPinned(tool) ? bullets("Extracted from the description, overridden by a pin", extractedRules(tool)) : [],
  (_tool, document) => bullets("Notes", document.notes),
  (_tool, document) => (document.examples.length > 0 ? ["## Examples", ...document.examples.map(exampleText)] : []),
  (tool) => ["## Signatures", inFence(readableSignature(tool), "python"), inFence(tool.signature.typescript, "ts")],
  (_tool, document) => bullets("See also", document.see_also),
];

const page = (tool: Tool, document: HelpDocument): string =>
  `${[...SECTIONS.flatMap((section) => section(tool, document)), htmlMark([tool.source.file])].join("\n\n")}\n`;

function argumentTable(tool: Tool): string {
  const rows = tool.parameters.map((one) => {
    const cell = (text: string): string => inCode(text).replaceAll("|", "\\|");
    const fallback = one.default === undefined ? "" : cell(JSON.stringify(one.default));
    const about = inMarkdown(one.description ?? "").replaceAll("\n", " ");
    return `| ${cell(one.original)} | ${cell(one.type)} | ${one.required ? "yes" : ""} | ${fallback} | ${about} |`;
  });
  return `| argument | type | required | default | |\n|---|---|---|---|---|\n${rows.join("\n")}`;
}

function exampleText(example: HelpDocument["examples"][number]): string {
  const title = example.title === undefined ? "" : `${inMarkdown(example.title)}:\n\n`;
  return title + inFence(jsLiteral({ op: example.op, args: example.args }), "json");
}

const isPinned = (tool: Tool): boolean => tool.policy !== undefined && tool.policy.source.length === 0;

/** The policy that extraction alone gives, so that a changed description shows in the diff even if a pin overrides it. */
function extractedRules(tool: Tool): readonly string[] {
  const { policy, notes } = extractPolicy(tool.description);
  if (!policy) return notes;
  const labelled = (label: string, items: readonly string[]): readonly string[] =>
    items.map((one) => `${label}: ${one}`);
  return [
    ...labelled("do", policy.do),
    ...labelled("do not", policy.dont),
    ...labelled("edge case", policy.edge_cases),
  ];
}
