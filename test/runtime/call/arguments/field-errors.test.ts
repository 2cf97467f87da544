/** Findings of a validator as field errors, keyword by keyword, and which of them concern the alternative that was meant. */

import { describe, expect, test } from "vitest";
import { fieldErrors } from "../../../../runtime/call/arguments/field-errors.js";
import type { JsonObject, JsonSchema } from "../../../../runtime/codegen.js";
import { tryArgs } from "../../gateway/fixture.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";

const TEXT = { type: "string" };
const WHOLE = { type: "integer" };
const STATE = { type: "string", enum: ["todo", "done"] };
const SCHEMA = closed({
  a: { ...WHOLE, minimum: 1, maximum: 9 },
  t: TEXT,
  l: { type: "array", items: TEXT },
  o: closed({ c: WHOLE, state_key: STATE }) as JsonObject,
  id: { ...TEXT, "x-id": "task", pattern: "^task_" },
  form: { ...TEXT, "x-form": "HH:MM" },
  state_key: STATE,
  mode: { enum: [1, "on"] },
  password: TEXT,
});
const ARGS = { a: 0, t: "x", l: ["x", "x"], o: { c: "x", state_key: "dne" }, id: "x", form: "x", state_key: "dne" };

function errorsOf(
  issue: { keyword: string; instancePath?: string; params?: Record<string, unknown> },
  more: object = {},
) {
  const { args = ARGS, ...extra } = more as { args?: JsonObject };
  const tool = toolOf({ op: "onto.a.set", tool: "set_a", kind: "write", schema: SCHEMA, extra });
  return fieldErrors(tool, args, [{ instancePath: "", schemaPath: "", params: {}, ...issue }]);
}

const at = (instancePath: string, keyword: string, params: Record<string, unknown> = {}) => ({
  instancePath,
  keyword,
  params,
});

describe("a limit", () => {
  test.each([
    ["minimum", "is less than 5"],
    ["maximum", "is more than 5"],
    ["exclusiveMinimum", "is not more than 5"],
    ["exclusiveMaximum", "is not less than 5"],
    ["minLength", "is shorter than 5 characters"],
    ["maxLength", "is longer than 5 characters"],
    ["minItems", "has fewer than 5 entries"],
    ["maxItems", "has more than 5 entries"],
    ["minProperties", "has fewer than 5 members"],
    ["maxProperties", "has more than 5 members"],
  ])("that is broken is told in words: %s %s", (keyword, said) => {
    const error = { path: "t", keyword, message: `t ${said}`, expected: `string, ${keyword} 5`, received: '"x"' };
    expect(errorsOf(at("/t", keyword, { limit: 5 }))).toEqual([error]);
  });

  test("is not repeated where the type has it, and may be one of all arguments", () => {
    const [error] = errorsOf(at("/a", "minimum", { limit: 1 }));
    expect(error).toMatchObject({ message: "a is less than 1", expected: "integer 1..9", received: "0" });
    const [multiple] = errorsOf(at("/t", "multipleOf", { multipleOf: 5 }));
    expect(multiple).toMatchObject({ message: "t is no multiple of 5", expected: "string, multipleOf 5" });
    const [all] = errorsOf(at("", "maxProperties", { limit: 2 }));
    expect(all).toMatchObject({ path: "", message: "too many are given: give at most 2 arguments" });
    const [least] = errorsOf(at("", "minProperties", { limit: 1 }));
    expect(least).toMatchObject({ path: "", message: "too few are given: give at least 1 argument" });
    const [entry] = errorsOf(at("/t", "minItems", { limit: 1 }));
    expect(entry).toMatchObject({ message: "t has fewer than 1 entry" });
  });
});

describe("a missing or unknown argument", () => {
  test.each(["required", "dependentRequired", "dependencies"])("that %s asks for is told as missing", (keyword) => {
    const missing = { keyword: "required", received: "nothing" };
    expect(errorsOf(at("", keyword, { missingProperty: "t" }))).toEqual([
      { ...missing, path: "t", message: "t is missing", expected: "string" },
    ]);
    expect(errorsOf(at("/o", keyword, { missingProperty: "c" }))).toEqual([
      { ...missing, path: "o.c", message: "o.c is missing", expected: "integer" },
    ]);
    expect(errorsOf(at("/o", keyword, { missingProperty: "x/y" }))).toEqual([
      { ...missing, path: 'o["x/y"]', message: 'o["x/y"] is missing', expected: "any" },
    ]);
  });

  test.each([
    ["additionalProperties", "additionalProperty"],
    ["unevaluatedProperties", "unevaluatedProperty"],
  ])("that %s refuses is told as unknown, with the name that was meant", (keyword, param) => {
    const unknown = { keyword, expected: "a declared argument" };
    const args = { T: 7, o: { C: "x" } };
    expect(errorsOf(at("", keyword, { [param]: "T" }), { args })).toEqual([
      { ...unknown, path: "T", message: "T is unknown", received: "number", did_you_mean: "t" },
    ]);
    expect(errorsOf(at("/o", keyword, { [param]: "C" }), { args })).toEqual([
      { ...unknown, path: "o.C", message: "o.C is unknown", received: "string", did_you_mean: "c" },
    ]);
  });
});

