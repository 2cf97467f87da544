/** Replies of `run` to code that models often write, as a client sees them. */

import { describe, expect, test } from "vitest";
import { eachCase } from "../../support/each-case.js";
import { runDemo, SLOW } from "../../support/run/run-demo.js";

const { ok, bad, server } = runDemo();

describe("values", () => {
  eachCase(
    [
      ["x = await demo.search(query='a')\nx['query']", "a"],
      ["import asyncio\nasync def main():\n  return (await demo.search(query='a'))['query']\nasyncio.run(main())", "a"],
      ["demo.bounce(text=demo.bounce(text='a'))", "a"],
      ["['\\ud800']", '["\ufffd"]'],
      ["'\\ud800' + chr(0xd801)", "\ufffd\ufffd"],
      ["__format__ = 'raw'\n'\\ud800'", "\ufffd"],
      ["print('\\udfff')", "\ufffd"],
      ["__format__ = 'yml'\n{'\\ud800': ['\\udfff', 'a\\n\\ud800']}", '{\ufffd: [\ufffd, "a\\n\ufffd"]}'],
      ["__format__ = 'yml_h'\n{'\\ud800': ['\\udfff', 'a\\x01\\ud800']}", '\ufffd:\n  - \ufffd\n  - "a\\x01\ufffd"'],
      ["__format__ = 'json_h'\n['\\ud800']", '[\n  "\ufffd"\n]'],
      ["__format__ = 'yml'\n[demo.bounce(text='\\ud800')]", "[\ufffd]"],
      ["demo.bounce(text='\\ud800')", "\ufffd"],
      ["{'\\ud800': 1}", '{"\ufffd":1}'],
      ["{True: 'a', None: 'b', 1.0: 'c'}", '{"true":"c","null":"b"}'],
      ["demo.search(query='a')\nEllipsis", "Ellipsis"],
      ["[n for n in dir() if n in ('__ret', '__later', '__awaitable')]", "[]"],
      ["help(demo)", "Pack demo. Functions: big, boom, bounce, none, search\nNone"],
    ],
    "['\\ud800']",
    "__format__ = 'raw'\n'\\ud800'",
    "demo.search(query='a')\nEllipsis",
    "help(demo)",
  )("are what the program ends with: %s", { timeout: SLOW }, async (code, reply) => expect(await ok(code)).toBe(reply));
});

describe("what models take programs and results for", () => {
  test.each([
    ["demo.search(query='a').query", 'Next: results are dicts: write ["query"] instead of .query'],
    ["r = {'items': [1]}\nr.items[0]", 'Next: results are dicts: write ["items"] instead of .items'],
    [
      "for k in {'a': 1}.keys: k",
      'Next: .keys is a method of dicts: write .keys() to call it, or ["keys"] for that key',
    ],
    [
      "r = {'items': [1]}\nlen(r.items)",
      'Next: .items is a method of dicts: write .items() to call it, or ["items"] for that key',
    ],
    ["[1].append[0]", "Next: correct line 1 and send the whole code again; no variables are kept."],
    [
      "tool_exec({'op': 'demo.search', 'args': {'query': 'a'}})",
      "Next: call ops by their names, as in demo.search(...); tool_exec is no function of a program",
    ],
    [
      "tool_help('x')",
      "Next: call ops by their names, as in pack.entity.verb(...); tool_help is no function of a program",
    ],
    ['{"op": "demo.search", "args": {"query": "a"}}', "Next: send it to tool_exec"],
  ])(
    "is told in the line of the error: %s",
    async (code, line) => expect((await bad(code)).split("\n")).toContain(line),
    SLOW,
  );

  test("a dict that is no call is a result", async () => {
    expect(await ok('{"op": "demo.search", "more": 1}')).toBe('{"op":"demo.search","more":1}');
    expect(await ok('{"op": "demo.search"}["op"]')).toBe("demo.search");
  });

  test("code under another name is read as the command, and offered beside other fields", async () => {
    const send = async (fields: Record<string, unknown>) => {
      const [block] = (await server().client.callTool({ name: "run", arguments: fields })).content;
      return block?.type === "text" ? block.text : "";
    };
    expect(await send({ code: "1 + 1" })).toBe("2");
    expect(await send({ code: "1 + 1", more: 1 })).toContain("<Python code>");
  });
});

describe("arguments that are not given as they should be", () => {
  test.each([
    ["demo.search({'query': 'a', 'count': 2})", "Did you mean: demo.search(query='a', count=2)"],
    ["demo.search(args={'query': 'a'})", "Did you mean: demo.search(query='a')"],
    ["demo.search('a', options={'count': '2'})", "Did you mean: demo.search(query='a', count=2)"],
    ["demo.search(Query='a', maxCount=2)", "Next: use query, count"],
    ["demo.search(Query='a', dryRun=True)", "Next: call tool_exec, which takes dry_run"],
    ["demo.search({'query': 'a', 'dry_run': True})", "Next: call tool_exec, which takes dry_run"],
    ["other.store(confirm=False)", "Next: call tool_exec, which takes dry_run"],
    ["other.store(options={'dry_run': True})", "Next: call tool_exec, which takes dry_run"],
    ["other.store(confirm=True)", "Next: use "],
    ["demo.search(args={'query': 'a'}, count=2)", "Did you mean: demo.search(query='a', count=2)"],
    ["demo.search(args={'query': 'a'}, query='b')", "Next: use query, count"],
    ["demo.search(args=lambda: 1)", "Next: use query, count"],
  ])(
    "get one line that says what to write: %s",
    async (code, line) => {
      const text = await bad(code);
      expect(text.split("\n").filter((one) => one.startsWith(line))).toHaveLength(1);
      expect(text.match(/Did you mean: /g)?.length ?? 0).toBe(line.startsWith("Did") ? 1 : 0);
    },
    SLOW,
  );
});

describe("errors", () => {
  eachCase(
    [
      [
        "demo.nope.x()",
        "AttributeError: pack 'demo' has no function 'nope'. Available: big, boom, bounce, none, search",
      ],
      ["demo.__proto__()", "AttributeError: pack 'demo' has no function '__proto__'. Available: big,"],
      ["demo.bounce(text=lambda: 1)", "TypeError: demo.bounce() argument 'text' cannot be sent: <function <lambda>"],
      ["demo.bounce(text={'k': 1}.keys())", "TypeError: demo.bounce() argument 'text' must be str, got list"],
      ["ot.batch(calls='x')", "TypeError: ot.batch() argument 'calls' must be list, got str"],
      ["demo.search(**{'__proto__': 'a'})", "TypeError: demo.search() got an unexpected keyword argument '__proto__'"],
      ["demo.search(__proto__='a')", "TypeError: demo.search() got an unexpected keyword argument '__proto__'"],
      ["{}['1']", "KeyError: '1'"],
      ["{}[1]", "KeyError: 1"],
      ["raise KeyError", "KeyError\n"],
      ["demo.boom()", "KeyError: 'kaput'"],
      ["import json\njson.loads('{bad')", "JSONDecodeError: Expecting property name"],
      ["def f():\n  await demo.none()\nf()", "SyntaxError: "],
    ],
    "demo.nope.x()",
    "demo.search(__proto__='a')",
    "{}['1']",
    "demo.boom()",
  )("say what is wrong: %s", { timeout: SLOW }, async (code, text) =>
    expect((await bad(code)).replace(/^Error at line \d+: /, "")).toContain(text),
  );
});
