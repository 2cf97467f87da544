/** `surfaces/skill/`: an agent skill. What is in `SKILL.md` is read at once, a reference when its pack is needed. */

import type { HelpDocument, Tool } from "toolwright/codegen";
import { beginning, htmlMark, inCode, inFence, inMarkdown, jsLiteral } from "./printer.js";
import { sourcesOf } from "./sources-of.js";
import { packSummary, packsOf, type SurfaceParts, surface } from "./surface.js";

/** Longest description of a skill that clients take. */
const LONGEST_DESCRIPTION = 1024;

/** Emits `surfaces/skill/`. */
export const skill = surface("skill", (parts) => ({
  "skill/SKILL.md": overview(parts),
  ...Object.fromEntries(packsOf(parts).map((pack) => [`skill/references/${pack.name}.md`, reference(pack, parts)])),
}));

type PackOfSkill = ReturnType<typeof packsOf>[number];

/** Front matter of YAML: a line a key. Values are quoted and escaped, so that none ends its line. */
export const frontMatter = (fields: Readonly<Record<string, string>>): string =>
  `---\n${Object.entries(fields)
    .map(([key, value]) => `${key}: ${quoted(value)}\n`)
    .join("")}---\n`;

const quoted = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

function overview(parts: SurfaceParts): string {
  const { registry, tools } = parts;
  const packs = packsOf(parts);
  const told = packs.map(
    (pack) =>
      `${pack.name} (${packSummary(pack)
        .replace(/\s+/g, " ")
        .replace(/[.\s]+$/, "")})`,
  );
  const description = `Calls ${tools.length} tools in ${packs.length} packs: ${told.join("; ")}. Use when a task needs any of them.`;
  const rows = packs.map(
    (pack) =>
      `| ${inCode(pack.name)} | ${inMarkdown(packSummary(pack)).replaceAll("\n", " ")} | ${pack.tools.length} | [references/${pack.name}.md](references/${pack.name}.md) |`,
  );
  const front = frontMatter({
    name: "toolwright",
    // Clients refuse what looks like a tag.
    description: beginning(description.replace(/[<>]/g, ""), LONGEST_DESCRIPTION),
  });
  const sections = [
    "# Tools of this project",
    "Each tool is an op, called by its path. Read the reference of a pack before you call its ops.",
    "## Which pack",
    `| pack | for | ops | reference |\n|---|---|---|---|\n${rows.join("\n")}`,
    HOW_TO_CALL,
    ...destructive(tools),
    htmlMark(sourcesOf(registry)),
  ];
  return `${front}\n${sections.join("\n\n")}\n`;
}

const HOW_TO_CALL = `## How to call

With the MCP server \`toolwright\`:

- One call: \`tool_exec\` with \`{"op": "pack.op", "args": {}}\`
- Several that do not depend on each other: \`tool_batch\` with \`{"ops": [{"type": "exec", "op": "pack.op", "args": {}}]}\`
- Calls whose results are filtered or joined: \`run\` with Python, as \`pack.op(argument=1)\`
- More on an op: \`tool_help\` with \`{"path": "pack.op"}\`

On a command line: \`toolwright exec pack.op --args '{}'\`, \`toolwright help pack.op\`.

## Answers

- \`ok: true\` has \`result\`; \`ok: false\` has \`error\` with \`code\` and \`message\`
- VALIDATION_ERROR: correct what \`error.details.field_errors\` names, or fill in \`error.corrected_call\`
- NOT_FOUND of an op: take one from the references; do not guess further names
- PERMISSION_DENIED: say so, and do not try another way
- UNAVAILABLE, RATE_LIMITED, TIMEOUT: try a read again once

## Writes

- Plan first: \`dry_run: true\` beside \`op\` and \`args\` shows what would happen
- Send an \`idempotency_key\` with a write that you may have to send again
- Ask the person before what deletes or cannot be undone`;

/** Ops to be careful with. */
function destructive(tools: readonly Tool[]): readonly string[] {
  const ops = tools.filter(({ kind, annotations }) => kind === "write" && annotations.destructiveHint);
  return ops.length === 0 ? [] : ["## Destructive", ops.map(({ op }) => `- ${inCode(op)}`).join("\n")];
}

function reference(pack: PackOfSkill, { registry, help }: SurfaceParts): string {
  const ops = pack.tools.flatMap((tool) => {
    const document = help.get(tool.op);
    return document ? [opText(tool, document)] : [];
  });
  const head = [`# ${inMarkdown(pack.name)}`, inMarkdown(packSummary(pack))];
  const list = pack.tools.map(({ op, kind, summary }) => `- ${inCode(op)} (${kind}): ${oneLine(summary)}`).join("\n");
  return `${[...head, "## Ops", list, ...ops, htmlMark(sourcesOf(registry, pack.name))].join("\n\n")}\n`;
}

const oneLine = (text: string): string => inMarkdown(text).replace(/\s*\n\s*/g, " ");

const bullets = (title: string, items: readonly string[]): readonly string[] =>
  items.length > 0 ? [`${title}:\n\n${items.map((one) => `- ${oneLine(one)}`).join("\n")}`] : [];

function opText(tool: Tool, document: HelpDocument): string {
  const { policy, examples } = document;
  const [example] = examples;
  const about = tool.parameters.filter(({ description }) => description);
  return [
    `## ${inMarkdown(tool.op)}`,
    inCode(document.usage),
    ...bullets(
      "Arguments",
      about.map((one) => `${one.name} (${one.type}): ${one.description}`),
    ),
    ...bullets("Do", policy?.do ?? []),
    ...bullets("Do not", policy?.dont ?? []),
    ...bullets("Edge cases", policy?.edge_cases ?? []),
    ...bullets("Notes", [...document.notes, ...document.constraints]),
    ...(example ? [inFence(jsLiteral({ op: example.op, args: example.args }), "json")] : []),
  ].join("\n\n");
}
