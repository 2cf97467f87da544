/**
 * Large schemas: each is built in bounded time, and parts that are left out are reported. `SCALE=1` has 100,000
 * members.
 */

import { describe, expect, test } from "vitest";
import { buildProject, errorsOf } from "../support/generator-host.js";
import { SCALE } from "../support/random.js";
import { threadMs } from "../support/used.js";

const MEMBERS = Math.max(5000, Math.round(100_000 * SCALE));
/** Seconds of processor time for one build, at any scale. */
const MAX_SECONDS = 10;

const members = (count: number, schema: (i: number) => object): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, schema(i)]));
const text = (): object => ({ type: "string" });
const list = (count: number, schema: (i: number) => object): readonly object[] =>
  Array.from({ length: count }, (_, i) => schema(i));

/** Builds one tool, and measures the processor time. */
async function built(inputSchema: object, description = "Does a thing.", result?: object) {
  const tool = { name: "get_a", description, inputSchema: { type: "object", ...inputSchema }, ...result };
  const before = threadMs();
  const outcome = await buildProject({
    "toolwright.yaml": "use: []\nsources: [{ mcp: p.json }]\n",
    "p.json": JSON.stringify({ tools: [tool] }),
  });
  const ms = threadMs() - before;
  expect(errorsOf(outcome.diagnostics)).toEqual([]);
  return { ...outcome, seconds: ms / 1000 };
}

describe(`with ${MEMBERS} members`, () => {
  test.each<[string, object, boolean]>([
    ["properties", { properties: members(MEMBERS, text) }, true],
    [
      "required properties",
      { properties: members(MEMBERS, text), required: Object.keys(members(MEMBERS, text)) },
      true,
    ],
    ["values of an enum", { properties: { a: { enum: Object.keys(members(MEMBERS, text)) } } }, false],
    ["alternatives", { properties: { a: { anyOf: list(MEMBERS, (i) => ({ const: i })) } } }, true],
    ["members of allOf", { allOf: list(MEMBERS, (i) => ({ properties: { [`k${i}`]: text() } })) }, true],
    ["patterns", { patternProperties: members(Math.max(1000, MEMBERS / 10), text) }, true],
    [
      "definitions",
      {
        $defs: members(MEMBERS / 10, (i) => ({ type: "string", maxLength: i })),
        properties: members(MEMBERS / 10, (i) => ({ $ref: `#/$defs/p${i}` })),
      },
      SCALE > 0.25,
    ],
  ])(
    "a schema of %s is built in time, and is cut only if it is too large",
    { tags: "full", timeout: 120_000 },
    async (_, schema, isCut) => {
      const { registry, diagnostics, seconds } = await built(schema);
      expect(registry?.tools.map((one) => one.op)).toEqual(["p.get_a"]);
      expect(diagnostics.some((one) => one.code === "schema-too-large" && one.severity === "warning")).toBe(isCut);
      expect(seconds).toBeLessThan(MAX_SECONDS);
    },
  );

  test.each([
    ["of spaces", " ".repeat(10 * MEMBERS)],
    ["of rules", "Use this when a is so. Don't do that! Edge cases: x, y (a, b). ".repeat(MEMBERS / 6)],
    ["of one word", "a".repeat(10 * MEMBERS)],
    ["of parentheses", "a (".repeat(3 * MEMBERS)],
  ])("characters and more in a description %s", { timeout: 120_000 }, async (_, long) => {
    const { registry, seconds } = await built(
      { properties: { a: { type: "string", description: long } } },
      `Is ${long}.`,
    );
    expect(registry?.tools.length).toBe(1);
    expect(seconds).toBeLessThan(MAX_SECONDS);
  });

  test("an output schema is bounded as well", { timeout: 120_000 }, async () => {
    const outputSchema = { type: "object", properties: members(MEMBERS, text) };
    const { diagnostics, seconds } = await built({}, "Does a thing.", { outputSchema });
    expect(diagnostics.map((one) => one.code)).toContain("schema-too-large");
    expect(seconds).toBeLessThan(MAX_SECONDS);
  });
});

describe("what is left out accepts anything", () => {
  const cut = async (inputSchema: object): Promise<string> =>
    JSON.stringify((await built(inputSchema)).registry?.tools[0]?.parameters_schema);

  test("an object that loses properties is no longer closed, and requires those that it keeps", {
    tags: "full",
  }, async () => {
    const required = ["p0", "p9999"];
    const text9999 = { properties: members(10_000, () => ({ type: "string" })), required, additionalProperties: false };
    const schema = JSON.parse(await cut(text9999));
    expect(Object.keys(schema.properties).length).toBeLessThan(3001);
    expect(schema.required).toEqual(["p0"]);
    expect(schema).not.toHaveProperty("additionalProperties");
  });

  test.each(["anyOf", "oneOf"])("%s is kept whole or not at all", { tags: "full" }, async (key) => {
    const of = (count: number) => ({ properties: { a: { [key]: list(count, (i) => ({ const: i })) } } });
    expect(await cut(of(501))).not.toContain(key);
    expect(await cut(of(500))).toContain(key);
  });
});
