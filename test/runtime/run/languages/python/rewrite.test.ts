/** Indentation, the captured result, and rewritten names of code. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { normaliseIndentation } from "../../../../../runtime/run/languages/python/indentation.js";
import { parsePython, sourceText } from "../../../../../runtime/run/languages/python/python-tree.js";
import { rewrite } from "../../../../../runtime/run/languages/python/rewrite.js";
import { bareNames, followAliases, type Names } from "../../../../../runtime/run/names.js";
import { runs } from "../../../../support/random.js";
import { SNIPPETS } from "../../python-snippets.js";

const NONE: Names = { aliases: new Map(), packs: new Set(), bare: new Map() };

const aliases = followAliases(
  new Map([
    ["ws", "demo.search"],
    ["loop", "ws"],
    ["a", "bb"],
    ["bb", "demo.bounce"],
    ["len", "demo.search"],
    ["tasks", "onto.task"],
  ]),
);
const NAMES: Names = {
  aliases: aliases.kind === "aliases" ? aliases.aliases : new Map(),
  packs: new Set(["demo", "onto", "brave", "context7", "ot", "proj"]),
  bare: bareNames([
    { path: "demo.search" },
    { path: "demo.bounce" },
    { path: "onto.task.list", source: "list_onto_tasks" },
    { path: "brave.search", source: "brave_search" },
    { path: "brave.web_search", source: "brave_web_search" },
    { path: "ot.tools" },
  ]),
};

describe("normaliseIndentation", () => {
  it.each([
    ["    x = 1\n    x", "x = 1\nx"],
    ["x = 1\n    y = 2\n    y", "x = 1\ny = 2\ny"],
    ["if x:\n        y\n    z", "if x:\n    y\nz"],
    ["if x:\n    y\nz", "if x:\n    y\nz"],
    ["  if x:\n    y", "if x:\n  y"],
    ["\tif x:\n\t\ty\n\tz", "if x:\n\ty\nz"],
    ["if x:\n\ty\nif z:\n        w", "if x:\n        y\nif z:\n        w"],
    ["if x:\n\ty", "if x:\n\ty"],
    ["    if x:\n\ty\n    z", "if x:\n    y\nz"],
    ['    x = """a\n  b\n"""\n    x', 'x = """a\n  b\n"""\nx'],
    ["    x = f'''a\n  b {\n  c}\n'''\n    x", "x = f'''a\n  b {\n  c}\n'''\nx"],
    ["    x = [\n  1,\n        2]\n    x", "x = [\n1,\n    2]\nx"],
    ["\n    # c\n  # d\n\n    x", "\n# c\n# d\n\nx"],
    ["\ufeffa\r\nb\rc", "a\nb\nc"],
    ["    (5 + 10", "(5 + 10"],
    ["(5 + 10\n   x", "(5 + 10\n   x"],
    ["", ""],
    ["   ", "   "],
  ])("%j becomes %j", (source, code) => {
    expect(normaliseIndentation(source).code).toBe(code);
  });

  // Python refuses each: which block a statement belongs to is not known.
  it.each([
    "def f():\n    return 1\n  x = 2",
    "if x:\n    y\n   z",
    "if x:\n     y\n    z",
    "if x:\n    y\n  z\n  w",
    "for x in y:\n    x\n  # c\n  z",
    "try:\n    x\nexcept E:\n    y\n  z",
    "if x:\n    if y:\n        z\n   w",
    "if x:\n\ty\n    z",
    "if x:\n        y\n\tz\n    w",
    "if x:\n\tif y:\n\t    z\n        w",
  ])("%j stays as it is", (source) => {
    expect(normaliseIndentation(source).code).toBe(source);
  });
});

describe("the captured result", () => {
  it.each([
    ["1+1", "return __ret((1+1))", "expression"],
    ["x=1", "x=1", "none"],
    ["# c", "# c", "none"],
    ["", "", "none"],
    ["def f(): pass", "def f(): pass", "none"],
    ["x # c\n# d\n", "return __ret((x)) # c\n# d\n", "expression"],
    ['"""doc"""', 'return __ret(("""doc"""))', "expression"],
    ['print("a"); 5', 'print("a"); return __ret((5))', "expression"],
    ["5;", "return __ret((5));", "expression"],
    ['print("a")', 'print("a")', "print"],
    ['(print("a"))', '(print("a"))', "print"],
    ["print", "return __ret((print))", "expression"],
    ["import f as print\nprint(1)", "import f as print\nreturn __ret((print(1)))", "expression"],
    ["*a, b", "return __ret((*a, b))", "expression"],
    ["1,", "return __ret((1,))", "expression"],
    ["(\n1\n)", "return __ret(((\n1\n)))", "expression"],
    ["return", "return __ret(None)", "expression"],
    ["return # c", "return __ret(None) # c", "expression"],
    ["return(5)", "return __ret(((5)))", "expression"],
    ["return *a, b", "return __ret((*a, b))", "expression"],
    [
      "for i in x:\n  if i: return i\n  else: return",
      "for i in x:\n  if i: return __ret((i))\n  else: return __ret(None)",
      "none",
    ],
    ["try:\n  return 1\nexcept E:\n  return 2", "try:\n  return __ret((1))\nexcept E:\n  return __ret((2))", "none"],
    ["def f():\n  return 1\nf()", "def f():\n  return 1\nreturn __ret((f()))", "expression"],
    ["if True:\n  5", "if True:\n  5", "none"],
    ["from __future__ import annotations\nx", "(                                )\nreturn __ret((x))", "expression"],
    ["from __future__ import (a,\n b); x", "(                         \n  ); return __ret((x))", "expression"],
  ])("%j becomes %j", (source, code, outcome) => {
    expect(rewrite(source, NONE)).toMatchObject({ code, outcome });
  });

  it("leaves alone what does not parse, and captures what stands apart from it", () => {
    expect(rewrite("(5 + 10", NONE)).toMatchObject({ code: "(5 + 10" });
    expect(rewrite("x = 1\nfoo bar", NONE).code).toBe("x = 1\nfoo bar");
    const newer = "with (open(a) as f, open(b) as g):\n  pass\n\nf";
    expect(rewrite(newer, NONE).code).toBe("with (open(a) as f, open(b) as g):\n  pass\n\nreturn __ret((f))");
    expect(rewrite("for x in *a, b: f(x)", NONE).code).toBe("for x in *a, b: f(x)");
  });

  it("hints at text around a fence", () => {
    expect(rewrite("```python\nx\n```\ntail", NONE).hint).toBe("send the code alone, without text around the fence");
    expect(rewrite("x = '```'", NONE).hint).toBeUndefined();
  });
});

describe("names", () => {
  it.each([
    ["ws(q=1)", "demo.search(q=1)"],
    ["ws (q=1)", "demo.search (q=1)"],
    ["map(ws, x)", "map(demo.search, x)"],
    ["loop(q=1)", "demo.search(q=1)"],
    ["a(text=1)", "demo.bounce(text=1)"],
    ["len(x)", "len(x)"],
    ["tasks.list()", "onto.task.list()"],
    ["x.ws(1)", "x.ws(1)"],
    ["f(ws=1)", "f(ws=1)"],
    ["f(ws=ws)", "f(ws=demo.search)"],
    ["f(ws:=1)", "f(ws:=1)"],
    ["'ws(' # ws(\n", "'ws(' # ws(\n"],
    ["f'ws {ws(1)} {x:{ws}}'", "f'ws {demo.search(1)} {x:{demo.search}}'"],
    ["ws = 3; ws", "ws = 3; ws"],
    ["ws = ws(1); ws", "ws = demo.search(1); ws"],
    ["for i in x:\n  ws = ws(1)", "for i in x:\n  ws = ws(1)"],
    ["def f(ws): return ws\nws(1)", "def f(ws): return ws\ndemo.search(1)"],
    ["def f(x=ws): ws = 1; return ws", "def f(x=demo.search): ws = 1; return ws"],
    ["def f():\n  return ws\nws = 1", "def f():\n  return ws\nws = 1"],
    [
      "def f():\n  global ws\n  ws = 1\nf()\ndef g(): return ws",
      "def f():\n  global ws\n  ws = 1\nf()\ndef g(): return ws",
    ],
    ["lambda ws: ws", "lambda ws: ws"],
    ["lambda x=ws: ws", "lambda x=demo.search: demo.search"],
    ["[ws for ws in ws(1) if ws]", "[ws for ws in demo.search(1) if ws]"],
    ["f(ws for x in y for ws in x)", "f(ws for x in y for ws in x)"],
    ["{ws: 1 for x in ws}", "{demo.search: 1 for x in demo.search}"],
    [
      "class A:\n  ws = 1\n  x = ws\n  def m(self): return ws",
      "class A:\n  ws = 1\n  x = ws\n  def m(self): return demo.search",
    ],
    ["import ws", "import ws"],
    ["import x as ws, y.ws\nws", "import x as ws, y.ws\nws"],
    ["from x import ws as b\nws", "from x import ws as b\ndemo.search"],
    ["with x as ws: ws", "with x as ws: ws"],
    ["try: pass\nexcept E as ws: ws", "try: pass\nexcept E as ws: ws"],
    ["ws.x = 1; y[ws] = 2", "demo.search.x = 1; y[demo.search] = 2"],
    ["match x:\n  case ws: ws", "match x:\n  case ws: ws"],
    ["match x:\n  case K(ws=y): ws", "match x:\n  case K(ws=y): demo.search"],
    ["list_onto_tasks()", "onto.task.list()"],
    ["brave_web_search()", "brave.web_search()"],
    ["bounce('x')", "demo.bounce('x')"],
    ["tools()", "ot.tools()"],
    ["search()", "search()"],
    ["demo.search(search=1)", "demo.search(search=1)"],
    ["print(ws)", "print(demo.search)"],
  ])("%j becomes %j", (source, code) => {
    const { code: found } = rewrite(`${source}\npass`, NAMES);
    expect(found).toBe(`${code}\npass`);
  });

  it("takes a project's own op before one that the package ships", () => {
    const ops = [
      { path: "brave.web_search", source: "web_search", shipped: true },
      { path: "util.web.search", source: "web_search" },
      { path: "ot.help", source: "help", shipped: true },
    ];
    const bare = bareNames(ops);
    expect(bare.get("web_search")).toEqual(["util.web.search"]);
    expect(bare.get("help")).toEqual(["ot.help"]);
    expect(bare.get("brave_web_search")).toEqual(["brave.web_search"]);
  });

  it("names what an ambiguous name could mean", () => {
    expect(rewrite("search(1)", NAMES).ambiguous).toEqual(new Map([["search", ["demo.search", "brave.search"]]]));
    expect(rewrite("search = 1\nsearch", NAMES).ambiguous.size).toBe(0);
  });

  it("names the cycle of an alias", () => {
    const found = followAliases(
      new Map([
        ["x", "a"],
        ["a", "b"],
        ["b", "a"],
      ]),
    );
    expect(found).toEqual({ kind: "cycle", cycle: ["a", "b", "a"] });
  });

  it.each([
    ["ot.tools(p='x')", ["ot", "tools"]],
    ["(tools())", ["ot", "tools"]],
    ["return ot.tools()", ["ot", "tools"]],
    ["tasks.list()", ["onto", "task", "list"]],
    ["ot.tools()['x']", undefined],
    ["ot = 1\not.tools()", undefined],
    ["[ot.tools()]", undefined],
    ["if x: return ot.tools()", undefined],
    ["f()", undefined],
  ])("the last call of %j is %j", (source, path) => {
    expect(rewrite(source, NAMES).facts.lastCall).toEqual(path);
  });
});

const stringsOf = (code: string): readonly string[] => {
  const tree = parsePython(code);
  return tree.nodes.filter(({ name }) => name === "String").map((node) => sourceText(tree, node));
};

/** A snippet with pieces cut out, doubled or moved, and odd characters put in. */
const mutated = fc
  .tuple(
    fc.constantFrom(...SNIPPETS),
    fc.array(
      fc.tuple(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.nat(12),
        fc.constantFrom(
          "",
          '"',
          "'''",
          "(",
          "]",
          "\n",
          "\n  ",
          "\t",
          "\\",
          "#",
          "{",
          ":",
          "def ",
          "ws",
          "\ud800",
          "\0",
          "日",
        ),
      ),
      { maxLength: 4 },
    ),
  )
  .map(([code, cuts]) =>
    cuts.reduce((text, [where, length, put]) => {
      const at = Math.floor(where * text.length);
      return text.slice(0, at) + put + text.slice(at + length);
    }, code),
  );

