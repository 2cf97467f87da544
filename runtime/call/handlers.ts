/** Imports a user's handlers, and finds the handler of a tool in them. TypeScript is bundled by esbuild first (50 ms; a loader that transforms file by file takes 1 s for the 40 files of the reference backend). Packages stay outside the bundle and are resolved from the file that imports them. */

import { mkdir, readFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildFailure, BuildOptions, Plugin } from "esbuild";
import { stateDirectory } from "../config/state-directory.js";
import { writeAtomically } from "../contract/atomic-write.js";
import { digestText } from "../contract/canonical.js";
import type { Binding, Bound, Handler, ToolDispatcher } from "../contract/handler.js";
import { datesAsText } from "../contract/json.js";
import { hint } from "../contract/own-command.js";
import type { FunctionCall, JsonObject, Tool } from "../contract/registry.js";
import type { Tables } from "../contract/tables.js";
import { importUrl } from "./import-url.js";
import { callableTool } from "./tool-objects.js";

/** The module that generated code and handlers import. */
export const SEAM = "toolwright/codegen";
/** The modules of the package that code of a project imports. */
const OWN_MODULES: readonly string[] = [SEAM, "toolwright/feature"];

/** Handlers by op. */
export type Handlers = ReadonlyMap<string, Bound<never, unknown>>;

/** Exports of a module, by name. */
type Exports = Readonly<Record<string, unknown>>;

/**
 * Makes the importer of a project's own modules. Imports run one after the other.
 *
 * @param root folder of `.onetool/`, where bundles are stored under names made from their content
 * @returns a function from path to the exports of the module; it throws if the module does not load
 */
export function moduleImporter(root: string): (path: string) => Promise<Exports> {
  let last: Promise<unknown> = Promise.resolve();
  return (path) => {
    const next = last.then(() => importModule(path, root));
    last = next.catch(() => undefined);
    return next;
  };
}

async function importModule(path: string, root: string): Promise<Exports> {
  const url = path.endsWith(".ts") ? await bundleUrl(path, root) : pathToFileURL(path).href;
  return (await importUrl(url)) as Exports;
}

/**
 * The handlers that a module exports as `handlers`; none beside a dispatcher, its default export.
 *
 * @throws Error if the module exports neither
 */
export function handlersIn(module: Exports, path: string): Handlers {
  const { handlers, default: dispatch } = module;
  if (handlers === undefined && typeof dispatch === "function") return new Map();
  if (typeof handlers !== "object" || handlers === null)
    throw new Error(`${path} exports neither \`handlers\` nor a default function (tool, args, ctx)`);
  const tables = tablesIn(module, path);
  return new Map(Object.entries(handlers).map(([op, bound]) => [op, withTables(bound, tables)]));
}

/**
 * The tables that a module exports as `tables`; a function of that name is an op.
 *
 * @throws Error if the export is something else
 */
export function tablesIn(module: object, path: string): Tables | undefined {
  const tables = memberOf(module, "tables");
  if (tables === undefined || typeof tables === "function") return undefined;
  const [name, versions] = [memberOf(tables, "name"), memberOf(tables, "versions")];
  if (typeof name === "string" && Array.isArray(versions)) return tables as Tables;
  throw new Error(`${path} exports \`tables\` that are not the tables of a pack: use defineTables, or another name`);
}

/** Adds the tables of its module to a transactional handler that names none. */
const withTables = (bound: Bound<never, unknown>, tables: Tables | undefined): Bound<never, unknown> =>
  tables === undefined || typeof bound === "function" || !bound.transactional ? bound : { tables, ...bound };

/**
 * Makes a handler of a function of the project: of a typed function, which takes its arguments as one object or as positional
 * arguments, or of a tool that a module exports. A `Date` in its result becomes text. Its binding is in the module's `bindings`,
 * under its name.
 *
 * @throws Error if the module does not export the function or the tool
 */
