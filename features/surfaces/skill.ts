/** Emits `surfaces/skill/`: an agent skill. `SKILL.md` is read at once, a reference when its pack is needed. */

import { htmlMark, inCode, inFence, inMarkdown, jsLiteral } from "../../generator/core/printer.js";
import { sourcesOf } from "../../generator/emit/emitter.js";
import { GATEWAY_TOOLS, inLanguages } from "../../runtime/contract/gateway-tools.js";
import type { HelpDocument } from "../../runtime/contract/help.js";
import { counted } from "../../runtime/contract/message-text.js";
import type { Parameter, Tool } from "../../runtime/contract/registry.js";
import { packSummary, packsOf, type SurfaceParts, surface } from "./surface.js";

/** Longest description of a skill that clients accept. */
const MAX_DESCRIPTION_LENGTH = 1024;
/** Most destructive ops that `SKILL.md` names, since it is read as a whole. */
const MAX_DESTRUCTIVE = 20;

/** Emits `surfaces/skill/`. */
export const skill = surface("skill", (parts) => ({
  "skill/SKILL.md": overview(parts),
  ...Object.fromEntries(packsOf(parts).map((pack) => [`skill/references/${pack.name}.md`, reference(pack, parts)])),
}));

type PackOfSkill = ReturnType<typeof packsOf>[number];

/** YAML front matter, one line per key. Values are quoted and escaped, so that each stays on its line. */
export const frontMatter = (fields: Readonly<Record<string, string>>): string =>
  `---\n${Object.entries(fields)
    .map(([key, value]) => `${key}: ${quoted(value)}\n`)
    .join("")}---\n`;

