/** Generated validators give Ajv's results with work that grows no faster than the value. */

import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { Ajv } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import type { Validator } from "toolwright/codegen";
import { expect, onTestFinished, test } from "vitest";
import { judgeExact, withNearestNumbers } from "../../../runtime/call/arguments/exact.js";
import { readJson } from "../../../runtime/contract/read-json.js";
import { buildProject, errorsOf, jsonProject, tool } from "../../support/generator-host.js";
import { CHECKOUT } from "../../support/project.js";
import { randomOf, runs } from "../../support/random.js";

async function load(properties: object, more: object = {}): Promise<Validator> {
  const { files, diagnostics } = await buildProject(jsonProject([tool("set_a", properties, more)]));
  expect(errorsOf(diagnostics)).toEqual([]);
  const folder = join(CHECKOUT, ".cache", "test-validators");
  const file = join(folder, `bounded.${process.pid}.${++loaded}.js`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, files.find((one) => one.path === "validators/p.js")?.text ?? "");
  onTestFinished(() => rmSync(file));
  const module = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
    validators: Record<string, Validator>;
  };
  return module.validators["p.set_a"] as Validator;
}
let loaded = 0;

const { seed, numRuns } = runs(300);
const keywordsOf = (validate: Validator, value: unknown): readonly string[] =>
  validate(value) ? [] : (validate.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`);

test("lists of any items are unique where Ajv says so, with the same two places", async () => {
  const properties = { a: { type: "array", uniqueItems: true } };
  const ours = await load(properties);
  const ajv = new Ajv({ allErrors: true }).compile({ type: "object", properties });
  const item = fc.oneof(fc.constantFrom(0, -0, 1, "1", true, null, "", "__proto__"), fc.jsonValue({ maxDepth: 2 }));
  const list = fc.array(item, { maxLength: 6 }).chain((items) => fc.shuffledSubarray([...items, ...items.slice(0, 1)]));
  fc.assert(
    fc.property(list, (a) => {
      expect([ours({ a }), ours.errors?.[0]?.params]).toEqual([ajv({ a }), ajv.errors?.[0]?.params]);
    }),
    { seed, numRuns },
  );
  expect(
    ours({
      a: [
        { x: 1, y: 2 },
        { y: 2, x: 1 },
      ],
    }),
  ).toBe(false);
});

test("a value is in a long enum where Ajv says so, with the same finding, and each look-up costs the same", async () => {
  const scalars = [0, 1, 1.5, "", "1", "null", true, null, "__proto__"];
  const listed = [
    ...scalars,
    ...scalars.map((x) => ({ x, y: [x] })),
    ...Array.from({ length: 400 }, (_, i) => ({ i })),
  ];
  const properties = { a: { enum: listed } };
  const ours = await load(properties);
  const ajv = new Ajv({ allErrors: true }).compile({ type: "object", properties });
  const member = fc.constantFrom(...scalars, -0, 2);
  const near = fc
    .tuple(member, member)
    .chain(([x, y]) => fc.constantFrom({ x, y: [y] }, { y: [x], x }, { x }, { i: x }));
  fc.assert(
    fc.property(
      fc.oneof(
        member,
        near,
        fc.integer({ max: 500 }).map((i) => ({ i })),
      ),
      (a) => {
        expect([ours({ a }), ours.errors ?? []].map((one) => JSON.stringify(one))).toEqual(
          [ajv({ a }), ajv.errors ?? []].map((one) =>
            JSON.stringify(one).replace(/,"(?:message|schemaPath)":"[^"]*"/g, ""),
          ),
        );
      },
    ),
    { seed, numRuns },
  );
});

test("numbers that JavaScript rounds to one are different items", () => {
  const schema = { type: "object", properties: { a: { type: "array", uniqueItems: true } } };
  const issue = { instancePath: "/a", schemaPath: "", keyword: "uniqueItems", params: {} };
  const judged = (text: string) => {
    const args = readJson(`{"a":${text}}`) as never;
    expect(withNearestNumbers(args)).toBeDefined();
    return judgeExact([issue], args, schema as never).length;
  };
  expect([judged("[9007199254740993, 9007199254740992]"), judged("[1, 1.0]")]).toEqual([0, 1]);
});

test("100,000 objects are compared in a list", { tags: "full" }, async () => {
  const validate = await load({ a: { type: "array", uniqueItems: true } });
  const items = Array.from({ length: 100_000 }, (_, x) => ({ x }));
  expect(validate({ a: items })).toBe(true);
  expect(validate({ a: [...items, { x: 7 }] })).toBe(false);
});

const tree = (key: string) => ({
  type: "object",
  properties: { v: { type: "integer" }, n: { [key]: [{ $ref: "#/$defs/t" }, { $ref: "#/$defs/t" }] } },
  additionalProperties: false,
});
const chain = (depth: number, end: object): object => (depth === 0 ? end : { n: chain(depth - 1, end) });

test.each(["anyOf", "oneOf"])("%s over itself: Ajv's verdicts and findings", async (key) => {
  const properties = { a: { $ref: "#/$defs/t" } };
  const ours = await load(properties, { $defs: { t: tree(key) } });
  const ajv = new Ajv2020({ allErrors: true, inlineRefs: false }).compile({
    type: "object",
    properties,
    $defs: { t: tree(key) },
  });
  const random = randomOf(seed);
  for (let i = 0; i < 50; i++) {
    const end = [{ v: 1 }, { v: "x" }, { w: 1 }, {}][Math.floor(random() * 4)] as object;
    const value = { a: chain(Math.floor(random() * 5), end) };
    expect([ours(value), new Set(keywordsOf(ours, value))]).toEqual([
      ajv(value),
      new Set((ajv.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`)),
    ]);
  }
});

test.each(["anyOf", "oneOf"])("%s over itself, 60 levels deep, is checked", async (key) => {
  const validate = await load({ a: { $ref: "#/$defs/t" } }, { $defs: { t: tree(key) } });
  expect(validate({ a: chain(60, { v: "x" }) })).toBe(false);
  expect(validate.errors?.length).toBeLessThan(1100);
  if (key === "anyOf") expect(validate({ a: chain(60, { v: 1 }) })).toBe(true);
});

test("where a verdict hangs on its place, too many steps are a finding of their own", async () => {
  const t = { ...tree("anyOf"), additionalProperties: undefined, unevaluatedProperties: false };
  const validate = await load(
    { a: { $ref: "#/$defs/t" } },
    { $schema: "https://json-schema.org/draft/2020-12/schema", $defs: { t } },
  );
  expect(validate({ a: chain(5, { v: 1 }) })).toBe(true);
  expect(keywordsOf(validate, { a: chain(5, { v: "x" }) })).toContain("/a/n anyOf");
  expect(keywordsOf(validate, { a: chain(60, { v: "x" }) })).toEqual([" maxSteps"]);
});

test("findings of many items are joined in linear time", async () => {
  const validate = await load({ a: { type: "array", items: { $ref: "#/$defs/t" } } }, { $defs: { t: tree("anyOf") } });
  expect(validate({ a: Array.from({ length: 300_000 }, () => ({ w: 1 })) })).toBe(false);
});
