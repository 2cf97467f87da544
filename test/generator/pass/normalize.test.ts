/** Schemas: links, dialects, normal form, and defaults that do not fit. */

import { describe, expect, test } from "vitest";
import { dialectOf, subschemas } from "../../../generator/core/dialect.js";
import { normalizeSchema } from "../../../runtime/contract/normal-schema.js";
import { withoutKeywords } from "../../../runtime/contract/schema-copy.js";
import { buildProject, errorsOf, jsonProject, onlyTool, tool } from "../../support/generator-host.js";

const say = async (properties: object, rest: object = {}) =>
  (await buildProject(jsonProject([tool("get_a", properties, rest)]))).diagnostics.map(
    (one) => `${one.code} ${one.message}`,
  );

test("an argument has its type, however many references are behind those before it", async () => {
  const names = Array.from({ length: 20 }, (_, at) => `d${at}`);
  const web = Object.fromEntries(names.map((name) => [name, { $ref: `#/$defs/${name}` }]));
  const { signature } = await onlyTool(
    jsonProject([
      tool(
        "get_a",
        { first: { $ref: "#/$defs/d0" }, last: { $ref: "#/$defs/last" } },
        {
          $defs: {
            ...Object.fromEntries(names.map((name) => [name, { type: "object", properties: web }])),
            last: { type: "object", properties: { x: { type: "string" } } },
          },
        },
      ),
    ]),
  );
  expect(signature.python).toContain("last: dict");
  expect(signature.typescript).toContain("last?: ");
  expect(signature.typescript).not.toContain("last?: unknown");
});

describe("allOf", () => {
  test("members are merged for signatures, help and examples, through references", async () => {
    const made = await onlyTool(
      jsonProject([
        tool(
          "get_a",
          { own: { type: "integer" } },
          {
            allOf: [{ properties: { a: { type: "string" } }, required: ["a"] }, { $ref: "#/$defs/more" }],
            $defs: { more: { allOf: [{ properties: { b: { enum: ["x", "y"], default: "x" } } }] } },
          },
        ),
      ]),
    );
    expect(made.parameters.map((one) => [one.name, one.type, one.required])).toEqual([
      ["a", "string", true],
      ["own", "integer", false],
      ["b", "x|y", false],
    ]);
    expect(made.examples[0]?.args).toEqual({ a: "<a>" });
  });

  test("one that refers to itself ends", () => {
    const loop = { allOf: [{ $ref: "#" }, { properties: { a: { type: "string" } } }] };
    expect(normalizeSchema(loop, loop)).toMatchObject({ kind: "object" });
  });
});

describe("dialect", () => {
  test.each([
    ["the one that $schema names", { $schema: "https://json-schema.org/draft/2019-09/schema" }, "2019-09"],
    ["an older draft is read as draft-07", { $schema: "http://json-schema.org/draft-04/schema#" }, "draft-07"],
    ["none, and nothing that only a newer one knows", { properties: { prefixItems: {} } }, "draft-07"],
    ["none, and a keyword that draft-07 would ignore", { properties: { a: { prefixItems: [] } } }, "2020-12"],
  ])("is found in the schema: %s", (_what, schema, dialect) => expect(dialectOf(schema as never)).toBe(dialect));

  test("the name of the dialect is not part of what is validated", async () => {
    expect(
      (await onlyTool(jsonProject([tool("get_a", {}, { $schema: "https://json-schema.org/draft/2020-12/schema" })])))
        .op,
    ).toBe("p.get_a");
  });
});

