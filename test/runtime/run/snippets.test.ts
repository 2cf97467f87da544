/** Calls of snippets, and their templates, hostile ones included. */

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runSettingsOf } from "../../../runtime/config/run-settings.js";
import type { Snippet } from "../../../runtime/contract/snippet.js";
import { stringValue } from "../../../runtime/run/languages/python/python-text.js";
import { parsePython } from "../../../runtime/run/languages/python/python-tree.js";
import { isSnippet } from "../../../runtime/run/snippet-call.js";
import { expandSnippet } from "../../../runtime/run/snippets.js";
import { runs } from "../../support/random.js";

const snippet = (body: string, parameters: Snippet["parameters"] = new Map()): Snippet => ({ body, parameters });

const SNIPPETS: ReadonlyMap<string, Snippet> = new Map([
  [
    "hi",
    snippet(
      '"{{ name }}" * {{ n }}',
      new Map([
        ["name", {}],
        ["n", { default: "3" }],
      ]),
    ),
  ],
  ["opt", snippet("{{ x }}", new Map([["x", { required: false }]]))],
  ["noparam", snippet("1 + 1")],
  ["bad", snippet("{{ y }}")],
  ["badtpl", snippet("{{ y")],
]);

const BOUNDS = { ...runSettingsOf({}), codeBytes: 10_000 };

const expand = async (command: string, snippets = SNIPPETS): Promise<string> => {
  const made = await expandSnippet(command, snippets, BOUNDS);
  return made.kind === "code"
    ? made.code
    : ["E:", `${made.type}: ${made.message}`, ...made.hints].join("\n").replace("E:\n", "E: ");
};

/** The code of a body with a parameter `v`. */
const rendered = (body: string, v = "v"): Promise<string> =>
  expand("$t", new Map([["t", snippet(body, new Map([["v", { default: v }]]))]]));

it("a filter without a result is named: a word for a number", async () => {
  for (const word of ["abc", ""])
    expect(await rendered("{{ v | int }}", word)).toMatch(
      /template of '\$t' is invalid: a filter gives nothing for its value/,
    );
  expect(await rendered("{{ v | int(0) }}", "abc")).toBe("0");
  expect(await rendered("{{ v | int }}", "12")).toBe("12");
});

