/**
 * Imports a user's handlers. TypeScript is bundled by esbuild first (50 ms; a loader that transforms file by file takes 1 s for
 * the 40 files of the reference backend). Packages stay outside the bundle and are imported as if from the file that names them.
 */

import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { BuildOptions, Plugin } from "esbuild";
import { type Bound, digestText, type FunctionCall, type Handler, type JsonObject } from "./codegen.js";
import { homeFolder } from "./home.js";
import { datesAsText } from "./json.js";
import { writeWhole } from "./whole-file.js";

/** What generated code and handlers import. */
export const SEAM = "toolwright/codegen";

/** Handlers by op. */
export type Handlers = ReadonlyMap<string, Bound<never, unknown>>;

/** What a module exports, by name. */
type Exports = Readonly<Record<string, unknown>>;

/**
 * Makes the importer of a project's own modules, one after the other: esbuild's process is stopped after each, and would
 * take a bundle beside it along.
 *
 * @param root where `.onetool/` is: bundles are kept there, named by their content
 * @returns a function from path to what the module exports; it throws when the module does not load
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
  return (await import(url)) as Exports;
}

/**
 * The handlers that a module exports as `handlers`.
 *
 * @throws Error when it exports none
 */
export function handlersIn({ handlers }: Exports, path: string): Handlers {
  if (typeof handlers !== "object" || handlers === null) throw new Error(`${path} exports no \`handlers\``);
  return new Map(Object.entries(handlers));
}

/**
 * The handler that a typed function is: given its arguments as one object, or one after the other where it takes them so. A
 * `Date` in its result is text, as its result schema says.
 *
 * @throws Error when the module does not export the function
 */
export function functionIn(module: object, call: FunctionCall, file: string): Handler<JsonObject, unknown> {
  const { export: name, positional } = call;
  const found: unknown = Object.entries(module).find(([exported]) => exported === name)?.[1];
  if (typeof found !== "function") throw new Error(`${file} exports no function ${name}: run "toolwright generate"`);
  return async (args, ctx) => {
    const given = positional ? positional.map((one) => (Object.hasOwn(args, one) ? args[one] : undefined)) : [args];
    return datesAsText(await found(...given, ctx));
  };
}

/**
 * Bundles a TypeScript module with the project's own modules that it imports.
 *
 * @returns the address of the bundle, for `import`
 */
export async function bundleUrl(path: string, root: string): Promise<string> {
  const { build, stop } = await import("esbuild");
  const options: BuildOptions = {
    entryPoints: [path],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
    logLevel: "silent",
    plugins: [ownLocation, packagesOutside],
  };
  const { outputFiles } = await build(options).finally(stop);
  const text = outputFiles?.[0]?.text ?? "";
  try {
    const folder = join(await homeFolder(root), "cache");
    await mkdir(folder, { recursive: true });
    const file = join(folder, `handlers-${digestText(text).slice(0, 16)}.mjs`);
    if ((await readFile(file, "utf8").catch(() => undefined)) !== text) await writeWhole(file, text);
    return pathToFileURL(file).href;
  } catch {
    // The folder cannot be written; without a file only the stack traces are less readable.
    return `data:text/javascript;base64,${Buffer.from(text).toString("base64")}`;
  }
}

/** Keeps `import.meta` of every file what it was before bundling. */
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
      const { code } = await transform(await readFile(path, "utf8"), {
        loader: "ts",
        format: "esm",
        define,
        sourcefile: path,
      });
      return { contents: code, loader: "js" };
    });
  },
};

const RESOLVING = Symbol("resolving");

/** Packages are found from the file that imports them and then named by address, since the bundle lies elsewhere. */
const packagesOutside: Plugin = {
  name: "packages-outside",
  setup(build) {
    build.onResolve({ filter: /^[^./]/ }, async ({ path, pluginData, kind, resolveDir, importer }) => {
      if (pluginData === RESOLVING || path.startsWith("node:") || /^[A-Za-z]:[\\/]/.test(path)) return undefined;
      const found = await build.resolve(path, { kind, resolveDir, importer, pluginData: RESOLVING });
      if (found.errors.length === 0)
        return { path: found.external ? found.path : pathToFileURL(found.path).href, external: true };
      // A project that has no `toolwright` of its own gets the seam of the one that serves it.
      return path === SEAM ? { path: import.meta.resolve(SEAM), external: true } : { errors: found.errors };
    });
  },
};
