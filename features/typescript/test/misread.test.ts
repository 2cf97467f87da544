/** Programs that are sent as another language than theirs: the error says what they look like and how to send them. */

import { afterAll, expect, test } from "vitest";
import type { AddedLanguage, LanguageRow } from "../../../runtime/run/languages/table.js";
import { fixture, principal } from "../../../test/runtime/gateway/fixture.js";
import { LENT_LANGUAGES } from "../../../test/runtime/gateway/lent-engines.js";
import { runSettings, WITH_LANGUAGES } from "../../../test/support/run/languages.js";
import { TYPESCRIPT_PROGRAMS } from "../feature.js";

const SLOW = { timeout: 120_000 };
const [python] = LENT_LANGUAGES;
const [typescript] = TYPESCRIPT_PROGRAMS.languages as readonly [AddedLanguage];

const opened = (...languages: readonly [LanguageRow, ...LanguageRow[]]) => {
  const { gateway } = fixture({
    settings: { run: runSettings({ limits: { wall_ms: 120_000 } } as never) },
    options: { languages, features: WITH_LANGUAGES },
  });
  afterAll(() => gateway.close());
  return {
    run: async (command: string, language?: string) =>
      (await gateway.run({ command, ...(language ? { language } : {}) }, principal())).text,
    check: async (command: string) => {
      const checked = await gateway.check(command, principal());
      return checked.kind === "fault" ? checked.text : "";
    },
  };
};

const both = opened(python, typescript);
const pythonAlone = opened(python);
const typescriptAlone = opened(typescript);

const PYTHON = "found = onto.task.list(limit=3)\nfor one in found['items']:\n    print(one['id'])";
const TYPESCRIPT = "const found = await onto.task.list({ limit: 3 });\nfound.items.map((one) => one.id)";
const fenced = (word: string, code: string): string => `\`\`\`${word}\n${code}\n\`\`\``;

test("Python in a fence of TypeScript", SLOW, async () => {
  const next = "Next: this looks like Python: send it in a ```python fence";
  for (const word of ["ts", "js", "typescript"]) {
    const text = await both.run(fenced(word, PYTHON));
    expect(text).toMatch(/^Error: (?:Syntax|Reference)Error: /);
    expect(text).toContain(next);
    expect(text).not.toContain("correct the program");
  }
  expect(await both.check(fenced("ts", PYTHON))).toContain(next);
  expect(await both.run(fenced("ts", "[t['id'] for t in onto.task.list()['items'] if not t['done']]"))).toContain(next);
  expect(await both.run(fenced("ts", "tasks = onto.task.list()\ntasks"))).toContain(next);
});

test("Python that the argument `language` calls TypeScript", SLOW, async () => {
  const next = 'Next: this looks like Python: send it with language "python"';
  expect(await both.run(PYTHON, "typescript")).toContain(next);
  expect(await both.run(fenced("python", PYTHON), "typescript")).toContain(next);
});

test("TypeScript in a fence of Python", SLOW, async () => {
  const text = await both.run(fenced("python", TYPESCRIPT));
  expect(text).toContain("Error at line 1: SyntaxError: invalid syntax");
  expect(text).toContain("Next: this looks like TypeScript: send it in a ```ts fence");
  expect(text).not.toContain("run takes Python");
  expect(await both.run(TYPESCRIPT, "python")).toContain(
    'Next: this looks like TypeScript: send it with language "typescript"',
  );
});

test("a language that the server does not run", SLOW, async () => {
  const text = await typescriptAlone.run(PYTHON);
  expect(text).toContain("Next: this looks like Python, and this server runs TypeScript: write it in TypeScript");
  expect(await pythonAlone.run(TYPESCRIPT)).toContain("this is JavaScript; run takes Python. Write: ");
});

test.each([
  ["ts", "const found = await onto.task.list({ limit: 3 };\nfound"],
  ["ts", "const a = [1, 2\n"],
  ["ts", "let x: number = ;"],
  ["ts", "nothing + 1"],
  ["python", "x = [1, 2\n"],
  ["python", "onto.task.create({\n  'a': 1\n  'b': 2\n})"],
  ["python", "def f(:\n  pass"],
  ["python", "if a > 1 {\n  a\n"],
])("code with a fault of its own language, in a fence %s, keeps its advice: %j", SLOW, async (word, code) => {
  expect(await both.run(fenced(word, code))).not.toContain("looks like");
});

test("the argument `language` names one that the server does not run", async () => {
  expect(await pythonAlone.run("1", "typescript")).toBe(
    "Error: SyntaxError: this server runs Python, not TypeScript\nNext: write the program in Python",
  );
  expect(await pythonAlone.run("1", "ts")).toBe(await pythonAlone.run("1", "typescript"));
  expect(await pythonAlone.run(fenced("ts", "1"))).toBe(await pythonAlone.run("1", "typescript"));
  expect(await typescriptAlone.run("1", "python")).toContain("this server runs TypeScript, not Python");
  expect(await both.run("1", "ruby")).toBe("Error: TypeError: run() 'language' must be python or typescript");
});
