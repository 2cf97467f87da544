/** Emits `handlers.ts`: the types of handlers, by which a missing or ill-typed handler does not compile. */

import { byCodeUnit } from "../../runtime/contract/canonical.js";
import type { Registry, Tool } from "../../runtime/contract/registry.js";
import { handlersName, type OpNames, opNames } from "../core/names.js";
import { docComment, generatedHeader, jsString } from "../core/printer.js";
import { type Emitter, sourcesOf } from "./emitter.js";

/** Emits `handlers.ts`. */
export const handlers: Emitter = {
  name: "handlers",
  emit: (registry) => {
    const local = registry.tools.filter(isBound);
    const packs = [...new Set(local.map(packOf))].sort(byCodeUnit);
    const names = opNames(registry.tools.map((one) => one.op));
    const blocks = packs.map((pack) => packHandlers(registry, pack, names));
    const all = packs.map(handlersName).join(", ");
    const imports = ["Bound", ...(blocks.some((one) => one.includes("Complete<")) ? ["Complete"] : [])];
    const text =
      `${generatedHeader("//", sourcesOf(registry))}/* eslint-disable */\n` +
      `import type {\n${imports.map((one) => `  ${one},\n`).join("")}} from "toolwright/codegen";\nimport type * as types from "./types.js";\n\n` +
      `${blocks.join("\n")}\n` +
      docComment(["Handlers of every local op."]) +
      `export interface Handlers${packs.length > 0 ? ` extends ${all}` : ""} {}\n`;
    return [{ path: "handlers.ts", text }];
  },
};

/** The pack whose handlers the tool is bound with. */
const packOf = ({ group, source }: Tool): string => source.pack ?? group;

/** Whether a handler must be bound; a typed function is its own handler. */
const isBound = ({ source }: Tool): boolean => source.kind === "local" && source.call === undefined;

function packHandlers(registry: Registry, pack: string, names: ReadonlyMap<string, OpNames>): string {
  const tools = registry.tools.filter((one) => packOf(one) === pack && isBound(one));
  const lines = tools.map((one) => `  ${jsString(one.op)}: ${boundType(one, names.get(one.op) as OpNames)};\n`);
  const about = [`Handlers of the pack ${pack}.`, "", "Arguments come complete with the schema's defaults."];
  return `${docComment(about)}export interface ${handlersName(pack)} {\n${lines.join("")}}\n`;
}

function boundType(tool: Tool, { type }: OpNames): string {
  const defaults = tool.parameters.filter((one) => one.default !== undefined).map((one) => jsString(one.original));
  const args = defaults.length > 0 ? `Complete<types.${type}Args, ${defaults.join(" | ")}>` : `types.${type}Args`;
  return `Bound<${args}, ${tool.result_schema ? `types.${type}Result` : "unknown"}>`;
}
