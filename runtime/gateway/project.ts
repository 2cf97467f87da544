/** Opens a generated project: the index of its registry at once, the rest on demand. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { ProxyContext } from "../call/client-access.js";
import type { Project } from "../catalog/project.js";
import type { RuntimeConfig, Settings } from "../config/settings.js";
import { digestText } from "../contract/canonical.js";
import { type Bound, fail } from "../contract/handler.js";
import { type HeldFile, holdFile } from "../contract/held-file.js";
import { type HelpDocument, type HelpIndexFile, wholeHelp } from "../contract/help.js";
import { memoizeAsync } from "../contract/memoize-async.js";
import type { JsonObject, Registry, Tool } from "../contract/registry.js";
import { GENERATE_AGAIN, INDEX_FILE, indexedRegistry } from "../contract/registry-index.js";
import { RESULT_TOOL } from "../contract/result-tool.js";
import { readToolIndex, type ToolIndex } from "../contract/search/search-file.js";
import type { DeclaringFeature } from "../contract/settings/feature-settings.js";
import { FILE_VERSIONS, type RegistryFile, wholeRegistry } from "../contract/shared-definitions.js";
import { UsageError } from "../contract/usage-error.js";
import type { Validator } from "../contract/validation.js";
import type { ShippedModules } from "../packs/host.js";
import { snippetsIn } from "../run/snippet-file.js";
import type { Upstreams } from "../upstream/upstreams.js";
import type { ExtendedProject } from "./added-ops.js";
import { type PackObjects, packModules } from "./pack-modules.js";

/** The data of a generated project. */
export interface ProjectData {
  readonly registry: Registry;
  readonly helpOf: Project["helpOf"];
  readonly toolIndex: NonNullable<Project["toolIndex"]>;
  /** Text of `toolwright.lock` as it was when the registry was read, if there was one. */
  readonly lock: () => string | undefined;
  /** Text of `definitions/snippets.yaml`, if there is one. */
  readonly snippets: string | undefined;
}

/**
 * Reads the registry and the other files needed at once. The rest of `generated/` must be of the same build.
 *
 * @throws UsageError if files are missing, unreadable, or of different builds
 */
export async function readProject(root: string): Promise<ProjectData> {
  const folder = join(root, "generated");
  const [registryIndex, lock, snippets] = await Promise.all([
    readFile(join(folder, INDEX_FILE)).catch(() => undefined),
    textNow(join(folder, "toolwright.lock")),
    readFile(join(root, "definitions", "snippets.yaml"), "utf8").catch(() => undefined),
  ]);
  const registry = indexedRegistry(join(root, REGISTRY), registryIndex) ?? (await readRegistry(root));
  let index: ToolIndex | undefined;
  const toolIndex = (): ToolIndex => {
    index ??= readToolIndex(folder, lock(), registry);
    return index;
  };
  return { registry, helpOf: await openHelp(root, registry), toolIndex, lock, snippets };
}

/** Reads the whole file. @throws UsageError if it is missing, no JSON or of another version */
async function readRegistry(root: string): Promise<Registry> {
  const file = jsonIn<RegistryFile>(REGISTRY, await readBytes(root, REGISTRY));
  if (FILE_VERSIONS.includes(file.ir_version)) return wholeRegistry(file);
  throw new UsageError(
    `${REGISTRY} has ir_version ${file.ir_version}, this toolwright reads 1: run "toolwright generate"`,
  );
}

const REGISTRY = "generated/registry.json";
const HELP = "generated/help/index.json";

const readBytes = (root: string, path: string): Promise<Buffer> =>
  readFile(join(root, path)).catch(() => {
    throw new UsageError(
      `there is no ${path} under ${root}: run "toolwright generate" first, or name the folder that holds definitions/ with --root`,
    );
  });

/** Reads a file now, and returns a function that decodes its text at the first call; the text is undefined if there is no file. */
async function textNow(path: string): Promise<() => string | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  let text: string | undefined;
  return () => {
    text ??= bytes?.toString("utf8");
    return text;
  };
}

/** Decodes the whole file: with an encoding, Node decodes a large file in pieces, which takes several times as long. */
function jsonIn<T>(path: string, bytes: Buffer): T {
  try {
    return JSON.parse(bytes.toString("utf8")) as T;
  } catch {
    throw new UsageError(`${path} is no JSON: run "toolwright generate"`);
  }
}

/**
 * Looks up the help of an op. The index is read on first use, which saves a tenth of the startup time with thousands
 * of tools; at once if it does not begin and end as the one that `generate` wrote.
 *
 * @throws UsageError if it is not JSON, or of another build than the registry
 */
async function openHelp(root: string, { registry_version: version, tools }: Registry): Promise<Project["helpOf"]> {
  let held = holdFile(join(root, HELP));
  let ops: HelpIndexFile["ops"] | undefined;
  if (!held || !isWhole(held, version)) {
    held = undefined;
    const index = jsonIn<HelpIndexFile>(HELP, await readBytes(root, HELP));
    if (index.registry_version !== version)
      throw new UsageError(`${REGISTRY} and ${HELP} are of two builds: run "toolwright generate"`);
    ({ ops } = index);
  }
  let toolOf: ReadonlyMap<string, Tool> | undefined;
  return (op): HelpDocument | undefined => {
    ops ??= held ? readHelp(held, version) : {};
    held = undefined;
    toolOf ??= new Map(tools.map((tool) => [tool.op, tool]));
    const [listed, tool] = [Object.hasOwn(ops, op) ? ops[op] : undefined, toolOf.get(op)];
    return listed && tool && wholeHelp(listed, tool);
  };
}

