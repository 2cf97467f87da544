/** Types that are certain before code runs are those that its values have, and checks let values of them pass. */

import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { edited } from "../../../../runtime/contract/text-edits.js";
import { createMonty } from "../../../../runtime/run/engine/monty.js";
import { guarded } from "../../../../runtime/run/engine/monty-guards.js";
import { certainTypes, type PyType, passes, passesOperator } from "../../../../runtime/run/engine/monty-types.js";
import { type PyNode, type PyTree, parsePython, textOf } from "../../../../runtime/run/python-tree.js";
import { readScopes } from "../../../../runtime/run/scopes.js";
import { typedPrograms } from "../../../support/python-typed-programs.js";
import { runs } from "../../../support/random.js";
import { pythonBatch, requestOf } from "../../../support/run-engine.js";

/** Whether a statement above `global b` binds b. */
function isBoundAbove(program: string): boolean {
  const since = readScopes(parsePython(program)).ofModule.get("b");
  return since !== undefined && since < program.indexOf("global b");
}

const TYPES: readonly PyType[] = ["int", "float", "str"];

const SEEN = `wrong = []
seen = [0]
def chk(kind, value):
    seen[0] += 1
    if type(value).__name__ != kind:
        wrong.append(kind + " is " + type(value).__name__)
    return value
`;

/** The expressions of a program whose types are certain. */
function certain(tree: PyTree): readonly (readonly [PyNode, PyType])[] {
  const scopes = readScopes(tree);
  const typeOf = certainTypes(tree, scopes, () => false);
  const bound = new Set(scopes.bindings.map(({ node }) => node));
  return tree.nodes.flatMap((node) => {
    const type = bound.has(node) || node.parent?.name === "ScopeStatement" ? undefined : typeOf(node);
    return type === undefined ? [] : [[node, type] as const];
  });
}

/** A program that compares the types of its values with those that are certain, and prints what differs. */
function watched(program: string): string {
  const tree = parsePython(program);
  const all = certain(tree).filter(([{ name }]) => name !== "FormatString" && name !== "NamedExpression");
  const opening = all.map(([{ from }, type]) => ({ from, to: from, text: `chk("${type}", (` }));
  const closing = all.map(([{ to }]) => ({ from: to, to, text: "))" })).reverse();
  return `${SEEN}${edited(program, [...closing, ...opening])}\nprint(wrong, seen[0] > 0)`;
}

test("values have the types that are certain, on CPython and on Monty", {
  timeout: 600_000,
  tags: "slow",
}, async () => {
  const { seed, numRuns } = runs(20_000);
  const programs = fc.sample(typedPrograms, { seed, numRuns });
  const codes = programs.map(watched);
  // The router leaves these to CPython: Monty reads a wrong value before the function has bound the name.
  const isLeft = programs.map((program) => program.includes("global b") && !isBoundAbove(program));
  const monty = createMonty({ children: 1 });
  onTestFinished(() => monty.dispose());
  const montyReplies: string[] = [];
  for (const [i, code] of codes.entries()) {
    const request = requestOf(code);
    const outcome = isLeft[i] ? undefined : await monty.run({ ...request, checked: code });
    // What Monty lacks ends the program.
    montyReplies.push(outcome?.ok ? request.printed() : "[] True\n");
  }
  const replies = await pythonBatch(codes);
  // CPython refuses some of them: those that bind the counter of a comprehension inside it.
  const all = codes
    .map((code, i) => ({ code, python: replies[i] ?? "", monty: montyReplies[i] ?? "" }))
    .filter(({ python }) => !python.startsWith("SyntaxError: assignment expression"));
  const wrong = all.filter(({ python, monty: other }) => !python.startsWith("[]") || !other.startsWith("[]"));
  expect(wrong.slice(0, 3)).toEqual([]);
  expect(replies.filter((one) => one.includes("True")).length).toBeGreaterThan(numRuns / 2);
});

const SAMPLES: Readonly<Record<PyType, readonly string[]>> = {
  int: ["0", "1", "-1", "7", "-8", "10**20", "-2**63 - 1", "2**53 + 1"],
  float: ["0.0", "-0.0", "0.5", "-2.5", "1e16", "1e300", "float('nan')", "float('inf')"],
  str: ["''", "'a'", "'Zz'", "'é'", "'\\u200b'"],
};
const OPERATORS: Readonly<Record<string, string>> = {
  ...{ "*": "__times", "/": "__true", "//": "__floor", "%": "__mod", "**": "__pow" },
  ...{ "&": "__and", "|": "__or", "^": "__xor", "-": "__minus_by" },
};
const COMPARISONS: Readonly<Record<string, string>> = {
  ...{ "<": "__lt", ">": "__gt", "<=": "__le", ">=": "__ge", "==": "__eq", "!=": "__ne" },
};
const OF_ONE = [
  "__shown",
  "__string",
  "__padded",
  "__iter",
  "__members",
  "__sought",
  "__sequence",
  "__member",
  "__sent",
  "__whole",
];

