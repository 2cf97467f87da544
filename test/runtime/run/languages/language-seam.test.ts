/** The seam of languages: other code reaches a language through the table alone, and has no word for it. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ts } from "ts-morph";
import { expect, test } from "vitest";
import { filesOf, type Import, imports } from "../../../support/imports.js";
import { CHECKOUT } from "../../../support/project.js";

const FOLDER = "runtime/run/languages/";
const DOOR = `${FOLDER}table.ts`;

/** Files that are about one language themselves, and why. */
const OF_ONE_LANGUAGE: Readonly<Record<string, string>> = {
  "features/extensions/extensions.ts": "refuses packs of extensions that are named like builtins of Python",
  "features/extensions/python-call.ts": "runs extensions that are written in Python",
  "features/extensions/python-check.ts": "runs extensions that are written in Python",
  "features/extensions/python-file.ts": "reads extensions that are written in Python",
  "features/extensions/python-types.ts": "reads extensions that are written in Python",
  "runtime/cli/doctor.ts": "tells whether the package that checks types of Python is installed",
};

/** The language in whose folder a file is. */
const languageOf = (file: string): string | undefined =>
  file.startsWith(FOLDER) && file.slice(FOLDER.length).includes("/")
    ? file.slice(FOLDER.length).split("/")[0]
    : undefined;

/** Imports of the folder of a language from outside of it. */
const intoLanguages = (all: readonly Import[]): readonly Import[] =>
  all.filter(({ from, to }) => languageOf(to) !== undefined && languageOf(from) !== languageOf(to));

test("only the table imports the folder of a language, and what is about this language itself", () => {
  const from = [...new Set(intoLanguages(imports).map((one) => one.from))];
  expect(from.sort()).toEqual([DOOR, ...Object.keys(OF_ONE_LANGUAGE)].sort());
});

test("an import past the table is found", () => {
  const inner = `${FOLDER}python/rewrite.ts`;
  const all = ["runtime/run/runner.ts", `${FOLDER}toy/a.ts`, `${FOLDER}python/reading.ts`].map(
    (from): Import => ({ from, to: inner, typeOnly: true }),
  );
  expect(intoLanguages(all).map(({ from }) => from)).toEqual(["runtime/run/runner.ts", `${FOLDER}toy/a.ts`]);
});

const WORDS = /python|pyodide|cpython|monty|quickjs|typescript/i;

/** The names and texts of a piece of code that name a language; comments do not count. */
function wordsIn(code: string): readonly string[] {
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    const isText = ts.isIdentifier(node) || ts.isLiteralExpression(node) || ts.isTemplateMiddleOrTemplateTail(node);
    if ((isText || ts.isTemplateHead(node)) && WORDS.test(node.text)) found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile("a.ts", code, ts.ScriptTarget.ES2023));
  return found;
}

test("no other code of runs has a word for a language", () => {
  const files = filesOf("runtime/run").filter((one) => languageOf(one) === undefined && one !== DOOR);
  expect(files.length).toBeGreaterThan(80);
  const found = files.flatMap((file) =>
    wordsIn(readFileSync(join(CHECKOUT, file), "utf8")).map((word) => `${file}: ${word}`),
  );
  expect(found).toEqual([]);
});

test("such a word is found in names, texts, templates, expressions and imports, and not in comments", () => {
  const code =
    '/** Python. */\nimport "./quickjs.js";\nconst pythonName = "Monty", a = `CPython $' +
    "{a} Pyodide $" +
    "{b} TypeScript`, e = /monty/; // python";
  expect(wordsIn(code)).toEqual([
    "./quickjs.js",
    "pythonName",
    "Monty",
    "CPython ",
    " Pyodide ",
    " TypeScript",
    "/monty/",
  ]);
});
