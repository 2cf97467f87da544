/** Examples: the smallest call that the op's own validator accepts. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadCompiler } from "../../../generator/core/compile.js";
import { isPlaceholder, requiredNamesInOrder, sample } from "../../../runtime/contract/sample.js";
import { buildProject, jsonProject, onlyTool, registryOf, tool } from "../../support/generator-host.js";
import { runs } from "../../support/random.js";

const argsOf = async (
  properties: object,
  rest: object = { required: Object.keys(properties) },
  config = "",
): Promise<unknown> => (await onlyTool(jsonProject([tool("set_a", properties, rest)], config))).examples[0]?.args;

describe("what stands for a value", () => {
  test.each([
    ["an id or a text: a placeholder", { task_id: { type: "string", "x-id": "task" } }, { task_id: "<task_id>" }],
    ["the first enum value", { s: { enum: ["b", "a"] } }, { s: "b" }],
    ["a constant", { s: { const: 3 } }, { s: 3 }],
    [
      "a declared example",
      { s: { type: "string", examples: ["x", "y"] }, t: { type: "string", example: "z" } },
      { s: "x", t: "z" },
    ],
    ["the default of a number", { n: { type: "integer", default: 20 } }, { n: 20 }],
    [
      "a number inside its bounds",
      { n: { type: "integer", minimum: 5 }, m: { type: "number", maximum: 0 } },
      { n: 5, m: 0 },
    ],
    [
      "a number beside its exclusive bounds",
      { n: { type: "integer", exclusiveMinimum: 1 }, m: { type: "number", exclusiveMaximum: 1 } },
      { n: 2, m: 0.5 },
    ],
    [
      "a number on its grid",
      { n: { type: "integer", multipleOf: 4, minimum: 5 }, m: { type: "integer", minimum: 1.5 } },
      { n: 8, m: 2 },
    ],
    [
      "a fixed date",
      { d: { type: "string", format: "date" }, due_at: { type: "string", format: "date-time" } },
      { d: "2026-01-15", due_at: "2026-01-15T09:00:00Z" },
    ],
    [
      "a placeholder where the author has a rule",
      { start_date: { type: "string", pattern: "^\\d{8}$" } },
      { start_date: "<start_date>" },
    ],
    [
      "as many items as are asked for",
      { ids: { type: "array", items: { type: "string" }, minItems: 2 }, none: { type: "array" } },
      { ids: ["<id>", "<id>"], none: [] },
    ],
    [
      "different items where they must differ",
      { ids: { type: "array", items: { type: "string" }, minItems: 2, uniqueItems: true } },
      { ids: ["<id>", "<id_2>"] },
    ],
    [
      "a tuple by position",
      { t: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], minItems: 2 } },
      { t: ["<t>", 1] },
    ],
    ["the first of a union", { u: { anyOf: [{ type: "boolean" }, { type: "string" }] } }, { u: true }],
    [
      "null where it is accepted",
      { u: { type: ["null", "integer"] }, o: { type: "object", nullable: true } },
      { u: null, o: null },
    ],
    [
      "null where a member or an alternative may be null",
      {
        o: { type: "object", properties: { a: { enum: ["x", null] } }, required: ["a"] },
        u: { anyOf: [{ type: "object", properties: {} }, { type: "null" }] },
      },
      { o: { a: null }, u: null },
    ],
    ["the author's example, though null is accepted", { u: { type: ["string", "null"], example: "z" } }, { u: "z" }],
    [
      "required members of an object only",
      { o: { type: "object", properties: { a: { type: "string" }, b: {} }, required: ["a"] } },
      { o: { a: "<a>" } },
    ],
    [
      "required members that nothing declares",
      { o: { type: "object", required: ["adults"] } },
      { o: { adults: "<adults>" } },
    ],
  ])("in an example is %s", async (_what, properties, args) => expect(await argsOf(properties)).toEqual(args));

  test("optional arguments stay away", async () => expect(await argsOf({ a: { type: "string" } }, {})).toEqual({}));

  test("names that every object inherits are names like any other", async () => {
    expect(
      await argsOf({ constructor: { type: "string" }, toString: { type: "integer" } }, { required: ["constructor"] }),
    ).toEqual({ constructor: "<constructor>" });
  });
});

describe("constraints ask for more", () => {
  const config = (constraint: string): string => `ops: { set_a: { constraints: [${constraint}] } }\n`;
  const text = { type: "string" };

  test("one change: the first plain text, else the first argument", async () => {
    const some = { id: { type: "string", "x-id": "a" }, n: { type: "integer" }, title: text };
    expect(await argsOf(some, { required: ["id"] }, config("at_least_one_change: {}"))).toEqual({
      id: "<id>",
      title: "<title>",
    });
    expect(await argsOf({ n: { type: "integer" } }, {}, config("at_least_one_change: {}"))).toEqual({ n: 1 });
  });

  test("a change sets a value, though null is accepted", async () => {
    const properties = { n: { type: ["null", "integer"] } };
    expect(await argsOf(properties, {}, config("at_least_one_change: {}"))).toEqual({ n: 1 });
  });

  test("the first branch of a choice", async () => {
    expect(await argsOf({ a: text, b: text, c: text }, {}, config("one_of: [[b, c], [a]]"))).toEqual({
      b: "<b>",
      c: "<c>",
    });
  });
});

describe("an example that does not fit", () => {
  test("of the author stops the build", async () => {
    const config = "ops: { set_a: { examples: [{ n: 1 }, { n: x }] } }\n";
    const { diagnostics, files } = await buildProject(jsonProject([tool("set_a", { n: { type: "integer" } })], config));
    expect([diagnostics.map((one) => one.code), files]).toEqual([["example-invalid"], []]);
  });

  test("made from a schema that contradicts itself is left out with a warning", async () => {
    const { registry, diagnostics } = await buildProject(
      jsonProject([tool("set_a", { n: { type: "string", maxLength: 3, enum: ["long"] } }, { required: ["n"] })]),
    );
    expect([diagnostics.map((one) => one.code), registry?.tools[0]?.examples]).toEqual([["example-impossible"], []]);
  });
});

test("a get is shown after the list that gives its id", async () => {
  const config = "packs: { p: { entities: { task: tasks } } }\n";
  const { help } = await buildProject(
    jsonProject([tool("list_p_tasks"), tool("get_p_task", { id: { type: "string" } }, { required: ["id"] })], config),
  );
  expect(help?.get("p.task.get")?.examples.map((one) => [one.title, one.op])).toEqual([
    ["Smallest call", "p.task.get"],
    ["Step 1: find the id", "p.task.list"],
    ["Step 2: use it", "p.task.get"],
  ]);
});

test("examples of one op are the same in every build", async () => {
  const project = jsonProject([tool("set_a", { at: { type: "string", format: "date-time" } }, { required: ["at"] })]);
  expect(await registryOf(project)).toEqual(await registryOf(project));
});

/** Schemas whose samples can be made: bounds that leave room. */
const schemas: fc.Arbitrary<object> = fc.letrec(
  (tie) =>
    ({
      any: fc.oneof(
        { depthSize: "small", withCrossShrink: true },
        fc.record({ type: fc.constantFrom("string", "boolean", "null") }),
        fc.record(
          {
            type: fc.constantFrom("integer", "number"),
            minimum: fc.integer({ min: -9, max: 9 }),
            multipleOf: fc.constantFrom(1, 2, 5),
          },
          { requiredKeys: ["type"] },
        ),
        fc.record({
          type: fc.constant("integer"),
          exclusiveMinimum: fc.integer({ min: -9, max: 0 }),
          exclusiveMaximum: fc.integer({ min: 2, max: 9 }),
        }),
        fc.record({
          enum: fc.uniqueArray(fc.jsonValue({ maxDepth: 1 }), {
            minLength: 1,
            maxLength: 3,
            selector: (one) => JSON.stringify(one),
          }),
        }),
        fc.record({ type: fc.constant("array"), items: tie("any"), minItems: fc.nat(3) }),
        fc.record({ anyOf: fc.array(tie("any"), { minLength: 1, maxLength: 2 }) }),
        tie("object"),
      ),
      object: fc
        .dictionary(fc.string({ minLength: 1, maxLength: 5 }), tie("any"), { maxKeys: 3 })
        .map((properties) => ({ type: "object", properties, required: Object.keys(properties) })),
    }) as never,
)["object" as never];

test("for any schema that leaves room, the sample is accepted, placeholders apart", async () => {
  const { compile } = await loadCompiler();
  fc.assert(
    fc.property(schemas, (schema) => {
      const value = sample(schema, "x", schema as never);
      const at = (pointer: string): unknown =>
        pointer
          .split("/")
          .slice(1)
          .reduce<unknown>(
            (held, part) =>
              (held as Record<string, unknown> | undefined)?.[part.replaceAll("~1", "/").replaceAll("~0", "~")],
            value,
          );
      const issues = compile(schema as never)
        .issuesOf(value)
        .filter(({ instancePath, schemaPath }) => !isPlaceholder(at(instancePath)) && !schemaPath?.includes("anyOf"));
      expect(issues).toEqual([]);
      expect(requiredNamesInOrder(schema as never)).toHaveLength(
        Object.keys((schema as { properties: object }).properties).length,
      );
    }),
    runs(600),
  );
});
