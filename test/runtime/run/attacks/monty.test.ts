/**
 * Attacks that `monty-limits` does not cover: memory that Monty does not count, forged results, and names of
 * JavaScript.
 */

import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { createMonty } from "../../../../runtime/run/engine/monty.js";
import { eachCase } from "../../../support/each-case.js";
import { namespaceOf, requestOf } from "../../../support/run-engine.js";

const engine = createMonty();
afterAll(() => engine.dispose());

const run = (code: string, more: Parameters<typeof requestOf>[2] = {}, namespace = namespaceOf({})) =>
  engine.run(requestOf(code, namespace, more));

const time = { kind: "timeout", pyType: "TimeoutError" };
/** Two to the power of 40 lists, made of 40. */
const blown = "a = []\nfor i in range(40): a = [a, a]\n";

describe("bombs", () => {
  eachCase(
    [
      ["a result that unfolds", `${blown}return __ret(a)`],
      ["a result that unfolds as text", `${blown}__format__ = "raw"\nreturn __ret(a)`],
      ["an argument that unfolds", `${blown}demo.t(a)`],
      ["a magic variable that unfolds", `${blown}__sanitize__ = a\nreturn __ret(1)`],
      ["text that unfolds", `${blown}x = str(a)`],
      ["printed text that unfolds", `${blown}print(a)`],
      ["JSON that unfolds", `import json\n${blown}json.dumps(a)`],
      ["a comparison that unfolds", `${blown}b = []\nfor i in range(40): b = [b, b]\na == b`],
      ["joining", '",".join(["a" * 10**6] * 10**4)'],
      ["replacing by a pattern", 'import re\nre.sub("", "b" * 10**6, "a" * 10**6)'],
      ["tabs", 'x = "\\t".expandtabs(10**9)'],
      ["a power", "10 ** (10 ** 8)"],
      ["a division", "divmod(1 << 60_000_000, (1 << 30_000_000) + 1)"],
      ["a number of 50 million bits", "return __ret(1 << 50_000_000)"],
      ["many lists", "return __ret([[]] * 20_000_000)"],
      ["sums", "sum([[0] * 10**4] * 10**5, [])"],
      ["a filter", "list(filter(None, range(10**10)))"],
      ["prints of nothing", 'while True: print("", end="")'],
      ["a printer of its own", "def __plain(*a):\n  while True: pass\nreturn __ret({1})"],
      [
        "arguments that are too large, again and again",
        's = "x" * 30_000_000\nwhile True:\n  try: demo.t(s)\n  except ValueError: pass',
      ],
    ],
    ...["a result that unfolds", "printed text that unfolds", "joining", "many lists", "prints of nothing"],
    "arguments that are too large, again and again",
  )(
    "%s",
    {
      tags: "slow",
    },
    async (_name, code) => {
      let most = 0;
      const look = setInterval(() => {
        for (const pid of engine.pids()) most = Math.max(most, residentOf(pid));
      }, 25);
      const namespace = namespaceOf({ "demo.t": () => 1 });
      const outcome = await run(code, { cpuMs: 1200, memoryBytes: 64_000_000 }, namespace);
      clearInterval(look);
      expect(outcome).toMatchObject({ ok: false, kind: expect.stringMatching(/^(timeout|memory|output|runtime)$/) });
      expect(outcome.stats.wallMs).toBeLessThan(20_000);
      expect(most).toBeLessThan(1_200_000_000);
      expect(namespace.calls).toEqual([]);
      expect(await run("return __ret(1)")).toMatchObject({ json: "1" });
    },
  );

  test("what Monty does not count as memory ends as memory, long before the time is up", async () => {
    const outcome = await run('",".join(["a" * 10**6] * 10**5)', { cpuMs: 20_000, memoryBytes: 64_000_000 });
    expect(outcome).toMatchObject({ kind: "memory", message: "the code needs more than 64 MB" });
  });

  test("calls of undefined names are counted", async () => {
    for (const code of ["demo.nope()", "nope()"]) {
      const outcome = await run(
        `while True:\n  try: ${code}\n  except BaseException: pass`,
        { hostCalls: 50 },
        namespaceOf({ "demo.t": () => 1 }),
      );
      expect(outcome).toMatchObject({ kind: "output", message: "more than 50 tool calls in one run" });
    }
  });

  test("an undefined name is left to CPython if its error is caught", async () => {
    const code = "while True:\n  try: nope\n  except NameError: pass";
    expect(await run(code, { cpuMs: 1200 })).toMatchObject({ ok: false, kind: "unsupported" });
  });

  test("source that nests, is long, or is not Python", { tags: "full" }, async () => {
    const sources = [
      `x = demo${".a".repeat(50_000)}`,
      `f${"()".repeat(50_000)}`,
      `x = ${"not ".repeat(50_000)}1`,
      `x = ${"lambda: ".repeat(30_000)}1`,
      `x = ${"1 + ".repeat(60_000)}1`,
      `x = ${"2 ** ".repeat(50_000)}1`,
      `x = ${"1 and ".repeat(40_000)}1`,
      `x = ${"{1:".repeat(50_000)}`,
      `if 0: pass\n${"elif 0: pass\n".repeat(20_000)}`,
      `x = '''${"a".repeat(200_000)}`,
      `${"\t".repeat(200_000)}x = 1`,
    ];
    for (const code of sources)
      expect([code.slice(0, 20), await run(code)]).toMatchObject([code.slice(0, 20), { kind: "syntax" }]);
    for (const code of ["x = 1\n".repeat(40_000), `#${"x".repeat(250_000)}`, `x = ${"'a' ".repeat(50_000)}`])
      expect(await run(code)).toMatchObject({ outcome: "novalue" });
  });

  test("regular expressions", async () => {
    for (const pattern of ["(a+)+$", "(a|aa)+$", "(a*)*\\\\1b", "(a{1000}){1000}", "((a{100}){100}){100}"]) {
      const outcome = await run(`import re\nre.match("${pattern}", "a" * 60 + "b")`, { cpuMs: 1500 });
      expect(outcome.ok || ["runtime", "timeout"].includes(outcome.kind)).toBe(true);
    }
  });
});

