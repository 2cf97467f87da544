/**
 * The files of docs/extending.md, compiled and run against the packed package, in a folder outside of the repository.
 *
 * @module-tag full
 */

import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pageText } from "../support/doc-pages.js";
import { installInto } from "../support/installed.js";
import { CHECKOUT, temporaryFolder } from "../support/project.js";

/** Blocks of a page by the path in code marks above them. */
const blocks = new Map(
  [...pageText("docs/extending.md").matchAll(/^`([^`\n]+)`:\n\n```\w+\n((?:.*\n)*?)```$/gm)].map(
    ([, path = "", text = ""]) => [path, text] as const,
  ),
);

/** Blocks that a command gives: they are compared, not written. */
const RESULTS = ["generated/tables/ops.md", "features", "output"];

/** Size of what `import "toolwright"` loads. */
const MAX_ENTRY_BYTES = 10_000;

let root = "";
const node = (...args: readonly string[]): string =>
  execFileSync(process.execPath, args, { cwd: root, encoding: "utf8" });
const toolwright = (...args: readonly string[]): string =>
  node("node_modules/toolwright/dist/generator/main.js", ...args);

beforeAll(() => {
  root = temporaryFolder(afterAll);
  installInto(root);
  for (const [path, text] of blocks) {
    if (RESULTS.includes(path)) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}, 300_000);

test("the page has the files", () => {
  expect([...blocks.keys()]).toEqual([
    "definitions/toolwright.yaml",
    "definitions/orders.csv",
    "definitions/plugins/csv.ts",
    "definitions/orders.handlers.ts",
    "definitions/plugins/ops-table.ts",
    "generated/tables/ops.md",
    "definitions/features/quota/feature.ts",
    "definitions/features/quota/serve.ts",
    "features",
    "scripts/generate.mjs",
    "output",
  ]);
});

test("generate, the script, check and a call give what the page says", { tags: "full", timeout: 120_000 }, () => {
  toolwright("generate", "--strict");
  expect(readFileSync(join(root, "generated/tables/ops.md"), "utf8")).toBe(blocks.get("generated/tables/ops.md"));
  expect(node("scripts/generate.mjs")).toBe(blocks.get("output"));
  expect(toolwright("check", "--strict")).toContain("up to date");
  expect(toolwright("exec", "orders.get_order", "--number", "A-1")).toContain("2026-11-02");
});

test("a feature: its keys are known, toolwright features lists it, and calls over its limit are refused", {
  tags: "full",
  timeout: 180_000,
}, () => {
  toolwright("generate", "--strict");
  expect(toolwright("features")).toBe(blocks.get("features"));
  expect(toolwright("config")).toMatch(/^quota:\n {2}per_hour: 500$/m);
  const copy = temporaryFolder();
  for (const part of ["definitions", "generated"]) cpSync(join(root, part), join(copy, part), { recursive: true });
  symlinkSync(join(root, "node_modules"), join(copy, "node_modules"));
  const there = (...args: readonly string[]) =>
    spawnSync(process.execPath, [join(root, "node_modules/toolwright/dist/generator/main.js"), ...args], {
      cwd: copy,
      encoding: "utf8",
    });
  const file = join(copy, "definitions/toolwright.yaml");
  const text = readFileSync(file, "utf8");
  const write = (from: string, to: string): void => writeFileSync(file, text.replace(from, to));

  write("per_hour: 500", "per_hour: 0");
  const place =
    /definitions\/toolwright\.yaml:(\d+):10 error config-invalid {2}quota\.per_hour must be an integer >= 1, got 0; correct the value/;
  const line = text.split("\n").findIndex((one) => one.startsWith("quota:")) + 1;
  for (const command of ["config", "check", "generate"]) {
    const { status, stderr } = there(command);
    expect([status, place.exec(stderr)?.[1]], command).toEqual([2, String(line)]);
  }

  write("per_hour: 500", "per_hour: 2");
  expect(there("generate").status).toBe(0);
  expect(there("--help").stdout).toMatch(/^ {2}quota .*the feature quota \(\.\/features\/quota\/feature\.ts\)$/m);
  expect(there("quota", "--help").stdout).toMatch(/^ {2}limit .*print how many calls a caller may make in an hour$/m);
  expect(there("quota", "limit")).toMatchObject({ status: 0, stdout: "2 calls an hour\n" });
  writeFileSync(
    join(copy, "calls.mjs"),
    `import { createGateway } from "toolwright";
    const gateway = await createGateway({ root: ".", logLevel: "error" });
    for (let i = 0; i < 3; i++) {
      const answer = await gateway.exec("orders.get_order", { number: "A-1" });
      console.log(answer.ok ? answer.result.day : answer.error.code + ": " + answer.error.message);
    }
    await gateway.close();`,
  );
  const calls = () => execFileSync(process.execPath, ["calls.mjs"], { cwd: copy, encoding: "utf8" }).split("\n");
  const day = "2026-11-02";
  expect(calls()).toEqual([day, day, "RATE_LIMITED: 2 calls an hour are made. Call again in the next hour.", ""]);

  // Without trust, it is not served: the rest is, and a warning says so.
  writeFileSync(file, readFileSync(file, "utf8").replace("trust: local\n", ""));
  expect(calls()).toEqual([day, day, day, ""]);
  const { status, stderr } = there("config");
  expect([status, stderr]).toEqual([0, expect.stringContaining("feature quota is not served")]);
  expect(there("quota", "limit")).toMatchObject({
    status: 2,
    stderr: expect.stringContaining("only with trust: local"),
  });
  expect(there("features").stdout).toMatch(/^quota .*off: not served without trust: local$/m);
});

test("everything compiles against the declarations of the package, and the root exports only what the page lists", {
  timeout: 120_000,
  tags: "full",
}, () => {
  toolwright("generate");
  writeFileSync(
    join(root, "names.ts"),
    'import * as api from "toolwright";\nexport const names: readonly (keyof typeof api)[] = ["build", "createGateway", "generate", "isToolFailure", "isUsageError", "serve", "ToolFailure", "UsageError"];\n' +
      'import type { Plugin } from "toolwright";\n// @ts-expect-error: a plugin has a name.\nexport const plugin: Plugin = {};\n',
  );
  const compilerOptions = {
    strict: true,
    noEmit: true,
    allowJs: true,
    checkJs: true,
    module: "nodenext",
    target: "es2023",
    lib: ["es2023"],
    types: ["node"],
  };
  const include = ["names.ts", "definitions", "scripts", "generated/*.ts"];
  writeFileSync(join(root, "tsconfig.json"), JSON.stringify({ compilerOptions, include }));
  writeFileSync(join(root, "package.json"), '{ "type": "module" }');
  mkdirSync(join(root, "node_modules/@types"), { recursive: true });
  symlinkSync(join(CHECKOUT, "node_modules/@types/node"), join(root, "node_modules/@types/node"));
  let said = "";
  try {
    node(join(CHECKOUT, "node_modules/typescript/bin/tsc"), "-p", ".");
  } catch (error) {
    said = String((error as { stdout?: unknown }).stdout);
  }
  expect(said).toBe("");
  const listed = [...pageText("docs/extending.md").matchAll(/^\| (`.*) \|$/gm)].flatMap(([row]) =>
    [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name),
  );
  const declared = readFileSync(join(root, "node_modules/toolwright/dist/generator/entry/index.d.ts"), "utf8");
  const exported = [
    ...declared.matchAll(/^export (?:declare )?(?:(?:type )?\{([^}]*)\}|(?:function|interface|const|type) (\w+))/gm),
  ];
  const names = exported.flatMap(
    ([, list, name]) => list?.split(",").map((one) => one.trim().replace(/^(?:type )?(?:\w+ as )?/, "")) ?? name ?? [],
  );
  expect(listed.sort()).toEqual(names.filter((one) => one !== "").sort());
  const [, ofFeatures = ""] = /^`toolwright\/feature` exports (.*)$/m.exec(pageText("docs/extending.md")) ?? [];
  const shown = [...ofFeatures.matchAll(/`(\w+)`/g)].map(([, name]) => name);
  const types = readFileSync(join(root, "node_modules/toolwright/dist/runtime/feature.d.ts"), "utf8");
  const lists = [...types.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list = ""]) => list.split(","));
  const given = lists.map((one) => one.trim().replace(/^(?:type )?(?:\w+ as )?/, ""));
  expect(shown.sort()).toEqual(given.filter((one) => one !== "").sort());
});

