/** Completions in the editor of programs, and calls written in both languages. */

import { describe, expect, test } from "vitest";
import { argumentTypes } from "../../../../runtime/contract/signature-text.js";
import { codePlace, completionsAt } from "../../../../runtime/serve/console/app/completion.js";
import {
  type EditorLanguage,
  editorLanguages,
  fencedProgram,
} from "../../../../runtime/serve/console/app/languages.js";

const [python, typescript] = editorLanguages(["python", "typescript"]) as unknown as readonly [
  EditorLanguage,
  EditorLanguage,
];

describe("the place before the caret", () => {
  test.each([
    ["a name", "x = onto.ta", { word: "onto.ta", call: "", given: [] }],
    ["an open call", "onto.task.list(", { word: "", call: "onto.task.list", given: [] }],
    ["a further argument", "onto.task.list(limit=5, st", { word: "st", call: "onto.task.list", given: ["limit"] }],
    ["arguments of an inner call", "a.b(x=c.d(y=1), ", { word: "", call: "a.b", given: ["x"] }],
    ["a closed call", "onto.task.list()", { word: "", call: "", given: [] }],
    ["brackets in a text", "a.b(x='(', ", { word: "", call: "a.b", given: ["x"] }],
    ["a list, whose members are no arguments", "a.b([", { word: "", call: "", given: [] }],
    ["a comparison, which names nothing", "a.b(x == 1, ", { word: "", call: "a.b", given: [] }],
  ])("is known: %s", (_what, before, place) => expect(codePlace(before, python)).toEqual(place));

  test.each(["x = 'onto.ta", "# onto.ta", 'x = """one\nonto.ta', "x = f'onto.ta"])("nothing within %s", (before) =>
    expect(codePlace(before, python)).toBeUndefined(),
  );

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
  const at = (before: string, parameters: readonly ReturnType<typeof parameter>[] = [], language = python) =>
    completionsAt(
      codePlace(before, language) ?? { word: "", call: "", given: [] },
      [op("a.b.list"), op("c.a.b")],
      parameters,
      language,
    ).map(({ text }) => text);

  test("ops: those that begin with the word come first; nothing before two characters", () => {
    expect(at("x = a.b")).toEqual(["a.b.list(", "c.a.b("]);
    expect(at("x = a")).toEqual([]);
  });

  test("arguments that are not given yet", () => {
    const all = [parameter("limit", false), parameter("project", true)];
    expect(at("a.b.list(", all)).toEqual(["limit=", "project="]);
    expect(at("a.b.list(limit=1, ", all)).toEqual(["project="]);
  });

  test("arguments of TypeScript are members of one object, by the names that the op has", () => {
    const all = [parameter("limit", false), { ...parameter("from_", true), original: "from" }];
    expect(at("a.b.list(", all, typescript)).toEqual(["{ limit: ", "{ from: "]);
    expect(at("a.b.list({ ", all, typescript)).toEqual(["limit: ", "from: "]);
    expect(at("a.b.list({ limit: 1, f", all, typescript)).toEqual(["from: "]);
  });
});

test("types of arguments are those of Python", () => {
  const parameter = (name: string, required: boolean) => ({
    ...{ name, original: name, required, aliases: [], type: "id<project>" },
  });
  const signature = { python: "a.b(id: str, of: Literal['x, y', 'z'] = '...', n: int = 20)", typescript: "" };
  const parameters = [parameter("id", true), parameter("of", false), { ...parameter("n", false), default: 20 }];
  expect([...argumentTypes({ signature, parameters })]).toEqual([
    ["id", "str"],
    ["of", "Literal['x, y', 'z'] | None = None"],
    ["n", "int = 20"],
  ]);
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
