/** What is read from the text of a Python file about its tools, without running it. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { runs } from "../../../test/support/random.js";
import { cleanedDocstring, readDocstring } from "../docstring.js";
import { type PythonFile, readPythonFile } from "../python-file.js";

const read = (code: string): PythonFile => readPythonFile(".onetool/tools/x.py", code);

/** The parameters of `def f(...)`. */
function parametersOf(signature: string, before = ""): Readonly<Record<string, unknown>> {
  const { functions, faults } = read(`${before}\ndef f(${signature}):\n    "Does."\n`);
  expect(faults).toEqual([]);
  return functions[0]?.parameters ?? {};
}
const schemaOf = (hint: string, before = ""): unknown =>
  (parametersOf(`x: ${hint}`, before)["properties"] as Readonly<Record<string, unknown>>)["x"];

const INTEGER = { type: "integer" };
const STRING = { type: "string" };
const NULL = { type: "null" };

describe("type hints", () => {
  test.each<[string, unknown]>([
    ["str", STRING],
    ["int", INTEGER],
    ["float", { type: "number" }],
    ["bool", { type: "boolean" }],
    ["Any", {}],
    ["typing.Any", {}],
    ["None", NULL],
    ["list", { type: "array" }],
    ["list[int]", { type: "array", items: INTEGER }],
    ["Sequence[List[str]]", { type: "array", items: { type: "array", items: STRING } }],
    ["set[str]", { type: "array", items: STRING, uniqueItems: true }],
    ["tuple[int, ...]", { type: "array", items: INTEGER }],
    ["tuple[int, str]", { type: "array", prefixItems: [INTEGER, STRING], minItems: 2, maxItems: 2 }],
    ["dict", { type: "object" }],
    ["dict[str, int]", { type: "object", additionalProperties: INTEGER }],
    ["Dict[str, Any]", { type: "object" }],
    ["str | None", { anyOf: [STRING, NULL] }],
    ["Optional[int]", { anyOf: [INTEGER, NULL] }],
    ["Union[int, str, None]", { anyOf: [INTEGER, STRING, NULL] }],
    ["int | str | int", { anyOf: [INTEGER, STRING] }],
    ["int | Any", {}],
    ['Literal["a", 1, -2, True, None]', { enum: ["a", 1, -2, true, null] }],
    ['"list[int] | None"', { anyOf: [{ type: "array", items: INTEGER }, NULL] }],
    ['Annotated[int, "How many."]', { ...INTEGER, description: "How many." }],
    ["(int)", INTEGER],
    ["int + str", {}],
    [
      Array.from({ length: 12 }, (_, i) => `Literal[${i}]`).join(" | "),
      { anyOf: Array.from({ length: 12 }, (_, i) => ({ enum: [i] })) },
    ],
  ])("%s becomes its schema", (hint, schema) => expect(schemaOf(hint)).toEqual(schema));

  test("names of the file: aliases, TypedDicts and their bases", () => {
    const before = `
Mode = Literal["a"]
type Many = list[Mode]
class Base(TypedDict):
    id: int
class Point(Base, total=False):
    x: Required[int]
    y: "Mode"
`;
    expect(schemaOf("Many", before)).toEqual({ type: "array", items: { enum: ["a"] } });
    expect(schemaOf("Point", before)).toEqual({
      type: "object",
      properties: { id: INTEGER, x: INTEGER, y: { enum: ["a"] } },
      required: ["id", "x"],
      additionalProperties: false,
    });
  });

  test("a recursive name ends, and an unknown one is reported and accepts anything", () => {
    expect(schemaOf("Tree", "Tree = dict[str, 'Tree']")).toEqual({ type: "object" });
    expect(schemaOf("A", "class A(B): pass\nclass B(A): pass")).toEqual({});
    expect(read('def f(x: Widget, y: "Widget"):\n  "f"').unknownHints).toEqual(["Widget"]);
  });
});

