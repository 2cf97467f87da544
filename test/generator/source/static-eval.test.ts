/** TypeScript read without running it: supported expressions, and the places of diagnostics for all others. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Report } from "../../../generator/core/diagnostic.js";
import { staticModules, UNREADABLE } from "../../../generator/source/static-eval.js";
import { runs } from "../../support/random.js";

/** Value of `export const x` in `a.ts`, and the places and reasons of what was not understood. */
function read(
  source: string,
  others: Readonly<Record<string, string>> = {},
): { readonly value: unknown; readonly faults: readonly string[] } {
  const report = new Report();
  const files: Readonly<Record<string, string>> = { "a.ts": source, ...others };
  const value = staticModules((file) => files[file], report).valueOf("a.ts", "x");
  return {
    value,
    faults: report.sorted().map((one) => `${one.file}:${one.line}:${one.column} ${one.code} ${one.message}`),
  };
}

const UNDERSTOOD: readonly (readonly [string, unknown])[] = [
  [`"text"`, "text"],
  ["`text`", "text"],
  ["-1.5", -1.5],
  ["+2", 2],
  ["1_000", 1000],
  ["0xff", 255],
  ["[true, false, null]", [true, false, null]],
  [`{ a: 1, "b-c": 2, 3: 4, ["d" + 5]: 6 }`, { a: 1, "b-c": 2, "3": 4, d5: 6 }],
  ["[1, ...[2, 3], ...[]]", [1, 2, 3]],
  ["{ a: 1, ...{ a: 2, b: 3 }, b: 4 }", { a: 2, b: 4 }],
  [`"a" + 1 + "b"`, "a1b"],
  ["1 + 2", 3],
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the source that is read.
  ["`n${1 + 1}${'s'}`", "n2s"],
  [`["a", "b"].join("; ")`, "a; b"],
  [`["a", "b"].join()`, "a,b"],
  ["({ a: [1] } as const)", { a: [1] }],
  ["([1] satisfies number[])!", [1]],
  ["<const>[1]", [1]],
  ["{ a: { b: [7] } }.a.b[0]", 7],
  ["{ a: undefined, b: 1 }", { b: 1 }],
];

describe("what is understood", () => {
  test.each(UNDERSTOOD)("%s is read as its value", (source, value) => {
    expect(read(`export const x = ${source};`)).toEqual({ value, faults: [] });
  });

  test("consts, shorthands and members across files, under other names and through re-exports", () => {
    const source = `import { list as items, DEEP } from "./b.js";\nconst name = "n";\nexport const x = { name, items, deep: DEEP["a"].b };`;
    const others = {
      "b.ts": `export { DEEP } from "./c.js";\nconst inner = [1];\nexport { inner as list };`,
      "c.ts": "export const DEEP = { a: { b: 2 } } as const;",
    };
    expect(read(source, others)).toEqual({ value: { name: "n", items: [1], deep: 2 }, faults: [] });
  });

  test("a whole module is read by its members", () => {
    const others = { "b.ts": 'export * from "./c.js";\nexport const y = 1;', "c.ts": "export const z = { a: [2] };" };
    const value = { y: 1, a: [2] };
    expect(read('import * as f from "./b.js";\nexport const x = { y: f.y, ...f.z };', others)).toEqual({
      value,
      faults: [],
    });
    expect(read('import * as f from "./b.js";\nexport const x = f.gone;', others).faults).toEqual([
      "a.ts:2:18 unsupported-expression f.gone, which b.ts does not export as a const, cannot be read without running the code",
    ]);
    expect(read('import * as f from "./b.js";\nexport const x = f;', others).faults).toEqual([
      "a.ts:2:18 unsupported-expression f, which b.ts does not export as a const, cannot be read without running the code",
    ]);
    expect(read('import * as f from "./gone.js";\nexport const x = [f.a, f.b];', others).faults).toEqual([
      "a.ts:1:20 file-unreadable cannot be read: gone.ts is not there",
    ]);
  });

  test("an object knows the place where it was written, also in another file", () => {
    const report = new Report();
    const files: Readonly<Record<string, string>> = {
      "a.ts": `import { y } from "./b.js";\nexport const x = [y, { a: 1 }];`,
      "b.ts": "\n\nexport const y = { b: 1 };",
    };
    const modules = staticModules((file) => files[file], report);
    const [first, second] = modules.valueOf("a.ts", "x") as readonly object[];
    expect(modules.placeOf(first as object)).toEqual({ file: "b.ts", line: 3, column: 18 });
    expect(modules.placeOf(second as object)).toEqual({ file: "a.ts", line: 2, column: 22 });
  });
});

