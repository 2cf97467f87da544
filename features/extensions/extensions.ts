/** The extension tools of a project: accepts those whose names are free. */

import type { Project } from "../../runtime/catalog/project.js";
import { digestText } from "../../runtime/contract/canonical.js";
import type { Pack, Registry, Tool } from "../../runtime/contract/registry.js";
import type { AddedOp, AddedOps } from "../../runtime/gateway/added-ops.js";
import type { OpenedProject } from "../../runtime/gateway/project.js";
import { BUILTINS } from "../../runtime/run/languages/python/builtins.js";
import type { ExtensionBuild, ExtensionFault } from "./extension-file.js";
import { EXTENSIONS_NAME } from "./name.js";

/** The code of an op: Python source with the names of async functions, or the address of a bundle. */
export type ExtensionCode =
  | { readonly kind: "python"; readonly source: string; readonly asynchronous: ReadonlySet<string> }
  | { readonly kind: "typescript"; readonly url: string };

/** An op from a file of extension tools. */
export interface ExtensionTool extends AddedOp {
  readonly code: ExtensionCode;
}

/** The extension tools of a project. */
export interface Extensions extends AddedOps {
  readonly tools: ReadonlyMap<string, ExtensionTool>;
  /** Files that were read. */
  readonly files: readonly string[];
  /** Faults to correct; each one prevents tools from loading. */
  readonly faults: readonly ExtensionFault[];
  /** Notes that are not faults: functions without a docstring, type hints without meaning. */
  readonly notes: readonly string[];
}

/** `.onetool/tools/greet.py:3 is not valid Python; correct the file` */
export const faultLine = ({ file, line, message, remedy }: ExtensionFault): string =>
  `${file}${line === undefined ? "" : `:${line}`} ${message}; ${remedy}`;

/** A built file with its code. */
export interface BuiltFile {
  readonly file: string;
  readonly build: ExtensionBuild;
  readonly code: ExtensionCode;
}

const REFUSED = "give the function, or the file, another name";

/** Accepts the tools of all files, except those whose name is taken. */
export function acceptExtensionTools(
  { registry, settings }: Pick<Project, "registry" | "settings">,
  files: readonly BuiltFile[],
): Pick<Extensions, "tools" | "packs" | "faults"> {
  const taken = namesTaken(registry);
  const known = new Set(registry.packs.map(({ name }) => name));
  const tools = new Map<string, ExtensionTool>();
  const packs = new Map<string, Pack>();
  const faults: ExtensionFault[] = [];
  const found = files.flatMap((one) => (one.build.registry?.tools ?? []).map((tool) => ({ ...one, tool })));
  for (const { file, build, code, tool } of found) {
    const validator = build.validators.get(tool.op);
    const holder = taken.get(tool.op) ?? packHolder(tool.group, settings.aliases);
    if (holder) faults.push({ file, message: `${tool.op} is refused: ${holder}`, remedy: REFUSED });
    if (holder || !validator) continue;
    taken.set(tool.op, `${file} has it already`);
    tools.set(tool.op, { tool: withCode(tool, code), help: build.help.get(tool.op), validator, code });
    for (const pack of build.registry?.packs ?? []) if (!known.has(pack.name)) packs.set(pack.name, pack);
  }
  return { tools, faults, packs: [...packs.values()] };
}

/** The tool with the digest of its code, if that calls other ops. */
const withCode = (tool: Tool, code: ExtensionCode): Tool =>
  code.kind === "python" ? { ...tool, source: { ...tool.source, code: digestText(code.source) } } : tool;

/** All names that are taken, with the reason. */
function namesTaken({ tools, reserved }: Registry): Map<string, string> {
  const taken = new Map<string, string>();
  for (const { op } of reserved) taken.set(op, "the name of a removed op is reserved");
  for (const { op, aliases } of tools) for (const alias of aliases) taken.set(alias, `it is an alias of ${op}`);
  for (const { op } of tools) taken.set(op, "the registry has an op of that name");
  return taken;
}

/** Why code in `run` could not reach a pack: builtins of Python come first, then aliases. */
function packHolder(pack: string, aliases: Project["settings"]["aliases"]): string | undefined {
  if (BUILTINS.has(pack)) return `${pack} is a builtin of Python`;
  return aliases.has(pack) ? `${pack} is an alias of ${aliases.get(pack)}` : undefined;
}

/** The extension tools that were added to a project. The only cast: it takes what `loadExtensions` has returned. */
export const extensionsIn = ({ added }: Pick<OpenedProject, "added">): Extensions | undefined =>
  added?.get(EXTENSIONS_NAME) as Extensions | undefined;