const quoted = (text: string): string =>
  JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff\p{Bidi_Control}]/gu,
    (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

function overview(parts: SurfaceParts): string {
  const packs = packsOf(parts);
  const rows = packs.map(
    (pack) =>
      `| ${inCode(pack.name)} | ${oneLine(packSummary(pack))} | ${pack.tools.length} | [references/${pack.name}.md](references/${pack.name}.md) |`,
  );
  const sections = [
    "# Tools of this project",
    READ_FIRST,
    "## Which pack",
    `| pack | for | ops | reference |\n|---|---|---|---|\n${rows.join("\n")}`,
    howToCall(parts),
    ANSWERS,
    ...destructive(parts.tools),
    htmlMark(sourcesOf(parts.registry)),
  ];
  return `${frontMatter({ name: "toolwright", description: descriptionOf(packs) })}\n${sections.join("\n\n")}\n`;
}

/** The description by which clients choose the skill: summaries of the packs, or their names, or as many names as fit. */
function descriptionOf(packs: readonly PackOfSkill[]): string {
  const tools = packs.reduce((sum, pack) => sum + pack.tools.length, 0);
  const say = (told: readonly string[]): string => {
    const more = packs.length > told.length ? ` and ${packs.length - told.length} more` : "";
    const text = `Calls ${counted(tools, "tool")} in ${counted(packs.length, "pack")}: ${told.join("; ")}${more}. Use when a task needs any of them.`;
    // Clients refuse text that looks like a tag.
    return text.replace(/[<>]/g, "");
  };
  const whole = say(
    packs.map((pack) => {
      const about = packSummary(pack).replace(/\s+/g, " ");
      return `${pack.name} (${about.replace(/[.\s]+$/, "")})`;
    }),
  );
  if (whole.length <= MAX_DESCRIPTION_LENGTH) return whole;
  const names = packs.map(({ name }) => name);
  while (say(names).length > MAX_DESCRIPTION_LENGTH) names.pop();
  return say(names);
}

const READ_FIRST = `Each tool is an op, called by its path. Read in the reference of a pack what its ops are before you call one. A reference may be long: its
list of ops comes first, and the line ${inCode("## `pack.op`")} begins what there is to know of one op.`;

function howToCall({ expose = {}, languages }: SurfaceParts): string {
  const { gateway = true, run = gateway } = expose;
  const shown = { gateway, run };
  const overMcp = [
    ...(gateway ? [] : ["One call: each op is a tool of its own"]),
    ...GATEWAY_TOOLS.filter(({ offered }) => shown[offered.mcp])
      .map((tool) => inLanguages(tool, languages))
      .map(({ name, usage }) => `${usage.when}: \`${name}\` ${usage.how}`),
    ...(run ? languages.flatMap(({ wording }) => wording.inSkill ?? []) : []),
  ];
  return `## How to call

With the MCP server \`toolwright\`:

${overMcp.map((one) => `- ${one}`).join("\n")}

On a command line, in the folder of the project:

- One call: \`npm exec --no -- toolwright exec pack.op --args '{}'\`, with \`--allow-write\` for a write
- More on an op: \`npm exec --no -- toolwright help pack.op\``;
}

const ANSWERS = `## Answers

- \`ok: true\` has \`result\`; \`ok: false\` has \`error\` with \`code\` and \`message\`
- VALIDATION_ERROR: correct what \`error.details.field_errors\` names, or fill in \`error.corrected_call\`
- NOT_FOUND of an op: take one from the references; do not guess further names
- PERMISSION_DENIED: say so, and do not try another way
- UNAVAILABLE, RATE_LIMITED, TIMEOUT: try a read again once

## Writes

- Plan first: \`dry_run: true\` beside \`op\` and \`args\`, or \`--dry-run\`, shows what would happen
- Send an \`idempotency_key\`, or \`--idempotency-key KEY\`, with a write that you may have to send again
- Ask the person before what deletes or cannot be undone`;

/** The destructive ops, unless there are too many to read each time. */
function destructive(tools: readonly Tool[]): readonly string[] {
  const ops = tools.filter(isDestructive);
  if (ops.length === 0) return [];
  const list = ops.map(({ op }) => `- ${inCode(op)}`).join("\n");
  return [
    "## Destructive",
    ops.length > MAX_DESTRUCTIVE ? `${counted(ops.length, "op")}; the references say which.` : list,
  ];
}

const isDestructive = ({ kind, annotations }: Tool): boolean => kind === "write" && annotations.destructiveHint;

function reference(pack: PackOfSkill, { registry, help }: SurfaceParts): string {
  const ops = pack.tools.flatMap((tool) => {
    const document = help.get(tool.op);
    return document ? [opText(tool, document)] : [];
  });
  const head = [`# ${inMarkdown(pack.name)}`, inMarkdown(packSummary(pack))];
  const list = pack.tools.map((tool) => {
    const marks = isDestructive(tool) ? " Destructive." : "";
    return `- ${inCode(tool.op)} (${tool.kind}): ${oneLine(tool.summary)}${marks}`;
  });
  return `${[...head, "## Ops", list.join("\n"), ...ops, htmlMark(sourcesOf(registry, pack.name))].join("\n\n")}\n`;
}

const oneLine = (text: string): string => inMarkdown(text).replace(/\s*\n\s*/g, " ");

/** A list under its title, each item once. */
const bullets = (title: string, items: readonly string[]): readonly string[] =>
  items.length > 0 ? [`${title}:\n\n${[...new Set(items)].map((one) => `- ${one}`).join("\n")}`] : [];

function opText({ op, parameters }: Tool, document: HelpDocument): string {
  const { policy, examples, notes, constraints } = document;
  const [example] = examples;
  return [
    `## ${inCode(op)}`,
    inCode(document.usage),
    ...bullets("Arguments", parameters.map(argumentText)),
    ...bullets("Do", (policy?.do ?? []).map(oneLine)),
    ...bullets("Do not", (policy?.dont ?? []).map(oneLine)),
    ...bullets("Edge cases", (policy?.edge_cases ?? []).map(oneLine)),
    ...bullets("Notes", [...notes, ...constraints].map(oneLine)),
    ...(example ? [inFence(jsLiteral({ op: example.op, args: example.args }), "json")] : []),
  ].join("\n\n");
}

const argumentText = ({ name, type, description }: Parameter): string =>
  `${inCode(`${name}: ${type}`)}${description ? ` ${oneLine(description)}` : ""}`;
