/** The package as npm packs it, built from the sources of the checkout and installed in a folder outside of it. */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll } from "vitest";
import { CHECKOUT, temporaryFolder } from "./project.js";

/** Packs the checkout, and unpacks the tarball in `node_modules/toolwright` of a folder. Its dependencies are those of the checkout. */
export function installPacked(root: string): void {
  const stage = temporaryFolder(afterAll);
  const run = (command: string, ...args: readonly string[]): string =>
    execFileSync(command, args, { cwd: stage, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  run(
    join(CHECKOUT, "node_modules/.bin/tsc"),
    "-p",
    join(CHECKOUT, "tsconfig.build.json"),
    "--outDir",
    join(stage, "dist"),
  );
  const { files }: { readonly files: readonly string[] } = JSON.parse(
    readFileSync(join(CHECKOUT, "package.json"), "utf8"),
  );
  for (const name of ["package.json", "README.md", "LICENSE", ...files.filter((one) => one !== "dist")])
    cpSync(join(CHECKOUT, name), join(stage, name), { recursive: true });
  // Without scripts: the build is done, and nothing is downloaded.
  const [packed] = JSON.parse(run("npm", "pack", "--json", "--offline", "--ignore-scripts"));
  const installed = join(root, "node_modules", "toolwright");
  mkdirSync(installed, { recursive: true });
  run("tar", "-xzf", join(stage, packed.filename), "-C", installed, "--strip-components=1");
  symlinkSync(join(CHECKOUT, "node_modules"), join(installed, "node_modules"));
}
