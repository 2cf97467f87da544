/** The layers: which folders may import each other, and what `toolwright/codegen` needs to compile elsewhere. */

import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Import, imports } from "./support/imports.js";
import { CHECKOUT, temporaryFolder } from "./support/project.js";

/** Imports of files below a folder, apart from those that fit, as `from → to`. */
const strays = (folder: string, fits: (one: Import) => boolean): readonly string[] =>
  imports.filter((one) => one.from.startsWith(`${folder}/`) && !fits(one)).map((one) => `${one.from} → ${one.to}`);
const half = ({ to }: Import): string => to.split("/")[0] ?? "";
const local = (one: Import): boolean =>
  ["core", "definitions", "features", "generated", "generator", "runtime", "test"].includes(half(one)) ||
  one.to.startsWith("..");

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

  test("the generator knows the runtime's contract only; three files join the halves, features do so too, and nothing imports the entries", () => {
    const joins = ["index", "start", "main"].map((name) => `generator/entry/${name}.ts`);
    const fits = ({ from, to }: Import): boolean =>
      to.startsWith("runtime/contract/") ||
      to.startsWith("generator/") ||
      (joins.includes(from) && /^(?:core|runtime)\//.test(to)) ||
      (from.startsWith("generator/entry/") && to === "features/list.ts") ||
      (from === "generator/entry/start.ts" && to.startsWith("definitions/packs/"));
    expect(strays("generator", (one) => (!local(one) && !one.to.startsWith("toolwright")) || fits(one))).toEqual([]);
    const entries = ["generator/entry/index.ts", "generator/entry/main.ts"];
    expect(imports.filter(({ from, to }) => !entries.includes(from) && entries.includes(to))).toEqual([]);
  });

  test("definitions import the seam, the runtime, types of generated handlers, each other, and packages", () => {
    const fits = (one: Import): boolean =>
      half(one) === "definitions" ||
      half(one) === "runtime" ||
      (one.to === "generated/handlers.ts" && one.typeOnly) ||
      !local(one);
    expect(strays("definitions", fits)).toEqual([]);
  });
});

describe("the built seam", () => {
  test("its declarations compile in a consumer that has no Node types, with its libraries checked", {
    tags: "full",
  }, () => {
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
