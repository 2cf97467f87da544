/**
 * Extension tools through the gateway of a real project: the overlay, the sandbox, grants, cycles, TypeScript, broken
 * files.
 */

import { rmSync } from "node:fs";

import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Opened, openRoot, type ToolFiles, writeTools } from "../../../test/support/open-root.js";
import { generatedRoot } from "../../../test/support/project.js";
import { RUN_DEMO, SLOW } from "../../../test/support/run/run-demo.js";
import { extensionsIn } from "../extensions.js";

const cleaning: (() => void)[] = [];
let root = "";
beforeAll(async () => {
  root = await generatedRoot(RUN_DEMO, (one) => void cleaning.push(one));
}, SLOW);
afterAll(() => {
  for (const one of cleaning) one();
});

/** The project with these files and no others; the engines' cache stays. */
function opened(files: ToolFiles, more?: string, finished?: (close: () => Promise<void>) => void): Promise<Opened> {
  rmSync(join(root, ".onetool", "tools"), { recursive: true, force: true });
  writeTools(root, files);
  return openRoot(root, more, finished);
}

const TRUST = "trust: local\n";
/** Calls inside calls each start an interpreter, which takes its time on a busy machine. */
const PATIENT = "limits: { call_timeout_ms: 110000, wall_ms: 110000 }\n";
const errorOf = async (answer: Promise<unknown>): Promise<unknown> => ((await answer) as { error?: unknown }).error;

describe("the overlay", () => {
  test("nothing changes without files", async () => {
    const { project, gateway } = await opened({ "notes.txt": "x", "_own.py": 'def f(): "f"', "x.d.ts": "" });
    expect(extensionsIn(project)).toBeUndefined();
    expect(gateway.index.version).toMatch(/^[0-9a-f]{12}$/);
  });

  test("ops have signature, help and version; the registry on disk stays as it is", async () => {
    const files = {
      "my-tools.py":
        '"""Mine."""\ndef double(number: int, times=2) -> int:\n  """Doubles.\n\n  Args:\n    number: Any."""',
    };
    const { project, gateway } = await opened(files);
    const [tool] = project.registry.tools.filter(({ group }) => group === "my_tools");
    expect(tool).toMatchObject({
      op: "my_tools.double",
      kind: "write",
      access: "write",
      signature: { python: "my_tools.double(number: int, times: Any = 2) -> int" },
      source: { kind: "local", file: ".onetool/tools/my-tools.py" },
    });
    const again = (await opened(files)).gateway.index.version;
    expect(gateway.index.version).toMatch(/^[0-9a-f]{12}\+[0-9a-f]{12}$/);
    expect(again).toBe(gateway.index.version);
    const other = await opened({ "my-tools.py": `${files["my-tools.py"].replace("Doubles", "Halves")}` });
    expect(other.gateway.index.version).not.toBe(again);
    expect(other.gateway.index.version.split("+")[0]).toBe(again.split("+")[0]);
    expect(other.project.registry.packs).toContainEqual(
      expect.objectContaining({ name: "my_tools", summary: "Mine." }),
    );
  });

  test("a name that exists is refused, the other tools of the file are there", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const { project } = await opened(
      {
        "demo.py": 'def search(): "Another."\ndef more(): "More."',
        "greet.py": 'def hi(): "One."',
        "greet.ts":
          "/** Two. */\nexport function hi() { return 2; }\n/** There. */\nexport function ho() { return 3; }",
      },
      TRUST,
    );
    expect([...(extensionsIn(project)?.tools.keys() ?? [])]).toEqual(["demo.more", "greet.hi", "greet.ho"]);
    expect(extensionsIn(project)?.faults).toMatchObject([
      { file: ".onetool/tools/demo.py", message: "demo.search is refused: the registry has an op of that name" },
      { file: ".onetool/tools/greet.ts", message: "greet.hi is refused: .onetool/tools/greet.py has it already" },
    ]);
    expect((await project.validators("demo")).has("demo.search")).toBe(true);
  });

  test("a file that does not load costs its own tools, and is named with its line", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const { project } = await opened(
      {
        "bad.py": 'def f():\n  "f"\ndef g(:\n  "g"',
        "root.py": 'def f(): "f"',
        "large.py": `# ${"x".repeat(300_000)}`,
        "bad.ts": "/** F. */\nexport function f() { return ; \n/** G. */",
        "lost.ts": 'import { x } from "./nowhere.js";\n/** F. */\nexport function f() { return x; }',
        "good.py": 'def f(): "f"',
      },
      TRUST,
    );
    expect([...(extensionsIn(project)?.tools.keys() ?? [])]).toEqual(["good.f"]);
    expect(extensionsIn(project)?.faults.map(({ file, line }) => [file.slice(15), line])).toEqual([
      ["bad.py", 3],
      ["bad.ts", 3],
      ["large.py", undefined],
      ["lost.ts", 1],
      ["root.py", 1],
    ]);
  });

  test("a file named like an alias or a builtin is refused: code could not reach its tools", async () => {
    const { project } = await opened({ "ws.py": 'def f(): "f"', "list.py": 'def f(): "f"' });
    expect(extensionsIn(project)?.faults.map(({ message }) => message)).toEqual([
      "list.f is refused: list is a builtin of Python",
      "ws.f is refused: ws is an alias of demo.search",
    ]);
  });

  test("names that meant something before go on meaning it", async () => {
    const { gateway, exec, project } = await opened({
      "mine.py": 'def bounce(text: str): "Mine."\ndef quality(): "Mine."',
    });
    expect(
      gateway.index
        .view({ level: "write", projects: "*" })
        .named("bounce")
        .map(({ op }) => op),
    ).toEqual(["demo.bounce"]);
    expect(await exec("bounce", { text: "x" })).toMatchObject({ ok: true, meta: { executed_op: "demo.bounce" } });
    expect(project.registry.tools.filter(({ group }) => group === "mine").map(({ tool_name }) => tool_name)).toEqual([
      "mine_bounce",
      "mine_quality",
    ]);
  });

  test("hostile text of a docstring is a description as it came", async () => {
    const text = "*/ $" + "{x} `b` | <b> --> \\u2028 \u202e {{ y }}";
    const { project, gateway } = await opened({ "h.py": `def f():\n  """Hostile.\n\n  ${text}"""` });
    const answer = gateway.help(
      { path: "h.f", format: "full" },
      { kind: "local", id: "x", grant: { level: "write", projects: "*" }, allowWrite: true },
    );
    expect(answer).toMatchObject({ description: `Hostile.\n\n${text.replace("\\u2028", "\u2028")}` });
    expect(extensionsIn(project)?.faults).toEqual([]);
  });
});