const REFUSED: readonly (readonly [string, string, string])[] = [
  ["a call", "make()", "a.ts:1:18 unsupported-expression a call of make"],
  ["a function", "() => 1", "a.ts:1:18 unsupported-expression an arrow function"],
  [
    "an unknown name",
    "[1, later]",
    "a.ts:1:22 unsupported-expression later, which is no const of this file or of one it imports,",
  ],
  ["a condition", "true ? 1 : 2", "a.ts:1:18 unsupported-expression a conditional expression"],
  ["another operator", "2 * 3", "a.ts:1:18 unsupported-expression this operator"],
  ["a negation", "!true", "a.ts:1:18 unsupported-expression this prefix operator"],
  ["a method", "{ run() {} }", "a.ts:1:20 unsupported-expression a method or accessor"],
  ["the prototype", "{ __proto__: { a: 1 } }", "a.ts:1:20 unsupported-expression a property that sets the prototype"],
  ["an inherited member", "({}).constructor", "a.ts:1:18 unsupported-expression a member that is not there"],
  ["a spread of a text", `[..."abc"]`, "a.ts:1:19 unsupported-expression a spread of something that is no array"],
  ["a regular expression", "/a/", "a.ts:1:18 unsupported-expression a regular expression literal"],
  ["a join of objects", "[{}].join()", "a.ts:1:18 unsupported-expression a join of anything but texts"],
];

describe("what is not understood is reported at its place", () => {
  test.each(REFUSED)("%s is", (_what, source, fault) => {
    const { value, faults } = read(`export const x = ${source};`);
    expect(value).toBe(UNREADABLE);
    expect(faults).toEqual([`${fault} cannot be read without running the code`]);
  });

  test("two faults in one value are both reported", () => {
    expect(read("export const x = [a(),\n  { b: c() }];").faults.map((one) => one.split(" ")[0])).toEqual([
      "a.ts:1:19",
      "a.ts:2:8",
    ]);
  });

  test("a const that refers to itself", () => {
    expect(read("export const x = [x];").faults).toEqual([
      "a.ts:1:18 unsupported-expression x refers to itself and cannot be read without running the code",
    ]);
  });

  test("an export that leads back to itself through other files", () => {
    const circle = { "b.ts": `export { x } from "./a.js";` };
    expect(read(`export { x } from "./b.js";`, circle).faults.map((one) => one.split(" ")[1])).toEqual([
      "unsupported-expression",
    ]);
    const imported = { "b.ts": `import { x } from "./a.js";\nexport { x };` };
    expect(read(`import { x } from "./b.js";\nexport { x };`, imported).faults.map((one) => one.split(" ")[1])).toEqual(
      ["unsupported-expression"],
    );
  });

  test("a file that is not there is reported at the import, and only there", () => {
    expect(read(`import { y } from "./gone.js";\nexport const x = [y, y];`).faults).toEqual([
      "a.ts:1:19 file-unreadable cannot be read: gone.ts is not there",
    ]);
  });

  test("a syntax error", () => {
    expect(read("export const x = [1,\n  2").faults).toEqual(["a.ts:2:4 syntax-error syntax error: ']' expected."]);
  });
});

test("no text whatever makes it throw", () => {
  const parts = [
    "export const x = ",
    "[",
    "]",
    "{",
    "}",
    "...",
    "x",
    ":",
    ",",
    "`",
    "${",
    '"',
    "(",
    ")",
    " as const",
    ".join()",
    "import",
    "y",
    "\n",
    "1",
    "+",
    "__proto__",
  ];
  const text = fc.oneof(
    fc.string(),
    fc.array(fc.constantFrom(...parts), { maxLength: 30 }).map((list) => `export const x = ${list.join("")}`),
  );
  fc.assert(
    fc.property(text, (source) => {
      const { value, faults } = read(source, { "y.ts": source });
      if (value !== UNREADABLE)
        expect(JSON.stringify(value) !== undefined || value === undefined || faults.length > 0).toBe(true);
    }),
    runs(3000),
  );
});
