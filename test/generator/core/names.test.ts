/** Names: safe in Python, and unique identifiers per op in TypeScript. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { handlersName, isOpPath, nameWords, opNames, safeName } from "../../../generator/core/names.js";
import { pythonVersion, runPython } from "../../support/generator-python.js";
import { runs } from "../../support/random.js";

describe("safe names", () => {
  test.each([
    ["a-b c", "a_b_c"],
    ["2nd", "_2nd"],
    ["class", "class_"],
    ["None", "None_"],
    ["größe", "größe"],
    ["gro\u0308ße", "größe"],
    ["查询天气", "查询天气"],
    ["получить-погоду", "получить_погоду"],
    ["٣_дня", "_٣_дня"],
    ["ﬁle", "file"],
    ["天气🌧", "天气_"],
    ["", "_"],
    ["ok_1", "ok_1"],
    ["a\u30fbb", "a_b"],
    ["a\uff65b", "a_b"],
  ])("%j is %s", (name, safe) => expect(safeName(name)).toBe(safe));

  test("a safe name stays itself", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (name) => {
        expect(safeName(safeName(name))).toBe(safeName(name));
      }),
      runs(1000),
    );
  });

  test.skipIf(pythonVersion === undefined)(
    `Python agrees on every one (${pythonVersion ?? "python3 is not installed"})`,
    () => {
      const names = [
        ...fc.sample(fc.string({ unit: "binary" }), { ...runs(2000) }),
        ..."False None True and as assert async await break class def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield match case type print self".split(
          " ",
        ),
      ];
      expect(
        runPython(
          // Letters that are newer than this Python are nothing to it.
          "[one for one in value if all(__import__('unicodedata').category(c) != 'Cn' for c in one) and (not one.isidentifier() or __import__('keyword').iskeyword(one) or __import__('unicodedata').normalize('NFKC', one) != one)]",
          names.map(safeName),
        ),
      ).toEqual([]);
    },
  );
});

test("words of a name in any style", () => {
  expect([nameWords("getDocument_tree-2"), nameWords("HTTPServer"), nameWords("__a..b__")]).toEqual([
    ["get", "document", "tree", "2"],
    ["http", "server"],
    ["a", "b"],
  ]);
});

test.each([
  ["onto.task.list", true],
  ["p.a_1", true],
  ["p", false],
  ["p.", false],
  ["p.1a", false],
  ["p.class", false],
  ["p.a-b", false],
])("%s is an op path: %s", (text, isPath) => expect(isOpPath(text)).toBe(isPath));

describe("identifiers of ops", () => {
  const named = (...ops: readonly string[]) => ops.map((op) => Object.values(opNames(ops).get(op) ?? {}));

  test("camel and Pascal case", () => {
    expect(named("onto.task.create_or_attach")).toEqual([["ontoTaskCreateOrAttach", "OntoTaskCreateOrAttach"]]);
  });

  test("ops that would share one keep their dots", () => {
    expect(named("a.b_c", "a.b.c")).toEqual([
      ["a$b_c$", "A$b_c$"],
      ["a$b$c$", "A$b$c$"],
    ]);
  });

  test("a leading digit, a segment of underscores, and a name that the module uses itself", () => {
    expect(named("_1password.get", "in_.__", "make.registry")).toEqual([
      ["_1passwordGet", "_1passwordGet"],
      ["in__", "In__"],
      ["make$registry$", "Make$registry$"],
    ]);
    expect([handlersName("_1password"), handlersName("_")]).toEqual(["_1passwordHandlers", "_Handlers"]);
  });

  const segment = fc
    .string({ unit: fc.constantFrom("a", "b", "B", "_", "1", "天", "é", "٣"), minLength: 1, maxLength: 4 })
    .map(safeName);
  const op = fc.array(segment, { minLength: 1, maxLength: 3 }).map((parts) => `p.${parts.join(".")}`);

  test("no two ops of a registry share one, and each is an identifier", () => {
    fc.assert(
      fc.property(fc.uniqueArray(op, { minLength: 1, maxLength: 12 }), (ops) => {
        const names = [...opNames(ops).values()];
        expect(new Set(names.map((one) => one.value)).size).toBe(ops.length);
        expect(new Set(names.map((one) => one.type)).size).toBe(ops.length);
        for (const { value, type } of names)
          for (const name of [value, type]) expect(name).toMatch(/^[\p{ID_Start}_$][\p{ID_Continue}$]*$/u);
      }),
      runs(5000),
    );
  });

  test("an op's own name does not depend on the order of the others", () => {
    fc.assert(
      fc.property(fc.uniqueArray(op, { minLength: 1, maxLength: 8 }), (ops) => {
        expect([...opNames([...ops].reverse())]).toEqual([...opNames(ops)]);
      }),
      runs(1000),
    );
  });
});