describe("rewriting", () => {
  it.each(SNIPPETS)("changes no string and no line of %j, and still parses", (source) => {
    const { code, source: before } = rewrite(source, NAMES);
    expect(parsePython(before).faults).toEqual([]);
    expect(stringsOf(code)).toEqual(stringsOf(source.replace(/\r\n/g, "\n")));
    expect(code.split("\n").length).toBe(source.split(/\r\n|\n/).length);
    expect(parsePython(code).faults).toEqual([]);
    expect(code.replace(/demo\.search|return __ret\(\(|\)\)$/gm, "").length).toBeLessThanOrEqual(before.length + 20);
  });

  it("changes nothing but the captures where no name resolves", () => {
    for (const source of SNIPPETS) {
      const { code, source: before } = rewrite(source, NONE);
      if (before.includes("from __future__") || /^\s*(if.*: )?return/m.test(before)) continue;
      expect(code.replace(/return __ret\(\(([\s\S]*)\)\)/, "$1")).toBe(before);
    }
  });

  it("never throws, keeps the lines, and keeps strings where the code parses", { tags: "full" }, () => {
    fc.assert(
      fc.property(mutated, (source) => {
        const { code, source: before } = rewrite(source, NAMES);
        expect(code.split("\n").length).toBe(source.split(/\r\n?|\n/).length);
        if (parsePython(before).faults.length > 0) return;
        expect(stringsOf(code)).toEqual(stringsOf(before));
        expect(stringsOf(before)).toEqual(stringsOf(source.replace(/^\ufeff/, "").replace(/\r\n?/g, "\n")));
      }),
      runs(20_000),
    );
  });

  it.each([
    ["(".repeat(5_000), ")".repeat(5_000)],
    [`x${" + x".repeat(20_000)}`, ""],
    ["-".repeat(20_000), "1"],
    ["[".repeat(20_000), ""],
    [Array.from({ length: 90 }, (_, i) => `${" ".repeat(i)}if x:\n`).join(""), `${" ".repeat(90)}x`],
  ])("survives deep code", { tags: "full" }, (left, right) => {
    expect(() => rewrite(left + right, NAMES)).not.toThrow();
  });

  it("takes little more time than the parse, for 100 lines", { tags: "full" }, () => {
    const lines = Array.from(
      { length: 100 },
      (_, i) => `x${i} = demo.search(query="a ${i}", count=${i})["items"][0] # ${i}`,
    );
    const code = lines.join("\n");
    const fastest = (work: () => unknown): number => {
      const times = Array.from({ length: 40 }, () => {
        const start = performance.now();
        work();
        return performance.now() - start;
      });
      return Math.min(...times);
    };
    const parsing = fastest(() => parsePython(code));
    expect(fastest(() => rewrite(code, NAMES)) / parsing).toBeLessThan(4);
  });
});
