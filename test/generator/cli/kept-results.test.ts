/** The results of the last `generate`: the next one uses them, `check` does not, and nothing depends on them. */

import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openKeptResults, RESULTS } from "../../../generator/cli/kept-results.js";
import { digestText } from "../../../runtime/contract/canonical.js";
import { treeOf } from "../../support/generator-cases.js";
import { temporaryFolder, toolwright } from "../../support/project.js";

const toolOf = (name: string, type: string): object => ({
  name,
  description: `Do ${name}.`,
  inputSchema: { type: "object", properties: { value: { type } } },
});

/** A project of two tools, the second of which takes such a value. */
function projectOf(type: string, root = temporaryFolder()): string {
  mkdirSync(join(root, "definitions", "servers"), { recursive: true });
  writeFileSync(join(root, "definitions", "toolwright.yaml"), "use: []\nsources: [{ mcp: servers/*.json }]\n");
  const snapshot = { tools: [toolOf("list_a", "string"), toolOf("list_b", type)] };
  writeFileSync(join(root, "definitions", "servers", "a.json"), JSON.stringify(snapshot));
  return root;
}

async function generated(root: string) {
  expect((await toolwright(["generate", "--root", root])).code).toBe(0);
  return treeOf(join(root, "generated"));
}

const pathIn = (root: string): string => join(root, ".onetool", RESULTS);

/** Marks the validators that are kept, as no program does, to see whether they are used. */
function mark(root: string): void {
  const body = String(readFileSync(pathIn(root), "utf8").split("\n")[1]);
  const marked = body.replaceAll("validate0", "validateKept");
  expect(marked).not.toBe(body);
  writeFileSync(pathIn(root), `${digestText(marked)}\n${marked}`);
}

const marks = (files: Readonly<Record<string, string>>): number =>
  [...(files["validators/a.js"] ?? "").matchAll(/const validator = validateKept;/g)].length;

test("generate makes what changed, and takes the rest from the last run", async () => {
  const root = projectOf("boolean");
  await generated(root);
  expect(statSync(pathIn(root)).mode & 0o777).toBe(0o600);
  projectOf("integer", root);
  expect(await generated(root)).toEqual(await generated(projectOf("integer")));
  mark(root);
  projectOf("number", root);
  expect(marks(await generated(root))).toBe(1);
});

test("check makes everything anew", async () => {
  const root = projectOf("boolean");
  await generated(root);
  mark(root);
  projectOf("number", root);
  expect(marks(await generated(root))).toBe(1);
  expect(await toolwright(["check", "--root", root])).toMatchObject({
    code: 1,
    stdout: expect.stringContaining("validators/a.js"),
  });
});

test("a damaged file is not used, and replaced", async () => {
  const root = projectOf("boolean");
  const first = await generated(root);
  writeFileSync(pathIn(root), readFileSync(pathIn(root), "utf8").replaceAll("validate0", "validateKept"));
  projectOf("number", root);
  expect(marks(await generated(root))).toBe(0);
  projectOf("boolean", root);
  expect(await generated(root)).toEqual(first);
});

test("results of another build of the generator are not used, and a missing state directory is no error", async () => {
  const home = join(temporaryFolder(), ".onetool");
  const { memo, save } = openKeptResults(home, "1");
  memo.keep("tokens", "a", 3);
  await save();
  expect(existsSync(home)).toBe(false);
  mkdirSync(home);
  await save();
  expect(openKeptResults(home, "1").memo.find("tokens", "a")).toBe(3);
  expect(openKeptResults(home, "2").memo.find("tokens", "a")).toBeUndefined();
  rmSync(home, { recursive: true });
  expect(openKeptResults(home, "1").memo.find("tokens", "a")).toBeUndefined();
});
