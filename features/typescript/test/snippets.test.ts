/** Snippets in TypeScript: a value is a literal wherever it stands, whatever it contains, or the snippet is refused. */

import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { ts } from "ts-morph";
import { describe, expect, it } from "vitest";
import { type TypescriptQuote, typescriptLiteral, typescriptText } from "../../../runtime/contract/typescript-text.js";
import { expandSnippet } from "../../../runtime/run/snippets.js";
import { runs } from "../../../test/support/random.js";
import { runSettings } from "../../../test/support/run/languages.js";

/** The code of a body with the parameter `v`, or why there is none. */
const rendered = async (body: string, v = "v"): Promise<string> => {
  const snippet = { language: "typescript", body, parameters: new Map([["v", { default: v }]]) };
  const made = await expandSnippet("$t", new Map([["t", snippet]]), runSettings({}));
  return made.kind === "code" ? made.code : `E: ${made.message}`;
};

/** What code makes; it has one variable, `hit`, which no value may reach. */
function evaluated(code: string): unknown {
  const outside = { hit: 0 };
  const made = runInNewContext(`JSON.stringify((() => {"use strict"; ${code}\n})())`, outside) as string | undefined;
  expect(outside.hit).toBe(0);
  return made === undefined ? undefined : JSON.parse(made);
}

const HOSTILE = ["`", '"', "'", "\\", "$", "{", "}", "${hit++}", "\n", "\r", "\0", "\u2028", "\u2029", "</script>"];
const text = fc.string({
  unit: fc.constantFrom(...HOSTILE, "a", "1", "日", "😀", "//", "/*", "*/", "(v)", "\ue000", "\ud800", ";hit++;"),
});
const hostile = fc.oneof(
  text,
  text.map((one) => `"+hit+++"${one}`),
  text.map((one) => `\`;hit++//${one}`),
  text.map((one) => `';hit++;'${one}`),
);

describe("values in TypeScript", () => {
  it.each([
    'return "{{ v }}"',
    "return '{{ v }}'",
    "return `{{ v }}`",
    "return {{ v }}",
    "const x = {{ v }}; return x",
    "const f = (x) => x; return f({{ v }})",
    "const o = { a: {{ v }} }; return o.a",
    "return [{{ v }}][0]",
    "const f = () => {{ v }}; return f()",
    "let x; x={{ v }}; return x",
    "return `${ {{ v }} }`",
    "return `a{{ v }}b`.slice(1, -1)",
    "return {{ v }} + ''",
    "return {{ [v] }}[0]",
    "return {{ {a: [v]} }}.a[0]",
    "return `$" + "{{ v }}`.slice(1)",
    "return {{ v }}.concat('')",
    "{% set w %}{{ v }}{% endset %}return {{ w }}",
    "{% macro m(a) %}{{ a }}{% endmacro %}return '{{ m(v) }}'",
    "return ({{ v }})",
    "return '\\\\{{ v }}\\'{{ v }}'.split('\\'', 1) && {{ v }}",
  ])("are themselves in %s", { timeout: 300_000 }, async (body) => {
    await fc.assert(
      fc.asyncProperty(hostile, async (value) => {
        const code = await rendered(body, value);
        expect(evaluated(code), code).toBe(value);
      }),
      runs(1_000),
    );
  });

  it("begin no code in a template literal together with what stands beside them", async () => {
    expect(evaluated(await rendered("return `$" + "{{ v }}`", "{hit++}"))).toBe("$" + "{hit++}");
    expect(evaluated(await rendered("return `{{ v }}{hit++}`", "$"))).toBe("$" + "{hit++}");
    expect(evaluated(await rendered("return `{{ v }}{{ v[0] }}{{ 'hit++}' }}`", "$"))).toBe("$$hit++}");
  });

  it("are of the type that they have in the template: texts, numbers, booleans, null, lists and objects", async () => {
    const cases = [
      ["{{ v }}", "50", "50"],
      ["{{ v | int }}", "50", 50],
      ["{{ v | float }}", "-2.5", -2.5],
      ["{{ v.split(',') }}", "a,b", ["a", "b"]],
      ["{{ {a: v, '__proto__x': [1, true, none]} }}", "1", { a: "1", __proto__x: [1, true, null] }],
      ["{{ v == '1' }}", "1", true],
      ["{{ none }}", "1", null],
      ["{{ v.split }}", "1", null],
      ["{{ v | safe }}", "1", "1"],
      ["'{{ v | int }}'", "1", "1"],
      ["'{{ v.split(',') }}'", "a'", `["a'"]`],
      ["2 -{{ v | int }}", "-1", 3],
      ["(() => {{ [v] }})()", "a", ["a"]],
      ["[{% for one in v.split(',') %}{{ one }}, {% endfor %}]", "a,b", ["a", "b"]],
    ] as const;
    for (const [body, value, made] of cases) expect(evaluated(`return ${await rendered(body, value)}`)).toEqual(made);
  });

  it("are written as a person writes them where punctuation stands around them", async () => {
    const body =
      "const a = {{ v }};\nf([{{ 1 }}], { b: {{ v }} }, {{ {c: v} }}, `${ {{ v }} } {{ v }}`, '{{ v }}', 1 + {{ v }})";
    expect(await rendered(body, "it's")).toBe(
      `const a = "it's";\nf([1], { b: "it's" }, { c: "it's" }, \`\${ "it's" } it\\'s\`, 'it\\'s', 1 + ("it's"))`,
    );
  });

  it.each([
    "// {{ v }}",
    "/* {{ v }} */ 1",
    "/{{ v }}/.test('a')",
    "/[{{ v }}]/.test('a')",
    "x{{ v }}",
    "{{ v }}x",
    "x.{{ v }}",
    "const {{ v }} = 1",
    "({ {{ v }}: 1 })",
    "({ {{ v }} })",
    "{{ v }} => 1",
    "f {{ v }}",
    "f\n{{ v }}",
    "[1]\n{{ v }}.length",
    "{{ v }}{{ v }}",
    "const x: {{ v }} = 1",
    "x as {{ v }}",
    "String.raw`{{ v }}`",
    "String.raw`${1}{{ v }}${2}`",
    "String.raw`${1}${2}{{ v }}`",
    "'\\{{ v }}'",
    "'\\\\\\{{ v }}'",
    "'\\0{{ v }}'",
    "'\\x{{ v }}'",
    "`\\u{{ v }}`",
    "`\\u{{ '{' }}61}`",
    "'{{ v }}",
    "`{{ v }}",
    "if {{ v }} { 1 }",
    "function f{{ v }} {}",
    "import {{ v }}",
    "new Date{{ v }}",
    "} {{ v }} async function g() {",
  ])("are refused in %s", async (body) => {
    expect(await rendered(`1;\n${body}`)).toMatch(/^E: template of '\$t' is invalid: line [23] of its code: ./);
  });

  it("never reach code, wherever a template puts them", { timeout: 300_000 }, async () => {
    const part = fc.constantFrom(
      ..."{{ v }}|'{{ v }}'|\"{{ v }}\"|`{{ v }}${ {{ v }} }`|f({{ v }})|[{{ [v] }}]|({ a: {{ v }} })|x = {{ v }}".split(
        "|",
      ),
      ..."/{{ v }}/|// {{ v }}|/* {{ v }} */|{{ v }} / 2|a / {{ v }} / b|x => {{ v }}|() => {{ {a: v} }}|return {{ v }}".split(
        "|",
      ),
      ..."`${`{{ v }}`}`|`a`|'a'|/a/|(a)|{ a }|a".split("|"),
    );
    const between = fc.constantFrom(
      ..."\n|;|, | + |'|\"|`|${|}|{|(|)|[|]|/|//|/*|*/|x|.|=|=>|\\| |:|?|<|!|-".split("|"),
      ";",
      ";",
      "\n",
    );
    let placed = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(part, between), { minLength: 1, maxLength: 4 }),
        hostile,
        async (parts, value) => {
          const body = parts.flat().join("");
          const [code, tame] = [await rendered(body, value), await rendered(body, "v")];
          const isRefused = tame.startsWith("E: ");
          if (!isRefused && body.includes("{{")) placed++;
          if (isRefused) expect(code).toMatch(/^E: /);
          else expect(shapeOf(code), code).toEqual(shapeOf(tame));
        },
      ),
      runs(10_000),
    );
    expect(placed).toBeGreaterThan(10);
  });
});

