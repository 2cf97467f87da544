/** `toolwright run` in a project with several languages: the ending of a file, checks, and declarations for an editor. */

import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { compile } from "../../../test/support/compile.js";
import { configuredRoot, toolwright } from "../../../test/support/project.js";

const SLOW = { timeout: 120_000 };
const BOTH = "run: { languages: [python, typescript] }";

/** A root with this file, and what a command says of it. */
function rooted(configuration: string, code: string) {
  const root = configuredRoot(configuration);
  const file = join(root, "report.ts");
  writeFileSync(file, code);
  return { root, file, run: (...words: readonly string[]) => toolwright(["run", ...words, "--root", root]) };
}

test("a file of TypeScript runs, and is checked, in TypeScript", SLOW, async () => {
  // Valid in both languages: Python would not know `null`.
  const { file, run } = rooted(BOTH, "null");
  expect(await run(file)).toMatchObject({ code: 0, stdout: "null\n", stderr: "" });
  expect(await run(file, "--check")).toMatchObject({ code: 0, stdout: "nothing found\n" });
  expect(await run("-c", "null")).toMatchObject({ code: 1, stdout: expect.stringContaining("NameError") });
});

test("a project without TypeScript refuses such a file and has no declarations", SLOW, async () => {
  const { file, run } = rooted("", "null");
  expect(await run(file)).toMatchObject({
    code: 1,
    stdout: "Error: SyntaxError: this server runs Python, not TypeScript\nNext: write the program in Python\n",
  });
  expect(await run("--types")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--types prints TypeScript: add typescript to run.languages in toolwright.yaml"),
  });
});

test("--types prints declarations that an editor takes, without hidden ops", SLOW, async () => {
  const configuration = `aliases: { tasks: onto.task.list, gone: onto.task.delete }
ops: { delete_onto_task: { hidden: true } }
${BOTH}`;
  const { root, run } = rooted("", "");
  const definitions = join(root, "definitions");
  renameSync(join(definitions, "toolwright.yaml"), join(definitions, "base.yaml"));
  writeFileSync(join(definitions, "toolwright.yaml"), `include: [base.yaml]\n${configuration}\n`);
  const { code, stdout } = await run("--types");
  expect(code).toBe(0);
  expect(stdout).toMatch(/^declare const console/);
  expect(stdout).toContain("declare const onto: Pack$onto;\n");
  expect(stdout).toContain("declare const tasks: typeof onto.task.list;\n");
  expect(stdout).not.toMatch(/\bgone\b/);
  writeFileSync(join(root, "run.d.ts"), stdout);
  const compiled = (call: string): string => {
    writeFileSync(join(root, "report.mts"), `export {};\n${call}\n`);
    return compile(root, ["run.d.ts", "report.mts"]);
  };
  expect(compiled("console.log((await tasks({ limit: 5 })).items);")).toBe("");
  expect(compiled("await onto.task.lst({});")).toMatch(/TS2551.*'lst'/);
  expect(compiled("await onto.task.delete({ task_id: 'a' });")).toMatch(/TS2339.*'delete'/);
});

test("--types runs nothing", SLOW, async () => {
  const { file, run } = rooted(BOTH, "null");
  for (const words of [[file], ["-c", "null"], ["--check"]])
    expect(await run("--types", ...words)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("leave FILE and the other flags out"),
    });
});
