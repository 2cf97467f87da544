/** Golden cases: folders of definitions with their expected output, compared as trees. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { openDisk } from "../../generator/cli/files.js";
import { moduleReader } from "../../generator/cli/find-module.js";
import type { Memo } from "../../generator/core/memo.js";
import type { Build } from "../../generator/pipeline.js";
import { countTokens, errorsOf } from "./generator-host.js";
import { BUNDLES, moduleSetting } from "./modules.js";
import { packageBuild } from "./package-build.js";
import { CHECKOUT } from "./project.js";

const foldersIn = (folder: string): readonly string[] =>
  existsSync(folder)
    ? readdirSync(folder, { withFileTypes: true }).flatMap((one) => (one.isDirectory() ? [join(folder, one.name)] : []))
    : [];

/** The folders of all cases by name: those of the core, and those of features. */
const FOLDERS: ReadonlyMap<string, string> = new Map(
  [join(CHECKOUT, "test", "cases"), ...foldersIn(join(CHECKOUT, "features")).map((one) => join(one, "test", "golden"))]
    .flatMap(foldersIn)
    .map((folder) => [basename(folder), folder]),
);

/** Names of all cases. */
export const caseNames = (): readonly string[] => [...FOLDERS.keys()].sort();

/** The folder of a case. */
export function caseFolder(name: string): string {
  const folder = FOLDERS.get(name);
  if (folder === undefined) throw new Error(`there is no case ${name}: name one of ${caseNames().join(", ")}`);
  return folder;
}

/** Builds a case from the disk, with the results of an earlier build if there are any; it must have no error. */
export async function buildCase(name: string, memo?: Memo): Promise<Build> {
  const disk = openDisk(caseFolder(name));
  const surroundings = { countTokens, gatewayTools: [{ name: "tool_help" }], version: "0.0.0-test" };
  const readModule = moduleReader(disk, moduleSetting(caseFolder(name), BUNDLES));
  const built = await packageBuild({ ...disk, ...surroundings, readModule, ...(memo ? { memo } : {}) });
  if (!built.registry) throw new Error(errorsOf(built.diagnostics).join("\n"));
  return built;
}

/** Texts of all files below a folder by path with forward slashes; empty without the folder. */
export function treeOf(folder: string): Readonly<Record<string, string>> {
  if (!existsSync(folder)) return {};
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  const paths = files.map((one) => relative(folder, join(one.parentPath, one.name)).split(sep).join("/")).sort();
  return Object.fromEntries(paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]));
}

/** Makes a folder hold exactly these files. */
export function writeTree(folder: string, tree: Readonly<Record<string, string>>): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of Object.entries(tree)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
