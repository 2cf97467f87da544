/** `run` through MCP, over a project with packs, aliases, snippets and projects. */

import { readFileSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { generatedRoot, serve } from "../support/project.js";
import { RUN_DEMO, runDemo, SLOW } from "../support/run/run-demo.js";

const { server, ok, bad } = runDemo();

const FOUND = '{"query":"t","count":5}';

test("[GW-1.1] a client sees four tools at most, and run can be left out", async () => {
  const { tools } = await server().client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["run", "tool_help", "tool_exec", "tool_batch"]);
  expect(tools[0]?.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: false });
  const without = await generatedRoot(RUN_DEMO);
  const file = join(without, "definitions", "toolwright.yaml");
  writeFileSync(file, `${readFileSync(file, "utf8")}expose: { run: false }\n`);
  const served = await serve(without);
  expect((await served.client.listTools()).tools.map(({ name }) => name)).toEqual([
    "tool_help",
    "tool_exec",
    "tool_batch",
  ]);
  await expect(served.client.callTool({ name: "run", arguments: { command: "1" } })).rejects.toThrow(/Unknown tool/);
  await served.close();
}, 60_000);

describe("fences", () => {
  test.each([
    ["[RUN-1.1] triple backtick with language", "```python\n1+1\n```", "2"],
    ["[RUN-1.1] with Windows newlines", "```python\r\n1+1\r\n```", "2"],
    ["[RUN-1.1] with a short name of the language", "```py\n1+1\n```", "2"],
    ["[RUN-1.1] with a version and a blank", "```python3 \n1+1\n```", "2"],
    ["[RUN-1.2] triple backtick without language", "```\n1+1\n```", "2"],
    ["[RUN-1.3] inline backticks", "`1+1`", "2"],
    ["[RUN-1.3] two inline backticks", "`` `1+1` ``", "2"],
    ["[RUN-1.4] a fence in a text of wrapped code", '```python\nprint("```")\n```', "```"],
    [
      "[RUN-1.4] fence lines in a text of wrapped code",
      "```python\nx = '''\n```js\nlet a\n```\n'''\nx\n```",
      "\n```js\nlet a\n```\n",
    ],
    ["[RUN-1.4] a fence in a text of code that is not wrapped", 'print("```")', "```"],
    [
      "[RUN-1.4] fence lines in a text of code that is not wrapped",
      'x = """\n```python\n1\n```\n"""\nx',
      "\n```python\n1\n```\n",
    ],
    ["[RUN-1.4] backticks at both ends of code that is not wrapped", "'`a`' + \"``b``\"", "`a```b``"],
    ["[RUN-1.5] no fences", "1+1", "2"],
    ["[RUN-1.5] blanks and tabs of a text stay", "'''  a \n\tb  '''", "  a \n\tb  "],
    ["more backticks", "````\n1+1\n````", "2"],
    ["one line with language", "```python 1+1```", "2"],
    ["a trigger", "__ot 1+1", "2"],
    ["a trigger and a fence", "__ot\n```python\n1+1\n```", "2"],
    ["a call as trigger", 'mcp__onetool__run(command="1+1")', "2"],
    ["nothing", "", "OK: no return value"],
    ["a trigger alone", "__ot", "OK: no return value"],
  ])("%s: the code within is run", async (_, command, text) => expect(await ok(command)).toBe(text));

  test("[RUN-1.6] the legacy prefix is refused", async () => {
    expect(await bad('!onetool upper(text="hello")')).toBe(
      `Error: SyntaxError: invalid syntax: the '!onetool' prefix is not accepted\nNext: send the Python code itself, for example upper(text="hello")`,
    );
  });

  test("text around a fence: a hint", async () => {
    expect(await bad("```python\n1\n```\ntail")).toContain(
      "Next: send the code alone, without text around the fence; correct line",
    );
  }, 60_000);
});

