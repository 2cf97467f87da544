/** Whether a program in TypeScript only passes on an answer. */

import { ts } from "@ts-morph/common";
import { describe, expect, test } from "vitest";
import { forwardsAnswers } from "../assumed-uses.js";
import { programCompiler } from "../compile.js";

const compiler = programCompiler(ts, "");
const NAMES: Readonly<Record<string, string>> = { make_a: "a.make" };
const MEMBERS = ["id", "url", "n", "part", "part.id"];

function passes(code: string): boolean {
  const answer = compiler.read({ code, types: "" });
  if ("faults" in answer) throw new Error(answer.faults[0]?.message);
  const isOp = (path: string) => ["a.make", "a.use"].includes(path);
  const has = (_op: string, member: string) => MEMBERS.includes(member);
  return forwardsAnswers(answer.compiled.uses, ["a.make"], (name) => NAMES[name] ?? name, isOp, has);
}

describe("an answer is passed on", () => {
  test.each([
    "await a.make()",
    "a.make(); 1",
    "return await a.make()",
    "await make_a({ x: 1 })",
    "const x = await a.make();\nx",
    "const x = await a.make();\nawait a.use({ id: x.id })",
    "const { id, part: { id: other } } = await a.make();\nawait a.use({ id, other })",
    'const x = await a.make() as any;\nconst y = x["part"];\nawait a.use({ all: [x, { more: (y.id) }] })',
    "await a.use({ id: (await a.make()).id })",
    "const x = await a.make();\nconsole.log(`made ${x.id}`, x.part)",
    'const x = await a.make();\nawait a.use({ text: "see " + x.id + x.url })',
    'const x = await a.make();\nconst t = `see ${x.id}`;\nawait a.use({ text: t + "!" })',
    "const all = await Promise.all([a.make(), make_a()]);\nall",
    "for (let n = 0; n < 3; n++) await a.make({ n });",
    "const x = await a.make();\nif (other) await a.use({ id: x!.id })",
    "let x;\nx = 1;\nconst y = await a.make();\nawait a.use({ x: y.id })",
    "const ids = [1, 2].map(async (n) => { await a.make({ n }); });\nawait Promise.all(ids)",
  ])("in %s", (code) => expect(passes(code)).toBe(true));
});

describe("a program looks at an answer", () => {
  test.each([
    "if (await a.make()) 1",
    "const x = await a.make();\nif (x.id) 1",
    "const x = await a.make();\nx.n + 1",
    "const x = await a.make();\nx.n + x.id",
    "const x = await a.make();\nfor (const one of x.part) one",
    "const x = await a.make();\nx.id.slice(1)",
    "const x = await a.make();\n`${x.id}`.length",
    "const x = await a.make();\nconst t = `${x.id}`;\nt.length",
    "const x = await a.make();\nconst y = [x];\ny.length",
    "const x = await a.make();\nx?.id",
    "const x = await a.make();\nx.id ?? 1",
    "const x = await a.make();\n!x",
    "const x = await a.make();\nlet y;\ny = x",
    "const { id = 1 } = await a.make();\nid",
    "const { id, ...rest } = await a.make();\nrest",
    "const [x] = await a.make();\nx",
    "const x = await a.make();\nawait a.use({ ...x })",
    "const x = await a.make();\nawait a.use(x)",
    "const x = await a.make();\nawait b.use({ id: x.id })",
    "const x = await a.make();\nf(x)",
    "const x = await a.make();\nObject.keys(x)",
    "const x = await a.make();\nx[key]",
    "const x = await a.make();\nawait a.use({ id: x.absent })",
    "const { absent } = await a.make();\nabsent",
    "const x = await a.make();\ntag`${x.id}`",
    "let x = await a.make();\nx += 1",
    "const f = async () => await a.make();\nawait f()",
    "async () => { return await a.make() }",
    "a.make().then((x) => x)",
    "await a.make();\nconst f = a.make;\nf()",
    "await a.make();\nconst p = a;\np",
    'await a.make();\nawait a["make"]()',
    "await a.make();\nawait a.make.call(null)",
    "await a.make();\nconst f = make_a;\nf()",
    "await a.make?.()",
    'const x = await a.make();\neval("x")',
    "const x = await a.make();\nglobalThis.x",
    "await f()",
    "throw await a.make()",
    "switch (await a.make()) { }",
  ])("in %s", (code) => expect(passes(code)).toBe(false));
});