describe("a value", () => {
  test("that is not allowed names the nearest one, and the entity of a state", () => {
    const allowed = { allowedValues: ["todo", "done"] };
    const error = { keyword: "enum", expected: "todo|done", received: '"dne"', did_you_mean: "done" };
    const state = [{ ...error, path: "state_key", message: "state_key is not a task state" }];
    const plain = [{ ...error, path: "state_key", message: "state_key is none of the allowed values" }];
    expect(errorsOf(at("/state_key", "enum", allowed), { entity: "task" })).toEqual(state);
    expect(errorsOf(at("/state_key", "enum", allowed), { entity: undefined })).toEqual(plain);
    expect(errorsOf(at("/o/state_key", "enum", allowed), { entity: "task" })).toEqual([
      { ...error, path: "o.state_key", message: "o.state_key is none of the allowed values" },
    ]);
    const [other] = errorsOf(at("/t", "enum", allowed), { entity: "task" });
    expect(other).toEqual({
      path: "t",
      keyword: "enum",
      message: "t is none of the allowed values",
      expected: "string",
      received: '"x"',
    });
  });

  test("that means the same as an allowed one names it; of several, none is the likely one", () => {
    const likely = (t: string, allowedValues: readonly string[]) =>
      errorsOf(at("/t", "enum", { allowedValues }), { args: { t } })[0];
    const states = ["todo", "in_progress", "blocked", "done"];
    const plain = "t is none of the allowed values";
    for (const [sent, meant] of [
      ["doing", "in_progress"],
      ["WIP", "in_progress"],
      ["finished", "done"],
      ["closed", "done"],
      ["open", "todo"],
      ["on hold", "blocked"],
    ] as const)
      expect(likely(sent, states), sent).toMatchObject({ message: plain, did_you_mean: meant });
    expect(likely("purple", states)).not.toHaveProperty("did_you_mean");
    const two = likely("finished", ["open", "closed", "done"]);
    expect(two).toMatchObject({ message: `${plain} (perhaps closed or done)` });
    expect(two).not.toHaveProperty("did_you_mean");
  });

  test("that is not the only allowed one", () => {
    const [known] = errorsOf(at("/t", "const", { allowedValue: "xy" }), { args: { t: "xyz" } });
    expect(known).toMatchObject({ keyword: "const", expected: "string", did_you_mean: "xy" });
    const [stranger] = errorsOf(at("/z", "const", { allowedValue: "x" }), { args: { z: 1 } });
    expect(stranger).toEqual({
      path: "z",
      keyword: "const",
      message: "z is none of the allowed values",
      expected: "x",
      received: "1",
    });
    const [odd] = errorsOf(at("/z", "enum", { allowedValues: "x" }), { args: { z: "x" } });
    expect([odd?.expected, odd && "did_you_mean" in odd]).toEqual(["", false]);
  });

  test("of another form", () => {
    const pattern = { keyword: "pattern", received: '"x"' };
    expect(errorsOf(at("/t", "pattern", { pattern: "^a" }))).toEqual([
      { ...pattern, path: "t", message: "t does not have the expected form", expected: "string matching ^a" },
    ]);
    expect(errorsOf(at("/form", "pattern", { pattern: "^a" }))).toEqual([
      { ...pattern, path: "form", message: "form must match HH:MM", expected: "HH:MM" },
    ]);
    expect(errorsOf(at("/id", "pattern", { pattern: "^task_" }))).toEqual([
      { ...pattern, path: "id", message: "id is not a task id", expected: "id<task>" },
    ]);
    const [long] = errorsOf(at("/t", "pattern", { pattern: "x".repeat(200) }));
    expect(long?.expected).toBe(`string matching ${"x".repeat(143)}…`);
  });

  test("with any other fault", () => {
    expect(errorsOf(at("/l", "uniqueItems"))).toEqual([
      {
        path: "l",
        keyword: "uniqueItems",
        message: "l has equal entries",
        expected: "string[]",
        received: "array of 2",
      },
    ]);
    const [type] = errorsOf(at("/a", "type", { type: "integer" }));
    expect(type).toMatchObject({ keyword: "type", message: "a is not an integer 1..9", expected: "integer 1..9" });
    const [nowhere] = errorsOf(at("/z", "not"), { args: { z: 1 } });
    expect(nowhere).toMatchObject({ path: "z", message: "z does not fit the other arguments", received: "1" });
    const [typed] = errorsOf(at("/z", "type", { type: ["string", "null"] }), { args: { z: 1 } });
    expect(typed).toMatchObject({ message: "z is neither a string nor null", expected: "string | null" });
    expect(errorsOf(at("", "if"))).toEqual([]);
    expect(errorsOf(at("", "maxSteps", { limit: 9 }))).toEqual([
      {
        path: "",
        keyword: "maxSteps",
        message: "the arguments take too many steps to check",
        expected: "arguments that nest less or hold fewer values",
        received: "nested values",
      },
    ]);
  });

  test("of a secret is not repeated", () => {
    expect(errorsOf(at("/password", "type"), { args: { password: 1234 } })).toMatchObject([{ received: "***" }]);
  });

  test.each([
    ["date", "a date, as in 2026-01-15"],
    ["date-time", "a time with its zone, as in 2026-01-15T09:00:00Z"],
    ["time", "a time of day with its zone, as in 09:00:00Z"],
    ["duration", "a duration, as in PT1H30M"],
    ["email", "an email address, as in anna@example.com"],
    ["uri", "an absolute URL, as in https://example.com/"],
    ["url", "an absolute URL, as in https://example.com/"],
    ["uuid", "a UUID, as in 123e4567-e89b-42d3-a456-426614174000"],
    ["regex", "a regex"],
  ])("of the format %s", (format, said) => {
    expect(errorsOf(at("/t", "format", { format }))).toEqual([
      { path: "t", keyword: "format", message: `t is not ${said}`, expected: "string", received: '"x"' },
    ]);
  });
});