describe("Python", () => {
  const PYTHON: ToolFiles = {
    "v.py": `import datetime
def all(x):
    """All."""
    print("seen")
    return {"t": (1, 2.5), "s": {3, 1}, "d": datetime.date(2026, 1, 2), "x": x, 5: None, "name": __name__}
async def later(x: str = "ü\\u2028\\"\\\\'"):
    "Later."
    return x
def nothing(): "Nothing."
if __name__ == "__main__":
    raise SystemExit(3)
`,
    "e.py": `readonly = True
class Own(Exception): pass
def value(): "V."; raise ValueError("bad name")
def own():
    "O."
    raise Own("mine")
def bug():
    "B."
    return 1 / 0
def stop(): "S."; raise SystemExit(1)
import json
`,
    "i.py": 'import requests\ndef f(): "f"',
    "x.py": `import os
def read(path: str): "R."; return open(path).read()
def env(): "E."; return [dict(os.environ), os.getcwd()]
def net():
    "N."
    import socket
def js():
    "J."
    import js
def sub():
    "S."
    return os.system("id")
`,
    "c.py": `def find(q: str): "F."; return demo.search(query=q)["count"]
find.readonly = True
def put(): "P."; return other.store(text="x")
def sly(): "S."; return other.store(text="x")
sly.readonly = True
`,
    "ca.py": 'def one(): "1"; return cb.two()\ndef self(): "s"; return ca.self()',
    "cb.py": 'def two(): "2"; return ca.one()',
    "d.py": ["zero", "one", "two", "three", "four", "five"]
      .map((name, i, all) => `def ${name}(): "${name}"; return ${i < 5 ? `d.${all[i + 1]}()` : 7}`)
      .join("\n"),
    "p.py":
      'readonly = True\ndef outer(n: int): "O."; return p.inner(n) + 1\ndef inner(n: int): "I."; return demo.search("x")["count"] + n',
  };
  let python: Opened;
  const closing: (() => Promise<void>)[] = [];
  beforeAll(async () => {
    python = await opened(PYTHON, PATIENT, (close) => void closing.push(close));
  }, SLOW);
  afterAll(() => Promise.all(closing.map((close) => close())));

  test("results are as those of run; prints go to the log", { timeout: SLOW, tags: "full" }, async () => {
    const { exec, lines } = python;
    const x = { a: ["'\"\\\n\u2028💥", null, 1.5, true], __proto__x: {} };
    expect(await exec("v.all", { x })).toMatchObject({
      ok: true,
      result: { t: [1, 2.5], s: [1, 3], d: "2026-01-02", x, "5": null, name: "v" },
    });
    expect(await exec("v.later")).toMatchObject({ ok: true, result: "ü\u2028\"\\'" });
    expect(await exec("v.nothing")).toMatchObject({ ok: true, result: null });
    expect(lines.some((line) => line.includes("seen"))).toBe(true);
  });

  test("exceptions become codes; those of a fault have their place in the file", {
    timeout: SLOW,
    tags: "full",
  }, async () => {
    const { exec, run } = python;
    expect(await errorOf(exec("e.value"))).toMatchObject({
      code: "VALIDATION_ERROR",
      message: "bad name",
      details: { exception: "ValueError", file: ".onetool/tools/e.py", line: 3 },
    });
    expect(await errorOf(exec("e.own"))).toMatchObject({
      code: "INTERNAL",
      message: "Own: mine (.onetool/tools/e.py, line 6)",
    });
    expect(await errorOf(exec("e.stop"))).toMatchObject({
      code: "INTERNAL",
      message: expect.stringContaining("SystemExit: 1"),
    });
    expect(await errorOf(exec("i.f"))).toMatchObject({
      details: { line: 1 },
      message: expect.stringContaining("requests"),
    });
    expect(await run("try:\n  e.bug()\nexcept ZeroDivisionError as error:\n  str(error)\ne.value()")).toMatch(
      /^Error at line 5: ValueError: bad name/,
    );
  });

  test("nothing of the host is within reach", { tags: "full", timeout: SLOW }, async () => {
    const { exec } = python;
    expect(await exec("x.read", { path: "/etc/passwd" })).toMatchObject({ ok: false });
    expect(await exec("x.read", { path: join(root, "definitions", "toolwright.yaml") })).toMatchObject({ ok: false });
    expect(await exec("x.env")).toMatchObject({ ok: true, result: [{}, expect.not.stringContaining(root)] });
    for (const op of ["x.net", "x.js", "x.sub"]) expect(await exec(op), op).toMatchObject({ ok: false });
  });

  test("ops are called with the caller's grant; a read calls no write", { tags: "full", timeout: SLOW }, async () => {
    const { exec, run } = python;
    const reader = { grant: { level: "read", projects: "*" }, allowWrite: false } as const;
    expect(await exec("c.find", { q: "x" }, reader)).toMatchObject({ ok: true, result: 5 });
    expect(await exec("c.put", {}, reader)).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
    expect(await exec("c.put", {}, { allowWrite: false })).toMatchObject({
      ok: false,
      error: { code: "PERMISSION_DENIED", details: { required: "write" } },
    });
    expect(await exec("c.put")).toMatchObject({ ok: true });
    expect(await errorOf(exec("c.sly"))).toMatchObject({
      code: "PERMISSION_DENIED",
      message: expect.stringContaining("other.store changes data and writes are not allowed here"),
    });
    expect(await run('[c.find(q="x") for _ in range(2)]')).toBe("[5,5]");
    expect(await run("c.put()", { allowWrite: false })).toContain("PermissionError: c.put changes data");
  });

  test("a circle of tools ends with an error that shows it", { timeout: SLOW, tags: "full" }, async () => {
    const { exec } = python;
    expect(await errorOf(exec("ca.self"))).toMatchObject({
      message: expect.stringContaining("in a circle: ca.self > ca.self"),
    });
    const { message } = (await errorOf(exec("ca.one"))) as { readonly message: string };
    expect(message).toContain("extension tools call each other in a circle: ca.one > cb.two > ca.one");
    expect(message.match(/line/g)).toHaveLength(1);
    expect(await errorOf(exec("d.zero"))).toMatchObject({
      message: expect.stringContaining("too deep: d.zero > d.one > d.two > d.three > d.four"),
    });
    expect(await exec("d.two")).toMatchObject({ ok: true, result: 7 });
  });

  test("many that call others at once all end", { timeout: SLOW, tags: "full" }, async () => {
    const { gateway, run } = python;
    const principal = {
      kind: "local",
      id: "local",
      grant: { level: "write", projects: "*" },
      allowWrite: true,
    } as const;
    const ops = Array.from({ length: 6 }, (_, n) => ({ id: `c${n}`, op: "p.outer", args: { n } }));
    const runs = Promise.all([1, 2, 3].map(() => run("p.outer(n=1)")));
    const batch = await gateway.batch({ ops }, principal);
    expect(JSON.stringify(batch)).not.toContain('"ok":false');
    expect(await runs).toEqual(["7", "7", "7"]);
  });

  test("a tool that does not end is ended at the deadline, and at the limit of its CPU time", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const files = { "s.py": 'readonly = True\ndef spin():\n  "S."\n  while True: pass' };
    const { exec } = await opened(files, "limits: { call_timeout_ms: 3000 }\n");
    expect(await errorOf(exec("s.spin"))).toMatchObject({ code: "TIMEOUT" });
    const limited = await opened(files, "limits: { cpu_ms: 1000, call_timeout_ms: 60000 }\n");
    expect(await errorOf(limited.exec("s.spin"))).toMatchObject({
      code: "TIMEOUT",
      message: "the code used its 1 s of CPU time",
      details: { line: 4 },
    });
  });
});

