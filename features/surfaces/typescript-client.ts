/** Emits `surfaces/client.ts`: a typed client. The emitted file has only paths and types; `toolwright/codegen` makes the calls. */

import { opNames } from "../../generator/core/names.js";
import { docComment, generatedHeader, jsString, propertyKey } from "../../generator/core/printer.js";
import { sourcesOf } from "../../generator/emit/emitter.js";
import { knownResult } from "../../runtime/contract/known-result.js";
import type { JsonSchema, Tool } from "../../runtime/contract/registry.js";
import { surface } from "./surface.js";

/** Emits `surfaces/client.ts`. */
export const typescriptClient = surface("typescript", ({ registry, tools }) => {
  const names = opNames(registry.tools.map(({ op }) => op));
  const method = (tool: Tool, name: string, indent: string): string => {
    const type = `types.${names.get(tool.op)?.type ?? ""}`;
    const result = knownResult(tool) ? `${type}Result` : "unknown";
    const args = `args${needsArguments(tool) ? "" : "?"}: ${type}Args`;
    return (
      docComment([tool.summary, "", `@generated from tool ${tool.tool_name}`], indent) +
      `${indent}${name}(${args}, options?: CallOptions): Promise<Envelope<${result}>>;\n`
    );
  };
  const text =
    `${generatedHeader("//", sourcesOf(registry))}/* eslint-disable */\n` +
    `import { type Call, type CallOptions, clientOf, type Envelope } from "toolwright/codegen";\n` +
    `import type * as types from "../types.js";\n\n` +
    `export { httpCall } from "toolwright/codegen";\n\n` +
    `${docComment(["Every op under its path; each answers with its envelope and never rejects."])}` +
    `export interface Client {\n${branch(tools, 0, "  ", method)}}\n\n` +
    `const OPS: readonly string[] = [\n${tools.map(({ op }) => `  ${jsString(op)},\n`).join("")}];\n\n` +
    docComment(['Makes a client, as with `createClient(httpCall({ url: "http://127.0.0.1:8080", key }))`.']) +
    `export const createClient = (call: Call): Client => clientOf<Client>(OPS, call);\n`;
  return { "client.ts": text };
});

type Method = (tool: Tool, name: string, indent: string) => string;

/** The members below a path of `depth` parts: objects for longer paths, methods for the ops that end here; both is an object with a call signature. */
function branch(tools: readonly Tool[], depth: number, indent: string, method: Method): string {
  const byName = new Map<string, Tool[]>();
  for (const tool of tools) {
    const name = tool.op.split(".")[depth] ?? "";
    byName.set(name, [...(byName.get(name) ?? []), tool]);
  }
  const members = [...byName].map(([name, below]) => {
    const own = below.find(({ op }) => op.split(".").length === depth + 1);
    if (own && below.length === 1) return method(own, propertyKey(name), indent);
    const deeper = `${indent}  `;
    const inside = branch(
      below.filter((one) => one !== own),
      depth + 1,
      deeper,
      method,
    );
    const call = own ? method(own, "", deeper) : "";
    return `${indent}readonly ${propertyKey(name)}: {\n${call}${inside}${indent}};\n`;
  });
  return members.join("");
}

/** Whether a call requires arguments. */
function needsArguments({
  parameters,
  parameters_schema: { required },
}: Tool & { parameters_schema: JsonSchema }): boolean {
  return parameters.some((one) => one.required) || (Array.isArray(required) && required.length > 0);
}