describe("walks", () => {
  test("every subschema is met once, with its pointer", () => {
    const schema = {
      properties: { "a/b": { items: [{}, true] } },
      dependencies: { x: { not: {} }, y: ["z"] },
      enum: [{ properties: {} }],
    };
    expect([...subschemas(schema as never)].map((one) => one.pointer)).toEqual([
      "",
      "/properties/a~1b",
      "/properties/a~1b/items/0",
      "/dependencies/x",
      "/dependencies/x/not",
    ]);
  });

  test("keywords are dropped, properties and dependencies of that name are not", () => {
    const schema = {
      title: "x",
      properties: { title: { title: "y" } },
      dependentRequired: { title: ["a"] },
      dependencies: { title: ["b"] },
      default: { title: 1 },
    };
    expect(withoutKeywords(schema as never, (key) => key === "title")).toEqual({
      properties: { title: {} },
      dependentRequired: { title: ["a"] },
      dependencies: { title: ["b"] },
      default: { title: 1 },
    });
  });

  test("an argument called like a keyword is still required by another", async () => {
    const { registry, files } = await buildProject(
      jsonProject([tool("get_a", { title: {}, description: {} }, { dependentRequired: { description: ["title"] } })]),
    );
    expect(registry?.tools).toHaveLength(1);
    expect(files.find((one) => one.path === "validators/p.js")?.text).toContain("dependentRequired");
  });
});

describe("references", () => {
  test.each([
    ["another document", "https://example.com/a.json"],
    ["another file", "other.json#/a"],
    ["nowhere", "#/$defs/missing"],
    ["a pointer that encodes nothing", "#/$defs/100%"],
  ])("to %s is refused", async (_what, $ref) => {
    expect(await say({ a: { $ref } })).toEqual([
      `schema-remote-ref get_a refers to ${$ref}, which is not inside its own schema`,
    ]);
  });

  test("one that leads back to itself is refused, one that does so only while a value is judged costs the example", async () => {
    expect(await say({ a: { allOf: [{ $ref: "#/properties/a" }] } })).toEqual([
      "schema-endless the reference #/properties/a of get_a leads back to itself",
    ]);
    const turning = { $defs: { a: { $dynamicAnchor: "a", anyOf: [{ $dynamicRef: "#a" }] } } };
    const found = await say({ a: { $ref: "#/$defs/a" } }, { ...turning, required: ["a"] });
    expect(found.filter((one) => one.startsWith("example"))).toEqual([
      'example-impossible no example of p.get_a can be made from its schema: / breaks $dynamicRef "without end"',
    ]);
  });

  test("local ones resolve, recursive ones are cut where they repeat", () => {
    const node = { type: "object", properties: { next: { $ref: "#/$defs/node" } } };
    const root = { $ref: "#/$defs/node", $defs: { node } };
    expect(normalizeSchema(root, root)).toEqual({
      kind: "object",
      open: true,
      properties: [{ name: "next", required: false, schema: { kind: "ref", ref: "#/$defs/node" } }],
    });
  });
});

test.each([
  ["by two references", { allOf: [{ $ref: "#/$defs/t" }, { $ref: "#/$defs/t" }] }],
  ["by an allOf in an allOf", { allOf: [{ allOf: [{ $ref: "#/$defs/t" }] }] }],
  ["beside a member of its own", { allOf: [{ $ref: "#/$defs/t" }, { properties: { v: { type: "string" } } }] }],
])("a schema that is part of itself through allOf, %s, is cut where it repeats", (_, n) => {
  const root = { $ref: "#/$defs/t", $defs: { t: { type: "object", properties: { n } } } };
  expect(JSON.stringify(normalizeSchema(root, root))).toContain('{"kind":"ref","ref":"#/$defs/t"}');
});

