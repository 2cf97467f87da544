/** Makes the page of each op: summary, arguments, examples, policy, errors, access and source. */

import { prettyJson } from "../../generator/core/printer.js";
import type { HelpDocument } from "../../runtime/contract/help.js";
import { learnedFrom } from "../../runtime/contract/known-result.js";
import type { Example, JsonValue, Parameter, Policy, Tool } from "../../runtime/contract/registry.js";
import { readableSignature, signatureLines } from "../../runtime/contract/signature-text.js";
import { pageFile } from "./addresses.js";
import { waysOf } from "./examples.js";
import type { Site, SitePage } from "./site-model.js";
import type { Html } from "./text.js";

/** A page for each op. */
export function opPages(site: Site): readonly SitePage[] {
  const tools = new Map(site.registry.tools.map((one) => [one.op, one]));
  return site.registry.tools.map(
    (tool): SitePage => ({
      folder: site.addresses.op(tool.op),
      title: tool.op,
      about: tool.summary,
      template: "op",
      pack: tool.group,
      tool,
      markdown: () => site.page(tool.op),
      data: () => {
        const document = site.index.ops[tool.op];
        return {
          tool,
          pack: { name: tool.group, folder: site.addresses.pack(tool.group) },
          ...(document ? documented(site, tool, document, tools) : {}),
        };
      },
    }),
  );
}

function documented(site: Site, tool: Tool, document: HelpDocument, tools: ReadonlyMap<string, Tool>): object {
  const { render } = site;
  const description = withoutSummary(document);
  return {
    summary: render.inline(document.summary),
    description: description === "" ? "" : render.block(description),
    signatures: signaturesOf(site, tool),
    parameters: tool.parameters.map((one, at) => ({ ...argumentRow(site, one), id: argumentId(one.original, at) })),
    policy: policyOf(site, document.policy),
    notes: [...document.constraints, ...document.notes.filter((one) => !document.constraints.includes(one))].map(
      render.inline,
    ),
    examples: (document.examples.length > 0 ? document.examples : [formOf(tool)]).map((one, at) =>
      exampleTabs(site, one, at, (op) => tools.get(op)),
    ),
    returns: document.returns === "unknown" ? "" : render.code(document.returns, "signature"),
    schemas: schemasOf(site, tool),
    errors: document.errors.map((code) => ({ code, meaning: MEANINGS[code] ?? "" })),
    facts: factsOf(tool),
    see_also: document.see_also.filter((op) => site.opOf(op) !== undefined).map((op) => linkedOp(site, op)),
  };
}

/** The description without the summary, which the page shows above it. */
function withoutSummary({ description, summary }: HelpDocument): string {
  const text = description.trim();
  if (text === summary.trim()) return "";
  return text.startsWith(`${summary}\n`) ? text.slice(summary.length).trim() : text;
}

/** Both signatures, that of the first language of programs first. */
function signaturesOf({ render, languages: [first] }: Site, tool: Tool): object {
  const tabs = [
    { name: "Python", code: render.code(signatureLines(readableSignature(tool)), "python") },
    { name: "TypeScript", code: render.code(signatureLines(tool.signature.typescript), "signature") },
  ];
  return { id: "signature", label: "Language", tabs: first === "typescript" ? tabs.reverse() : tabs };
}

/** Anchor of an argument: its name, or its number if the name is no address. */
const argumentId = (name: string, at: number): string =>
  /^[A-Za-z0-9_.-]{1,100}$/.test(name) ? `arg-${name}` : `arg-${at + 1}`;

/** An argument as a row of a table. */
export const argumentRow = ({ render }: Site, one: Parameter): object => ({
  ...one,
  id: "",
  type_parts: one.type.split(/(?<=[|,])/),
  preset: one.default === undefined ? "" : JSON.stringify(one.default),
  about: render.inline(one.description ?? ""),
});

/** A call of an op that has no example: its required arguments, with placeholders. */
const formOf = ({ op, parameters }: Tool): Example => ({
  title: "The form of a call: put your values in place of these",
  op,
  args: Object.fromEntries(parameters.filter((one) => one.required).map((one) => [one.original, placeholder(one)])),
});

/** A value of the kind that an argument takes. */
function placeholder({ original, type }: Parameter): JsonValue {
  if (type.endsWith("[]")) return [];
  if (type.startsWith("{") || type === "object") return {};
  if (/^(?:integer|number)/.test(type)) return 1;
  return type === "boolean" ? true : `<${original}>`;
}