describe("results", () => {
  test.each([
    ["[RUN-2.1] a simple call", 'quality(quality="x")', '{"quality":"x"}'],
    ["[RUN-2.2] a block of code", 'r = demo.search(query="t")\nn = r["count"]\nfor i in range(2):\n  n += i\nn', "6"],
    ["[RUN-3.1] an expression", 'demo.search(query="t")', FOUND],
    ["[RUN-3.1] a member of what a call gives", 'demo.search(query="t")["count"]', "5"],
    ["[RUN-3.1] an expression without a call", '"a" if [] else (1, "b")[1:]', '["b"]'],
    ["[RUN-3.2] the last expression", 'x = 1\ndemo.search(query="t")', FOUND],
    ["[RUN-3.2] the last expression of the last line", "x = 1; x + 1", "2"],
    ["[RUN-3.2] the last line of several expressions", "1; 2\n3; 4", "4"],
    ["[RUN-3.3] return", "for i in range(3):\n  if i==1: return i", "1"],
    [
      "[RUN-3.3] return in a format, of a value with keys that are no text",
      '__format__ = "json_h"\nif True:\n  return {1: (True,)}',
      '{\n  "1": [\n    true\n  ]\n}',
    ],
    ["[RUN-3.3] return of a call, and nothing after it runs", 'return demo.search(query="t")\ndemo.boom()', FOUND],
    ["[RUN-3.4] an assignment", "x=1", "OK: no return value"],
    ["[RUN-3.4] a comment", "# nothing", "OK: no return value"],
    ["[RUN-3.4] a function", "def f(): pass", "OK: no return value"],
    ["[RUN-3.4] an if", "if True:\n  5", "OK: no return value"],
    ["[RUN-3.5] None", "None", "None"],
    ["[RUN-3.5] return None", "return None", "None"],
    ["[RUN-3.5] a tool that gives nothing", "demo.none()", "None"],
    ["[RUN-3.5] a function that returns None", "def f(): return None\nf()", "None"],
    ["[RUN-3.6] a tool's dict", 'demo.search(query="t")', FOUND],
    [
      "[RUN-3.6] a tool's dict with quotes is escaped once",
      "demo.search(query='say \"hi\"')",
      '{"query":"say \\"hi\\"","count":5}',
    ],
    ["[RUN-3.6] a tool's dict is one in the code", 'r = demo.search(query="t")\n[r["count"], len(r)]', "[5,2]"],
    ["[RUN-3.6] a dict", '{"a":1,"b":[1,2]}', '{"a":1,"b":[1,2]}'],
    ["[RUN-3.6] keys that are no text", '{1:2, "a":(1,2)}', '{"1":2,"a":[1,2]}'],
    ["[RUN-3.7] a list", '[None,True,float("nan")]', "[null,true,null]"],
    ["[RUN-3.7] a tool's list", 'shelf.titles(author="Ann")', '["by Ann","said \\"Ann\\""]'],
    ["[RUN-3.7] a tool's list is one in the code", 'r = shelf.titles(author="A")\n[len(r), r[0]]', '[2,"by A"]'],
    ["[RUN-3.7] a list of results", '[demo.search(query="t")]', `[${FOUND}]`],
    ["[RUN-3.8] text", 'demo.bounce(text="{x: \\"y\\"}")', '{x: "y"}'],
    ["[RUN-3.8] text that is JSON", `demo.bounce(text='{"a": 1}')`, '{"a": 1}'],
    ["[RUN-3.8] text of several lines", 'demo.bounce(text="a\\n\\"b\\"\\t\\\\n")', 'a\n"b"\t\\n'],
    ["[RUN-3.9] composed", '{"a": demo.search(query="t"), "b": demo.none()}', `{"a":${FOUND},"b":null}`],
    [
      "[RUN-3.9] a dict, a list and a text of tools",
      '{"a": demo.search(query="t"), "b": shelf.titles(author="A"), "c": demo.bounce(text=\'"c"\')}',
      `{"a":${FOUND},"b":["by A","said \\"A\\""],"c":"\\"c\\""}`,
    ],
    ["a tuple", "(1,2)", "[1,2]"],
    ["a set", "{1}", "[1]"],
    ["True", "True", "true"],
    ["a float", "1.0", "1.0"],
    ["bytes", 'b"bytes"', "Ynl0ZXM="],
    ["a doc string", '"""doc"""', "doc"],
    ["printed output first", 'print("a"); 5', "a\n5"],
    ["not ASCII", 'print("日"); x = 2; x', "日\n2"],
    ["a module", "import math; math.pi", "3.141592653589793"],
  ])("%s: the reply holds the value", async (_, command, text) => expect(await ok(command)).toBe(text));
});

