/** The printer: a real parser reads back the same value from printed hostile text. */

import fc from "fast-check";
import { ts } from "ts-morph";
import { describe, expect, test } from "vitest";
import {
  docComment,
  generatedHeader,
  inCode,
  inComment,
  inFence,
  inMarkdown,
  jsLiteral,
  jsString,
  prettyJson,
  propertyKey,
  textBeginning,
} from "../../../generator/core/printer.js";
import { pythonCall, pythonLiteral } from "../../../runtime/contract/python-types.js";
import { pythonVersion, runPython } from "../../support/generator-python.js";
import { runs } from "../../support/random.js";

/** What a reader would not see, or see elsewhere than it is. */
const UNSEEN = /[\u007f-\u009f\p{Bidi_Control}]/u;
/** Text that ends, breaks or begins something in one of the languages. */
const HOSTILE = [
  "\u202e",
  "\u2066",
  "\u200f",
  "\u009b",
  "*/",
  "/*",
  "//",
  "`",
  "```",
  "${",
  "}",
  "|",
  "\n",
  "\r\n",
  "\r",
  "-->",
  "<!--",
  '"""',
  "'''",
  '"',
  "'",
  "\\",
  "\\\\",
  "\u2028",
  "\u2029",
  "\u0000",
  "\u0085",
  "\ufeff",
  "😀",
  "__proto__",
  "#",
  "- ",
  "_",
  "*",
  "&amp;",
  "<b>",
  "[a](b)",
  "~",
  "$",
  " ",
  "a",
  "1",
];
const hostile = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.array(fc.constantFrom(...HOSTILE), { maxLength: 12 }).map((parts) => parts.join("")),
);
const LINES = /\r\n|[\n\r]/;

/** The only expression of a TypeScript source, which must have no syntax error. */
function parse(source: string): ts.SourceFile {
  const file = ts.createSourceFile("a.ts", source, ts.ScriptTarget.ES2023, true, ts.ScriptKind.TS);
  expect((file as unknown as { parseDiagnostics: readonly unknown[] }).parseDiagnostics).toEqual([]);
  return file;
}

describe("JavaScript", () => {
  test("a string is one literal of the same text, on one line in any reading", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const [statement, ...rest] = parse(`(${jsString(text)});`).statements;
        const literal =
          statement && ts.isExpressionStatement(statement) && ts.isParenthesizedExpression(statement.expression)
            ? statement.expression.expression
            : undefined;
        expect(rest).toEqual([]);
        expect(literal && ts.isStringLiteral(literal) && literal.text).toBe(text);
        expect(jsString(text)).not.toMatch(/[\n\r\u2028\u2029]/);
      }),
      runs(3000),
    );
  });

  test("a property key is the same name, bare where that is an identifier", () => {
    fc.assert(
      fc.property(hostile, (name) => {
        const [statement] = parse(`interface A { ${propertyKey(name)}: 1 }`).statements;
        const member = statement && ts.isInterfaceDeclaration(statement) ? statement.members[0]?.name : undefined;
        expect(member && "text" in member && member.text).toBe(name);
      }),
      runs(2000),
    );
    expect([propertyKey("a_b$"), propertyKey("a-b"), propertyKey("1a")]).toEqual(["a_b$", '"a-b"', '"1a"']);
  });

  test("text in a comment cannot end it, and every line of it is there", () => {
    fc.assert(
      fc.property(fc.array(hostile, { minLength: 1, maxLength: 3 }), (lines) => {
        const source = docComment(lines, "  ");
        const file = parse(`${source}const a = 1;`);
        expect(file.statements).toHaveLength(1);
        const [range, ...others] = ts.getLeadingCommentRanges(file.text, 0) ?? [];
        expect(others).toEqual([]);
        expect(range?.end).toBe(source.trimEnd().length);
        const body = source
          .split("\n")
          .slice(1, -2)
          .map((line) => line.slice("   * ".length));
        const wanted = lines.flatMap((line) => inComment(line).split(LINES));
        expect(body).toEqual(wanted.map((line) => (line.trim() === "" ? "" : line.trimEnd())));
        expect(source).not.toMatch(/[ \t]\n/);
        expect(source).not.toMatch(UNSEEN);
      }),
      runs(2000),
    );
  });

  test("JSON for people hides nothing", () => {
    fc.assert(
      fc.property(fc.array(hostile), (texts) => {
        const value = { texts, [texts[0] ?? ""]: [] };
        for (const text of [prettyJson(value, 20), jsLiteral(value)]) {
          expect(JSON.parse(text)).toEqual(value);
          expect(text).not.toMatch(UNSEEN);
        }
      }),
      runs(2000),
    );
  });

  test("JSON for people is the same value, within its width where that can be", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.integer({ min: 10, max: 200 }), (value, width) => {
        const text = prettyJson(value, width);
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
        expect(text.endsWith("\n") && !/[ \t]\n|\u2028/.test(text)).toBe(true);
        expect(prettyJson(JSON.parse(text), width)).toBe(text);
      }),
      runs(2000),
    );
    expect(prettyJson({ a: [1, 2], b: undefined, c: {} })).toBe('{ "a": [1, 2], "c": {} }\n');
    expect(prettyJson({ [`${"x".repeat(12)}`]: [], b: {} }, 12)).toBe(`{\n  "${"x".repeat(12)}": [],\n  "b": {}\n}\n`);
    expect(prettyJson({ a: ["x".repeat(8), "y"] }, 12)).toBe('{\n  "a": [\n    "xxxxxxxx",\n    "y"\n  ]\n}\n');
  });

  test("a literal of any JSON value is that value", () => {
    expect(jsLiteral({ a: "\u2028", b: [null, 1.5] })).toBe('{"a":"\\u2028","b":[null,1.5]}');
  });
});

