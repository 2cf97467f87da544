/** Values in the place of answers that are assumed, and their labels. */

import { expect, test } from "vitest";
import { createLabels, labelOf } from "../../../../runtime/run/preview/labels.js";
import { createPlaceholders } from "../../../../runtime/run/preview/placeholders.js";

const label = (path: string): string => labelOf("a.make", "3", path);

function made(schema?: object) {
  const told = new Map<string | number, string>();
  const placeholders = createPlaceholders((value, name) => told.set(value, name));
  return { value: placeholders.of(schema as never, label), told };
}

test("a value has the members that can be recognised, each with a label of its own", () => {
  const { value, told } = made({
    $defs: { owner: { type: "object", properties: { name: { type: "string" } } } },
    type: "object",
    properties: {
      id: { type: "string", format: "uuid" },
      title: { type: ["string", "null"] },
      number: { type: "integer" },
      state: { enum: ["open", "closed"] },
      done: { type: "boolean" },
      tags: { type: "array", items: { type: "string" } },
      owner: { anyOf: [{ type: "null" }, { $ref: "#/$defs/owner" }] },
    },
  });
  expect(Object.keys(value as object)).toEqual(["id", "title", "number", "owner"]);
  const labels = ["id", "title", "number", "owner.name"].map(label);
  expect([...new Set(told.values())]).toEqual(labels);
  expect((value as { id: string }).id).toMatch(/^[0-9a-f-]{36}$/);
  // What cannot be told from other values is left to the program to fail on.
  expect(made({ type: "boolean" }).value).toBeUndefined();
  expect(made().value).toBe("[assumed a.make#3]");
});

test("a schema that leads to itself, and a large one, end", () => {
  const node = { type: "object", properties: { name: { type: "string" }, next: { $ref: "#" } } };
  expect(JSON.stringify(made(node).value).length).toBeLessThan(1000);
  expect(made({ $ref: "#" }).value).toBeUndefined();
  const wide = Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`n${n}`, { type: "string" }]));
  expect(Object.keys(made({ type: "object", properties: wide }).value as object)).toHaveLength(200);
});

test("labels stand for what a write has made, not for what it was given or what the program says", () => {
  const labels = createLabels('op(name="known-123")');
  const write = { op: "a.make", place: "3", args: { name: "given-123" } };
  labels.learn(write, {
    id: "made-1234",
    name: "given-123",
    known: "known-123",
    state: "active",
    count: 7,
    task_id: 9,
  });
  expect(labels.apply({ id: "made-1234", text: "see made-1234, known-123, given-123", n: [9, 7] })).toEqual({
    id: "‹a.make#3.id›",
    text: "see ‹a.make#3.id›, known-123, given-123",
    n: [9, 7],
  });
  expect(labels.guesses({ id: "made-1234", "n/": [9, 7] })).toEqual({ "/n~1/0": ["‹a.make#3.task_id›"] });
  expect(labels.guesses({ id: "made-1234", n: [7] })).toBeUndefined();
  expect(labels.apply("‹a.make#3.id›")).toBe("‹‹a.make#3.id›");
  expect(labels.apply("$& made-1234 $1")).toBe("$& ‹a.make#3.id› $1");
});