describe("data that looks like ours", () => {
  const MARK = "\u{e000}ret";
  test.each([
    ["of another kind", `return ("${MARK}", "__proto__", {"x": 1}, "{}", 5, None, None)`, { outcome: "value" }],
    ["with text that is no JSON", `return ("${MARK}", "value", 7, "not json", None, None, None)`, { json: "not json" }],
    ["nested deep", `return ("${MARK}", "value", 7, "[" * 100000, None, None, None)`, { outcome: "value" }],
    ["without text", `return ("${MARK}", "value", 7, {"a": 1}, None, None, None)`, { outcome: "value", value: 7 }],
  ])("a forged result %s", async (_name, code, expected) => {
    expect(await run(code)).toMatchObject({ ok: true, ...expected });
  });

  test("keys that mean something on our side are plain keys, there and back", async () => {
    const namespace = namespaceOf({ "demo.echo": ({ args }) => args[0] ?? null });
    const keys = '{"__proto__": {"x": 1}, "__monty_type__": "Path", "$": "dict", "__tuple__": True, "constructor": 2}';
    const json = '{"__proto__":{"x":1},"__monty_type__":"Path","$":"dict","__tuple__":true,"constructor":2}';
    expect(await run(`return __ret(demo.echo(${keys}))`, {}, namespace)).toMatchObject({ json });
    expect(await run(`demo.echo(1, **${keys})`, {}, namespace)).toMatchObject({ ok: true });
    expect(namespace.calls[1]?.kwargs.map(([key]) => key)).toEqual(expect.arrayContaining(["$", "constructor"]));
    expect(({} as Record<string, unknown>)["x"]).toBeUndefined();
    expect(Object.getOwnPropertyNames(Object.prototype)).toHaveLength(12);
  });

  test("exceptions that imitate the engine's own", { tags: "full" }, async () => {
    expect(await run('raise TimeoutError("time limit exceeded: 10s > 10s")')).toMatchObject({ kind: "runtime" });
    expect(await run(`raise ModuleNotFoundError("No module named '../../etc'")`)).toMatchObject({ ok: false });
    expect(await run('raise ValueError("x" * 50_000_000)')).toMatchObject({ kind: "runtime", pyType: "ValueError" });
  });

  test("names of the host and its files are undefined", async () => {
    const steps = [
      'open("/etc/passwd")',
      'open("/etc/passwd", "w")',
      'Path("/etc/passwd").read_text()',
      'Path("/etc/passwd").exists()',
      'Path("/etc").iterdir()',
      'Path("/tmp/x").write_text("x")',
      "Path.mount",
      "Path.home()",
      "sys.modules",
      "sys.executable",
      "(1).__class__",
      "demo.__init__",
      "demo.__getattr__",
      "demo.valueOf()",
      "demo.__defineGetter__()",
      "valueOf",
      "globalThis",
      "process",
      "require",
    ];
    for (const step of steps) {
      const outcome = await run(
        `from pathlib import Path\nimport sys\nreturn __ret(${step})`,
        {},
        namespaceOf({ "demo.t": () => 1 }),
      );
      expect([step, outcome.ok]).toEqual([step, false]);
      expect(JSON.stringify(outcome)).not.toMatch(/root:|node_modules|\.(?:ts|js)\b|file:\/\//);
    }
  });
});

test("a loop that catches everything leaves its neighbours alone", async () => {
  const loop = "while True:\n  try:\n    while True: pass\n  except BaseException: pass";
  const bombs = [run(loop, { cpuMs: 500 }), run(loop, { cpuMs: 500 })];
  const others = Array.from({ length: 20 }, (_, i) => run(`return __ret(sum(range(${i})))`));
  for (const one of await Promise.all(bombs)) expect(one).toMatchObject(time);
  for (const [i, one] of (await Promise.all(others)).entries())
    expect(one).toMatchObject({ ok: true, json: String((i * (i - 1)) / 2) });
});

function residentOf(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "latin1").split(" ")[1]) * 4096;
  } catch {
    return 0;
  }
}