describe("indentation", () => {
  test.each([
    ["[RUN-4.1] indented code", "    x = 1\n    x", "1"],
    ["[RUN-4.1] indented by one column, with a block in it", " x = 1\n if x:\n  x = 3\n x", "3"],
    ["[RUN-4.1] indented with tabs, and a block in it", "\tif True:\n\t\tx = 1\n\tx", "1"],
    ["[RUN-4.1] only the first line is not indented", "x = 1\n    y = 2\n    x + y", "3"],
    ["[RUN-4.2] tabs and spaces", "if True:\n\tx = 1\n        y = 2\nx + y", "3"],
    ["[RUN-4.3] empty lines", "def f():\n\n    a = 1\n\n    return a\n\n\nf()", "1"],
    ["[RUN-4.3] lines of blanks and tabs", "def f():\n    a = 1\n  \n\t\n    return a\nf()", "1"],
    ["[RUN-4.3] empty lines in indented code", "    x = 1\n\n  \n    x + 1", "2"],
    ["lines in texts never move", '    x = """a\n      b"""\n    x', "a\n      b"],
  ])("%s: the code runs as it was meant", async (_, command, text) => expect(await ok(command)).toBe(text));
});

describe("errors", () => {
  test.each([
    ["plain", "y = 2\nx = = 3\ny", 2, "x = = 3", "invalid syntax"],
    ["plain, below empty lines", "\n\n  \ny = )", 4, "y = )", "unmatched ')'"],
    ["plain, in the first line", "del", 1, "del", "invalid syntax"],
    ["plain, an open bracket", "a = 1\n(5 + 10", 2, "(5 + 10", "'(' was never closed"],
    ["plain, below a class", "class A:\n  def f(self):\n    return (1,\n", 3, "return (1,", "'(' was never closed"],
    ["indented", "    y = 2\n    x = = 3\n    y", 2, "x = = 3", "invalid syntax"],
    ["fenced", "```python\ny = 2\nx = = 3\ny\n```", 2, "x = = 3", "invalid syntax"],
    ["fenced and indented", "```\n\n    y = )\n```", 2, "y = )", "unmatched ')'"],
    ["below a trigger and fenced", "__ot\n```python\na=1\nfor\n```", 2, "for", "invalid syntax"],
    ["between inline backticks", "`x = = 3`", 1, "x = = 3", "invalid syntax"],
  ])(
    "[RUN-5.1] %s: a syntax error says its line in the code",
    async (_, command, line, code, message) => {
      expect(await bad(command)).toBe(
        [
          `Error at line ${line}: SyntaxError: ${message}`,
          `  ${line} | ${code}`,
          `Next: correct line ${line} and send the whole code again`,
        ].join("\n"),
      );
    },
    SLOW,
  );

  test(
    "[RUN-5.2] type, message, line, output so far, calls and what to do",
    async () => {
      expect(await bad('print("so far")\nr = demo.search(query="t")\nc = r["count"]/0')).toBe(
        [
          "so far",
          "Error at line 3: ZeroDivisionError: division by zero",
          '  3 | c = r["count"]/0',
          "Calls already made: demo.search (1)",
          "Next: correct line 3 and send the whole code again; no variables are kept.",
        ].join("\n"),
      );
      expect(await bad("demo.boom()")).toMatch(/^Error at line 1: KeyError: 'kaput'\n/);
      expect(await bad("raise SystemExit(1)")).toMatch(/^Error at line 1: SystemExit: 1/);
      expect(await bad("other.hang()")).toMatch(/^Error at line 1: TimeoutError: other.hang gave no answer in 0.3 s\n/);
      expect(await ok("1+1")).toBe("2");
    },
    SLOW,
  );

  test("a tool's failure can be caught", async () => {
    expect(await ok('try:\n  demo.boom()\nexcept KeyError as e:\n  print("caught")')).toBe("caught");
  });

  test("[RUN-5.3] an unknown tool: those of a similar name, and no others", async () => {
    const text = await bad('serch(query="t")');
    expect(text).toMatch(
      /^Error at line 1: NameError: name 'serch' is not defined\n {2}1 \| serch\(query="t"\)\nDid you mean: demo\.search, other\.search\n/,
    );
    expect(text).not.toContain("Tools: ");
    expect(await bad("nothing_like_it()")).not.toMatch(/^(?:Tools|Did you mean): /m);
  });

  const signature = "Signature: demo.search(query: str, count: int = 5)";
  test.each([
    ["unknown", 'demo.search("t", x=1)', `demo.search() got an unexpected keyword argument 'x'. ${signature}`],
    ["missing", "demo.search(count=1)", `demo.search() missing required argument 'query'. ${signature}`],
    ["too many", 'demo.search("t", 1, 2)', `demo.search() takes at most 2 arguments but 3 were given. ${signature}`],
    [
      "twice",
      'demo.search(q="t", c=1, count=2)',
      `demo.search() got 'count' twice: as 'c' and as 'count'. ${signature}`,
    ],
    ["type", 'demo.search("t", count="many")', `demo.search() argument 'count' must be int, got str. ${signature}`],
  ])("[RUN-5.4] %s argument: the signature", async (_, command, message) => {
    const [error, code] = (await bad(command)).split("\n");
    expect([error, code]).toEqual([`Error at line 1: TypeError: ${message}`, `  1 | ${command}`]);
  });

  test("a wrong value, and a write that is switched off", async () => {
    expect(await bad('other.quality(mode="x")')).toContain(
      "ValueError: other.quality() argument 'mode' must be one of: list, min, full. Signature: ",
    );
    expect(await bad('other.quality(mode="lisst")')).toContain("one of: list, min, full (perhaps list). Signature: ");
    expect(await bad('other.store(text="x")')).toContain(
      "PermissionError: other.store changes data and writes are not allowed here",
    );
  });
});