describe("of two alternatives with the same rule, the one that was meant is reported", () => {
  const kind = (name: string, v: JsonSchema, more: JsonSchema = {}) => ({
    ...closed({ kind: { const: name }, v: v as JsonObject }, ["kind"]),
    ...more,
  });
  const told = async (options: readonly object[], shape: JsonObject, beside: object = {}) => {
    const schema = closed({ shape: { oneOf: options, ...beside } as unknown as JsonObject });
    const tool = toolOf({ op: "util.a.read", tool: "read_a", kind: "read", schema, extra: { target: "global" } });
    const { errors } = await tryArgs(tool, { shape });
    return errors.map(({ path, keyword, message, expected }) => [path, keyword, message, expected]);
  };

  test.each<readonly [a: JsonSchema, b: JsonSchema, v: unknown, keyword: string, message: string, expected: string]>([
    [{ maximum: 5 }, { maximum: 7 }, 9, "maximum", "is more than 5", "any, maximum 5"],
    [{ minLength: 3 }, { minLength: 5 }, "x", "minLength", "is shorter than 3 characters", "any, minLength 3"],
    [{ multipleOf: 2 }, { multipleOf: 4 }, 3, "multipleOf", "is no multiple of 2", "any, multipleOf 2"],
    [{ pattern: "^a" }, { pattern: "^b" }, "c", "pattern", "does not have the expected form", "any matching ^a"],
    [
      { type: "string", format: "date" },
      { type: "string", format: "email" },
      "x",
      "format",
      "is not a date, as in 2026-01-15",
      "date",
    ],
    [{ enum: ["q"] }, { enum: ["r"] }, 1, "enum", "is none of the allowed values", "q"],
    [{ const: "q" }, { const: "r" }, 1, "const", "is none of the allowed values", "q"],
    [WHOLE, { type: "boolean" }, "x", "type", "is not an integer", "integer"],
  ])("of %j and %j, for the value %j", async (a, b, v, keyword, message, expected) => {
    const options = [kind("a", a), kind("b", b)];
    expect(await told(options, { kind: "a", v } as JsonObject)).toEqual([
      ["shape.v", keyword, `shape.v ${message}`, expected],
    ]);
  });

  test("with what stands beside them", async () => {
    const options = [kind("a", WHOLE, { additionalProperties: true }), kind("b", TEXT, { additionalProperties: true })];
    expect(await told(options, { kind: "a", v: 1 }, { required: ["z"] })).toEqual([
      ["shape.z", "required", "shape.z is missing", "any"],
    ]);
    expect(await told(options, { kind: "a", v: "x" }, { maxProperties: 1 })).toEqual([
      ["shape.v", "type", "shape.v is not an integer", "integer"],
      ["shape", "maxProperties", "shape has more than 1 member", "{kind, v?}, maxProperties 1"],
    ]);
  });

  test("also where the value of another member is allowed by an alternative that was not meant", async () => {
    const options = [kind("a", { enum: ["q"] }), kind("b", { enum: ["r"] })];
    expect(await told(options, { kind: "b", v: "q" })).toEqual([
      ["shape.v", "enum", "shape.v is none of the allowed values", "r"],
    ]);
  });

  test("but for a member that tells them apart, if none is meant", async () => {
    expect(await told([kind("a", WHOLE), kind("b", TEXT)], { kind: "c", v: true })).toEqual([
      ["shape.kind", "enum", "shape.kind is none of the allowed values", "a|b"],
    ]);
  });
});
