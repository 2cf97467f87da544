/** Golden cases: folders of definitions with their expected output, compared as trees. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { openDisk } from "../../generator/cli/files.js";
import { moduleReader } from "../../generator/cli/find-module.js";
import { loadConfig } from "../../generator/config/config.js";
import { Report } from "../../generator/core/diagnostic.js";
import type { Memo } from "../../generator/core/memo.js";
import { type Build, buildGenerated } from "../../generator/pipeline.js";
import { countTokens, errorsOf } from "./generator-host.js";
import { BUNDLES, moduleSetting } from "./modules.js";
import { CHECKOUT } from "./project.js";

/** Folder of all cases. */
export const CASES = join(CHECKOUT, "test", "cases");

/** Names of all cases. */
export const caseNames = (): readonly string[] =>
  readdirSync(CASES, { withFileTypes: true })
    .flatMap((one) => (one.isDirectory() ? [one.name] : []))
    .sort();

/** Builds a case from the disk, with the results of an earlier build if there are any; it must have no error. */
export async function buildCase(name: string, memo?: Memo): Promise<Build> {
  const disk = openDisk(join(CASES, name));
  const report = new Report();
  const config = loadConfig((file) => disk.read(`definitions/${file}`), report);
  const surroundings = { countTokens, gatewayTools: [{ name: "tool_help" }], version: "0.0.0-test" };
  const readModule = moduleReader(disk, moduleSetting(join(CASES, name), BUNDLES));
  const host = { ...disk, ...surroundings, readModule, ...(memo ? { memo } : {}) };
  const built = config && (await buildGenerated(config, host, report));
  if (!built?.registry) throw new Error(errorsOf(report.sorted()).join("\n"));
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