describe("normal form", () => {
  const STRING = { kind: "string" };
  test.each([
    ["type words", { type: ["string", "null"] }, { kind: "union", members: [STRING, { kind: "null" }] }],
    [
      "unions in unions, without repetitions",
      { anyOf: [{ type: "string" }, { oneOf: [{ type: "string" }, { type: "null" }] }] },
      { kind: "union", members: [STRING, { kind: "null" }] },
    ],
    ["one alternative", { anyOf: [{ type: "string" }] }, STRING],
    [
      "const and enum",
      { anyOf: [{ const: 1 }, { enum: [2, 3] }] },
      {
        kind: "union",
        members: [
          { kind: "literal", values: [1] },
          { kind: "literal", values: [2, 3] },
        ],
      },
    ],
    [
      "tuples of either draft",
      { type: "array", items: [{ type: "string" }], additionalItems: false },
      { kind: "tuple", items: [STRING], least: 0 },
    ],
    [
      "tuples with a rest",
      { prefixItems: [{ type: "string" }], items: { type: "string" } },
      { kind: "tuple", items: [STRING], least: 0, rest: STRING },
    ],
    ["a type that is only implied", { properties: {} }, { kind: "object", open: true, properties: [] }],
    ["true, false and an unknown type", { type: "array", items: false }, { kind: "array", items: { kind: "never" } }],
  ])("is the same for all spellings: %s", (_what, schema, normal) =>
    expect(normalizeSchema(schema, {})).toEqual(normal),
  );

  test("a word that is no type is an error, not an unknown type", async () => {
    expect((await say({ a: { type: "dict" } }))[0]).toMatch(
      /^schema-invalid input schema of get_a is invalid at \/properties\/a\/type: .*string/,
    );
  });

  test("an invalid pattern is an error", async () => {
    expect(await say({ a: { type: "string", pattern: "(" } })).toEqual([
      expect.stringMatching(/^schema-invalid .*"\(" is no regular expression/),
    ]);
  });
});

describe("values that only prose lists", () => {
  test.each([
    ["in parentheses", "State (open, waiting or closed).", "open, waiting, closed"],
    ["with a comma before or", "State (open, waiting, or closed).", "open, waiting, closed"],
    ["after Valid", 'Valid values: "low", "high", "top"', "low, high, top"],
    ["after one of, with bars", "one of: a|b|c", "a, b, c"],
    ["two are no list", "Either (yes, no).", undefined],
  ])("are reported if they are a list: %s", async (_what, description, values) => {
    const found = await say({ "a/b": { type: "string", description } });
    const listed = values === undefined ? [] : [`enum-in-prose the description of get_a a/b lists values: ${values}`];
    expect(found).toEqual(["parameter-renamed arguments of get_a have other names in Python: a/b is a_b", ...listed]);
  });
});

describe("defaults that do not fit would make every call fail", () => {
  test("they are reported with what is wrong, and left out at every depth", async () => {
    const nested = {
      type: "object",
      properties: { w: { type: "integer", default: "x" }, h: { type: "integer", default: 1 } },
    };
    const properties = {
      n: { type: "integer", minimum: 3, default: 1 },
      s: { enum: ["a"], default: "b" },
      o: nested,
      list: { type: "array", items: nested },
      ok: { type: ["string", "null"], default: null },
    };
    const project = jsonProject([tool("get_a", properties)]);
    const { diagnostics, registry } = await buildProject(project);
    expect(diagnostics.map((one) => one.message)).toEqual([
      "the default of get_a n does not fit: breaks minimum 3",
      'the default of get_a s does not fit: must be one of "a"',
      "the default of get_a o.w does not fit: must be integer",
      "the default of get_a list.w does not fit: must be integer",
    ]);
    expect(JSON.stringify(registry?.tools[0]?.parameters_schema)).not.toMatch(/"default":(1,"|"b"|"x")/);
    expect(registry?.tools[0]?.parameters.map((one) => [one.name, one.default])).toEqual([
      ["n", undefined],
      ["s", undefined],
      ["o", undefined],
      ["list", undefined],
      ["ok", null],
    ]);
  });

  test("a default behind a reference is judged by what it refers to", async () => {
    const defs = { $defs: { level: { type: "integer", default: "high" } } };
    expect(await say({ a: { $ref: "#/$defs/level" } }, defs)).toEqual([
      "default-invalid the default of get_a $defs.level does not fit: must be integer",
    ]);
  });
});

test("a root that is no object, and names that appear twice, are errors", async () => {
  const twice = jsonProject([tool("get_a", {}, { type: ["string", "null"] }), tool("get_b"), tool("get_b")]);
  expect(errorsOf((await buildProject(twice)).diagnostics).map((line) => line.split(" ")[1])).toEqual([
    "schema-not-object",
    "duplicate-tool",
  ]);
});