export async function functionIn(module: object, call: FunctionCall, file: string): Promise<Bound<never, unknown>> {
  const { export: name, positional } = call;
  if (call.tool !== undefined) {
    const { call: run, fillsDefaults } = await callableTool(module, call, file);
    const handler: Handler<JsonObject, unknown> = async (args, ctx) => datesAsText(await run(args, ctx));
    return boundBy(module, call.tool, file, { run: handler, ...(fillsDefaults ? { givenOnly: true } : {}) });
  }
  const found = memberOf(module, name);
  if (typeof found !== "function")
    throw new Error(`${file} exports no function ${name}: ${hint('run "toolwright generate"', "correct the file")}`);
  const handlerOf =
    (work: (...given: unknown[]) => unknown): Handler<JsonObject, unknown> =>
    async (args, ctx) => {
      const given = positional ? positional.map((one) => (Object.hasOwn(args, one) ? args[one] : undefined)) : [args];
      return datesAsText(await work(...given, ctx));
    };
  const { plan } = bindingOf(module, name) ?? {};
  const planner = plan ? { plan: handlerOf(plan as () => unknown) } : {};
  return boundBy(module, name, file, { run: handlerOf(found as () => unknown), ...planner });
}

const bindingOf = (module: object, name: string): Binding<never, unknown> | undefined =>
  memberOf(memberOf(module, "bindings"), name) as Binding<never, unknown> | undefined;

/** A handler with what `bindings` of its module says of it, and the tables of the module. */
const boundBy = (
  module: object,
  name: string,
  file: string,
  own: { readonly run: Handler<JsonObject, unknown> } & Binding<JsonObject, unknown>,
): Bound<never, unknown> => {
  const binding = bindingOf(module, name);
  return binding ? withTables({ ...binding, ...own }, tablesIn(module, file)) : own;
};

const memberOf = (holder: unknown, name: string): unknown =>
  typeof holder === "object" && holder !== null
    ? Object.entries(holder).find(([member]) => member === name)?.[1]
    : undefined;

/**
 * Bundles a TypeScript module with the project's own modules that it imports.
 *
 * @returns the address of the bundle, for `import`
 */
export const bundleUrl = async (path: string, root: string): Promise<string> => (await bundleModule(path, root)).url;

/** Bundles a module with the project's own modules that it imports. @throws esbuild's BuildFailure */
export const bundleModule = (path: string, root: string): Promise<Bundle> => bundle({ entryPoints: [path] }, root);

/** A bundle, and what it was made from. */
export interface Bundle {
  /** For `import`. */
  readonly url: string;
  /** Files in the bundle, relative to the root. */
  readonly inputs: readonly string[];
  /** Addresses of modules that stay outside the bundle. */
  readonly imports: readonly string[];
}

/**
 * Bundles a module that re-exports the default export of another one: of a file, or of a package, which stays outside the bundle.
 *
 * @param specifier as an import in a module of `folder` names it
 * @throws esbuild's BuildFailure
 */
export const bundleDefault = (specifier: string, folder: string, root: string): Promise<Bundle> =>
  bundle({ stdin: { contents: `export { default } from ${JSON.stringify(specifier)};`, resolveDir: folder } }, root);

/** Imports the default export of a module. @param specifier - as of {@link bundleDefault} */
export async function importDefault(specifier: string, folder: string, root: string): Promise<unknown> {
  const { url } = await bundleDefault(specifier, folder, root);
  return ((await importUrl(url)) as Exports)["default"];
}

/** The end of the last bundle: esbuild's process is stopped after each, which would abort a parallel one. */
let lastBundle: Promise<unknown> = Promise.resolve();

function bundle(entry: BuildOptions, root: string): Promise<Bundle> {
  const next = lastBundle.then(() => bundleNow(entry, root));
  lastBundle = next.catch(() => undefined);
  return next;
}

async function bundleNow(entry: BuildOptions, root: string): Promise<Bundle> {
  const { build, stop } = await import("esbuild");
  const options = {
    ...entry,
    absWorkingDir: resolve(root),
    metafile: true,
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "silent",
    plugins: [ownLocation, packagesOutside],
  } satisfies BuildOptions;
  const { outputFiles, metafile } = await build(options).finally(stop);
  const imports = Object.values(metafile.outputs).flatMap((one) => one.imports.map(({ path }) => path));
  return { url: await storedUrl(outputFiles[0]?.text ?? "", root), inputs: Object.keys(metafile.inputs), imports };
}