describe("packs and aliases", () => {
  test.each([
    ["[RUN-6.1] pack.function", 'demo.search(query="t")', FOUND],
    [
      "[RUN-6.4] one name in two packs",
      '__sanitize__ = False\n[demo.search(query="t"), other.search(query="t")]',
      `[${FOUND},{"other":"t"}]`,
    ],
    ["[RUN-6.4] the other pack alone", '__sanitize__ = False\nother.search(query="t")', '{"other":"t"}'],
    ["[RUN-7.1] an alias", 'ws(query="t")', FOUND],
    ["[RUN-7.1] a chain of aliases", 'a(text="z")', "z"],
    ["[RUN-7.1] an alias in a text is text", 'x = "ws("; x', "ws("],
    ["[RUN-7.1] in a comprehension", 'y=["a"]\n[ws(query=x) for x in y]', '[{"query":"a","count":5}]'],
    ["a name of the code's own", "ws = 3; ws", "3"],
  ])("%s: the program answers as documented", async (_, command, text) => expect(await ok(command)).toBe(text));

  test("[RUN-6.2] an unknown pack: the packs", async () => {
    expect(await bad("unknown.func()")).toMatch(
      /^Error at line 1: NameError: name 'unknown' is not defined\n.*\nPacks: demo, ot, other, proj, shelf\nNext: ot\.packs\(\) lists packs, ot\.help\(query="unknown"\) searches$/,
    );
  });

  test("[RUN-6.3] an unknown function: those of the pack", async () => {
    const message = "AttributeError: pack 'demo' has no function 'nope'. Available: big, boom, bounce, none, search";
    expect(await bad("demo.nope()")).toContain(`Error at line 1: ${message}`);
    for (const name of ["constructor", "__proto__", "toString"])
      expect(await bad(`demo.${name}()`), name).toMatch(/AttributeError: /);
  });

  test("[RUN-7.2] an unknown alias is called as it is", async () => {
    expect(await bad("unknown(arg=1)")).toMatch(/^Error at line 1: NameError: name 'unknown' is not defined/);
    // Names of aliases are compared in their letters.
    expect(await bad('WS(query="t")')).toMatch(/^Error at line 1: NameError: name 'WS' is not defined/);
    expect(await ok("def unknown(arg):\n  return arg\nunknown(arg=1)")).toBe("1");
  });

  test("an ambiguous bare name", async () => {
    expect(await bad('search(query="t")')).toMatch(
      /^Error at line 1: NameError: name 'search' is ambiguous: demo.search, other.search\n.*\nNext: write the full name$/,
    );
  });

  test("[RUN-9.1] a project is its path, as ProjectPath", { timeout: SLOW }, async () => {
    const path = join(homedir(), "projects/onetool");
    const shown = `ProjectPath('${path}')`;
    const facts = "[p, p.name, str(p), str(type(p)), [type(x).__name__ for x in (p, 1)], repr(p), f'{p!r} {[p]} {p}']";
    expect(await ok("proj.onetool")).toBe(path);
    expect(JSON.parse(await ok(`p = proj.onetool\n${facts}`))).toEqual([
      path,
      "onetool",
      path,
      "<class '__main__.ProjectPath'>",
      ["ProjectPath", "int"],
      shown,
      `${shown} [${shown}] ${path}`,
    ]);
    expect(await ok('__format__ = "raw"\n[proj.onetool]')).toBe(`[${shown}]`);
    expect(await bad("proj.onetool + 1")).toContain("for +: 'ProjectPath' and 'int'\n");
  });

  test("[RUN-9.2] functions of proj win over projects of their name", { timeout: SLOW }, async () => {
    const onetool = join(homedir(), "projects/onetool");
    const listed = [
      { name: "list", path: "/srv/list" },
      { name: "onetool", path: onetool },
    ];
    expect(await ok('proj.path(name="onetool")')).toBe(onetool);
    expect(JSON.parse(await ok("proj.list()"))).toEqual(listed);
    const code = 'f = proj.list\n[proj.path(name="onetool"), proj.list(), f(), proj.path("list")]';
    expect(JSON.parse(await ok(code))).toEqual([onetool, listed, listed, "/srv/list"]);
    expect(await bad('proj.path(name="nope")')).toContain(
      "LookupError: proj.path failed: no project 'nope'. Projects: list, onetool",
    );
  });

  test("[RUN-9.3] a path can be joined, and stays a ProjectPath", { timeout: SLOW }, async () => {
    expect(await ok('proj.onetool / "src"')).toBe(join(homedir(), "projects/onetool/src"));
    const types = "[p, type(p).__name__, type(p / 'a').__name__, type(p.parent).__name__]";
    expect(JSON.parse(await ok(`p = proj.onetool / "src"\n${types}`))).toEqual([
      join(homedir(), "projects/onetool/src"),
      ...Array(3).fill("ProjectPath"),
    ]);
    expect(await ok("p = proj.onetool / 'a' / 'b.tar.gz'\n[p.name, p.suffix, str(p.parent)]")).toBe(
      JSON.stringify(["b.tar.gz", ".gz", join(homedir(), "projects/onetool/a")]),
    );
  });

  const noProject = "proj has no function or project 'unknown'. Functions: path, list. Projects: list, onetool";
  test("[RUN-9.4] an unknown project: functions and projects", { timeout: SLOW }, async () => {
    const ways = ["proj.unknown", "proj.unknown()", "getattr(proj, 'unknown')"];
    for (const way of ways.slice(0, 2)) expect(await bad(way)).toContain(`: AttributeError: ${noProject}\n`);
    const caught = ways.map((way) => `try: ${way}\nexcept AttributeError as e: r.append(str(e))\n`).join("");
    expect(JSON.parse(await ok(`r = []\n${caught}r`))).toEqual(ways.map(() => noProject));
  });
});

