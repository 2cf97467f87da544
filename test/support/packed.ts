/** The package as npm installs it: built, packed and unpacked into a folder outside the checkout. Needs no network. */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT } from "./project.js";

const TSC = join(CHECKOUT, "node_modules", ".bin", "tsc");

/**
 * Installs the packed package into `node_modules` of a folder, with the dependencies of the checkout beside it.
 *
 * @param folder - empty; also holds the tarball and what it was made from
 */
export function installPacked(folder: string): void {
  const stage = join(folder, ".stage");
  mkdirSync(stage);
  execFileSync(TSC, ["-p", join(CHECKOUT, "tsconfig.build.json"), "--outDir", join(stage, "dist")], { cwd: CHECKOUT });
  const { files } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8")) as { files: readonly string[] };
  for (const name of ["package.json", "README.md", "LICENSE", ...files.filter((one) => one !== "dist")])
    cpSync(join(CHECKOUT, name), join(stage, name), { recursive: true });
  const pack = ["pack", "--ignore-scripts", "--silent", "--offline", "--pack-destination", folder];
  const tarball = execFileSync("npm", pack, { cwd: stage, encoding: "utf8" }).trim();
  const installed = join(folder, "node_modules", "toolwright");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, tarball), "-C", installed, "--strip-components=1"]);
  linkDependencies(join(folder, "node_modules"));
}

function linkDependencies(folder: string): void {
  const from = join(CHECKOUT, "node_modules");
  for (const name of readdirSync(from)) if (name !== "toolwright") symlinkSync(join(from, name), join(folder, name));
}

/** Type-checks the programs of a folder with the libraries' own types, and writes JavaScript to `out/`; gives the complaints. */
export function compile(folder: string, programs: readonly string[]): string {
  const compilerOptions = {
    ...{ strict: true, module: "nodenext", target: "es2023", types: ["node"] },
    ...{ rootDir: ".", outDir: "out" },
  };
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: programs }));
  try {
    execFileSync(TSC, ["-p", folder], { encoding: "utf8" });
    return "";
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout);
  }
}
