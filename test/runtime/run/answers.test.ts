/** Replies of `run` to code that models often write, as a client sees them, on either engine. */

import { describe, expect } from "vitest";
import { eachCase } from "../../support/each-case.js";
import { runDemo, SLOW } from "../../support/run-demo.js";

const { ok, bad } = runDemo();

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
  )("%s", { timeout: SLOW }, async (code, reply) => expect(await ok(code)).toBe(reply));
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
  )("%s", { timeout: SLOW }, async (code, text) =>
    expect((await bad(code)).replace(/^Error at line \d+: /, "")).toContain(text),
  );
});
