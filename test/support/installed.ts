/** The package as a user installs it: what `npm pack` takes, beside the packages that its `dependencies` bring, and no others. */

import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { CHECKOUT } from "./project.js";

const NPM = process.platform === "win32" ? "npm.cmd" : "npm";

/**
 * Installs the built package into `folder/node_modules`, without a registry: its dependencies are linked from the checkout.
 *
 * @returns the path of its command line
 * @throws Error if dist/ is missing or older than the sources
 */
export function installInto(folder: string): string {
  requireBuilt();
  const modules = join(folder, "node_modules");
  const own = join(modules, "toolwright");
  mkdirSync(own, { recursive: true });
  const packed = execFileSync(NPM, ["pack", "--ignore-scripts", "--json", "--pack-destination", folder], {
    cwd: CHECKOUT,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
  });
  const file = readdirSync(folder).find((name) => name.endsWith(".tgz")) ?? "";
  if (file === "") throw new Error(`npm pack wrote no package: ${packed}`);
  execFileSync("tar", ["-xzf", join(folder, file), "-C", own, "--strip-components=1"]);
  for (const [name, path] of dependenciesOf(CHECKOUT)) link(folder, name, path);
  return join(own, "dist", "generator", "main.js");
}

/** Adds packages that a user installs beside this one, with what they depend on. */
export function linkPackages(folder: string, names: readonly string[]): void {
  for (const name of names) {
    const path = folderOf(name, CHECKOUT);
    if (path === undefined) throw new Error(`${name} is not installed in the checkout`);
    for (const [one, at] of new Map([[name, path], ...dependenciesOf(path)])) link(folder, one, at);
  }
}

function link(folder: string, name: string, path: string): void {
  const place = join(folder, "node_modules", name);
  if (existsSync(place)) return;
  mkdirSync(dirname(place), { recursive: true });
  symlinkSync(path, place, "junction");
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
    execFileSync(join(CHECKOUT, "node_modules", ".bin", "tsc"), ["-p", folder], { encoding: "utf8" });
    return "";
  } catch (error) {
    return String((error as { readonly stdout?: unknown }).stdout);
  }
}

/** The packages that a package depends on, directly or not, with their folders. */
function dependenciesOf(from: string, found = new Map<string, string>()): ReadonlyMap<string, string> {
  const { dependencies = {}, optionalDependencies = {} } = JSON.parse(readFileSync(join(from, "package.json"), "utf8"));
  for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
    const path = folderOf(name, from);
    if (path === undefined || found.has(name)) continue;
    found.set(name, path);
    dependenciesOf(path, found);
  }
  return found;
}

/** Undefined for a package of another platform. */
function folderOf(name: string, from: string): string | undefined {
  const places = createRequire(join(from, "package.json")).resolve.paths(name) ?? [];
  const place = places.find((one) => existsSync(join(one, name, "package.json")));
  return place === undefined ? undefined : realpathSync(join(place, name));
}

/** Checks that the package is built from these sources. @throws Error if dist/ is missing or older than they are */
export function requireBuilt(): void {
  const built = join(CHECKOUT, "dist", "generator", "main.js");
  const isNewer = (file: string): boolean => statSync(file).mtimeMs > (existsSync(built) ? statSync(built).mtimeMs : 0);
  const sources = ["core", "features", "generator", "runtime"].flatMap((folder) =>
    readdirSync(join(CHECKOUT, folder), { recursive: true, withFileTypes: true })
      .filter((one) => one.isFile() && /\.(?:ts|tsx|mts|mjs)$/.test(one.name))
      .map((one) => join(one.parentPath, one.name))
      .filter((one) => !/[\\/](?:bench|test)[\\/]/.test(one.slice(CHECKOUT.length))),
  );
  const newer = sources.find(isNewer);
  if (newer !== undefined) throw new Error(`dist/ is older than ${newer}: run "npm run build"`);
}
