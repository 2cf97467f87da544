/** How a batch is read: its entries, references between them, and the batch that was probably meant. */

import { describe, expect, test } from "vitest";
import { correctedBatch } from "../../../../runtime/call/batch/corrected-batch.js";
import { entryReader } from "../../../../runtime/call/batch/entry.js";
import { type FindSource, referencedSources, resolveReferences } from "../../../../runtime/call/batch/references.js";
import type { JsonObject, JsonValue } from "../../../../runtime/codegen.js";
import { fixture, principal } from "../../gateway/fixture.js";

const ENTRY = { op: "onto.task.list", args: { limit: 1 } };

describe("the batch that was meant", () => {
  test.each(["ops", "calls", "operations", "requests", "entries", "batch", "commands", "items", "tool_calls", "op"])(
    "has its entries in %s",
    (field) => {
      for (const entries of [[ENTRY], ENTRY, JSON.stringify([ENTRY])])
        expect(correctedBatch({ [field]: entries })).toEqual({ ops: [ENTRY] });
    },
  );

  test.each<readonly [sent: JsonObject, meant: JsonObject | undefined]>([
    [ENTRY, { ops: [ENTRY] }],
    [
      { ops: [ENTRY], mode: "parallel" },
      { ops: [ENTRY], mode: "parallel" },
    ],
    [
      { ops: [ENTRY], mode: "sequential", stop_on_error: false },
      { ops: [ENTRY], mode: "sequential", stop_on_error: false },
    ],
    [{ ops: Array.from({ length: 20 }, () => ENTRY) }, { ops: Array.from({ length: 20 }, () => ENTRY) }],
    [{ ops: Array.from({ length: 21 }, () => ENTRY) }, undefined],
    [{ ops: [] }, undefined],
    [{ ops: [7] }, undefined],
    [{ ops: "onto.task.list" }, { ops: [{ op: "onto.task.list", args: {} }] }],
    [
      { ops: { "onto.task.list": { limit: 1 }, "onto.task.get": {} } },
      {
        ops: [
          { op: "onto.task.list", args: { limit: 1 } },
          { op: "onto.task.get", args: {} },
        ],
      },
    ],
    [{ operations: [["onto.task.list", { limit: 1 }]] }, { ops: [{ op: "onto.task.list", args: { limit: 1 } }] }],
    [{ ops: [["onto.task.list", { limit: 1 }, { dry_run: true }]] }, undefined],
    [{ ops: [" onto.task.list "] }, { ops: [{ op: "onto.task.list", args: {} }] }],
    [{ ops: [["onto task list", { limit: 1 }]] }, undefined],
    [
      { ops: [ENTRY], mode: " PARALLEL " },
      { ops: [ENTRY], mode: "parallel" },
    ],
    [{ ops: [ENTRY], mode: null, stop_on_error: null }, { ops: [ENTRY] }],
    [{ op: JSON.stringify(ENTRY) }, { ops: [ENTRY] }],
    [{ ops: { a: ENTRY, b: { path: "onto" } } }, { ops: [ENTRY, { path: "onto" }] }],
    [{ ops: { a: ENTRY, b: 1 } }, { ops: [{ a: ENTRY, b: 1 }] }],
    [{ ops: "onto task" }, undefined],
    [{ ops: 7 }, undefined],
    [{ ops: [ENTRY], mode: 7 }, undefined],
    [{ ops: [ENTRY], mode: "fast" }, undefined],
    [
      { ops: [ENTRY], stop_on_error: "yes" },
      { ops: [ENTRY], stop_on_error: true },
    ],
    [{ ops: [ENTRY], stop_on_error: "maybe" }, undefined],
    [{ ops: [ENTRY], more: 1 }, undefined],
    [{ ops: [ENTRY], calls: [ENTRY] }, undefined],
    [{}, undefined],
  ])("by %j is %j", (sent, meant) => expect(correctedBatch(sent)).toEqual(meant));
});