describe("snippets", () => {
  test.each([
    [
      "[RUN-8.1] a snippet",
      "$wsq q1=AI q2=ML p=Compare",
      '[{"query":"AI","count":5},{"query":"ML","count":5},"Compare"]',
    ],
    ["defaults", "$hi name=Bob", "BobBobBob"],
    ["quotes", '$hi name="Bob Lee" n=2', "Bob LeeBob Lee"],
    ["several lines", "$hi\nname: Bob\nn: 1", "Bob"],
    ["first line and more", "$hi name=Bob\nn: 1", "Bob"],
    ["an escaped =", "$hi name=a\\=b", "a=ba=ba=b"],
    ["quotes in a value", `$hi name='say "yo"' n=1`, 'say "yo"'],
    ["= in quotes", '$hi name="x=1" n=1', "x=1"],
  ])("%s: the snippet is filled in and run", async (_, command, text) => expect(await ok(command)).toBe(text));

  test.each([
    ["$hi", "snippet '$hi' needs parameter 'name'"],
    ["$nope", "unknown snippet '$nope'\nSnippets: hi, noparam, opt, wsq"],
    ["$hi name=Bob extra=1", "snippet '$hi' has no parameter 'extra'"],
    ["$opt", "snippet '$opt' uses undefined variable 'x'"],
    ["$noparam trailing", "snippet '$noparam': "],
    ["$hi name = Bob", "snippet '$hi': "],
  ])("%s fails", async (command, text) => expect(await bad(command)).toContain(`Error: SnippetError: ${text}`));
});

