/** Calls with more errors than an answer lists: the others are counted. */

import { expect, test } from "vitest";
import { fixture, tryArgs } from "../../gateway/fixture.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";

const toolWith = (schema: object) =>
  toolOf({
    op: "util.any.read",
    tool: "read_any",
    kind: "read",
    schema: schema as never,
    extra: { target: "global", constraints: [] },
  });
const names = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`k${i}`, i]));
const text = { type: "string" };
const node = closed({ title: text }) as never;
const messages = (errors: readonly { message: string }[]) => errors.map(({ message }) => message);

test.each([
  ["a closed object", closed({ title: { ...text, "x-aliases": ["name"] } })],
  ["one that does not say", { type: "object", properties: { title: { ...text, "x-aliases": ["name"] } } }],
])("12,000 unknown arguments of %s are counted, and the first are named", async (_, schema) => {
  const { errors, corrected, envelope } = await tryArgs(toolWith(schema), { ...names(12_000), name: "a" });
  expect(messages(errors).slice(0, 2)).toEqual([
    "12000 arguments are unknown, of which the first 100 were looked at",
    "k0 is unknown",
  ]);
  expect(errors).toHaveLength(50);
  expect(envelope).toMatchObject({ error: { code: "VALIDATION_ERROR", details: { more_field_errors: 51 } } });
  // What was not looked at would be lost.
  expect(corrected).toBeUndefined();
});

test("the same inside a list, and in the wrapping that is taken off", async () => {
  const tool = toolWith(closed({ nodes: { type: "array", items: node } }));
  const sent = { nodes: [{ title: "a" }, { title: "b", ...names(500) }] };
  for (const args of [sent, { args: sent }]) {
    const { errors, corrected } = await tryArgs(tool, args);
    expect(errors[0]).toMatchObject({
      path: "nodes[1].*",
      message: "nodes[1] has 500 unknown members, of which the first 100 were looked at",
    });
    expect(corrected).toBeUndefined();
  }
});

test("an object that takes any name keeps all of its members", async () => {
  const schemas: readonly { readonly [keyword: string]: unknown }[] = [
    { type: "object", properties: { title: text }, additionalProperties: true },
    { ...closed({ title: text }), patternProperties: { "^k": {} } },
    closed({ rest: { type: "object" } }),
  ];
  for (const schema of schemas) {
    const args = "rest" in Object(schema["properties"]) ? { rest: names(500) } : names(500);
    const { errors, handed } = await tryArgs(toolWith(schema), args);
    expect([errors, handed]).toEqual([[], args]);
  }
});

test("findings beyond those that are looked at are counted", async () => {
  const tool = toolWith(closed({ list: { type: "array", items: text } }));
  const { envelope } = await tryArgs(tool, { list: Array.from({ length: 3000 }, (_, i) => i) });
  expect(envelope).toMatchObject({ error: { details: { more_field_errors: 451 } } });
  expect(JSON.stringify(envelope)).toContain("2500 or more further findings are not listed");
  expect(JSON.stringify(envelope).length).toBeLessThan(40_000);
});

test("unknown fields beside the op are counted as well", async () => {
  const envelope = await fixture().exec("onto.task.list", undefined, names(12_000) as never);
  expect(JSON.stringify(envelope)).toContain("12000 arguments are unknown, of which the first 100 were looked at");
});
