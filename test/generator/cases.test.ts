/** Golden cases of the generator. `UPDATE=1` rewrites `expected/`; the diff is reviewed. */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Validator } from "toolwright/codegen";
import { describe, expect, test } from "vitest";
import { formatDiagnostic } from "../../generator/core/diagnostic.js";
import { buildCase, caseFolder, caseNames, treeOf, writeTree } from "../support/generator-cases.js";
import { pythonVersion, runPython } from "../support/generator-python.js";
import { CHECKOUT, temporaryFolder } from "../support/project.js";

const names = caseNames();
const expectedOf = (name: string): string => join(caseFolder(name), "expected");

describe("a case gives exactly its expected tree", () => {
  test.each(names)("%s gives the files and the diagnostics beside it", async (name) => {
    const { files, diagnostics } = await buildCase(name);
    const found = diagnostics.map((one) => `${formatDiagnostic(one)}\n`).join("");
    const tree = Object.fromEntries([
      ["diagnostics.txt", found] as const,
      ...files.map((one) => [one.path, one.text] as const),
    ]);
    if (process.env["UPDATE"] === "1") writeTree(expectedOf(name), tree);
    expect(tree).toEqual(treeOf(expectedOf(name)));
  });
});

describe("what is expected is sound in its own language", () => {
  test("all of it compiles under tsc --strict, its declarations included", () => {
    const project = join(temporaryFolder(), "tsconfig.json");
    const compilerOptions = {
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      isolatedModules: true,
      verbatimModuleSyntax: true,
      skipLibCheck: false,
      noEmit: true,
      module: "nodenext",
      target: "es2023",
      lib: ["es2023"],
      types: ["node"],
      typeRoots: [join(CHECKOUT, "node_modules", "@types")],
      customConditions: ["toolwright-source"],
    };
    writeFileSync(
      project,
      JSON.stringify({ compilerOptions, include: names.map((name) => join(expectedOf(name), "**", "*.ts")) }),
    );
    expect(tsc(project)).toBe("");
  });

  test.each(names)(
    "the validators of %s load as ES modules, one for each op, and accept the op's own examples",
    { tags: "slow" },
    async (name) => {
      const { registry } = await buildCase(name);
      for (const pack of registry?.packs ?? []) {
        const url = pathToFileURL(join(expectedOf(name), "validators", `${pack.name}.js`)).href;
        const { validators } = (await import(/* @vite-ignore */ url)) as {
          validators: Readonly<Record<string, Validator>>;
        };
        const tools = registry?.tools.filter((one) => one.group === pack.name) ?? [];
        expect(Object.keys(validators)).toEqual(tools.map((one) => one.op));
        for (const { op, examples } of tools)
          for (const { args } of examples)
            expect(withoutPlaceholders(validators[op], args), `${op} ${JSON.stringify(args)}`).toEqual([]);
      }
    },
  );

  test.skipIf(pythonVersion === undefined)(
    `every stubs.pyi compiles in Python (${pythonVersion ?? "python3 is not installed"})`,
    () => {
      const stubs = names.map((name) => treeOf(expectedOf(name))["stubs.pyi"] ?? "");
      const parsed = runPython(
        "[len(ast.parse(one).body) for one in value if compile(one, 'stubs.pyi', 'exec', dont_inherit=True)]",
        stubs,
      );
      expect(parsed).toHaveLength(names.length);
    },
  );
});

function tsc(project: string): string {
  try {
    execFileSync(join(CHECKOUT, "node_modules", ".bin", "tsc"), ["-p", project], { encoding: "utf8" });
    return "";
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  }
}

/** Issues of a call, apart from those that a placeholder causes. */
function withoutPlaceholders(validator: Validator | undefined, args: object): readonly string[] {
  if (!validator || validator(args)) return validator ? [] : ["no validator"];
  const at = (pointer: string): unknown =>
    pointer
      .split("/")
      .slice(1)
      .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], args);
  return (validator.errors ?? []).flatMap(({ instancePath, keyword }) =>
    /^<\w+>$/.test(String(at(instancePath))) ? [] : [`${instancePath} ${keyword}`],
  );
}
