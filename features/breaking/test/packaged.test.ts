/** A comparison in the package, which has no packages beside it but its dependencies: it judges values as in a checkout. */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { completeTool } from "../../../test/support/partial-registry.js";
import { CHECKOUT, temporaryFolder } from "../../../test/support/project.js";

const toolWith = (limit: object) =>
  completeTool({
    op: "shop.list",
    parameters_schema: { type: "object", properties: { limit: { type: "integer", ...limit } } },
  });

test("the value that was accepted and is refused is found without packages of the checkout", async () => {
  const folder = temporaryFolder(onTestFinished);
  const { dependencies } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8"));
  const lines = [
    'import { comparedTools } from "./features/breaking/compare.ts";',
    `const found = await comparedTools([${JSON.stringify(toolWith({}))}], [${JSON.stringify(toolWith({ maximum: 50 }))}]);`,
    "console.log(JSON.stringify(found.map(({ rule, counterexample }) => [rule, counterexample])));",
  ];
  const { outputFiles } = await build({
    absWorkingDir: CHECKOUT,
    stdin: { contents: lines.join("\n"), resolveDir: CHECKOUT, loader: "ts" },
    bundle: true,
    format: "esm",
    platform: "node",
    external: Object.keys(dependencies),
    conditions: ["toolwright-source"],
    write: false,
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);',
    },
  });
  const file = join(folder, "compare.mjs");
  writeFileSync(file, outputFiles[0]?.text ?? "");
  const found = JSON.parse(execFileSync(process.execPath, [file], { cwd: folder, encoding: "utf8" }));
  expect(found).toContainEqual(["arg-range-narrowed", '{"limit":51}']);
});
