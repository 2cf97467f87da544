/**
 * Emits `types.ts`, the arguments and declared results of every op as TypeScript types, by json-schema-to-typescript; and
 * `stubs.pyi`, Python signatures of every op, for type checks of `run()` code and for readers.
 */

import { acceptedNames } from "../../runtime/contract/accepted-names.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import { knownResult, learnedFrom } from "../../runtime/contract/known-result.js";
import { pythonStubs } from "../../runtime/contract/python-stubs.js";
import type { JsonObject, JsonSchema, Tool } from "../../runtime/contract/registry.js";
import {
  apart,
  type Definitions,
  type SharedDefinitions,
  sharedDefinitions,
} from "../../runtime/contract/shared-definitions.js";
import { type Memo, stepInput } from "../core/memo.js";
import { capital, nameWords, type OpNames, opNames } from "../core/names.js";
import { docComment, generatedHeader } from "../core/printer.js";
import { type Emitter, sourcesOf } from "./emitter.js";
import { MASK_PREFIX, STAND_IN, sharedMark, typesSchema, withSharedTypes } from "./types-schema.js";

/** Emits `types.ts`. */
export const types: Emitter = {
  name: "types",
  emit: async (registry, { memo }) => {
    const names = opNames(registry.tools.map((one) => one.op));
    // Sequentially, since the printer keeps much memory per schema until it is done.
    const blocks: string[] = [];
    const shared = sharedDefinitions(registry.tools);
    for (const one of registry.tools) {
      const printing = { memo, shared: Object.hasOwn(shared, one.group) ? shared[one.group] : undefined };
      const text = await typesOf(one, names.get(one.op) as OpNames, printing);
      blocks.push(withSharedTypes(text, (name) => markOf(one.group, name)));
    }
    for (const [pack, definitions] of Object.entries(shared))
      blocks.push(await definitionTypes(pack, definitions, memo));
    const named = withNames(blocks.join("\n"), shared);
    return [
      { path: "types.ts", text: `${generatedHeader("//", sourcesOf(registry))}/* eslint-disable */\n\n${named}` },
    ];
  },
};

/** What the types of an op are printed with. */
interface Printing {
  readonly memo: Memo;
  /** Definitions that have types of their own. */
  readonly shared: Definitions | undefined;
}

async function typesOf(tool: Tool, { type }: OpNames, printing: Printing): Promise<string> {
  const args = await typeOf(withOthers(tool.parameters_schema), `${type}Args`, `Arguments of ${tool.op}.`, printing);
  const result = knownResult(tool);
  if (!result) return args;
  const about = `Result of ${tool.op}${tool.learned_result ? `, ${learnedFrom(tool.learned_result)}` : ""}.`;
  return `${args}\n${await typeOf(result, `${type}Result`, about, printing)}`;
}

/** The schema of arguments with those that the printer leaves out: of dependencies and conditions, and of any name. */
function withOthers(schema: JsonSchema): JsonSchema {
  const { declared, open } = acceptedNames(schema);
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const isWhole = ["allOf", "anyOf", "oneOf", "$ref"].some((keyword) => schema[keyword] !== undefined);
  const others = [...declared].filter(([name]) => !isWhole && !Object.hasOwn(properties, name));
  return {
    ...schema,
    ...(others.length > 0 ? { properties: { ...properties, ...Object.fromEntries(others) } as JsonObject } : {}),
    ...(open && schema["additionalProperties"] === undefined ? { additionalProperties: true } : {}),
  };
}

/** One exported type of the given name, with the named types that it needs. */
async function typeOf(schema: JsonSchema, name: string, about: string, { memo, shared }: Printing): Promise<string> {
  const parts = apart(schema, shared);
  if (parts?.named !== undefined) return `${docComment([about])}export type ${name} = ${sharedMark(parts.named)};\n`;
  const text = await printed(typesSchema(parts?.root ?? schema, parts?.isShared), memo);
  const documented = text.replace(ROOT, (declaration) => docComment([about]) + declaration);
  return `${documented.replaceAll(MASK_PREFIX, "").replaceAll(STAND_IN, () => name)}\n`;
}

