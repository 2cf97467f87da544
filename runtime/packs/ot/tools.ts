/** `ot.tools`: shows tools and their signatures, in the first language of programs. */

import type { RunLanguage } from "../../config/run-settings.js";
import { resultShape } from "../../contract/op-page.js";
import { doubleQuotedPython } from "../../contract/python-types.js";
import type { JsonObject, JsonValue, Tool } from "../../contract/registry.js";
import { typescriptCall, typescriptLiteral } from "../../contract/typescript-text.js";
import type { Info } from "./info.js";

/** A tool at a level of detail. */
export function toolEntry(tool: Tool, info: Info, language: RunLanguage): JsonValue {
  if (info === "list") return tool.op;
  if (info === "min") return { name: tool.op, description: tool.summary };
  const { op, signature, description, parameters } = tool;
  const args = parameters.map(({ name, description: about = "(no description)" }) => `${name}: ${about}`);
  const returns = resultShape(tool)?.text;
  const example = firstExample(tool, language);
  return {
    name: op,
    signature: signature[language],
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
export function firstExample({ op, examples, parameters }: Tool, language: RunLanguage): string | undefined {
  const [first] = examples;
  if (!first) return undefined;
  const named = new Map(parameters.map(({ original, name }) => [original, name]));
  const args = Object.entries(first.args).map(([key, value]) => [named.get(key) ?? key, value] as const);
  return CODE[language].call(op, Object.fromEntries(args));
}

/** How code is written in a language. */
interface CodeWriter {
  call(op: string, args: JsonObject): string;
  literal(value: JsonValue): string;
}

const pythonText = (op: string, args: JsonObject): string =>
  `${op}(${Object.entries(args)
    .map(([name, value]) => `${name}=${doubleQuotedPython(value)}`)
    .join(", ")})`;

/** How the pages of `ot` write code. */
export const CODE: Readonly<Record<RunLanguage, CodeWriter>> = {
  python: { call: pythonText, literal: doubleQuotedPython },
  typescript: { call: typescriptCall, literal: typescriptLiteral },
};
