/** The layers: who may import whom, and what the seam needs to compile elsewhere. */

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { ts } from "ts-morph";
import { describe, expect, test } from "vitest";
import { CHECKOUT, temporaryFolder } from "./support/project.js";

interface Import {
  readonly from: string;
  readonly to: string;
  readonly typeOnly: boolean;
}

/** TypeScript files below a folder of the checkout, by path from its root. */
const filesOf = (folder: string): readonly string[] =>
  readdirSync(join(CHECKOUT, folder), { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && /\.(ts|js)$/.test(one.name))
    .map((one) => relative(CHECKOUT, join(one.parentPath, one.name)))
    .sort();

/** Every import of a file, dynamic ones and `import()` types included; relative ones as paths from the root. */
function importsOf(from: string): readonly Import[] {
  const source = ts.createSourceFile(from, readFileSync(join(CHECKOUT, from), "utf8"), ts.ScriptTarget.ES2023, true);
  const found: Import[] = [];
  const add = (node: ts.Node | undefined, typeOnly: boolean): void => {
    if (!node || !ts.isStringLiteralLike(node)) return;
    const target = node.text.startsWith(".") ? join(dirname(from), node.text) : node.text;
    found.push({
      from,
      to: target.replace(/(?<=^(?:generator|runtime|definitions|generated|test)\/.*)\.js$/, ".ts"),
      typeOnly,
    });
  };
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node))
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword);
    if (ts.isExportDeclaration(node)) add(node.moduleSpecifier, node.isTypeOnly);
    if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) add(node.argument.literal, true);
    if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
      add(node.arguments[0], false);
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

const imports = ["definitions", "generated", "generator", "runtime"].flatMap(filesOf).flatMap(importsOf);
/** Imports of files below a folder, apart from those that fit, as `from → to`. */
const strays = (folder: string, fits: (one: Import) => boolean): readonly string[] =>
  imports.filter((one) => one.from.startsWith(`${folder}/`) && !fits(one)).map((one) => `${one.from} → ${one.to}`);
const half = ({ to }: Import): string => to.split("/")[0] ?? "";
const local = (one: Import): boolean =>
  ["definitions", "generated", "generator", "runtime", "test"].includes(half(one)) || one.to.startsWith("..");

describe("arrows", () => {
  test("there is something to check", () => {
    for (const folder of ["definitions", "generated", "generator", "runtime"])
      expect(
        imports.some((one) => one.from.startsWith(`${folder}/`)),
        folder,
      ).toBe(true);
  });

  test("generated code imports the seam, and its own files", () => {
    expect(strays("generated", (one) => one.to === "toolwright/codegen" || one.to.startsWith("generated/"))).toEqual(
      [],
    );
  });

  test("the runtime imports neither the generator nor generated code, nor the package under its own name", () => {
    expect(
      strays("runtime", (one) => (!local(one) || half(one) === "runtime") && !one.to.startsWith("toolwright")),
    ).toEqual([]);
  });

  test("the generator knows the runtime as the seam only; main.ts alone joins the halves, and the shipped packs", () => {
    const fits = (one: Import): boolean => one.to === "toolwright/codegen" || !local(one) || half(one) === "generator";
    expect(
      strays(
        "generator",
        (one) =>
          fits(one) ||
          (one.from === "generator/main.ts" && (half(one) === "runtime" || one.to.startsWith("definitions/packs/"))),
      ),
    ).toEqual([]);
    expect(imports.filter((one) => one.from !== "generator/main.ts" && one.to === "generator/main.ts")).toEqual([]);
  });

  test("definitions import the seam, the runtime, types of generated handlers, each other, and packages", () => {
    const fits = (one: Import): boolean =>
      half(one) === "definitions" ||
      half(one) === "runtime" ||
      (one.to === "generated/handlers.ts" && one.typeOnly) ||
      !local(one);
    expect(strays("definitions", fits)).toEqual([]);
  });

  test.each(["generator", "runtime"])("no cycles inside %s; types alone make none", (folder) => {
    const edges = new Map<string, readonly string[]>();
    for (const file of filesOf(folder))
      edges.set(
        file,
        imports.filter((one) => one.from === file && !one.typeOnly).map((one) => one.to),
      );
    expect(cycleIn(edges)).toEqual([]);
  });
});

/** A circle of imports, or nothing. */
function cycleIn(edges: ReadonlyMap<string, readonly string[]>): readonly string[] {
  const done = new Set<string>();
  const walk = (at: string, path: readonly string[]): readonly string[] => {
    if (path.includes(at)) return [...path.slice(path.indexOf(at)), at];
    if (done.has(at)) return [];
    for (const next of edges.get(at) ?? []) {
      const found = walk(next, [...path, at]);
      if (found.length > 0) return found;
    }
    done.add(at);
    return [];
  };
  for (const file of edges.keys()) {
    const found = walk(file, []);
    if (found.length > 0) return found;
  }
  return [];
}

test("the circle finder finds one", () => {
  expect(
    cycleIn(
      new Map([
        ["a", ["b"]],
        ["b", ["c"]],
        ["c", ["b"]],
      ]),
    ),
  ).toEqual(["b", "c", "b"]);
});

describe("the built seam", () => {
  test("its declarations compile in a consumer that has no Node types, with its libraries checked", () => {
    const root = temporaryFolder();
    const tsc = join(CHECKOUT, "node_modules", ".bin", "tsc");
    const installed = join(root, "node_modules", "toolwright");
    mkdirSync(installed, { recursive: true });
    execFileSync(tsc, ["-p", join(CHECKOUT, "tsconfig.build.json"), "--outDir", join(installed, "dist")], {
      cwd: CHECKOUT,
      encoding: "utf8",
    });
    for (const name of ["package.json", "node_modules"]) symlinkSync(join(CHECKOUT, name), join(installed, name));
    const compilerOptions = {
      strict: true,
      skipLibCheck: false,
      noEmit: true,
      module: "nodenext",
      target: "es2023",
      lib: ["es2023"],
      types: [],
    };
    writeFileSync(join(root, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["consumer.ts"] }));
    writeFileSync(
      join(root, "consumer.ts"),
      `import { type ArgsOf, type Bound, type ChatToolDefinition, fail, registry, tool, type ToolDesc, unbound, type Validator } from "toolwright/codegen";
       export const tools: ChatToolDefinition[] = [{ type: "function", function: { name: "a" } }];
       const one: ToolDesc<"p.a", { n: number }> = tool({ op: "p.a", tool: "a", kind: "read", input: "" });
       export const all = registry({ codegen: 1, registry_version: "", tools: { "p.a": one } });
       export const args: ArgsOf<typeof one> = { n: 1 };
       export const handler: Bound<{ n: number }, string> = async ({ n }, ctx) => (ctx.signal.aborted ? fail("CANCELLED", "x") : String(n));
       export const none: Bound<{ n: number }, string> = unbound("handlers.ts");
       export declare const validator: Validator;
       // @ts-expect-error: the argument is a number.
       export const wrong: ArgsOf<typeof one> = { n: "1" };\n`,
    );
    expect(complaints(tsc, root)).toBe("");
  });
});

function complaints(tsc: string, root: string): string {
  try {
    execFileSync(tsc, ["-p", root], { encoding: "utf8" });
    return "";
  } catch (error) {
    return String((error as { stdout?: unknown }).stdout);
  }
}