describe("parameters", () => {
  test("those with a default are optional; a literal is the default", () => {
    expect(parametersOf("a, b: int = 0x10, *rest, c=[1, {'k': None}], d=-1.5, e=now(), f='x' 'y', **more")).toEqual({
      type: "object",
      properties: {
        a: {},
        b: { ...INTEGER, default: 16 },
        c: { default: [1, { k: null }] },
        d: { default: -1.5 },
        e: {},
        f: { default: "xy" },
      },
      required: ["a"],
      additionalProperties: false,
    });
  });

  test("None as default makes a type nullable", () => {
    expect(parametersOf("a: int = None")).toMatchObject({
      properties: { a: { anyOf: [INTEGER, NULL], default: null } },
    });
  });

  test.each(["a, /", "a, b, /, c", "a, /, # why"])("positional only, (%s): refused with its line", (signature) => {
    expect(read(`\n\ndef f(${signature}\n): "f"`)).toMatchObject({ functions: [], faults: [{ line: 3 }] });
  });

  test.each(["a, # not / a slash\n b", "a,", "a='/'", ""])("(%s) is no such function", (signature) => {
    expect(read(`def f(${signature}): "f"`).functions).toHaveLength(1);
  });
});

describe("functions", () => {
  test("public functions of the module with a docstring, the last of a name; the others are named", () => {
    const { functions, undocumented, summary, asynchronous } = read(`"""Sums.

Rest."""
@cached
async def one(): "One."
def two(): "Old."
def two(): """Two.""" ; return 2
def _three(): "Three."
def four(): pass
def five(): ""
class Six:
    def seven(self): "Seven."
if True:
    def eight(): "Eight."
`);
    expect(functions.map(({ name, description, line }) => [name, description, line])).toEqual([
      ["one", "One.", 5],
      ["two", "Two.", 7],
    ]);
    expect(undocumented).toEqual(["four", "five"]);
    expect(summary).toBe("Sums.");
    expect([...asynchronous]).toEqual(["one"]);
  });

  test("a write unless the module or the function says readonly", () => {
    const kinds = (code: string) => read(code).functions.map(({ kind }) => kind);
    expect(kinds('def f(): "f"')).toEqual(["write"]);
    expect(kinds('readonly = True\ndef f(): "f"\ndef g(): "g"\ng.readonly = False')).toEqual(["read", "write"]);
    expect(kinds('def f(): "f"\nf.readonly = True\ndef g():\n  "g"\n  readonly = True')).toEqual(["read", "write"]);
    expect(kinds('x = readonly = True\nreadonly = maybe()\ndef f(): "f"')).toEqual(["write"]);
  });

  test("a fault of the grammar costs the file its tools and has its line", () => {
    expect(read('def f(): "f"\n\ndef g(:\n  "g"')).toMatchObject({ functions: [], faults: [{ line: 3 }] });
  });

  test("a return outside of functions is a fault, which the parser alone does not see", () => {
    expect(read('def f():\n  "f"\n  return 1\nif f():\n  return 2')).toMatchObject({
      functions: [],
      faults: [{ line: 5 }],
    });
  });

  test("a result has the type of the hint and the words of the docstring", () => {
    const [f] = read('def f() -> dict[str, int]:\n  """F.\n\n  Returns:\n    Counts: by name.\n  """').functions;
    expect(f?.result).toEqual({ type: "object", additionalProperties: INTEGER, description: "Counts: by name." });
    expect(read('def f() -> None: "f"').functions[0]?.result).toBeUndefined();
  });

  test("reading any file ends without an exception", () => {
    const words =
      "def f( x : int | = None , *a /) -> str:\\n ''' \" [ ] { } class A(TypedDict): @ async return readonly True type T";
    const piece = fc.oneof(
      fc.constantFrom(...words.split(" ")),
      fc.constantFrom(
        "\n",
        "    ",
        "def g(a: list[",
        '"d"',
        "Args:\n  a: b",
        "f.readonly = True\n",
        "\u0000",
        "\ufeff",
      ),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
        const { functions, faults } = read(pieces.join(" "));
        for (const { parameters } of functions) expect(parameters["type"]).toBe("object");
        for (const { line } of faults) expect(line).toBeGreaterThan(0);
      }),
      runs(3000),
    );
  });

  test.each<[string, (deep: number) => string]>([
    ["parentheses", (deep) => `def f(x: ${"(".repeat(deep)}int${")".repeat(deep)}): "f"`],
    ["brackets", (deep) => `def f(x: ${"list[".repeat(deep)}int${"]".repeat(deep)}): "f"`],
    ["defaults", (deep) => `def f(x=${"[".repeat(deep)}${"]".repeat(deep)}): "f"`],
    ["unions", (deep) => `def f(x: ${"int | ".repeat(deep)}None): "f"`],
    ["minus", (deep) => `def f(x=${"-".repeat(deep)}1): "f"`],
    ["quotes", () => `A = "A | 'A'"\ndef f(x: A): "f"`],
  ])("deep nesting is read as far as it goes: %s", { tags: "full" }, (_, code) => {
    expect(read(code(100)).functions.map(({ name }) => name)).toEqual(["f"]);
    // The parser gives up somewhere; so does Python.
    const { functions, faults } = read(code(5000));
    expect(functions.length + faults.length).toBe(1);
  });

  test("any text is a docstring as it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 60 }), fc.boolean(), (text, isDefault) => {
        // JSON's escapes are Python's; nothing of the text may end the literal or the function.
        const literal = JSON.stringify(text);
        const { functions } = read(
          `def f(x=${isDefault ? literal : "1"}):\n    ${JSON.stringify(`S.\n${text}`)}\n    return 1\n`,
        );
        expect(functions[0]?.description.startsWith("S.")).toBe(true);
        if (isDefault) expect(functions[0]?.parameters["properties"]).toEqual({ x: { default: text } });
      }),
      runs(1000),
    );
  });
});