describe("TypeScript", () => {
  const CALC = `import { fail, type Context } from "toolwright/codegen";
import { twice } from "./_shared/twice.js";
/**
 * Doubles.
 *
 * @kind read
 * @param args.n - The number.
 */
export async function double(args: { n: number; text?: string }, ctx: Context): Promise<{ n: number }> {
  ctx.log.info("doubling", { n: args.n });
  ctx.warn("calc: seen");
  return { n: twice(args.n) };
}
/** Lists; a name that sounds like a read. */
export function list_all(first: string, second = 2) { return [first, second]; }
/** Tells the environment. @kind read */
export const env = () => Object.keys(process.env);
/** Refuses. @kind read */
export function refuse() { fail("CONFLICT", "taken", { by: "x" }); }
/** Breaks. @kind read */
export function explode() { throw new Error("inner detail"); }
/** Knows. @kind read */
export async function pin(_: object, ctx: Context) { return [ctx.secret("PIN").length, ctx.secret("PIN")]; }
/** Asks. @kind read */
export async function ask(_: object, ctx: Context) { return ctx.secret("UNSET_SECRET"); }
/** Fetches. @kind read */
export async function get(_: object, ctx: Context) { await ctx.fetch("http://localhost"); }
/** Spins. @kind read */
export function spin() { for (;;); }
/** Leaves. @kind read */
export function leave() { process.exit(3); }
/** Much. @kind read */
export function much() { return "x".repeat(2_000_000); }
export function undocumented() {}
export const _hidden = () => 1;
`;
  const FILES = { "calc.ts": CALC, "_shared/twice.ts": "export const twice = (n: number): number => 2 * n;" };

  test("is not loaded without trust, and says how to", async () => {
    const { project } = await opened(FILES);
    expect(extensionsIn(project)?.tools.size).toBe(0);
    expect(extensionsIn(project)?.faults).toMatchObject([
      {
        file: ".onetool/tools/calc.ts",
        message: expect.stringContaining("trust: local"),
        remedy: expect.stringContaining("toolwright.yaml"),
      },
    ]);
  });

  test("runs in a process of its own, with its own kinds, types, failures and context", {
    timeout: SLOW,
    tags: "slow",
  }, async () => {
    const { project, exec, lines, run } = await opened(FILES, `${TRUST}limits: { result_bytes: 1000000 }\n`);
    const kinds = Object.fromEntries(
      [...(extensionsIn(project)?.tools ?? [])].map(([op, { tool }]) => [op, tool.kind]),
    );
    expect(kinds).toMatchObject({ "calc.double": "read", "calc.list_all": "write", "calc.env": "read" });
    expect(Object.keys(kinds)).toHaveLength(11);
    expect(extensionsIn(project)?.notes).toEqual([expect.stringContaining("undocumented")]);
    expect(await exec("calc.double", { n: 4 })).toMatchObject({
      ok: true,
      result: { n: 8 },
      meta: { warnings: ["calc: seen"] },
    });
    expect(lines.some((line) => line.startsWith("doubling"))).toBe(true);
    expect(await errorOf(exec("calc.double", { n: "4" }))).toMatchObject({ code: "VALIDATION_ERROR" });
    expect(await exec("calc.list_all", { first: "a" })).toMatchObject({ ok: true, result: ["a", 2] });
    const { result } = (await exec("calc.env")) as unknown as { readonly result: readonly string[] };
    expect(result.filter((name) => /VITEST|NODE_/.test(name))).toEqual([]);
    expect(await errorOf(exec("calc.refuse"))).toMatchObject({
      code: "CONFLICT",
      message: "taken",
      details: { by: "x" },
    });
    expect(await errorOf(exec("calc.explode"))).toMatchObject({
      code: "INTERNAL",
      message: expect.not.stringContaining("inner"),
    });
    expect(lines.some((line) => line.includes("inner detail"))).toBe(true);
    expect(await exec("calc.pin")).toMatchObject({ ok: true, result: [4, "4711"] });
    expect(await errorOf(exec("calc.ask"))).toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining("UNSET_SECRET"),
    });
    expect(await errorOf(exec("calc.get"))).toMatchObject({ code: "UNAVAILABLE" });
    expect(await errorOf(exec("calc.leave"))).toMatchObject({ code: "INTERNAL" });
    expect(await errorOf(exec("calc.much"))).toMatchObject({ code: "INTERNAL" });
    expect(await run("calc.double(n=1)['n']")).toBe("2");
    const short = await opened(FILES, `${TRUST}limits: { call_timeout_ms: 2000 }\n`);
    expect(await errorOf(short.exec("calc.spin"))).toMatchObject({ code: "TIMEOUT" });
  });
});
