/** Which modules a comparison loads before it needs more. The bench's goal G6 leaves no room for a compiler. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { CHECKOUT } from "../../../test/support/project.js";

test("neither the validator, the TypeScript compiler nor the YAML parser is loaded from the start", async () => {
  const { dependencies } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8"));
  const { metafile } = await build({
    absWorkingDir: CHECKOUT,
    entryPoints: ["features/breaking/command.ts"],
    outdir: "unused",
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    external: Object.keys(dependencies),
    conditions: ["toolwright-source"],
    write: false,
    metafile: true,
  });
  const loaded = new Set<string>();
  const follow = (path: string): void => {
    for (const { path: next, kind, external } of metafile.outputs[path]?.imports ?? []) {
      if (kind !== "import-statement" || loaded.has(next)) continue;
      loaded.add(next);
      if (!external) follow(next);
    }
  };
  follow("unused/command.js");
  const packages = [...loaded].filter((one) => !one.startsWith("unused/") && !one.startsWith("node:"));
  expect(packages.filter((one) => !/^ajv(-formats)?\/dist\/(runtime|formats)/.test(one))).toEqual([]);
});
