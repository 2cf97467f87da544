/** Async functions whose promises nothing waits for: their failures end the program, as those of calls do. */

import { describe, expect, test } from "vitest";
import { typescriptRuns } from "./typescript-runs.js";

const run = typescriptRuns();

describe("a failure that nothing waits for ends the program", () => {
  test.each([
    ["an arrow function", 'const f = async () => { throw new Error("boom") };\nf();\n"x"'],
    ["a declaration", 'f();\nasync function f() { throw new Error("boom") }\n"x"'],
    ["a function in a function", 'const g = () => { f(); async function f() { throw new Error("boom") } };\ng();\n"x"'],
    ["void", 'const f = async () => { throw new Error("boom") };\nvoid f();'],
    ["a called function", '(async function () { throw new Error("boom") })();\n"x"'],
    ["forEach", '[1, 2].forEach(async (n) => { if (n > 1) throw new Error("boom") });\n"x"'],
    ["map", '[1].map(async (n) => { throw new Error("boom") });\n"x"'],
    ["after a call", 'const f = async () => { await demo.count(); throw new Error("boom") };\nf();\n"x"'],
    [
      "after a timer",
      'const f = async () => { await new Promise<void>((d) => setTimeout(d, 5)); throw new Error("boom") };\nf();\n"x"',
    ],
    [
      "in a timer",
      'setTimeout(async () => { throw new Error("boom") }, 1);\nawait new Promise((done) => setTimeout(done, 20));\n"x"',
    ],
    [
      "that another one gives on",
      'const f = async () => { throw new Error("boom") };\nconst g = async () => f();\ng();\n"x"',
    ],
  ])("that of %s", async (_, code) => {
    expect(await run(code)).toMatchObject({ ok: false, name: "Error", message: "boom" });
  });

  test("with the line at which it was thrown", async () => {
    expect(await run('const f = async () => {\n  throw new Error("boom");\n};\nf();\n"x"')).toMatchObject({ line: 2 });
  });
});

describe("a failure that the program takes is its own", () => {
  test.each([
    [
      "await",
      'const f = async () => { throw new Error("boom") };\ntry { await f() } catch (e: any) { e.message }\n1',
      "1",
    ],
    ["catch", 'const f = async () => { throw new Error("boom") };\nf().catch(() => {});\n1', "1"],
    [
      "later",
      'const f = async () => { throw new Error("boom") };\nconst p = f();\nawait demo.count();\nconst r = await p.then(() => 1, () => 2);\nr',
      "2",
    ],
    ["all of several", "const f = async (n: number) => n * 2;\nawait Promise.all([1, 2].map(f))", "[2,4]"],
    [
      "settled",
      'const f = async () => { throw new Error("boom") };\n(await Promise.allSettled([f(), f()])).map((one) => one.status)',
      '["rejected","rejected"]',
    ],
    [
      "a race that is lost",
      'const late = async () => { await new Promise<void>((d) => setTimeout(d, 60_000)); throw new Error("late") };\nawait Promise.race([demo.count(), late()])',
      '{"count":1}',
    ],
  ])("with %s", async (_, code, json) => {
    expect(await run(code)).toMatchObject({ ok: true, json });
  });
});

describe("an async function stays what it was", () => {
  test.each([
    ["its value of this", "const o = { n: 3, get: async function () { return this.n } };\nawait o.get()", "3"],
    ["its arguments", "async function f(...all: number[]) { return all.length }\nawait f(1, 2, 3)", "3"],
    [
      "its name",
      "const named = async () => 1;\nasync function other() {}\n[named.name, other.name]",
      '["named","other"]',
    ],
    [
      "its place before the declaration",
      "const r = await f(2);\nr;\nasync function f(n: number) { return n + 1 }\nr",
      "3",
    ],
    [
      "recursion",
      "const f = async (n: number): Promise<number> => (n === 0 ? 0 : 1 + (await f(n - 1)));\nawait f(5)",
      "5",
    ],
    ["a promise", "const f = async () => 1;\nconst p = f();\nconst is = p instanceof Promise;\nawait p;\nis", "true"],
    ["a method of a class", "class A { async get() { return 4 } }\nawait new A().get()", "4"],
    [
      "a generator",
      "async function* g() { yield 1; yield 2 }\nconst all: number[] = [];\nfor await (const n of g()) all.push(n);\nall",
      "[1,2]",
    ],
    ["with types", "const f = async <T,>(value: T): Promise<T> => value;\nawait f<number>(7)", "7"],
    ["as the whole program", "async () => 8", "8"],
    ["a declaration as the whole program", "async function main() { return 9 }", "9"],
    ["without a semicolon before it", "let n = 1\nconst f = async () => n\nawait f()", "1"],
  ])("with %s", async (_, code, json) => {
    expect(await run(code)).toMatchObject({ ok: true, json });
  });

  test("a member of its promise is a forgotten await", async () => {
    const outcome = await run("const f = async (): Promise<any> => ({ id: 1 });\nconst r: any = f();\nr.id");
    expect(outcome).toMatchObject({ ok: false, message: "f() gives a promise, which has no 'id': use await" });
  });
});