describe.skipIf(pythonVersion === undefined)(`Python (${pythonVersion ?? "python3 is not installed"})`, () => {
  const samples = <T>(arbitrary: fc.Arbitrary<T>): readonly T[] => {
    const { seed, numRuns } = runs(3000);
    return fc.sample(arbitrary, { seed, numRuns });
  };

  test("a string is the same text", () => {
    const texts = samples(hostile);
    expect(runPython("[ast.literal_eval(one) for one in value]", texts.map(pythonLiteral))).toEqual(texts);
    for (const text of texts) {
      expect(pythonLiteral(text)).not.toMatch(/[\n\r\u2028\u2029\u0085]/);
      expect(pythonLiteral(text)).not.toMatch(UNSEEN);
    }
  });

  test("a literal is the same value", () => {
    const values = samples(fc.jsonValue({ maxDepth: 3 }));
    const back = runPython(
      "[ast.literal_eval(one) for one in value]",
      values.map((one) => pythonLiteral(one as never)),
    );
    expect(JSON.stringify(back)).toBe(JSON.stringify(values));
  });
});

test("a call in Python: arguments have their Python names, and a keyword without one goes in a dictionary", () => {
  const parameters = [
    { name: "from_2", original: "from" },
    { name: "from_", original: "from_" },
    { name: "user_id", original: "user-id" },
  ];
  const call = pythonCall("a.b", { from: 1, from_: 2, "user-id": 3, class: 4 }, parameters);
  expect(call).toBe("a.b(from_2=1, from_=2, user_id=3, **{'class': 4})");
  expect(pythonCall("a.b", { from: 1 })).toBe("a.b(**{'from': 1})");
});

test("a call in Python: texts are quoted, and an argument that is no name goes in a dictionary", () => {
  expect(pythonCall("a.b", { text: "it's", flags: [true, null], "no-name": 1 })).toBe(
    "a.b(text='it\\'s', flags=[True, None], **{'no-name': 1})",
  );
});

describe("Markdown", () => {
  /** What is left when the escapes of CommonMark are undone. */
  const unescaped = (text: string): string =>
    text.replace(
      /\\([!-/:-@[-`{-~])|&(lt|gt|amp);/g,
      (_, mark: string | undefined, entity: string) => mark ?? { lt: "<", gt: ">", amp: "&" }[entity] ?? "",
    );

  test("text reads as itself", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const wanted = text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => line.replace(/^( {4,}|\t+)/, "").trimEnd());
        expect(unescaped(inMarkdown(text)).split("\n")).toEqual(wanted);
      }),
      runs(3000),
    );
  });

  test("no mark keeps its meaning, and no line becomes a heading or a rule", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const bare = inMarkdown(text).replace(/\\./gs, "x");
        expect(bare).not.toMatch(/[`*{}[\]<>|~$]|&(?!(lt|gt|amp);)#?\w+;/);
        expect(bare).not.toMatch(/(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])/);
        expect(bare).not.toMatch(/^\s*(#{1,6}(\s|$)|[-=]+\s*$)/m);
        expect(bare).not.toMatch(/[ \t]$/m);
      }),
      runs(3000),
    );
  });

  test("words keep their underscores, lists stay lists", () => {
    expect(inMarkdown("create_or_attach\n- a\n1. b\nAT&T")).toBe("create_or_attach\n- a\n1. b\nAT&T");
    expect(inMarkdown("_a_ __b__")).toBe("\\_a\\_ \\_\\_b\\_\\_");
  });

  test("a code span holds any text: its fence is longer than any run inside", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const span = inCode(text);
        const fence = /^`+/.exec(span)?.[0] ?? "";
        const inside = span.slice(fence.length, -fence.length || undefined);
        expect(text === "" || span.endsWith(fence)).toBe(true);
        if (text !== "" && !/^`+$/.test(text))
          expect(inside.split(/[^`]+/).every((run) => run.length !== fence.length)).toBe(true);
        expect(span).not.toMatch(/[\n\r\u2028\u2029]/);
      }),
      runs(2000),
    );
    expect(inCode("a `b` c")).toBe("`` a `b` c ``");
  });

  test("a fenced block holds any text", () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const [open = "", ...rest] = inFence(text, "ts").split("\n");
        const fence = open.replace("ts", "");
        expect(rest.pop()).toBe(fence);
        expect(rest.join("\n")).toBe(text);
        expect(rest.some((line) => line.includes(fence))).toBe(false);
      }),
      runs(2000),
    );
  });
});

describe("headers and cuts", () => {
  test("a header names its sources, and the folder where they are many; it is one line", () => {
    expect(generatedHeader("#", ["definitions/a.ts", "definitions/b.ts"])).toBe(
      "# @generated by toolwright from definitions/a.ts, definitions/b.ts. Do not edit: toolwright generate\n",
    );
    expect(generatedHeader("//", ["a", "b", "c", "d", "e"])).toContain("from definitions/. Do");
    expect(generatedHeader("//", ["a\nb\u2028c"])).toMatch(/^.*\n$/);
  });

  test("the beginning of a text never tears a character apart", () => {
    expect([textBeginning("a😀b", 2), textBeginning("a😀b", 3), textBeginning("ab", 5)]).toEqual(["a", "a😀", "ab"]);
  });
});