/** Stores the text of a module in the cache. */
async function storedUrl(text: string, root: string): Promise<string> {
  try {
    const folder = join(await stateDirectory(root), "cache");
    await mkdir(folder, { recursive: true });
    const file = join(folder, `handlers-${digestText(text).slice(0, 16)}.mjs`);
    if ((await readFile(file, "utf8").catch(() => undefined)) !== text) await writeAtomically(file, text);
    return pathToFileURL(file).href;
  } catch {
    // The folder is not writable. Without a file only the stack traces are less readable.
    return `data:text/javascript;base64,${Buffer.from(text).toString("base64")}`;
  }
}

/** Keeps the `import.meta` of each file as before bundling. */
const ownLocation: Plugin = {
  name: "own-location",
  setup(build) {
    build.onLoad({ filter: /\.[cm]?ts$/ }, async ({ path }) => {
      const { transform } = await import("esbuild");
      const define = {
        "import.meta.url": JSON.stringify(pathToFileURL(path).href),
        "import.meta.filename": JSON.stringify(path),
        "import.meta.dirname": JSON.stringify(dirname(path)),
      };
      const sourcefile = relative(build.initialOptions.absWorkingDir ?? "", path);
      try {
        const text = await readFile(path, "utf8");
        const { code } = await transform(text, { loader: "ts", format: "esm", define, sourcefile });
        return { contents: code, loader: "js" };
      } catch (error) {
        // A fault of this file, with its place, not of the transformation.
        const { errors } = error as Partial<BuildFailure>;
        if (!errors) throw error;
        return { errors: [...errors] };
      }
    });
  },
};

const RESOLVING = Symbol("resolving");

/**
 * Resolves packages from the file that imports them, to absolute addresses, because the bundle is in another folder.
 */
const packagesOutside: Plugin = {
  name: "packages-outside",
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, kind, resolveDir, importer }) => {
      if (pluginData === RESOLVING || path.startsWith("node:") || /^[A-Za-z]:[\\/]/.test(path)) return undefined;
      const found = await build.resolve(path, { kind, resolveDir, importer, pluginData: RESOLVING });
      if (found.errors.length === 0)
        return { path: found.external ? found.path : pathToFileURL(found.path).href, external: true };
      // A project without its own `toolwright` gets the module of the package that serves it.
      return OWN_MODULES.includes(path)
        ? { path: import.meta.resolve(path), external: true }
        : { errors: found.errors };
    });
  },
};

/** A `handlers` file: its handlers by op, and its function for all other tools. */
export interface OpenedHandlers {
  readonly bound: Handlers;
  readonly dispatch?: ToolDispatcher;
}

/**
 * Reads the exports of a `handlers` file.
 *
 * @throws Error if it exports neither `handlers` nor a default function
 */
export function openedHandlers(module: Readonly<Record<string, unknown>>, path: string): OpenedHandlers {
  const { default: dispatch } = module;
  const bound = handlersIn(module, path);
  return typeof dispatch === "function" ? { bound, dispatch: dispatch as ToolDispatcher } : { bound };
}

/** The handler of a tool; undefined if no file has one. */
export function boundIn(files: readonly OpenedHandlers[], { op, tool_name }: Tool): Bound<never, unknown> | undefined {
  const found = files.map(({ bound }) => bound.get(op));
  // Two files of one pack share its ops: one may bind what the other leaves out with unbound().
  const own = found.find((bound) => bound !== undefined && !("unbound" in bound));
  if (own) return own;
  const dispatch = files.find((one) => one.dispatch)?.dispatch;
  if (!dispatch) return found.find((bound) => bound !== undefined);
  return async (args: JsonObject, ctx) => dispatch(tool_name, args, ctx);
}
