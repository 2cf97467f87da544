/** The command says which Node.js it needs, before it loads what an older one cannot. */

import { spawnSync } from "node:child_process";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { CHECKOUT, temporaryFolder } from "../../support/project.js";

const ours = (file: string) => import(pathToFileURL(join(CHECKOUT, "generator", file)).href);
const { mainText } = await ours("build/bundle.mjs");
const { nodeFault, placeFault } = await ours("entry/node-version.mjs");
const { engines } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8"));

test.each([
  ["18.20.4", true],
  ["20.18.3", true],
  ["20.19.0", false],
  ["20.19.5", false],
  ["20.20.0", false],
  ["22.0.0", false],
  ["100.1.1", false],
])("%s is too old: %s", (version, isOld) => {
  const fault = nodeFault(engines.node, version);
  expect(fault).toEqual(
    isOld ? expect.stringContaining(`needs Node.js 20.19 or newer, and this is ${version}: `) : undefined,
  );
});

const ZIP = "/home/a/.yarn/berry/cache/toolwright-file-1.zip/node_modules/toolwright/dist/generator/program.cjs";
test.each([
  [ZIP, "3", true],
  ["C:\\a\\.yarn\\unplugged\\toolwright-1\\node_modules\\toolwright\\dist\\program.cjs", "3", true],
  ["/home/a/shop/node_modules/toolwright/dist/generator/program.cjs", "3", false],
  [ZIP, undefined, false],
])("a program at %s, with Plug'n'Play %s, is in an archive: %s", (program, pnp, isArchived) => {
  expect(placeFault(program, pnp)).toEqual(
    isArchived ? expect.stringContaining("yarn config set nodeLinker node-modules") : undefined,
  );
});

test("an old Node.js is told in one sentence, and links nothing of the program", () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "main.js"), mainText(CHECKOUT));
  copyFileSync(join(CHECKOUT, "generator/entry/node-version.mjs"), join(folder, "node-version.mjs"));
  // What an older version does with a module that names a newer export.
  writeFileSync(join(folder, "load-program.mjs"), 'import { fromTheFuture } from "node:fs";\n');
  const asOld = 'data:text/javascript,Object.defineProperty(process.versions,"node",{value:"18.20.4"})';
  const old = spawnSync(process.execPath, ["--import", asOld, join(folder, "main.js"), "check"], { encoding: "utf8" });
  expect([old.status, old.stdout, old.stderr]).toEqual([
    2,
    "",
    "error toolwright needs Node.js 20.19 or newer, and this is 18.20.4: install a newer one from https://nodejs.org, or with a version manager, such as: nvm install 22\n",
  ]);
  const now = spawnSync(process.execPath, [join(folder, "main.js"), "check"], { encoding: "utf8" });
  expect([now.status, now.stderr]).toEqual([1, expect.stringContaining("fromTheFuture")]);
});
