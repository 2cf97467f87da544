/** `ot.tools`: shows tools and their signatures, in the first language of programs. */

import { resultShape } from "../../contract/op-page.js";
import type { ProgramLanguage } from "../../contract/program-language.js";
import type { JsonValue, Tool } from "../../contract/registry.js";
import type { Info } from "./info.js";

/** A tool at a level of detail. */
export function toolEntry(tool: Tool, info: Info, language: ProgramLanguage): JsonValue {
  if (info === "list") return tool.op;
  if (info === "min") return { name: tool.op, description: tool.summary };
  const { op, signature, description, parameters } = tool;
  const args = parameters.map(({ name, description: about = "(no description)" }) => `${name}: ${about}`);
  const returns = resultShape(tool)?.text;
  const example = firstExample(tool, language);
  return {
    name: op,
    signature: signature[language.signature],
    description,
    source: toolSource(tool),
    ...(args.length > 0 ? { args } : {}),
    ...(returns === undefined ? {} : { returns }),
    ...(example === undefined ? {} : { example }),
  };
}

/** `local`, or `proxy:github`. */
export const toolSource = ({ source }: Tool): string =>
  source.kind === "proxy" ? `proxy:${source.server ?? ""}` : "local";

/** The first example as a call. */
export function firstExample({ op, examples, parameters }: Tool, language: ProgramLanguage): string | undefined {
  const [first] = examples;
  if (!first) return undefined;
  const named = new Map(parameters.map(({ original, name }) => [original, name]));
  const args = Object.entries(first.args).map(([key, value]) => [named.get(key) ?? key, value] as const);
  return language.call(op, Object.fromEntries(args));
}