describe("an entry", () => {
  const readEntry = entryReader(fixture().gateway.index.view(principal().grant));
  const read = (value: JsonValue) => {
    const { type, id, sentType, fields, errors } = readEntry(value, 3);
    return { type, id, sentType, fields, errors: errors.map(({ path, keyword }) => `${path} ${keyword}`) };
  };
  const plain = { id: undefined, sentType: undefined, errors: [] };

  test.each<readonly [value: JsonValue, entry: object]>([
    [{ path: "a" }, { ...plain, type: "help", fields: { path: "a" } }],
    [{ op: "a" }, { ...plain, type: "exec", fields: { op: "a" } }],
    [
      { path: "a", args: {} },
      { ...plain, type: "exec", fields: { path: "a", args: {} } },
    ],
    [
      { path: "a", arguments: {} },
      { ...plain, type: "exec", fields: { path: "a", arguments: {} } },
    ],
    [
      { path: "a", dry_run: true },
      { ...plain, type: "exec", fields: { path: "a", dry_run: true } },
    ],
    [
      { path: "a", idempotency_key: "k" },
      { ...plain, type: "exec", fields: { path: "a", idempotency_key: "k" } },
    ],
    [{ type: "help" }, { ...plain, type: "help", fields: {} }],
    [
      { type: "exec", path: "a" },
      { ...plain, type: "exec", fields: { path: "a" } },
    ],
    [
      { type: "help", op: "a", id: "A-z_9" },
      { ...plain, type: "help", id: "A-z_9", fields: { op: "a" } },
    ],
    [
      { op: "a", id: "x".repeat(64) },
      { ...plain, type: "exec", id: "x".repeat(64), fields: { op: "a" } },
    ],
    [
      { op: "a", id: "x".repeat(65) },
      { ...plain, type: "exec", fields: { op: "a" }, errors: ["ops[3].id pattern"] },
    ],
    [
      { op: "a", id: "a b" },
      { ...plain, type: "exec", fields: { op: "a" }, errors: ["ops[3].id pattern"] },
    ],
    [
      { op: "a", id: 7 },
      { ...plain, type: "exec", fields: { op: "a" }, errors: ["ops[3].id type"] },
    ],
    [
      { op: "a", type: "exek" },
      { ...plain, type: "exec", sentType: "exek", fields: { op: "a" }, errors: ["ops[3].type enum"] },
    ],
    [{}, { ...plain, type: "exec", fields: {}, errors: ["ops[3].type required"] }],
    [
      { op: "a", path: "b" },
      { ...plain, type: "exec", fields: { op: "a", path: "b" }, errors: ["ops[3].type required"] },
    ],
    [7, { ...plain, type: "exec", fields: {}, errors: ["ops[3] type"] }],
    [[], { ...plain, type: "exec", fields: {}, errors: ["ops[3] type"] }],
  ])("is read with its type and its errors: %j", (value, entry) => expect(read(value)).toEqual(entry));

  test("that does not say what it is says how it could", () => {
    expect(readEntry({}, 0).errors).toEqual([
      {
        path: "ops[0].type",
        keyword: "required",
        message: "ops[0] does not say what it is",
        expected: 'help or exec; without it, exactly one of "op" and "path"',
        received: "object {}",
      },
    ]);
  });
});

describe("references", () => {
  const answer = { result: { items: [{ id: "x" }], "a/b~c": 1 } };
  const find: FindSource = (name) => (name === "s" ? { ok: true, answer } : undefined);
  const resolve = (args: JsonValue) => resolveReferences(args, find);

  test.each<readonly [args: JsonValue, resolved: JsonValue]>([
    [{ a: { $ref: "s#/result/items/0/id" } }, { a: "x" }],
    [{ a: [{ b: { $ref: "s#/result/a~1b~0c" } }] }, { a: [{ b: 1 }] }],
    [{ a: { $ref: "s#" } }, { a: answer }],
    [{ $ref: "s#/result" }, answer.result],
    [{ a: { $literal: { $ref: "s#" } } }, { a: { $ref: "s#" } }],
    [{ a: { $literal: null } }, { a: null }],
    [
      { a: { $ref: "s#", more: 1 }, b: { $literal: 1, more: 1 } },
      { a: { $ref: "s#", more: 1 }, b: { $literal: 1, more: 1 } },
    ],
    ["s#", "s#"],
    [null, null],
  ])("%j is %j", (args, resolved) => expect(resolve(args)).toEqual({ args: resolved, errors: [] }));

  test.each<readonly [ref: JsonValue, why: string, received: string]>([
    ["s", "the reference is not of the expected form", '"s"'],
    ["#/result", "the reference is not of the expected form", '"#/result"'],
    ["a#s#/result", "the reference is not of the expected form", '"a#s#/result"'],
    ["s#result", "the reference is not of the expected form", '"s#result"'],
    [7, "the reference is not of the expected form", "7"],
    ["t#/result", "no earlier entry is called t", '"t#/result"'],
    [`${"t".repeat(90)}#`, `no earlier entry is called ${"t".repeat(80)}`, expect.any(String) as unknown as string],
    ["s#/none", "there is no value at /none of s", '"s#/none"'],
    ["s#/result/items/1", "there is no value at /result/items/1 of s", '"s#/result/items/1"'],
    ["s#/result/items/00", "there is no value at /result/items/00 of s", '"s#/result/items/00"'],
    ["s#/result/items/length", "there is no value at /result/items/length of s", '"s#/result/items/length"'],
    ["s#/", "there is no value at / of s", '"s#/"'],
  ])("%j leads nowhere", ($ref, why, received) => {
    const error = { keyword: "ref", expected: '{"$ref": "<id or index>#/<pointer>"}', received };
    expect(resolve({ a: { b: { $ref } } })).toEqual({
      args: { a: { b: null } },
      errors: [{ ...error, path: "a.b", message: `a.b: ${why}` }],
    });
    expect(resolve({ $ref }).errors).toEqual([{ ...error, path: "args", message: `args: ${why}` }]);
  });

  test("name their sources, wherever they stand", () => {
    const args = { a: { $ref: "s#/x" }, b: [{ c: { $ref: "t#" } }], d: { $literal: { $ref: "u#" } }, e: { $ref: "v" } };
    expect(referencedSources(args)).toEqual(["s", "t", ""]);
    expect([referencedSources("s#"), referencedSources(undefined), referencedSources(null)]).toEqual([[], [], []]);
    const nested = (levels: number): JsonValue => (levels === 0 ? { $ref: "s#" } : [nested(levels - 1)]);
    expect(referencedSources(nested(10))).toEqual(["s"]);
    expect(referencedSources(nested(5_000))).toEqual([]);
  });
});
