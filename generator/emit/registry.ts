/**
 * Emits `registry.json`, the contract and baseline; `registry-index.json`, of which a server reads it in parts; `registry.ts`, the same registry as typed descriptors; and `ops.ts`,
 * op to tool name, one per line, so that its diff shows reviewers the change of the API.
 */

import { knownResult } from "../../runtime/contract/known-result.js";
import { CODEGEN_VERSION, type Registry, type Tool } from "../../runtime/contract/registry.js";
import { INDEX_FILE, registryIndex } from "../../runtime/contract/registry-index.js";
import { registryFile } from "../../runtime/contract/shared-definitions.js";
import { type OpNames, opNames } from "../core/names.js";
import { docComment, generatedHeader, jsString, prettyJson } from "../core/printer.js";
import { type Emitter, sourcesOf } from "./emitter.js";

/** Longest line of a file with shared definitions, before a list or an object is broken over lines. */
const WIDE = 260;

/** Emits `registry.json`, its index, and `registry.ts`. */
export const registryFiles: Emitter = {
  name: "registry",
  emit: (registry) => {
    const file = registryFile(registry);
    // Indentation would be a fifth of a large file.
    const text = file.definitions ? prettyJson(file, WIDE) : prettyJson(file);
    return [
      { path: "registry.json", text },
      { path: INDEX_FILE, text: registryIndex(registry, text) },
      { path: "registry.ts", text: registryModule(registry) },
    ];
  },
};

function registryModule(registry: Registry): string {
  const names = opNames(registry.tools.map((one) => one.op));
  const nameOf = (tool: Tool): OpNames => names.get(tool.op) as OpNames;
  const typeNames = registry.tools.map(
    (one) => `  ${nameOf(one).type}Args,\n${knownResult(one) ? `  ${nameOf(one).type}Result,\n` : ""}`,
  );
  const imports = registry.tools.length > 0 ? `import type {\n${typeNames.join("")}} from "./types.js";\n` : "";
  const descriptors = registry.tools.map((one) => descriptor(one, nameOf(one)));
  const members = registry.tools.map((one) => `    ${jsString(one.op)}: ${nameOf(one).value},\n`);
  return (
    `${generatedHeader("//", sourcesOf(registry))}/* eslint-disable */\n` +
    `import { registry as makeRegistry, type ToolDesc, tool } from "toolwright/codegen";\n${imports}\n` +
    `${descriptors.join("\n")}\n` +
    "/** Every op of this registry. */\n" +
    `export const registry = /*@__PURE__*/ makeRegistry({\n  codegen: ${CODEGEN_VERSION},\n` +
    `  registry_version: ${jsString(registry.registry_version)},\n  tools: {\n${members.join("")}  },\n});\n`
  );
}

function descriptor(tool: Tool, { value, type }: OpNames): string {
  const result = knownResult(tool) ? `, ${type}Result` : "";
  return (
    docComment([tool.summary, "", `@generated from tool ${tool.tool_name}`]) +
    `export const ${value}: ToolDesc<${jsString(tool.op)}, ${type}Args${result}> = /*@__PURE__*/ tool({\n` +
    `  op: ${jsString(tool.op)},\n  tool: ${jsString(tool.tool_name)},\n  kind: ${jsString(tool.kind)},\n` +
    `  input: ${jsString(tool.digest.input)},\n});\n`
  );
}

/** Emits `ops.ts`. */
export const ops: Emitter = {
  name: "ops",
  emit: (registry) => {
    const lines = registry.tools.map((one) => `  ${jsString(one.op)}: ${jsString(one.tool_name)},\n`);
    const aliases = registry.tools.flatMap((one) =>
      one.aliases.map((alias) => `  ${jsString(alias)}: ${jsString(one.op)},\n`),
    );
    const text =
      `${generatedHeader("//", sourcesOf(registry))}/* eslint-disable */\n\n` +
      `/** Op to the name of its tool on the wire. */\nexport const ops = {\n${lines.join("")}} as const satisfies Record<string, string>;\n\n` +
      `/** Other paths that stand for an op. */\nexport const opAliases = ${aliases.length > 0 ? `{\n${aliases.sort().join("")}}` : "{}"} as const satisfies Record<string, keyof typeof ops>;\n\n` +
      "/** Path of an op. */\nexport type Op = keyof typeof ops;\n";
    return [{ path: "ops.ts", text }];
  },
};
