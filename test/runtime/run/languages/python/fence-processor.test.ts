/** Unwrapping of commands: triggers, code fences, and the refused prefix. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fenceHint } from "../../../../../runtime/run/fence-processor.js";
import { stringValue } from "../../../../../runtime/run/languages/python/python-text.js";
import { unwrapPython } from "../../../../../runtime/run/languages/python/unwrap.js";
import { TRIGGERS } from "../../../../../runtime/run/triggers.js";
import { runs } from "../../../../support/random.js";

const codeOf = (command: string): string => {
  const unwrapped = unwrapPython(command);
  return unwrapped.kind === "code" ? unwrapped.code : `${unwrapped.type}: ${unwrapped.message}`;
};

/** Rows 1 to 17 of the design's table of cases, and their neighbours. */
const CASES: readonly (readonly [string, string])[] = [
  ["```python\nx\n```", "x"],
  ["```\nx\n```", "x"],
  ["`x`", "x"],
  ["``x``", "x"],
  ["`` `x` ``", "x"],
  ["`a` + `b`", "`a` + `b`"],
  ['```python\nprint("```")\n```', 'print("```")'],
  ["```python\r\nx\r\n```", "x"],
  ["```python\nx", "```python\nx"],
  ["```python\nx\n```\ntail", "```python\nx\n```\ntail"],
  ["text\n```python\nx\n```", "text\n```python\nx\n```"],
  ["````\nx\n````", "x"],
  ["````\nx\n```", "````\nx\n```"],
  ["```python x```", "x"],
  ["```py x```", "x"],
  ["```python3 x```", "x"],
  ["```pyx```", "pyx"],
  ["```\n```", ""],
  ["```\n\n```", ""],
  ["```python\n    x\n  y\n```", "    x\n  y"],
  ["```\nx\n```\ny\n```", "x\n```\ny"],
  ["  \n```py\nx\n```  \n", "x"],
  ["~~~\nx\n~~~", "~~~\nx\n~~~"],
  ["__ot x", "x"],
  ["__ot__run x", "x"],
  ["__onetool x", "x"],
  ["__onetool__run x", "x"],
  ["mcp__onetool__run x", "x"],
  ["__ot\n    x = 1\n    x", "    x = 1\n    x"],
  ["__ot __ot x", "__ot x"],
  ["__OT x", "__OT x"],
  ["mcp__ot__run x", "mcp__ot__run x"],
  ["__ot\n```python\nx\n```", "x"],
  ["__otter()", "__otter()"],
  ["__ot日()", "__ot日()"],
  ['mcp__onetool__run(command="1+1")', "1+1"],
  ["__ot(command='a\\n\"b\"')", 'a\n"b"'],
  ['__ot(command="""a\nb""")', "a\nb"],
  ['__ot(command=r"\\n")', "\\n"],
  ['__ot(command="a" + "b")', '(command="a" + "b")'],
  ['__ot(command=f"{a}")', '(command=f"{a}")'],
  ['__ot(command="a").x', '(command="a").x'],
  ["__ot(x)", "(x)"],
  ["", ""],
  ["__ot", ""],
  ["``````", ""],
  ["    x = 1\n    x", "    x = 1\n    x"],
];

describe("unwrapPython", () => {
  it.each(CASES)("%j becomes %j", (command, code) => {
    expect(codeOf(command)).toBe(code);
  });

  it.each(['!onetool upper(text="hello")', "!onetool", "!onetoolx", "  !onetool\n1+1"])("refuses %j", (command) => {
    expect(unwrapPython(command)).toEqual({
      kind: "fault",
      type: "SyntaxError",
      message: "invalid syntax: the '!onetool' prefix is not accepted",
      hints: ['Next: send the Python code itself, for example upper(text="hello")'],
    });
  });

  it("returns any text that a fence encloses", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("`", "a", "\n", '"', "\\", " ") }), (body) => {
        const longest = Math.max(2, ...[...body.matchAll(/`+/g)].map(([run]) => run.length));
        const fence = "`".repeat(longest + 1);
        expect(codeOf(`${fence}python\n${body}\n${fence}`)).toBe(body);
      }),
      runs(20_000),
    );
  });

  it("never throws, and leaves a text without trigger, fence and backtick as it is", () => {
    const pieces = fc.constantFrom(
      "`",
      "```",
      "python",
      "\n",
      "\r\n",
      "x",
      " ",
      '"',
      "(command=",
      ")",
      "!onetool",
      ...TRIGGERS,
    );
    fc.assert(
      fc.property(fc.array(pieces), (parts) => {
        const text = parts.join("");
        const code = codeOf(text);
        if (!text.includes("`") && !text.includes("__") && !text.includes("!")) expect(code).toBe(text);
      }),
      runs(20_000),
    );
  });

  it("hints where code still holds a fence", () => {
    expect(fenceHint("```python\nx\n```\ntail")).toBe("send the code alone, without text around the fence");
    expect(fenceHint("x = `1`")).toBeUndefined();
  });
});

describe("stringValue", () => {
  it("undoes what Python's repr does", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const quoted = `"${text.replace(/[\\"]/g, "\\$&").replace(/\n/g, "\\n").replace(/\r/g, "\\r")}"`;
        expect(stringValue(quoted)).toBe(text);
      }),
      runs(5_000),
    );
  });

  it.each([
    ['"a', undefined],
    ['"a\\"', undefined],
    ['b"a"', undefined],
    ['"a" "b"', undefined],
    ['"\\x41\\u0042\\U00000043\\104\\q"', "ABCD\\q"],
    ['"\\U00110000"', undefined],
    ["'''a'b'''", "a'b"],
  ])("%j is %j", (source, value) => {
    expect(stringValue(source)).toBe(value);
  });
});
