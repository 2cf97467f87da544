/** Completions in the editor of programs in TypeScript. */

import { describe, expect, test } from "vitest";
import { argumentTypes } from "../../../runtime/contract/signature-text.js";
import { codePlace, completionsAt } from "../../../runtime/serve/console/app/completion.js";
import { type EditorLanguage, editorLanguages, fencedProgram } from "../../../runtime/serve/console/app/languages.js";
import { LANGUAGE as typescript } from "../console/language.js";

const [python] = editorLanguages(["python"]);

test("it is a language of the editor where the project has it", () => {
  const names = (...given: readonly string[]) =>
    editorLanguages(given, [typescript]).map(({ name }: EditorLanguage) => name);
  expect(names("typescript", "python")).toEqual(["typescript", "python"]);
  expect(names("python")).toEqual(["python"]);
});

describe("the place before the caret", () => {
  test.each([
    ["a name", "const x = await onto.ta", { word: "onto.ta", call: "", given: [] }],
    ["before the object", "await onto.task.list(", { word: "", call: "onto.task.list", given: [], isBefore: true }],
    ["in the object", "await onto.task.list({ ", { word: "", call: "onto.task.list", given: [] }],
    ["a further argument", "f.g({ limit: 5, st", { word: "st", call: "f.g", given: ["limit"] }],
    ["a name that is its value", "f.g({ limit, ", { word: "", call: "f.g", given: ["limit"] }],
    ["arguments of an inner call", "a.b({ x: await c.d({ y: 1 }), ", { word: "", call: "a.b", given: ["x"] }],
    ["a closed call", "await onto.task.list()", { word: "", call: "", given: [] }],
    ["braces in texts", "a.b({ x: `({`, ", { word: "", call: "a.b", given: ["x"] }],
    ["an object that is no argument", "const a = { ", { word: "", call: "", given: [] }],
    ["an object within the arguments", "a.b({ x: { ", { word: "", call: "", given: [] }],
  ])("is known in TypeScript: %s", (_what, before, place) => expect(codePlace(before, typescript)).toEqual(place));

  test.each(["x = 'onto.ta", "// onto.ta", "/* onto\nonto.ta", "x = `one\nonto.ta"])(
    "nothing within %s of TypeScript",
    (before) => expect(codePlace(before, typescript)).toBeUndefined(),
  );
});

describe("completions", () => {
  const op = (path: string) => ({ op: path, kind: "read" as const, summary: "about" });
  const parameter = (name: string, required: boolean) => ({
    ...{ name, original: name, required, aliases: [], type: "string" },
  });
  const at = (before: string, parameters: readonly ReturnType<typeof parameter>[]) =>
    completionsAt(
      codePlace(before, typescript) ?? { word: "", call: "", given: [] },
      [op("a.b.list"), op("c.a.b")],
      parameters,
      typescript,
    ).map(({ text }) => text);

  test("arguments of TypeScript are members of one object, by the names that the op has", () => {
    const all = [parameter("limit", false), { ...parameter("from_", true), original: "from" }];
    expect(at("a.b.list(", all)).toEqual(["{ limit: ", "{ from: "]);
    expect(at("a.b.list({ ", all)).toEqual(["limit: ", "from: "]);
    expect(at("a.b.list({ limit: 1, f", all)).toEqual(["from: "]);
  });
});

test("types of arguments are those of TypeScript where they are asked for", () => {
  const signature = {
    python: "",
    typescript:
      'a.b(args: { id: string; of?: "x; y" | "z"; n?: number; in?: { a: string; b?: number } }): Promise<unknown>',
  };
  expect([...argumentTypes({ signature, parameters: [] }, "typescript")]).toEqual([
    ["id", "string"],
    ["of", '"x; y" | "z"'],
    ["n", "number"],
    ["in", "{ a: string; b?: number }"],
  ]);
});

test("a fence says the language of the code of an address", () => {
  expect(fencedProgram([python, typescript], "```ts\n1 + 1\n2\n```")).toEqual({
    code: "1 + 1\n2",
    language: typescript,
  });
  for (const word of ["typescript", "js", "TS"])
    expect(fencedProgram([python, typescript], `\`\`\`${word}\n1\n\`\`\``)).toEqual({
      code: "1",
      language: typescript,
    });
  expect(fencedProgram([python, typescript], "\n```python\n1\n```\n")).toEqual({ code: "1", language: python });
  expect(fencedProgram([python], "```ts\n1 + 1\n```")).toBeUndefined();
  expect(fencedProgram([python, typescript], "1 + 1")).toBeUndefined();
});
