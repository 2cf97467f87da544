/** Programs are read: what is certainly wrong has its line and column, the value is that of the last statement. */

import vm from "node:vm";
import { getLibFiles, ts } from "@ts-morph/common";
import { beforeAll, expect, test } from "vitest";
import { randomOf } from "../../../test/support/random.js";
import { type CompiledProgram, type CompileFinding, type ProgramCompiler, programCompiler } from "../compile.js";
import { declarations } from "../declarations.js";
import { worldText } from "../world.js";

const signed = (op: string, tail: string) => ({ op, signature: { python: "", typescript: `${op}${tail}` } });
const TOOLS = [
  signed("demo.task.get", "(args: { task_id: string }): Promise<unknown>"),
  signed("demo.task.list", "(args?: { limit?: number }): Promise<{ items: { id: string }[] }>"),
  signed("demo.search", "(args: { text: string }): Promise<string[]>"),
  signed("demo.search.deep", "(args: { text: string }): Promise<string[]>"),
  signed(
    "demo.task.mark",
    '(args: { state: "todo" | "done"; tags?: string[]; place?: { row: number } }): Promise<unknown>',
  ),
  signed("upper", "(args: { text: string }): Promise<string>"),
];

let compiler: ProgramCompiler;
beforeAll(() => {
  const libraries = new Map(getLibFiles().map(({ fileName, text }) => [fileName.replace(/^.*\//, ""), text] as const));
  compiler = programCompiler(ts, worldText(libraries));
}, 60_000);

function read(code: string): { readonly compiled?: CompiledProgram; readonly findings: readonly CompileFinding[] } {
  const answer = compiler.read({ code, types: declarations(TOOLS, code) });
  return "faults" in answer ? { findings: answer.faults } : { compiled: answer.compiled, findings: compiler.check() };
}
const certainOf = (code: string) => read(code).findings.filter(({ isCertain }) => isCertain);

const ENDINGS: readonly (readonly [code: string, bare: string])[] = [
  ["1 + 1", "return (1 + 1)"],
  ["const a = 1\na", "const a = 1\nreturn (a)"],
  ["a;; // end\n;", "return (a);; // end\n;"],
  ["return 5", "return 5"],
  ["a\nb as number", "a\nreturn (b          )"],
  ["({ then() {} } as any) satisfies X // end", "return (({ then() {} }       )            ) // end"],
  ["console.log(1)", "console.log(1)"],
  ["const a: number = 1;\n({ a }) // end", "const a         = 1;\nreturn (({ a })) // end"],
  ["async () => { return 1 }", 'return ($$follow("",1,async () => { return 1 })())'],
  ["(function () { return 1 })", "return ((function () { return 1 }))()"],
  [
    "async function main() { return 1 }",
    'main=$$follow("main",1,main);async function main() { return 1 };return main()',
  ],
  ["function f(x) { return x }", "function f(x) { return x }"],
  ["if (a) b\nlet a, b", "if (a) b\nlet a, b"],
  ['const __format__ = "yml"; 1', '      __format__ = "yml"; return (1)'],
  ["", ""],
];

test.each(ENDINGS)("the value of %j is that of its last statement", (code, bare) => {
  expect(read(code).compiled?.code).toBe(bare);
});

type Refused = readonly [code: string, line: number, column: number, message: string, hint: string];
const REFUSED: readonly Refused[] = [
  ["const x = {", 1, 12, "'}' expected", ""],
  ["const x = {\n\n", 3, 1, "'}' expected", ""],
  ["})(); x; (async () => {", 1, 2, "Declaration or statement expected", ""],
  ["import a from 'a'; 1", 1, 1, "there is no import here", "Next: the ops are there already"],
  ["const a = await import('a')", 1, 17, "there is no import here", ""],
  ["export const a = 1", 1, 1, "there is no export here", ""],
  ["1\nenum A { B }", 2, 1, "an enum is not available here", 'Next: use an object: const Name = { A: "a" }'],
  ["1\n  nothing + 1", 2, 3, "nothing is not defined", ""],
  [
    "await demo.task.lst({ limit: 3 })",
    1,
    17,
    "pack 'demo.task' has no function 'lst'",
    "Did you mean: demo.task.list",
  ],
  [
    "const r = demo.task.list();\nr.items",
    2,
    3,
    "a call gives a promise, which has no 'items'",
    "Did you mean: await before the call",
  ],
  ["for (const x of demo.search({ text: 'a' })) x", 1, 17, "a call gives a promise, which is no list", ""],
  ["if (demo.task.get({ task_id: 'a' })) 1", 1, 5, "a call gives a promise, which is always true", ""],
  [
    "['a'].map((task_id) =>\n  await demo.task.get({ task_id }))",
    2,
    3,
    "await stands in a function that is not async",
    "Did you mean: async before the function",
  ],
  ["function f() { for await (const x of []) x }\nf()", 1, 20, "await stands in a function that is not async", ""],
  ["await fetch('x')", 1, 7, "fetch is not defined", "Next: there is no network here: call an op"],
  ["new Intl.NumberFormat()", 1, 5, "Intl is not defined", ""],
  ["process.env.A", 1, 1, "process is not defined", ""],
  ["const a = setInterval", 1, 11, "setInterval is not defined", ""],
  ["const a = 1;\nconst b = 2;\na++;\n[a, b]", 3, 1, "a is a constant", "Did you mean: let a"],
  ["const a = 1;\nfor (const b of [1]) {\n  a += b;\n}\na", 3, 3, "a is a constant", "Did you mean: let a"],
  ["let total = 0;\nlet total = 1;\ntotal", 1, 5, "total is declared twice", ""],
  ["const a = [1];\nprint(a.length)", 2, 1, "print is not defined", "Next: write console.log(value)"],
  ["[1].map((one) => len(one))", 1, 18, "len is not defined", "Next: write list.length"],
];

test.each(REFUSED)("%j is refused at its place", (code, line, column, message, hint) => {
  const [first] = certainOf(code);
  expect(first).toMatchObject({ line, column, message });
  expect(first?.hint ?? "").toContain(hint);
});

const FINE: readonly string[] = [
  "const { items } = await demo.task.list({ limit: 1 }); items.map((one) => one.id)",
  "const t = await demo.task.get({ task_id: 'a' }); t.anything.at.all",
  "await demo.search({ text: 'a' }); await demo.search.deep({ text: 'b' })",
  "await upper({ text: 'a' })",
  "const fetch = (x) => x; fetch(1)",
  "const print = (x) => x; print(1)",
  "typeof process === 'undefined'",
  "let x: Missing = 1; x",
  "try { await demo.task.get({ task_id: 'a' }) } catch (e) { if (e instanceof ToolError) e.code }",
  "await Promise.allSettled([demo.task.list(), demo.search({ text: 'a' })])",
  "const all: any = {}; all.some.thing",
  "await demo.task.list({ limit: '5' as any })",
];

test.each([
  ["const x = <div className='a'>hi {1 + 1}</div>;\nx", 1, 11],
  ["const a = 1;\nconst App = () => (\n  <>\n    <Item key={a} />\n  </>\n);\nApp()", 3, 3],
  ["<br/>", 1, 1],
])("JSX is refused in plain words: %j", (code, line, column) => {
  expect(certainOf(code)).toEqual([
    {
      ...{ line, column, isCertain: true, name: "SyntaxError" },
      message: "JSX is not available here",
      hint: "Next: build a text or an object",
    },
  ]);
});

test.each(["const a = <T,>(x: T) => x; a(<", "1 < 2 > 3 {", "const x = '<div>' +;"])("%j is no JSX", (code) => {
  expect(certainOf(code)[0]?.message).not.toContain("JSX");
});

test("members of the language that the engine does not have are refused with what is there", () => {
  expect(certainOf("await Array.fromAsync([1])")[0]).toMatchObject({
    message: "Array.fromAsync is not available here",
    hint: "Next: await Promise.all(values), or a loop with for await",
  });
  expect(certainOf("typeof Array.fromAsync")).toEqual([]);
  const { findings } = read(
    "new Float16Array(1); Math.f16round(1.5); new Date().toTemporalInstant();\nArray.fromAsync",
  );
  for (const { message, hint = "" } of findings)
    expect(message + hint).not.toMatch(/compiler option|target library|tsconfig/);
});

test("members that the engine has are known", () => {
  const code =
    "Object.groupBy([1], String), Map.groupBy([1], String), new Set([1]).union(new Set([2])), Promise.try(Date)," +
    " Promise.withResolvers(), [1].values().map(String).toArray(), Iterator.from([1]), RegExp.escape('a'), 'a'.isWellFormed()," +
    " Math.sumPrecise([1])";
  expect(read(code).findings).toEqual([]);
});

/** Programs in which a method of a list gets an async function that it does not wait for. */
const NOT_WAITED: readonly (readonly [code: string, method: string, line: number])[] = [
  ["const { items } = await demo.task.list();\nitems.filter(async (one) => one.id === 'a')", "filter", 2],
  ["const r = await demo.task.get({ task_id: 'a' });\nr.parts.filter(async (one) => one.open)", "filter", 2],
  [
    "const { parts } = await demo.task.get({ task_id: 'a' });\nparts.some(async function (one) { return one })",
    "some",
    2,
  ],
  ["(await demo.task.list()).items.every(async (one) => one)", "every", 1],
  [
    "const isOpen = async (id: string) => id > 'a';\n(await demo.task.list()).items.find((one) => isOpen(one.id))",
    "find",
    2,
  ],
  ["async function isOpen() { return true }\n['a'].findIndex(isOpen)", "findIndex", 2],
  ["['a'].findLast((text) => demo.search({ text }))", "findLast", 1],
  ["['a', 'b'].sort(async (a, b) => 1)", "sort", 1],
  ["function f(items) { return items?.filter(async (x) => x) }\nf([1])", "filter", 1],
  ["[1].filter((async (x) => x) as any as (x: number) => Promise<boolean>)", "filter", 1],
];

test.each(NOT_WAITED)("%j does not wait for its function, and is refused", (code, method, line) => {
  const [first] = certainOf(code);
  expect(first).toMatchObject({ line, name: "TypeError" });
  expect(first?.message).toMatch(new RegExp(`^${method} does not wait for an async function: `));
  expect(first?.hint).toBe(
    `Next: const values = await Promise.all(items.map(async …)), then ${method} by values, without async`,
  );
});

test.each([
  "[1].forEach(async (x) => x)",
  "await Promise.all([1].map(async (x) => x))",
  "const store = { find: async (is: (x: number) => Promise<boolean>) => is(1) };\nawait store.find(async (x) => true)",
  "const store: any = { filter: (f) => f(1) };\nawait store.filter(async (x) => true)",
  "class Store { some(f: any) { return f(1) } }\nawait new Store().some(async (x) => true)",
  "(await demo.task.get({ task_id: 'a' })).parts.filter((one) => one.open)",
  "[1].filter(Boolean).sort()",
])("%j is not refused", (code) => {
  expect(certainOf(code)).toEqual([]);
});

test.each(FINE)("%j runs", (code) => {
  expect(certainOf(code)).toEqual([]);
});

test("a call that nobody awaits, and a key that a declared result lacks, are advice alone", () => {
  const { findings } = read("demo.task.get({ task_id: 'a' });\nconst t = await demo.task.list();\nt.itms");
  expect(findings.map(({ line, isCertain, message }) => [line, isCertain, message.slice(0, 40)])).toEqual([
    [1, false, "demo.task.get(…) is not awaited: the pro"],
    [3, false, "Property 'itms' does not exist on type '"],
  ]);
});

test.each([
  ["await demo.task.mark({ state: 'blocked' })", '\'"blocked"\' is not assignable to type \'"todo" | "done"\''],
  ["await demo.task.mark({ state: 'don' })", "Did you mean '\"done\"'"],
  ["await demo.task.list({ limit: 'five' })", "'string' is not assignable to type 'number'"],
  ["await demo.task.mark({ state: 'todo', tags: [1] })", "'number' is not assignable to type 'string'"],
  ["await demo.task.mark({ state: 'todo', place: { row: 'a' } })", "'string' is not assignable to type 'number'"],
])("a value that an argument does not take is advice: %s", (code, message) => {
  const { findings } = read(code);
  expect(findings.map(({ isCertain }) => isCertain)).toEqual([false]);
  expect(findings[0]?.message).toContain(message);
});

test.each([
  "const limit: number = 'a' as any;\nawait demo.task.list({ limit })",
  "let x = 1;\nx = 'a' as any; x",
  "const a: { b: string } = {};\na",
])("values of the program's own types are not: %s", (code) => expect(read(code).findings).toEqual([]));

test("calls have their lines and the names of their arguments", () => {
  const { compiled } = read(
    "const a = 1;\nawait demo.task.get({ task_id: a, 'x-y': 2 });\nawait demo.task.list({ ...a })",
  );
  expect(compiled?.calls).toEqual([
    { op: "demo.task.get", names: ["task_id", "x-y"], line: 2, column: 7 },
    { op: "demo.task.list", names: undefined, line: 3, column: 7 },
  ]);
  expect(compiled?.lastCall).toBe("demo.task.list");
});

test("types name no file of the disk", () => {
  const { findings } = read("const x: typeof import('/etc/passwd') = 1 as any; const y: string = x; y");
  expect(JSON.stringify(findings)).not.toContain("root:");
  expect(findings.map(({ name }) => name)).toContain("TS2307");
});

test("nesting that is too deep is a fault, and the next program is read", () => {
  expect(certainOf(`${"(".repeat(50_000)}1${")".repeat(50_000)}`)[0]?.message).toBe("the code is nested too deeply");
  expect(read("1 + 1").findings).toEqual([]);
});

test("only packs that the code names are declared, and only ops that it names have types", () => {
  expect(declarations(TOOLS, "demo.task.get()")).not.toContain("upper");
  expect(declarations(TOOLS, "demo.task.get()")).toContain("list(args?: any): Promise<any>");
  expect(declarations(TOOLS, "1")).toBe("");
  expect(declarations(TOOLS)).toContain("declare function upper(args: { text: string }): Promise<string>;");
});

/** Statements with types of all kinds; `$` is their number. */
const TYPED: readonly string[] = [
  "const a$: number = 1;",
  "let b$!: string, c$: Map<string, number[]> | undefined",
  "interface I$ { a: 1;\n  b: `${string}-x` }",
  "type T$<X> = { readonly [K in keyof X]?: X[K] extends string ? X[K] : never };",
  "const f$ = async <T,>(x: T): Promise<T> => x;",
  "function g$<T extends object>(this: void, a?: T, ...b: T[]): a is T { return b.length > 0 }",
  "class C$<T> { private readonly x: T = 1 as any; declare y: 1; protected foo?(): void {} }",
  "const é$ = `né ${1 as number} \u{1F600}` as const, 名$ = '😀' as string",
  "for (const x of [1, 2] as const) x satisfies number;",
  'const m$ = new Map<string, Array<{ a: number }>>([["a", []]]);',
  "/* two\n lines */ const h$ = [1,\n\t2].map((n: number)\n  : string => `${n}`)",
  "try { (1 as unknown)! } catch (e: unknown) { }",
  "const o$ = { get a(): number { return 1 }, b<T>(x: T): T { return x }, async *c(): AsyncGenerator<1> {} } /* a: T */",
];
/** Uses of a name that is nowhere. */
const PLANTED: readonly string[] = [
  ...[
    "planted",
    "planted.x",
    "(planted as any)",
    "planted<string>()",
    "[1 as number, planted!]",
    "`${planted as string}`",
  ],
  ...[
    "(<T,>(x: T): T => x)(planted)",
    "1 + (planted satisfies 1)",
    "await planted",
    "new planted<1>()",
    "const x: number = planted",
  ],
];

/** The line and the column of the name, from 1. */
function plantedIn(code: string): readonly [line: number, column: number] {
  const lines = code.slice(0, code.indexOf("planted")).split("\n");
  return [lines.length, (lines.at(-1) as string).length + 1];
}

test("100 planted errors have their line and column in the check, and their line in the code that runs", () => {
  const random = randomOf(20_261_201);
  const one = (all: readonly string[]) => all[Math.floor(random() * all.length)] as string;
  for (let n = 0; n < 100; n++) {
    const statements = Array.from({ length: 1 + Math.floor(random() * 12) }, (_, at) =>
      one(TYPED).replaceAll("$", (mark, place, text) => (text[place + 1] === "{" ? mark : String(at))),
    );
    const before = random() < 0.5 ? "" : "if (1 as any) { type X = 1; ";
    statements.splice(Math.floor(random() * statements.length), 0, `${before}${one(PLANTED)}${before && " }"}`);
    const code = statements.join(one(["\n", "\r\n", ";\n\n\t", " ;"]));
    const place = plantedIn(code);
    const { compiled, findings } = read(code);
    expect(
      findings.filter(({ isCertain }) => isCertain).map(({ line, column, message }) => [line, column, message]),
      code,
    ).toEqual([[...place, "planted is not defined"]]);
    const bare = compiled?.code ?? "";
    expect(() => new vm.Script(`async () => {${bare}\n}`), code).not.toThrow();
    expect(plantedIn(bare)[0], code).toBe(place[0]);
  }
});
