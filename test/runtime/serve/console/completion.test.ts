/** Completions in the editor of programs. */

import { describe, expect, test } from "vitest";
import { argumentTypes } from "../../../../runtime/contract/signature-text.js";
import { codePlace, completionsAt } from "../../../../runtime/serve/console/app/completion.js";
import { editorLanguages, fencedProgram } from "../../../../runtime/serve/console/app/languages.js";

const [python] = editorLanguages(["python"]);

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
});

describe("completions", () => {
  const op = (path: string) => ({ op: path, kind: "read" as const, summary: "about" });
  const parameter = (name: string, required: boolean) => ({
    ...{ name, original: name, required, aliases: [], type: "string" },
  });
  const at = (before: string, parameters: readonly ReturnType<typeof parameter>[] = []) =>
    completionsAt(
      codePlace(before, python) ?? { word: "", call: "", given: [] },
      [op("a.b.list"), op("c.a.b")],
      parameters,
      python,
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

test("a fence says the language of the code of an address", () => {
  expect(fencedProgram([python], "\n```python\n1\n```\n")).toEqual({ code: "1", language: python });
  expect(fencedProgram([python], "```ts\n1 + 1\n```")).toBeUndefined();
  expect(fencedProgram([python], "1 + 1")).toBeUndefined();
});
