/** Finds the modules of plugins: files of the project, which are bundled, and packages that it installs. */

import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildFailure, Message } from "esbuild";
import { messageOf } from "../../runtime/contract/thrown.js";
import type { PluginModule } from "../plugin/load.js";
import type { Disk } from "./files.js";

/**
 * Bundles the default export of the module that an import in a module of `folder` names.
 *
 * @returns the address of the bundle; the files in it, relative to the root; addresses of modules that stay outside
 * @throws esbuild's BuildFailure
 */
export type Bundler = (
  specifier: string,
  folder: string,
) => Promise<{ readonly url: string; readonly inputs: readonly string[]; readonly imports: readonly string[] }>;

interface Finding {
  readonly root: string;
  readonly bundle: Bundler;
}

/** What `plugins` may name: a path that begins with `./` or `../`, or a package. */
const SPECIFIER = /^(?:\.\.?\/|(?:@[\w.-]+\/)?\w[\w.-]*(?:\/[\w.-]+)*$)/;

/** The module of a plugin. Its files count as read, so that a change of one is a change of the definitions. */
export async function findPlugin(specifier: string, disk: Disk, { root, bundle }: Finding): Promise<PluginModule> {
  if (!SPECIFIER.test(specifier)) return { missing: "is neither a relative path nor the name of a package" };
  try {
    const { url, inputs, imports } = await bundle(specifier, join(root, "definitions"));
    for (const file of [...inputs, ...imports.flatMap((one) => packageFiles(one, root))]) disk.read(file);
    return { url };
  } catch (error) {
    return refusalOf(error);
  }
}

/** A module of a package, and the nearest `package.json`, whose version changes with the package. */
export function packageFiles(address: string, root: string): readonly string[] {
  if (!address.startsWith("file:")) return [];
  const path = fileURLToPath(address);
  const [, folder = dirname(path)] = /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(path) ?? [];
  return [path, join(folder, "package.json")].map((one) => relative(root, one).split(sep).join("/"));
}

/** Name of the entry that imports the plugin, in messages of esbuild. */
const ENTRY = "<stdin>";

/** Why a module is not bundled: what cannot be found, or the fault with its place. */
export function refusalOf(error: unknown): Exclude<PluginModule, { readonly url: string }> {
  const [first]: readonly Partial<Message>[] = (error as Partial<BuildFailure>).errors ?? [];
  if (first?.text === undefined) return { fault: messageOf(error) };
  const { text, location } = first;
  if (!location || location.file === ENTRY)
    return text.startsWith("Could not resolve") ? { missing: "cannot be found" } : { fault: text };
  const { file, line, column } = location;
  return { fault: text, place: { file, line, column: column + 1 } };
}