/** The types of definitions that ops of a pack share, each once. */
async function definitionTypes(pack: string, definitions: Definitions, memo: Memo): Promise<string> {
  const blocks: string[] = [];
  for (const [name, schema] of Object.entries(definitions)) {
    const text = await printed(
      typesSchema(schema, (one) => Object.hasOwn(definitions, one)),
      memo,
    );
    const about = schema["description"];
    const comment = typeof about === "string" && about.trim() !== "" ? docComment([about]) : "";
    const own = text.replace(ROOT, (declaration) => comment + declaration).replaceAll(MASK_PREFIX, "");
    const marked = own.replaceAll(STAND_IN, () => sharedMark(name));
    blocks.push(`${withSharedTypes(marked, (one) => markOf(pack, one))}\n`);
  }
  return blocks.join("\n");
}

async function printed(schema: JsonSchema, memo: Memo): Promise<string> {
  const copy = { ...schema, description: undefined };
  const key = stepInput(copy);
  return memo.find<string>("type", key) ?? memo.keep("type", key, await printType(copy));
}

async function printType(schema: object): Promise<string> {
  const {
    default: { compile },
  } = await import("json-schema-to-typescript");
  const printed = await compile(schema as Parameters<typeof compile>[0], STAND_IN, {
    additionalProperties: false,
    bannerComment: "",
    declareExternallyReferenced: true,
    enableConstEnums: false,
    format: false,
    strictIndexSignatures: false,
    unknownAny: true,
    $refOptions: { resolve: { external: false, file: false, http: false } },
  });
  return indented(withoutNoise(printed).replaceAll("\u2028", "\\u2028").replaceAll("\u2029", "\\u2029").trim());
}

/** Stands for the type of a definition of a pack until all other names are known. */
const markOf = (pack: string, name: string): string => sharedMark(JSON.stringify([pack, name]));

/** Replaces the marks by names that nothing else has. */
function withNames(text: string, shared: SharedDefinitions): string {
  const taken = new Set([...text.matchAll(/^export (?:interface|type) ([\w$]+)/gm)].map(([, name]) => name));
  const names = new Map<string, string>();
  for (const [pack, definitions] of Object.entries(shared))
    for (const name of Object.keys(definitions)) {
      const stem = [...nameWords(pack), ...nameWords(name)].map(capital).join("") || "Definition";
      let free = stem;
      for (let count = 2; taken.has(free); count++) free = `${stem}${count}`;
      taken.add(free);
      names.set(JSON.stringify([pack, name]), free);
    }
  return names.size === 0 ? text : withSharedTypes(text, (key) => names.get(key) ?? "unknown");
}

const ROOT = new RegExp(`^export (interface|type) ${STAND_IN}\\b`, "m");

/** Removes comments about the referrers of a type, which contain no names, and blank lines in empty types. */
const withoutNoise = (text: string): string =>
  text
    .replace(/\n \*(?:\n \*)? This interface was referenced by `\w+`'s JSON-Schema(?: definition)?\n \* .*(?=\n)/g, "")
    .replace(/\/\*\*\n \*\/\n/g, "")
    .replaceAll("{\n\n}", "{}");

/** Indents members and adds semicolons, which the printer omits. Works by line and skips comments, which may hold any text. */
function indented(text: string): string {
  let depth = 0;
  let inComment = false;
  const shifted = (line: string): string => (line === "" ? "" : "  ".repeat(depth) + line);
  const code = (written: string): string => {
    // The printer puts the type of further entries in brackets: `...(unknown)[]`.
    const line = /["'`]/.test(written) ? written : written.replace(/\.\.\.\((\w+)\)\[\]/g, "...$1[]");
    if (/^[}\])]/.test(line)) depth = Math.max(0, depth - 1);
    const shown = shifted(line) + ((depth > 0 ? endsMember(line) : endsAlias(line)) ? ";" : "");
    if (/[{[(]$/.test(line)) depth += 1;
    return shown;
  };
  const lines = text.split("\n").map((raw) => {
    const line = raw.trim();
    const opens = line.startsWith("/**");
    if (!inComment && !opens) return code(line);
    inComment = !line.endsWith("*/");
    return shifted(opens ? line : ` ${line}`);
  });
  return lines.join("\n");
}

const endsMember = (line: string): boolean => line !== "" && !/[{[(|&,;]$/.test(line);

/** An interface ends with its brace, a type alias with a semicolon. */
const endsAlias = (line: string): boolean => endsMember(line) && line !== "}" && !line.startsWith("export interface ");

/** Emits `stubs.pyi`. */
export const stubs: Emitter = {
  name: "stubs",
  emit: (registry) => [
    { path: "stubs.pyi", text: `${generatedHeader("#", sourcesOf(registry))}${pythonStubs(registry.tools).text}` },
  ],
};