test("importing the package loads a few kilobytes; a call loads the rest", { tags: "full" }, () => {
  writeFileSync(
    join(root, "hooks.mjs"),
    'export const load = (url, context, next) => (url.startsWith("node:") || process._rawDebug(url), next(url, context));\n',
  );
  const { stderr } = spawnSync(
    process.execPath,
    ["--experimental-loader", "./hooks.mjs", "--input-type=module", "-e", 'import "toolwright";'],
    { cwd: root, encoding: "utf8" },
  );
  const loaded = stderr.split("\n").filter((line) => line.startsWith("file:") && !line.endsWith("hooks.mjs"));
  expect(loaded[0]).toMatch(/\/toolwright\/dist\/generator\/index\.js$/);
  const sizes = loaded.map((url) => statSync(fileURLToPath(url)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(MAX_ENTRY_BYTES);
});

test("a mistake in a file of the page is reported with its place", { tags: "full" }, () => {
  const broken = temporaryFolder();
  cpSync(join(root, "definitions"), join(broken, "definitions"), { recursive: true });
  writeFileSync(join(broken, "definitions/orders.csv"), "get_order;Gets one.;\nlist_orders\n");
  let said = "";
  try {
    execFileSync(process.execPath, [join(root, "node_modules/toolwright/dist/generator/main.js"), "generate"], {
      cwd: broken,
      encoding: "utf8",
      stdio: "pipe",
    });
  } catch (error) {
    said = String((error as { stderr?: unknown }).stderr);
  }
  expect(said).toContain("definitions/orders.csv:2:1 error plugin-error  this line has no description; write name");
});