/** An example as tabs; `toolOf` finds the op that it calls. */
export const exampleTabs = (
  { render, languages }: Site,
  example: Example,
  at: number,
  toolOf: (op: string) => Tool | undefined,
): object => {
  const ways = waysOf(example, toolOf(example.op));
  const programs: Readonly<Record<string, object>> = {
    python: { name: "Python", code: render.code(ways.python, "python") },
    typescript: { name: "TypeScript", code: render.code(ways.program, "signature") },
  };
  const client = languages.includes("typescript") ? "TypeScript client" : "TypeScript";
  return {
    title: example.title ?? "",
    id: `example-${at + 1}`,
    label: `Way of calling, example ${at + 1}`,
    tabs: [
      { name: "MCP", code: render.code(ways.mcp, "json") },
      ...languages.flatMap((name) => programs[name] ?? []),
      { name: client, code: render.code(ways.client, "signature") },
      { name: "Command line", code: render.code(ways.command, "bash") },
      { name: "curl", code: render.code(ways.curl, "bash") },
    ],
  };
};

/** The non-empty parts of a policy, with their heading and class. */
function policyOf({ render }: Site, policy: Policy | undefined): readonly object[] {
  const parts = [
    { title: "Do", name: "do", rules: policy?.do ?? [] },
    { title: "Do not", name: "dont", rules: policy?.dont ?? [] },
    { title: "Edge cases", name: "edge", rules: policy?.edge_cases ?? [] },
  ];
  return parts
    .filter(({ rules }) => rules.length > 0)
    .map((one): { readonly rules: readonly Html[] } => ({ ...one, rules: one.rules.map(render.inline) }));
}

function schemasOf({ render }: Site, tool: Tool): readonly object[] {
  const schemas = [
    ["Result schema", tool.result_schema],
    [`Result schema, ${tool.learned_result ? learnedFrom(tool.learned_result) : ""}`, tool.learned_result?.schema],
    ["Input schema", tool.parameters_schema],
  ] as const;
  return schemas.flatMap(([title, schema]) =>
    schema ? [{ title, code: render.code(prettyJson(schema, 80).trimEnd(), "json") }] : [],
  );
}

/** Meaning of each error code for a caller. */
const MEANINGS: Readonly<Record<string, string>> = {
  VALIDATION_ERROR: "The arguments do not fit. The answer names each field, and holds a corrected call.",
  NOT_FOUND: "There is no such thing, or the caller may not see it.",
  PERMISSION_DENIED: "The caller may not write: start the server with --allow-write, or use a key that may.",
  CONFLICT: "Somebody changed it meanwhile: read it again, then repeat the change.",
};

const ACCESS = {
  read: "every caller that may read",
  write: "callers that may write",
  admin: "administrators",
} as const;

/** Access and source as terms and descriptions. */
function factsOf({ access, target, project_from, annotations, source, tool_name, aliases, kind }: Tool): readonly {
  readonly term: string;
  readonly says: string;
}[] {
  const through = project_from === undefined ? "" : `, named by ${project_from}`;
  const hints = [
    kind === "read" ? "changes nothing" : "changes something",
    ...(annotations.destructiveHint ? ["may destroy data"] : []),
    ...(annotations.idempotentHint ? ["safe to repeat"] : []),
    ...(annotations.openWorldHint ? ["reaches other systems"] : []),
  ];
  const facts: readonly (readonly [term: string, says: string])[] = [
    ["Tool name", tool_name],
    ["Other names", aliases.join(", ")],
    ["Open to", ACCESS[access]],
    ["Acts on", target === "project" ? `one project${through}` : "the whole installation"],
    ["Effect", hints.join(", ")],
    ["Source", SOURCES[source.kind](source.server ?? "")],
    ["Defined in", source.file],
  ];
  return facts.filter(([, says]) => says !== "").map(([term, says]) => ({ term, says }));
}

const SOURCES: Readonly<Record<Tool["source"]["kind"], (server: string) => string>> = {
  local: () => "this project",
  proxy: (server) => `MCP server ${server}`,
  http: (server) => (server === "" ? "an HTTP API" : `HTTP API ${server}`),
};

/** An op with the file of its page, if it has one. */
export function linkedOp(site: Site, name: string): { readonly name: string; readonly file: string } {
  const op = site.opOf(name);
  return { name, file: op === undefined ? "" : pageFile(site.addresses.op(op)) };
}
