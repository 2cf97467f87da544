/** Reads and checks `generated/registry.json` with the help index beside it: those of a project, and those that it is compared with. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HelpIndex } from "../../runtime/contract/help.js";
import { isRecord } from "../../runtime/contract/json.js";
import type { Registry } from "../../runtime/contract/registry.js";
import {
  FILE_VERSIONS,
  type FileTool,
  type SharedDefinitions,
  wholeTool,
} from "../../runtime/contract/shared-definitions.js";
import { messageOf } from "../../runtime/contract/thrown.js";
import { UsageError } from "../../runtime/contract/usage-error.js";

/** A snippet with the names of its parameters. */
interface NamedSnippet {
  readonly name: string;
  readonly params: readonly string[];
}

/** A registry, with the aliases and snippets of the help index beside it. */
export interface ComparedRegistry {
  /** Where it was read from, for messages. */
  readonly from: string;
  readonly registry: Registry;
  /** Configured aliases and snippets; absent without a help index beside the registry. */
  readonly listed?: Pick<HelpIndex, "aliases"> & { readonly snippets: readonly NamedSnippet[] };
  /** Day of its commit, `YYYY-MM-DD`. */
  readonly day?: string;
}

/** The registry in `generated/`. */
export const REGISTRY_FILE = "registry.json";
/** Its help index. */
export const HELP_INDEX = "help/index.json";

/** Reads `generated/` of a root. @throws UsageError if it is missing or not a registry */
export function readHead(root: string): ComparedRegistry {
  const folder = join(root, "generated");
  const text = readTextIfThere(join(folder, REGISTRY_FILE));
  if (text === undefined)
    throw new UsageError(`there is no generated/${REGISTRY_FILE} under ${root}: run "toolwright generate"`);
  return checkedRegistry(`generated/${REGISTRY_FILE}`, text, readTextIfThere(join(folder, HELP_INDEX)));
}

/** The text of a file, if it can be read. */
export function readTextIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** Checks a registry and its help index. @param from - where they were read from, for messages @throws UsageError */
export function checkedRegistry(from: string, text: string, index: string | undefined): ComparedRegistry {
  const registry = parseRegistry(from, text);
  const listed = index === undefined ? undefined : parseListed(from, index);
  return { from, registry, ...(listed ? { listed } : {}) };
}

type Members = Readonly<Record<string, unknown>>;

function parseJson(from: string, what: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const reason = messageOf(cause);
    throw new UsageError(`${from}: ${what} is no JSON (${reason.slice(0, 120)}): generate it again`);
  }
}

/** Members of a tool that the comparison reads, each with a check of its type. */
const TOOL: Readonly<Record<string, (value: unknown) => boolean>> = {
  op: (value) => typeof value === "string",
  tool_name: (value) => typeof value === "string",
  description: (value) => typeof value === "string",
  group: (value) => typeof value === "string",
  kind: (value) => value === "read" || value === "write",
  access: (value) => typeof value === "string",
  parameters_schema: isRecord,
  annotations: isRecord,
  digest: isRecord,
  source: isRecord,
  aliases: isTexts,
  parameters: (value) => Array.isArray(value) && value.every((one) => isRecord(one) && isTexts(one["aliases"])),
  examples: (value) => Array.isArray(value) && value.every(isRecord),
  constraints: (value) => Array.isArray(value) && value.every(isRecord),
};

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((one) => typeof one === "string");
}

/** A registry of this version. @throws UsageError with the first fault */
function parseRegistry(from: string, text: string): Registry {
  const value = parseJson(from, REGISTRY_FILE, text);
  if (!isRecord(value) || !("ir_version" in value))
    throw new UsageError(`${from} is no registry: name the ${REGISTRY_FILE} that "toolwright generate" writes`);
  if (!FILE_VERSIONS.includes(value["ir_version"]))
    throw new UsageError(
      `${from} has ir_version ${JSON.stringify(value["ir_version"])}, this toolwright reads 1: use the version that wrote it, or generate it again`,
    );
  const { tools: listed, reserved = [], definitions } = value;
  if (!Array.isArray(listed) || !Array.isArray(reserved)) throw new UsageError(`${from} has no list of tools`);
  const shared = areDefinitions(definitions) ? definitions : undefined;
  const tools = listed.map((tool) => (isRecord(tool) ? wholeTool(tool as unknown as FileTool, shared) : tool));
  for (const [i, tool] of tools.entries()) {
    const wrong = Object.keys(TOOL).find((key) => !isRecord(tool) || TOOL[key]?.(tool[key]) !== true);
    if (wrong !== undefined)
      throw new UsageError(`${from}: ${wrong} of tools[${i}] is missing or wrong: generate it again`);
  }
  const { definitions: _, ...registry } = value;
  return { ...registry, ir_version: 1, tools, reserved } as unknown as Registry;
}

const areDefinitions = (value: unknown): value is SharedDefinitions =>
  isRecord(value) && Object.values(value).every((pack) => isRecord(pack) && Object.values(pack).every(isRecord));

function parseListed(from: string, text: string): ComparedRegistry["listed"] {
  const value = parseJson(from, HELP_INDEX, text);
  const named = (list: unknown): readonly Members[] =>
    (Array.isArray(list) ? list : []).filter((one) => isRecord(one) && typeof one["name"] === "string");
  if (!isRecord(value)) return undefined;
  return {
    aliases: named(value["aliases"]).filter((one) => typeof one["target"] === "string"),
    snippets: named(value["snippets"]).map(({ name, params }) => ({ name, params: paramNames(params) })),
  } as unknown as ComparedRegistry["listed"];
}

/** Names of parameters. Older indexes list only the names. */
const paramNames = (params: unknown): readonly string[] =>
  (Array.isArray(params) ? params : [])
    .map((one) => (isRecord(one) ? one["name"] : one))
    .filter((one): one is string => typeof one === "string");