/** Lines that record where a check gives something else than what it stands for; a check that refuses ends the run. */
const same = (checked: string, plain: string): string =>
  `bad.extend([${JSON.stringify(plain)}] if str(val(lambda: ${checked})) != str(val(lambda: ${plain})) else [])`;

describe("checks let pass what is left without them", () => {
  test("of two values", async () => {
    const [right] = parsePython("3").nodes.filter(({ name }) => name === "Number");
    const lines: string[] = [];
    for (const a of TYPES)
      for (const b of TYPES) {
        const samples = SAMPLES[a].flatMap((x) => SAMPLES[b].map((y) => [`(${x})`, `(${y})`] as const));
        const operators = Object.entries(OPERATORS).filter(([one]) => passesOperator(one, a, b, right as PyNode));
        for (const [operator, check] of [...operators, ...(a === b ? Object.entries(COMPARISONS) : [])])
          for (const [x, y] of operator === "**" ? samples.map(([x]) => [x, "3"] as const) : samples)
            lines.push(same(`${check}(${x}, ${y})`, `${x} ${operator} ${y}`));
      }
    expect(lines.length).toBeGreaterThan(1000);
    expect(await badOf(lines)).toBe("[]");
  });

  test("of one value", async () => {
    const lines = TYPES.flatMap((type) =>
      OF_ONE.filter((check) => passes(check, type)).flatMap((check) =>
        SAMPLES[type].map((value) => same(`${check}(${value})`, value)),
      ),
    );
    expect(lines.length).toBeGreaterThan(50);
    expect(await badOf(lines)).toBe("[]");
  });
});

const VAL = `bad = []
def val(step):
    try:
        v = step()
        return [type(v).__name__, v]
    except Exception as error:
        return [type(error).__name__, str(error)]
`;

async function badOf(lines: readonly string[]): Promise<string> {
  const monty = createMonty({ children: 1 });
  onTestFinished(() => monty.dispose());
  const code = `${VAL}${lines.join("\n")}\nprint(bad)`;
  const request = requestOf(code);
  const outcome = await monty.run({ ...request, checked: code });
  return outcome.ok ? request.printed().trim() : `${outcome.pyType}: ${outcome.message}`;
}

const typesIn = (code: string): readonly string[] => {
  const tree = parsePython(code);
  return [...new Set(certain(tree).map(([node, type]) => `${textOf(tree, node)}: ${type}`))];
};

describe("types", () => {
  test.each([
    ["a name that is bound to whole numbers only", "i = 0\nwhile i < 9:\n    i = i + 1", "i: int"],
    ["a loop counter", "for i in range(3):\n    print(i)", "i: int"],
    ["a counter of a comprehension", "x = [i for i in range(3)]", "i: int"],
    ["an index", "for i, x in enumerate(rows):\n    print(i, x)", "i: int"],
    ["a length", "n = len(rows)\nprint(n)", "n: int"],
    ["a sum of floats", "t = 0.0\nt += 1\nprint(t)", "t: float"],
    ["a character", "for c in 'ab':\n    print(c)", "c: str"],
    ["names that are swapped", "a, b = 0, 1\na, b = b, a + b\nprint(b)", "b: int"],
  ])("%s is certain", (_, code, found) => {
    expect(typesIn(code)).toContain(found);
  });

  test.each([
    ["a name that another scope binds to something else", "i = 0\ndef f():\n    global i\n    i = 'a'\nprint(i < 3)"],
    ["a parameter", "def f(i):\n    return i < 3\ni = 0"],
    ["a truth value", "i = True\nprint(i)"],
    ["a name that is also that of a builtin function", "len = 3\nprint(len)"],
    ["a function of the code", "def len(x):\n    return 'a'\ni = len('a')\nprint(i)"],
    ["an exception", "i = 0\ntry:\n    pass\nexcept ValueError as i:\n    print(i)"],
    ["a result of a call", "i = 0\ni = f()\nprint(i)"],
  ])("%s is not certain", (_, code) => {
    expect(typesIn(code).filter((one) => /^(?:i|len):/.test(one))).toEqual([]);
  });

  test("a chain longer than the passes is left unknown, and read in linear time", () => {
    const chain = Array.from({ length: 5000 }, (_, i) => `n${i} = n${i + 1}`).join("\n");
    const code = `${chain}\nn5000 = 0\nprint(n0 < 1)`;
    expect(guarded(code)).toContain("__lt");
  });
});

test("a loop of numbers has no checks", () => {
  const code = "n = 0\ni = 0\nwhile i < 100:\n    if i % 3 > 1:\n        n = n + i\n    i = i + 1";
  expect(guarded(code)).toBe(code);
});