function isWhole(file: HeldFile, version: string): boolean {
  const [head, end] = [`{\n  "registry_version": "${version}",\n`, "}\n"].map((text) => Buffer.from(text));
  if (!head || !end || file.size < head.length + end.length) return false;
  return file.read(0, head.length).equals(head) && file.read(file.size - end.length, end.length).equals(end);
}

/** @throws ToolFailure UNAVAILABLE if it is no JSON, or no longer of the build of the registry */
function readHelp(file: HeldFile, version: string): HelpIndexFile["ops"] {
  let index: HelpIndexFile | undefined;
  try {
    index = JSON.parse(file.read(0, file.size).toString("utf8"));
  } catch {
    fail("UNAVAILABLE", `${HELP} is no JSON: ${GENERATE_AGAIN}.`);
  }
  return index?.registry_version === version ? index.ops : isOfAnotherBuild(HELP);
}

const isOfAnotherBuild = (file: string): never =>
  fail("UNAVAILABLE", `${file} is of another build than the registry that is served: ${GENERATE_AGAIN}.`);

/** A project with its upstream servers, and the ops that features have added. */
export interface OpenedProject extends ExtendedProject {
  /** Lookups of the objects that packs store; default: none. */
  readonly objects?: () => Promise<readonly PackObjects[]>;
  /** Upstream servers, if any is configured. */
  readonly upstreams?: Upstreams;
}

/** Input for opening a project. */
export interface ProjectParts extends ProjectData {
  readonly root: string;
  readonly version: string;
  readonly config: RuntimeConfig;
  readonly settings: Settings;
  readonly shipped: ShippedModules;
  readonly upstreams?: Upstreams | undefined;
  /** Default: none. */
  readonly features?: readonly CallingFeature[] | undefined;
}

/** Finds the handlers of the ops of one kind of source in a project. */
export type CallingPart = (
  project: Pick<ProjectParts, "root" | "config" | "settings">,
) => (tool: Tool) => Promise<Bound<never, unknown>>;

/** A feature that calls the ops of a kind of source. */
export interface CallingFeature extends DeclaringFeature {
  /** Loads what finds their handlers, by the kind of a source in the registry. */
  readonly calls?: Partial<Readonly<Record<Tool["source"]["kind"], () => Promise<CallingPart>>>>;
}

/** A project whose code is loaded on demand. */
export function openProject(parts: ProjectParts): OpenedProject {
  const { root, version, registry, helpOf, toolIndex, config, settings, upstreams, features = [] } = parts;
  const tools = new Map([RESULT_TOOL, ...registry.tools].map((one) => [one.op, one]));
  const validators = memoizeAsync((pack) => importValidators(parts, pack));
  const modules = packModules(parts);
  const callers = new Map(features.flatMap(({ calls = {} }) => Object.entries(calls)));
  const caller = memoizeAsync(async (kind) => (await callers.get(kind)?.())?.({ root, config, settings }));
  return {
    root,
    version,
    registry,
    helpOf,
    toolIndex,
    settings,
    validators,
    snippets: () => snippetsIn(parts.snippets),
    ...(upstreams ? { upstreams } : {}),
    handler: async (op) => {
      const tool = tools.get(op);
      const call = tool && (await caller(tool.source.kind));
      if (call) return call(tool);
      if (tool?.source.kind === "proxy")
        return (
          upstreams && {
            run: (args: JsonObject, ctx: ProxyContext) => upstreams.call(tool, args, ctx),
            exactNumbers: true as const,
            ...(upstreams.takesKey(tool) ? { repeatable: true as const } : {}),
          }
        );
      return modules.handler(tool);
    },
    objects: modules.objects,
  };
}

/** The lines of a generated module that import the seam, and the beginnings of what it exports. */
const SEAM_IMPORT = /^import (\{[^}]*\}) from "toolwright\/codegen";$/m;
const EXPORTS = /^export const /gm;

/**
 * Evaluates the validators of a pack with the functions of this process, so that both count the work of a call together.
 *
 * The module is imported as text, since the project's own `package.json` may declare `.js` files CommonJS, and
 * toolwright may not be installed in the project.
 */
async function importValidators({ root, lock }: ProjectParts, pack: string): Promise<ReadonlyMap<string, Validator>> {
  const file = `validators/${pack}.js`;
  const text = await readFile(join(root, "generated", file), "utf8");
  requireSameBuild(lock(), file, text);
  const code = text.replace(SEAM_IMPORT, "const $1 = seam;").replace(EXPORTS, "const ");
  // The modules of the seam that validators import from, and no others: to import all of it would load Ajv at every start.
  const modules = await Promise.all([
    import("../contract/validation.js"),
    import("../contract/bounded-validation.js"),
    import("../contract/equal-values.js"),
    import("../contract/pattern/bounded-pattern.js"),
  ]);
  const seam = Object.assign({}, ...modules);
  const evaluate = new Function("seam", `"use strict";\n${code}\nreturn validators;`);
  return new Map(Object.entries(evaluate(seam) as Readonly<Record<string, Validator>>));
}

/** @throws ToolFailure UNAVAILABLE if the file is not of the same build as the registry in memory */
function requireSameBuild(lock: string | undefined, file: string, text: string): void {
  // The lock has one line per file, so it need not be parsed.
  if (!lock?.includes(`"${file}": `) || lock.includes(`"${file}": "${digestText(text)}"`)) return;
  isOfAnotherBuild(`generated/${file}`);
}
