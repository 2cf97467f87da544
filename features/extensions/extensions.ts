/** Adds extension tools to a project: accepts tools whose names are free, and merges them into the registry. */

import type { Project } from "../../runtime/catalog/project.js";
import { byCodeUnit, digest, digestText } from "../../runtime/contract/canonical.js";
import type { HelpDocument } from "../../runtime/contract/help.js";
import { memoizeAsync } from "../../runtime/contract/memoize-async.js";
import type { Pack, Registry, Tool } from "../../runtime/contract/registry.js";
import type { Validator } from "../../runtime/contract/validation.js";
import { BUILTINS } from "../../runtime/run/names.js";
import type { ExtensionBuild, ExtensionFault } from "./extension-file.js";

/** The code of an op: Python source with the names of async functions, or the address of a bundle. */
export type ExtensionCode =
  | { readonly kind: "python"; readonly source: string; readonly asynchronous: ReadonlySet<string> }
  | { readonly kind: "typescript"; readonly url: string };

/** An op from a file of extension tools. */
export interface ExtensionTool {
  readonly tool: Tool;
  readonly help: HelpDocument | undefined;
  readonly validator: Validator;
  readonly code: ExtensionCode;
}

/** The extension tools of a project. */
export interface Extensions {
  /** By op. */
  readonly tools: ReadonlyMap<string, ExtensionTool>;
  readonly packs: readonly Pack[];
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

/** A project that may have extension tools; their ops are already in its registry. */
export interface ExtendedProject extends Project {
  readonly extensions?: Extensions;
}

/** Adds the extension tools to a project; its registry version shows that they are included. */
export function withExtensions<P extends Project>(project: P, extensions: Extensions): P & ExtendedProject {
  const { registry } = project;
  const own = [...extensions.tools.values()];
  if (own.length === 0) return { ...project, extensions };
  const registry_version = `${registry.registry_version}+${overlayDigest(extensions)}`;
  const tools = [...registry.tools, ...own.map(({ tool }) => tool)].sort((a, b) => byCodeUnit(a.op, b.op));
  const packs = [...registry.packs, ...extensions.packs].sort((a, b) => byCodeUnit(a.name, b.name));
  return {
    ...project,
    extensions,
    registry: { ...registry, registry_version, tools, packs },
    helpOf: (op) => extensions.tools.get(op)?.help ?? project.helpOf(op),
    handler: async (op) => {
      const found = extensions.tools.get(op);
      if (!found) return project.handler(op);
      const { code, tool } = found;
      // Python tools need the gateway to call them: `withPythonTools` binds these.
      if (code.kind !== "typescript" || !tool.source.call) return undefined;
      const { typescriptHandler } = await import("./typescript-call.js");
      const { resultBytes } = project.settings.run.limits;
      return typescriptHandler({ root: project.root, url: code.url, call: tool.source.call, resultBytes });
    },
    validators: memoizeAsync(async (pack) => {
      const known = registry.packs.some(({ name }) => name === pack) ? await project.validators(pack) : new Map();
      const added = own.filter(({ tool }) => tool.group === pack);
      return new Map([...known, ...added.map(({ tool, validator }) => [tool.op, validator] as const)]);
    }),
  };
}

/** Digest of everything that help and exec show of the tools. */
const overlayDigest = ({ tools, packs }: Extensions): string =>
  digest({
    tools: [...tools.values()].map(({ tool }) => [tool.op, tool.digest.op, tool.digest.docs]).sort(),
    packs,
  }).slice(0, 12);