describe("calls", () => {
  it.each([
    ["$hi name=Bob", '"Bob" * 3'],
    ['$hi name="Bob Lee" n=2', '"Bob Lee" * 2'],
    ["$hi name=Bob Lee n=2", '"Bob Lee" * 2'],
    ["$hi\nname: Bob\nn: 1", '"Bob" * 1'],
    ["$hi\r\nname: Bob\r\nn: 1\r\n", '"Bob" * 1'],
    ["$hi\nname: a: b", '"a: b" * 3'],
    ['$hi\nname: " b"', '" b" * 3'],
    ["$hi", "E: SnippetError: snippet '$hi' needs parameter 'name'"],
    ["$nope", "E: SnippetError: unknown snippet '$nope'\nSnippets: bad, badtpl, hi, noparam, opt"],
    ["$hi name=Bob extra=1", "E: SnippetError: snippet '$hi' has no parameter 'extra'"],
    ["$hi nam=Bob", "E: SnippetError: snippet '$hi' has no parameter 'nam'\nDid you mean: name"],
    ["$hi name=a\\=b", '"a=b" * 3'],
    ["$hi name='say \"yo\"' n=1", '"say \\"yo\\"" * 1'],
    ['$hi name="x=1" n=1', '"x=1" * 1'],
    ['$hi name="a n=5" n=1', '"a n=5" * 1'],
    ["$hi name=Bob\nn: 1", '"Bob" * 1'],
    ["$hi name= n=1", '"" * 1'],
    ["$hi name=it's", '"it\'s" * 3'],
    ["$noparam", "1 + 1"],
    ["  $noparam  ", "1 + 1"],
    ["$opt", "E: SnippetError: snippet '$opt' uses undefined variable 'x'"],
    ["$bad", "E: SnippetError: snippet '$bad' uses undefined variable 'y'"],
    ["$", "E: SnippetError: invalid snippet name ''"],
    ["$$", "E: SnippetError: invalid snippet name '$'"],
    ["$hi-x", "E: SnippetError: invalid snippet name 'hi-x'"],
    ["$hi name=a name=b", "E: SnippetError: snippet '$hi' got parameter 'name' twice"],
    ["$\x7bx}", "$\x7bx}"],
    ["x = '$hi'", "x = '$hi'"],
  ])("%j is %j", async (command, code) => {
    expect(await expand(command)).toBe(code);
  });

  it.each([
    "$hi name = Bob",
    "$hi name=Bob n = 1",
    "$noparam trailing",
    "$hi\nname",
    "$hi\nname: a\n\nn: 1",
    '$hi name="a" b',
  ])("%j is refused with the form to write", async (command) => {
    expect(await expand(command)).toMatch(/^E: SnippetError: snippet '\$\w+': '.+\nWrite \$name key=value/);
  });

  it("never throw", async () => {
    const pieces = fc.constantFrom("$", "hi", "name", "=", " ", '"', "'", "\n", ":", "\\", "n", "{{", "x", "\r\n");
    await fc.assert(
      fc.asyncProperty(fc.array(pieces), async (parts) => {
        const text = parts.join("");
        const code = await expand(`$hi ${text}`);
        expect(code).toMatch(/^E: SnippetError|^"/);
        expect(await expand(text)).toEqual(expect.any(String));
      }),
      runs(2_000),
    );
    expect(isSnippet("$x")).toBe(true);
  });
});

describe("templates", () => {
  it.each([
    ["{% for q in v.split(',') %}{{ q }}+{% endfor %}0", "a,b", "a+b+0"],
    ["{% for q in v.split(',') -%}\n  {{ loop.index }}{% if not loop.last %},{% endif %}\n{%- endfor %}", "a,b", "1,2"],
    ["{% set x = v|upper %}{{ x }}", "a", "A"],
    ["{% if y is defined %}1{% else %}2{% endif %}", "a", "2"],
    ["{{ True }} {{ False }} {{ None }} {{ none }} {{ 1 == 1 }}", "a", "True False None None True"],
    [
      "{{ v.strip() }}|{{ v.lstrip('a') }}|{{ v.rstrip() }}|{{ v.upper() }}|{{ v.lower() }}|{{ v.title() }}",
      "ab C ",
      "ab C|b C |ab C|AB C |ab c |Ab C ",
    ],
    ["{{ v.split() }} {{ ','.join(v.split('b', 1)) }} {{ v.replace('b', '$&') }}", "abcb", "['abcb'] a,cb a$&c$&"],
    ["{{ v.startswith('a') }} {{ v.endswith(['x', 'y']) }}", "abc", "True False"],
    ["{% for k, w in {a: 1, b: v}.items() %}{{ k }}{{ w }}{% endfor %}", "x", "a1bx"],
    [
      "{{ {a: 1}.get('a') }} {{ {a: 1}.get('b') }} {{ {a: 1}.get('b', v) }} {{ {a: [1, 'x']} }}",
      "y",
      "1 None y {'a': [1, 'x']}",
    ],
    ["{% for i in range(3) %}{{ i }}{% endfor %}{{ range(1, 7, 2) }}", "a", "012[1, 3, 5]"],
    ["{% set x %}<{{ v }}>{% endset %}{{ x }}{% macro m(a) %}[{{ a }}]{% endmacro %}{{ m(v) }}", "a", "<a>[a]"],
    ["{{ v }} # {{ v }}", "<&>", "<&> # <&>"],
    ["{{ v|safe }}{{ v[0] }}", "<a>", "<a><"],
  ])("%j with %j is %j", async (body, v, code) => {
    expect(await rendered(body, v)).toBe(code);
  });

  it.each([
    "constructor",
    "v.constructor",
    "v.__proto__",
    "v.length.constructor",
    "range.constructor",
    "v.split.constructor('return process')()",
    "{}.constructor",
    "{}.__proto__",
    "v.matchAll",
    "[].concat",
    "[].map",
    "toString",
    "__proto__",
    "cycler",
  ])("{{ %s }} reaches nothing", async (expression) => {
    expect(await rendered(`{{ ${expression} }}`)).toMatch(/uses undefined variable '/);
  });

  it("leave this thread free while they loop, alone and many at once", { tags: "full" }, async () => {
    const loop = "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}";
    expect(await rendered("{{ v }}")).toBe("v");
    let turns = 0;
    const turning = setInterval(() => turns++, 5);
    const bombs = await Promise.all([rendered(loop), rendered(loop), rendered("{{ v }}")]);
    clearInterval(turning);
    expect(bombs).toEqual([expect.stringContaining("100 ms"), expect.stringContaining("100 ms"), "v"]);
    expect(turns).toBeGreaterThan(5);
  });

  it.each([
    ["{% include 'x' %}", "include, import and extends are not available"],
    ["{% import 'x' as x %}", "include, import and extends are not available"],
    ["{% extends 'x' %}", "include, import and extends are not available"],
    ["{{ v", "expected variable end"],
    ["{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}", "it takes longer than 100 ms"],
    ["{% for i in range(99999) %}{{ v }}{% endfor %}", "its text is larger than limits.code_bytes"],
    ["{% for i in range(1000) %}xxxxxxxxxxxxxxxxx{% endfor %}", "its text is larger than limits.code_bytes"],
    ["{{ range(999999999) }}", "range() of more than 100000 items"],
    ["{{ v() }}", "cannot be called"],
  ])("%j is invalid: %s", async (body, reason) => {
    const text = await rendered(body);
    expect(text).toMatch(/^E: SnippetError: template of '\$t' is invalid: /);
    expect(text).toContain(reason);
  });
});

describe("values in Python", () => {
  const value = fc.string({
    unit: fc.constantFrom("a", '"', "'", "\\", "\n", "\r", "{", "}", "\0", "日", "😀", "#", " ", "\ue000", "$"),
  });

  it.each(['"', "'", '"""', "'''"])("are themselves inside %s", { tags: "full", timeout: 300_000 }, async (quote) => {
    await fc.assert(
      fc.asyncProperty(value, async (text) => {
        expect(stringValue(await rendered(`${quote}{{ v }}${quote}`, text))).toBe(text);
        const [first] = (
          await rendered(`f(${quote}\\${quote[0]} {{ v }} b${quote}, u${quote}{{ v }}${quote}) # {{ 1 }}"`, text)
        ).split(" # 1");
        const tree = parsePython(first ?? "");
        expect(tree.faults).toEqual([]);
        expect(
          tree.nodes
            .filter(({ name }) => name === "String")
            .map(({ from, to }) => stringValue(tree.code.slice(from, to))),
        ).toEqual([`${quote[0]} ${text} b`, text]);
      }),
      runs(2_000),
    );
  });

  it("are escaped for f-strings, but not in their fields", async () => {
    expect(await rendered('f"{{ v }} {x[{{ v }}]:>{{ v }}} {{ v }}"', "{a}")).toBe('f"{{a}} {x[{a}]:>{a}} {{a}}"');
    expect(await rendered("f'{{ '{{' }}{{ v }}'", "'")).toBe("f'{{{{\\''");
    expect(await rendered("f'{d['k']}{{ v }}'", "'")).toBe("f'{d['k']}\\''");
  });

  it("are escaped for bytes, and refused where a raw string cannot hold them", async () => {
    expect(await rendered("b'{{ v }}'", "é'\n")).toBe("b'\\xc3\\xa9\\'\\n'");
    expect(await rendered("r'{{ v }}'", "\\d+")).toBe("r'\\d+'");
    expect(await rendered("r'{{ v }}'", "'")).toContain("a raw string cannot hold the value");
    expect(await rendered("r'{{ v }}'", "a\\")).toContain("a raw string cannot hold the value");
  });

  it("do not go on with a backslash before them, which would take the escape of a quote", async () => {
    for (const text of ["'+evil()+'", "n", "\\", "x41"]) {
      expect(stringValue(await rendered("'a\\{{ v }}'", text))).toBe(`a\\${text}`);
      expect(stringValue(await rendered("'''\\\\\\{{ v }}'''", text))).toBe(`\\\\${text}`);
    }
    expect(await rendered("r'\\{{ v }}'", "d")).toBe("r'\\d'");
  });

  it("stand as they are in code, where they may open strings of their own", async () => {
    expect(await rendered("f({{ v }}, '{{ v }}')", "'a'")).toBe("f('a', '\\'a\\'')");
    expect(await rendered("x = 1 # it's {{ v }}\n'{{ v }}'", "'")).toBe("x = 1 # it's '\n'\\''");
    expect(await rendered("'\\\\{{ v }}' \"{{ v }}\"", "'\"")).toBe("'\\\\\\'\"' \"'\\\"\"");
  });
});
