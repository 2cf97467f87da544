/** Runs the TypeScript compiler on the files of a temporary root. */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHECKOUT } from "./project.js";

/** What `tsc --strict` says about files of a root; empty where it has no complaint. */
export function compile(root: string, include: readonly string[]): string {
  const compilerOptions = {
    strict: true,
    noEmit: true,
    module: "nodenext",
    target: "es2023",
    lib: ["es2023"],
    types: [],
    customConditions: [],
  };
  writeFileSync(join(root, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
  try {
    execFileSync(join(CHECKOUT, "node_modules/.bin/tsc"), ["-p", root], { encoding: "utf8" });
    return "";
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  }
}
