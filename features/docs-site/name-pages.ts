/** Makes pages for snippets, configured aliases, op aliases and removed tools. */

import { inCode, inFence, inMarkdown } from "../../generator/core/printer.js";
import type { ListedParameter, ListedSnippet } from "../../runtime/contract/help.js";
import type { Tombstone, Tool } from "../../runtime/contract/registry.js";
import { exampleSnippetCall } from "../../runtime/contract/snippet.js";
import { argumentRow, exampleTabs, linkedOp } from "./op-pages.js";
import type { Site, SitePage } from "./site-model.js";

/** A page for each name; on a conflict, an op of the same name keeps the address. */
export function namePages(site: Site): readonly SitePage[] {
  const { registry, index } = site;
  const tools = new Map(registry.tools.map((one) => [one.op, one]));
  const opAliases = registry.tools.flatMap(({ op, aliases }) => aliases.map((name) => ({ name, op })));
  const taken = new Set([...tools.keys(), ...opAliases.map((one) => one.name)]);
  const alias = (kind: string, folder: string, name: string, target: string): SitePage =>
    aliasPage(site, { kind, folder, name, target, tool: tools.get(site.opOf(target) ?? "") });
  return [
    ...index.snippets.map((one) => snippetPage(site, one)),
    ...index.aliases.map(({ name, target }) => alias("Alias", site.addresses.alias(name), name, target)),
    ...opAliases
      .filter(({ name }) => !tools.has(name))
      .map(({ name, op }) => alias("Other name", site.addresses.op(name), name, op)),
    ...registry.reserved.filter(({ op }) => !taken.has(op)).map((one) => gonePage(site, one)),
  ];
}

function snippetPage(site: Site, { name, description, language, params, body }: ListedSnippet): SitePage {
  const call = exampleSnippetCall(
    name,
    params.map((one) => [one.name, { ...one, example: exampleText(one) }] as const),
  );
  const shown = `$${name}`;
  const [coloured, label] =
    language === "typescript" ? (["typescript", "TypeScript"] as const) : (["python", "Python"] as const);
  return {
    folder: site.addresses.snippet(name),
    title: shown,
    about: description || `The snippet ${name}.`,
    template: "snippet",
    data: () => ({
      name: shown,
      summary: site.render.block(description),
      call,
      parameters: params.map((one) => parameterRow(site, one)),
      body: site.render.code(body.trimEnd(), coloured),
      language: label,
    }),
    markdown: () => {
      const lines = params.map((one) => `- ${inCode(one.name)}${inMarkdown(toldOf(one)).replaceAll("\n", " ")}`);
      const parts = [
        `# Snippet ${inMarkdown(shown)}`,
        inMarkdown(description.trim()),
        `Call: ${inCode(call)}`,
        `Language: ${label}`,
        ...(lines.length > 0 ? ["## Parameters", lines.join("\n")] : []),
        "## Template",
        inFence(body.trimEnd(), "jinja"),
      ];
      return `${parts.filter((one) => one !== "").join("\n\n")}\n`;
    },
  };
}

/** A value to show: the example, else the first allowed value. */
function exampleText({ example, enum: choices }: ListedParameter): string | undefined {
  const value = example ?? choices?.[0];
  return value === undefined ? undefined : String(value);
}

const isRequired = (one: ListedParameter): boolean => one.default === undefined && one.required !== false;

const parameterRow = (site: Site, one: ListedParameter): object =>
  argumentRow(site, {
    name: one.name,
    original: one.name,
    required: isRequired(one),
    aliases: [],
    type: one.enum?.join("|") ?? one.type ?? "text",
    ...(one.default === undefined ? {} : { default: one.default }),
    ...(one.description === undefined ? {} : { description: one.description }),
  });

/** ` (required): The id.` */
function toldOf(one: ListedParameter): string {
  const presence = isRequired(one)
    ? "required"
    : one.default === undefined
      ? ""
      : `default ${JSON.stringify(one.default)}`;
  const choices = one.enum ? `one of ${one.enum.join(", ")}` : (one.type ?? "");
  const facts = [choices, presence].filter((part) => part !== "").join(", ");
  return `${facts === "" ? "" : ` (${facts})`}${one.description ? `: ${one.description}` : ""}`;
}

/** Aliases that code can call; any other alias can only be looked up. */
const CALLABLE = /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/;

interface Alias {
  readonly kind: string;
  readonly folder: string;
  readonly name: string;
  /** Its declared target, which may be another alias. */
  readonly target: string;
  readonly tool: Tool | undefined;
}

function aliasPage(site: Site, { kind, folder, name, target, tool }: Alias): SitePage {
  const op = tool?.op ?? target;
  const through = target === op ? "" : `, by way of ${target}`;
  const about = `${name} stands for ${op}${through}.`;
  const example = tool?.examples[0];
  return {
    folder,
    title: name,
    about,
    template: "name",
    data: () => ({
      kind,
      name,
      about_html: site.render.inline(inMarkdown(about)),
      summary: tool ? site.render.inline(tool.summary) : "",
      example:
        tool && example && CALLABLE.test(name)
          ? exampleTabs(site, { op: name, args: example.args }, 0, () => tool)
          : false,
      use: linkedOp(site, op),
    }),
    markdown: () => {
      const call = tool && example ? [`Call: ${inCode(JSON.stringify({ op: name, args: example.args }))}`] : [];
      const parts = [`# ${inMarkdown(name)}`, inMarkdown(about), ...(tool ? [inMarkdown(tool.summary)] : []), ...call];
      return `${parts.join("\n\n")}\n`;
    },
  };
}

function gonePage(site: Site, { op, tool, since, sunset, use }: Tombstone): SitePage {
  const until = sunset === undefined ? "" : `; the name stays reserved until ${sunset}`;
  const instead = use === undefined ? undefined : (site.opOf(use) ?? use);
  const advice = instead === undefined ? "Nothing takes its place" : `Use ${instead}`;
  const about = `${op} (tool ${tool}) is gone since ${since}${until}. ${advice}.`;
  return {
    folder: site.addresses.op(op),
    title: op,
    about,
    template: "name",
    data: () => ({
      kind: "Removed",
      name: op,
      about_html: site.render.inline(inMarkdown(about)),
      summary: "",
      example: false,
      use: instead === undefined ? false : linkedOp(site, instead),
    }),
    markdown: () => `# ${inMarkdown(op)}\n\n${inMarkdown(about)}\n`,
  };
}
