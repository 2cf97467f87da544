/** How programs end, and forms that other products know: the value is that of the last statement that has one. */

import { describe, expect, test } from "vitest";
import { typescriptRuns } from "./typescript-runs.js";

const run = typescriptRuns();

describe("the answer of a program", () => {
  test.each([
    ["a shorthand object", "const a = 1;\nconst b = 2;\n{ a, b }", '{"a":1,"b":2}'],
    [
      "above the functions that it calls",
      "const r = await helper(2);\nr\nasync function helper(n: number) { return n + 1 }",
      "3",
    ],
    ["above types", "const r: Row = { n: 1 };\nr\ninterface Row { n: number }\ntype Other = string;", '{"n":1}'],
    ["of an exported function", "export default async function main() { return 5 }", "5"],
    ["of an exported function without a name", "export default async function () { return 5 }", "5"],
    ["of an exported arrow function", "const n = 4;\nexport default async () => n + 1;", "5"],
    ["of an exported value", "export default (function () { return 5 })", "5"],
    [
      "of an exported function beside others",
      "const n = 2;\nexport default function main(): number { return twice(n) }\nfunction twice(x: number) { return x * 2 }",
      "4",
    ],
    ["after finally", "const r = await demo.echo({ value: { n: 3 } }).finally(() => {});\nr.n", "3"],
    [
      "after a failure and finally",
      "let seen = 0;\ntry { await demo.fail().finally(() => { seen++ }) } catch (e: any) { e.message + seen }\nseen",
      "1",
    ],
    [
      "after a finally that waits",
      "let seen = 0;\nawait demo.count().finally(async () => { await demo.count(); seen++ });\nseen",
      "1",
    ],
  ])("is its value: %s", async (_, code, json) => {
    expect(await run(code)).toMatchObject({ ok: true, json });
  });

  test("is its failure, after finally too", async () => {
    expect(await run("await demo.fail().finally(() => {})")).toMatchObject({ ok: false, name: "ToolError" });
    expect(await run('await demo.count().finally(() => { throw new Error("boom") })')).toMatchObject({
      message: "boom",
    });
  });
});

describe("a member of a call without await is refused", () => {
  test.each(['demo.count()["count"]', "const { count } = demo.count();\ncount", 'const x = demo.count();\nx["count"]'])(
    "in the program %s",
    async (code) => {
      expect(await run(code, { ops: {} })).toMatchObject({
        kind: "refused",
        message: expect.stringContaining("a call gives a promise, which has no 'count'"),
      });
    },
  );
});

test.each([
  [
    "every form that has no meaning here",
    'import x from "y";\nenum A { B }\nexport const n = 1;',
    [
      "there is no import here",
      "Also at line 2:1: an enum is not available here",
      "Also at line 3:1: there is no export here",
    ],
  ],
  ["text around a fence", "Here it is:\n```ts\n1\n```", ["Next: send the code alone, without text around the fence"]],
  [
    "an object without parentheses",
    "const a = 1;\n{ a: a, b: 2 }",
    ["Next: write an object in parentheses, as ({ … })"],
  ],
  ["an exported number", "export default 5", ["end with the value as an expression"]],
  ["an exported class", "export default class A {}", ["Next: leave out export default"]],
])("a refusal names %s", async (_, code, said) => {
  const { message, hints } = (await run(code)) as { readonly message: string; readonly hints: readonly string[] };
  for (const one of said) expect([message, ...hints].join("\n")).toContain(one);
});
