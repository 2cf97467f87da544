/** The modules of a project's own code: shipped packs, typed functions, and handlers; each is imported on first use. */

import { existsSync } from "node:fs";
import { relative, resolve } from "node:path";
import { boundIn, functionIn, moduleImporter, openedHandlers, tablesIn } from "../call/handlers.js";
import type { RuntimeConfig } from "../config/settings.js";
import { type Bound, unbound } from "../contract/handler.js";
import { memoizeAsync } from "../contract/memoize-async.js";
import { isMcpServer } from "../contract/module-server.js";
import type { StoredObjects } from "../contract/pack.js";
import type { FunctionCall, Registry, Tool } from "../contract/registry.js";
import type { Tables } from "../contract/tables.js";
import type { ShippedModules } from "../packs/host.js";

/** What the modules are found by. */
export interface ModuleParts {
  readonly registry: Registry;
  readonly root: string;
  readonly config: RuntimeConfig;
  readonly shipped: ShippedModules;
}

/** Lookups of the objects that one module stores, and the tables that hold them. */
export interface PackObjects {
  readonly objects: StoredObjects;
  readonly tables: Tables | undefined;
}

/** The modules of a project. */
export interface PackModules {
  /** The handler of a function tool or of a typed function; `unbound` if its files bind none, `undefined` without such a file. */
  handler(tool: Tool | undefined): Promise<Bound<never, unknown> | undefined>;
  /**
   * The `storedObjects` of the modules whose ops may be limited to a project.
   *
   * @throws Error if the export of a module has another form
   */
  objects(): Promise<readonly PackObjects[]>;
  /** The tables that any module of the project declares. */
  tables(): Promise<readonly Tables[]>;
}

/** Makes the lookups; nothing is imported before the first one. */
export function packModules({ registry, root, config, shipped }: ModuleParts): PackModules {
  const imported = memoizeAsync(moduleImporter(root));
  const handlerPaths = (pack: string | undefined) =>
    handlerFiles(config, pack).map((file) => resolve(root, "definitions", file));
  const ofFunction = async ({ group, source }: Tool): Promise<object> => {
    const module = source.shipped ? await shipped(source.pack ?? group) : await imported(resolve(root, source.file));
    if (!module) throw new Error(`this version does not ship ${source.file}: run "toolwright generate"`);
    return module;
  };
  const modulesOf = ({ group, source }: Tool): readonly string[] => {
    if (source.kind === "http" || source.kind === "proxy") return [];
    return source.call ? [resolve(root, source.file)] : handlerPaths(source.pack ?? group);
  };
  const find = async (tool: Tool | undefined): Promise<Bound<never, unknown> | undefined> => {
    if (tool?.source.call) return functionOrServer(await ofFunction(tool), tool, tool.source.call);
    const paths = handlerPaths(tool?.source.pack ?? tool?.group);
    const there = paths.filter((path) => existsSync(path));
    const opened = there.map(async (path) => openedHandlers(await imported(path), path));
    const [first] = paths;
    const own = tool && boundIn(await Promise.all(opened), tool);
    return own ?? (first === undefined ? undefined : unbound(relative(root, first)));
  };
  return {
    handler: onceFor(find),
    async tables() {
      const functions = new Map(
        registry.tools.filter(({ source }) => source.call).map((tool) => [tool.source.file, tool]),
      );
      const ofFunctions = [...functions].map(async ([file, tool]) => tablesIn(await ofFunction(tool), file));
      const files = new Set(config.sources.flatMap((one) => one.handlers ?? []));
      const paths = [...files].map((file) => resolve(root, "definitions", file)).filter((path) => existsSync(path));
      const ofHandlers = paths.map(async (path) => tablesIn(await imported(path), path));
      return (await Promise.all([...ofFunctions, ...ofHandlers])).flatMap((one) => one ?? []);
    },
    async objects() {
      const limited = registry.tools.filter(({ target }) => target === "project");
      const byPath = new Map(limited.flatMap((tool) => modulesOf(tool).map((path) => [path, tool] as const)));
      const found = await Promise.all(
        [...byPath].map(async ([path, tool]) =>
          objectsIn(tool.source.call ? await ofFunction(tool) : await imported(path), path),
        ),
      );
      return found.flatMap((one) => one ?? []);
    },
  };
}

/** The handler of a function of the project, or of a tool of an MCP server that its module exports. */
async function functionOrServer(module: object, tool: Tool, call: FunctionCall): Promise<Bound<never, unknown>> {
  const [, exported] = Object.entries(module).find(([name]) => name === call.export) ?? [];
  if (!isMcpServer(exported)) return functionIn(module, call, tool.source.file);
  // Most projects export no server, and do not load what reads its answers.
  return (await import("../upstream/module-server-tool.js")).serverToolHandler(exported, tool);
}

/** Keeps what a tool is bound to: looking it up takes an import, and a read of all exports. */
function onceFor(find: (tool: Tool | undefined) => Promise<Bound<never, unknown> | undefined>): PackModules["handler"] {
  const bound = new WeakMap<Tool, Bound<never, unknown>>();
  return async (tool) => {
    const found = (tool && bound.get(tool)) ?? (await find(tool));
    if (tool && found && !("unbound" in found)) bound.set(tool, found);
    return found;
  };
}

/** Handler files of the sources that feed a pack; a source without a pack feeds every pack. */
function handlerFiles(config: RuntimeConfig, pack: string | undefined): readonly string[] {
  const feeding = config.sources.filter((one) => one.pack === undefined || one.pack === pack);
  return [...new Set(feeding.flatMap((one) => one.handlers ?? []))];
}

function objectsIn(module: object, path: string): PackObjects | undefined {
  const objects = Object.entries(module).find(([name]) => name === "storedObjects")?.[1] as unknown;
  if (objects === undefined || typeof objects === "function") return undefined;
  if (!isStoredObjects(objects))
    throw new Error(`${path} exports \`storedObjects\` in another form: { kinds, ids?, projectOf, projectExists }`);
  return { objects, tables: tablesIn(module, path) };
}

function isStoredObjects(value: unknown): value is StoredObjects {
  if (typeof value !== "object" || value === null) return false;
  const { kinds, ids, projectOf, projectExists } = value as Readonly<Record<string, unknown>>;
  const isForm = ids === undefined || ids instanceof RegExp;
  return Array.isArray(kinds) && isForm && typeof projectOf === "function" && typeof projectExists === "function";
}