describe("docstrings", () => {
  const parts = {
    description: "Finds.\n\nLong\nstory.",
    parameters: new Map([
      ["query", "What to look for, on two lines."],
      ["count", "How many: at most."],
    ]),
    returns: "What was found.",
  };

  test.each([
    [
      "Google",
      `Finds.

    Long
    story.

    Args:
        query (str): What to look for,
            on two lines.
        count: How many: at most.

    Returns:
        What was found.
    `,
    ],
    [
      "NumPy",
      `Finds.

    Long
    story.

    Parameters
    ----------
    query : str
        What to look for,
        on two lines.
    count
        How many: at most.

    Returns
    -------
    list
        What was found.
    `,
    ],
    [
      "Sphinx",
      `Finds.

    Long
    story.

    :param str query: What to look for,
        on two lines.
    :type query: str
    :param count: How many: at most.
    :returns: What was found.
    :rtype: list
    `,
    ],
  ])("in the style of %s are read", (_, text) => expect(readDocstring(text)).toEqual(parts));

  test("what belongs to no such part stays, with its own indentation", () => {
    expect(readDocstring("A.\n\n    Raises:\n        ValueError: Bad.\n\n    Args:\n\n    B.").description).toBe(
      "A.\n\nRaises:\n    ValueError: Bad.\n\nArgs:\n\nB.",
    );
    expect(cleanedDocstring("\n\tA\n\t  B\n\n")).toBe("A\n  B");
  });

  test("reading ends, and keeps the first line, for any text after it", () => {
    const line = fc.constantFrom(
      "Args:",
      "  x: y",
      "Returns:",
      "----",
      ":param x: y",
      "",
      "    z",
      "Parameters",
      "text",
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 12 }), (lines) => {
        expect(readDocstring(["First.", ...lines].join("\n")).description.startsWith("First.")).toBe(true);
      }),
      runs(2000),
    );
  });
});
