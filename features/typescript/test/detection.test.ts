/** The language of code without a fence: programs in many styles, in both orders of the languages. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { namedLanguages } from "../../../runtime/contract/program-language.js";
import { type OpenLanguages, openLanguages } from "../../../runtime/run/languages/table.js";
import { ALL_LANGUAGES } from "../../../test/support/run/languages.js";
import { wallBound } from "../../../test/support/used.js";

/** Programs of a file, which has lines of two percent signs between them. */
const programsOf = (name: string): readonly string[] =>
  readFileSync(new URL(`detection/${name}.txt`, import.meta.url), "utf8")
    .trimEnd()
    .split("\n%%\n");

const PYTHON = programsOf("python");
const TYPESCRIPT = programsOf("typescript");

/** Programs that are valid in both. */
const BOTH: readonly string[] = [
  ...["1 + 1", "[1, 2]", '"text"', "x", "await onto.task.get('abc')", "onto.task.list()", "2 ** 100", "1_000 // 7 % 5"],
  ...["0xFF | 0b1010 & ~1", '"const let var => { } await new".split()', '(await onto.task.list())["items"][0]'],
  '__format__ = "yml"\nonto.task.list()',
];

/** Programs of a hundred that may be taken for the first language: their form is not clear. */
const MOST = 5;

const opened = (...names: readonly string[]): OpenLanguages =>
  openLanguages("/nowhere", {}, namedLanguages(names, ALL_LANGUAGES), ALL_LANGUAGES);

/** The programs that are taken for another language than this. */
async function mistaken(languages: OpenLanguages, name: string, programs: readonly string[]) {
  const found: string[] = [];
  for (const code of programs) {
    const command = await languages.forCommand(code);
    if ("kind" in command || command.language.name !== name) found.push(code);
  }
  return found;
}

test("there are a hundred programs of each", () => {
  expect([PYTHON.length, TYPESCRIPT.length].map((length) => length >= 100)).toEqual([true, true]);
  expect(new Set([...PYTHON, ...TYPESCRIPT]).size).toBe(PYTHON.length + TYPESCRIPT.length);
});

test("with Python first, no Python is taken for TypeScript, and TypeScript with a form of its own is found", async () => {
  const languages = opened("python", "typescript");
  expect(await mistaken(languages, "python", PYTHON)).toEqual([]);
  expect((await mistaken(languages, "typescript", TYPESCRIPT)).slice(MOST)).toEqual([]);
});

test("with TypeScript first, no TypeScript is taken for Python, and Python with a form of its own is found", async () => {
  const languages = opened("typescript", "python");
  expect(await mistaken(languages, "typescript", TYPESCRIPT)).toEqual([]);
  expect((await mistaken(languages, "python", PYTHON)).slice(MOST)).toEqual([]);
});

test("code that is valid in both is in the first", async () => {
  for (const code of BOTH) {
    expect(await mistaken(opened("python", "typescript"), "python", [code])).toEqual([]);
    expect(await mistaken(opened("typescript", "python"), "typescript", [code])).toEqual([]);
  }
});

test("a command is fenced once its language is not the first one, and is read in it again", async () => {
  const languages = opened("python", "typescript");
  const command = await languages.forCommand("const x = 1; x");
  expect(command).toMatchObject({ command: "```ts\nconst x = 1; x\n```" });
  if ("kind" in command) throw new Error(command.message);
  expect(await languages.forCommand(command.command)).toMatchObject({ command: command.command });
});

test("the language of a snippet is prepared, not the one that reads its call", async () => {
  const languages = opened("python", "typescript");
  await languages.forCommand("$titles states=todo");
  expect(await languages.ofSnippet("titles", "typescript")).toMatchObject({ language: { name: "typescript" } });
  expect(await languages.preparing()).toEqual([]);
  expect(await languages.ofSnippet("old")).toMatchObject({ language: { name: "python" } });
  expect(await languages.preparing()).toEqual(["Python"]);
});

test("the form of code of any length is seen at once", async () => {
  const long = [
    "a",
    "for a ",
    "if a ",
    "x[",
    "(a,",
    "lambda a ",
    "if\n",
    "import a, ",
    "const ",
    "x = ",
    "'",
    "`",
    '"""',
    "f(a, ",
  ];
  for (const part of long)
    for (const names of [
      ["python", "typescript"],
      ["typescript", "python"],
    ]) {
      const languages = opened(...names);
      await languages.forCommand("1");
      const began = performance.now();
      await languages.forCommand(part.repeat(200_000 / part.length));
      expect(performance.now() - began, part).toBeLessThan(wallBound(100, 1000));
    }
});

test("the language that a request asks for stays when the command is read again", async () => {
  const languages = opened("python", "typescript");
  for (const asked of ["python", "typescript"])
    for (const code of ["const x = 1; x", "x = 1\nx", "1 + 1", "```ts\n1\n```", "```python\n1\n```"]) {
      const command = await languages.forCommand(code, asked);
      if ("kind" in command) throw new Error(command.message);
      expect(command.language.name).toBe(asked);
      expect(await languages.forCommand(command.command)).toMatchObject({ language: { name: asked } });
    }
});