describe("prefixes of parameters", () => {
  test.each([
    ["[RUN-11.1] exact", 'demo.search(query="t")', FOUND],
    ["[RUN-11.1] exact before longer", 'other.quality(query="t")', '{"query":"t"}'],
    ["[RUN-11.2] one match", 'demo.search(q="t")', FOUND],
    ["[RUN-11.2] one match behind the first parameter", 'demo.search("t", c=2)', '{"query":"t","count":2}'],
    ["[RUN-11.3] the first of several", 'other.quality(q="t")', '{"query_info":"t"}'],
    ["[RUN-11.4] part of a name", 'other.quality(qual="t")', '{"quality":"t"}'],
    ["[RUN-11.6] prefix and exact", 'demo.search(c=2, query="t")', '{"query":"t","count":2}'],
    ["[RUN-11.6] exact and prefix", 'demo.search(query="t", c=2)', '{"query":"t","count":2}'],
    ["[RUN-12.1] tools in the process", 'demo.bounce(t="z")', "z"],
  ])("%s: the argument reaches its parameter", async (_, command, text) => expect(await ok(command)).toBe(text));

  test("[RUN-11.5] without a match the name is refused as it is", async () => {
    const signature = "Signature: demo.search(query: str, count: int = 5)";
    expect((await bad('demo.search(xyz="t")')).split("\n")[0]).toBe(
      `Error at line 1: TypeError: demo.search() got an unexpected keyword argument 'xyz'. ${signature}`,
    );
    expect((await bad('demo.search(query="t", uery="u")')).split("\n")[0]).toBe(
      `Error at line 1: TypeError: demo.search() got an unexpected keyword argument 'uery'. ${signature}`,
    );
  });
});