/** The kinds of the nodes of code, without its literals of texts. */
function shapeOf(code: string): readonly unknown[] {
  const file = ts.createSourceFile("a.ts", `async function f() {${code}\n}`, ts.ScriptTarget.ES2023, true);
  const shape = (node: ts.Node): readonly unknown[] => {
    const parts: unknown[] = [ts.SyntaxKind[node.kind]];
    ts.forEachChild(node, (child) => void parts.push(shape(child)));
    return parts;
  };
  return shape(file);
}

describe("literals", () => {
  const quote = fc.constantFrom<TypescriptQuote>('"', "'", "`");

  it("hold any text, in any quotes, on one line", async () => {
    await fc.assert(
      fc.property(hostile, quote, (value, one) => {
        const literal = one + typescriptText(value, one) + one;
        expect(literal).not.toMatch(/[\n\r\u2028\u2029\0]/);
        expect(evaluated(`return ${literal}`)).toBe(value);
      }),
      runs(5_000),
    );
  });

  it("hold any value of JSON, with any name", async () => {
    const value = fc.jsonValue().chain((one) => fc.constantFrom(one, JSON.parse(JSON.stringify({ __proto__x: one }))));
    const named = fc.dictionary(fc.oneof(hostile, fc.constant("__proto__")), value, { noNullPrototype: true });
    await fc.assert(
      fc.property(fc.oneof(value, named), (one) => {
        expect(JSON.stringify(evaluated(`return (${typescriptLiteral(one)})`))).toBe(JSON.stringify(one));
      }),
      runs(1_000),
    );
    const own = JSON.parse('{"__proto__": {"a": 1}}') as { [name: string]: { a: number } };
    expect(typescriptLiteral(own)).toBe('{ ["__proto__"]: { a: 1 } }');
    expect(JSON.stringify(evaluated(`return ${typescriptLiteral(own)}`))).toBe('{"__proto__":{"a":1}}');
  });
});
