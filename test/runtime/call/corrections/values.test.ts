/** Values that mean the same, values to fill in, and answers to calls that failed before. */

import { describe, expect, test } from "vitest";
import { equivalent, listsValues, mistypedValue } from "../../../../runtime/call/corrections/equivalents.js";
import { narrowed, parametersLine } from "../../../../runtime/call/corrections/repeated.js";
import { argumentSkeleton, hinted } from "../../../../runtime/call/corrections/skeleton.js";
import type { JsonObject, JsonSchema, JsonValue } from "../../../../runtime/codegen.js";
import { ExactNumber } from "../../../../runtime/contract/exact-number.js";
import { closed, TOOLS } from "../../gateway/fixture-tools.js";

const INTEGER: JsonSchema = { type: "integer" };
const TEXT: JsonSchema = { type: "string" };
const ID: JsonSchema = { type: "string", "x-id": "task" };
const MODE: JsonSchema = { type: "string", enum: ["active", "in_progress", "done"] };
const DATE: JsonSchema = { type: "string", format: "date" };
const TIME: JsonSchema = { type: "string", format: "date-time" };
const EXACT = new ExactNumber("9007199254740993") as unknown as JsonValue;
const UUID = "123e4567-e89b-42d3-a456-426614174000";
const LIST = (items: JsonSchema): JsonSchema => ({ type: "array", items: items as JsonObject });

describe("a value that means the same and fits", () => {
  const same = (value: JsonValue, schema: JsonSchema, name = "value") => equivalent(value, schema, schema, name);

  test.each<readonly [value: JsonValue, schema: JsonSchema, expected: JsonValue | undefined]>([
    ["20", INTEGER, 20],
    [" +7 ", INTEGER, 7],
    ["'20'", INTEGER, 20],
    ['"20"', INTEGER, 20],
    [["20"], INTEGER, 20],
    [[20], INTEGER, 20],
    [["20", "30"], INTEGER, undefined],
    ["20x", INTEGER, undefined],
    ["x20", INTEGER, undefined],
    ["2.5", INTEGER, undefined],
    ["2.5", { type: "number" }, 2.5],
    ["2.", { type: "number" }, undefined],
    ["9007199254740993", INTEGER, undefined],
    ["9007199254740991", INTEGER, 9007199254740991],
    [`${" ".repeat(39)}7`, INTEGER, 7],
    [`${" ".repeat(40)}7`, INTEGER, undefined],
    ["5", { type: "integer", minimum: 6 }, undefined],
    ["6", { type: "integer", minimum: 6 }, 6],
    ["8", { type: "integer", maximum: 7 }, undefined],
    ["7", { type: "integer", maximum: 7 }, 7],
    ["3", { type: "integer", enum: [1, 2] }, undefined],
    ["2", { type: "integer", enum: [1, 2] }, 2],
    ["3", { type: "integer", const: 2 }, undefined],
    ["yes", { type: "boolean" }, true],
    ["'no'", { type: "boolean" }, false],
    [["true"], { type: "boolean" }, true],
    [[], { type: "boolean" }, undefined],
    ["perhaps", { type: "boolean" }, undefined],
    ["tasks", { type: "string", enum: ["task", "goal"] }, "task"],
    ["Task", { type: "string", enum: ["tasks", "goals"] }, "tasks"],
    ["tasks, goals", LIST({ type: "string", enum: ["task", "goal"] }), ["task", "goal"]],
    ["null", { type: "null" }, null],
    [" None ", { type: "null" }, null],
    ["nil", { type: "null" }, null],
    ["nothing", { type: "null" }, undefined],
    ["not null", { type: "null" }, undefined],
    [7, TEXT, "7"],
    [true, TEXT, "true"],
    [["a"], TEXT, "a"],
    [["a", "b"], TEXT, undefined],
    [{ value: "a" }, TEXT, "a"],
    [{ text: "a" }, TEXT, "a"],
    [{ text: 7 }, TEXT, "7"],
    [{ text: true }, TEXT, undefined],
    [{ text: "a", more: "b" }, TEXT, undefined],
    [{ id: "task_1", more: "b" }, ID, "task_1"],
    [{ id: "task_1", more: "b" }, TEXT, undefined],
    ["#x_1", { ...ID, pattern: "^task_" }, undefined],
    ["`task_1`", { type: "string", pattern: "^task_" }, "task_1"],
    ["http://a.example/task_1", { ...ID, pattern: "^task_" }, "task_1"],
    ["A", { enum: [1, "a"] }, "a"],
    [" tasks ", { type: "string", enum: ["task", "goal"] }, "task"],
    [" 'no' ", { type: "boolean" }, false],
    ["`7`", INTEGER, 7],
    ["<task_1>", ID, "task_1"],
    ["#task_1", { ...ID, pattern: "^task_" }, "task_1"],
    ["`task_1`", { ...ID, pattern: "^task_" }, "task_1"],
    ["https://a.example/t/task_1?x=1#y", { ...ID, pattern: "^task_" }, "task_1"],
    ["https://a.example/task_1/edit", { ...ID, pattern: "^task_" }, "task_1"],
    ["ftp://a.example/task_1", { ...ID, pattern: "^task_" }, undefined],
    ["https://task_1/a", { ...ID, pattern: "^task_" }, undefined],
    ["<a>", TEXT, undefined],
    ["Active", MODE, "active"],
    [" ACTIVE ", MODE, "active"],
    ["in progress", MODE, "in_progress"],
    ["inProgress", MODE, "in_progress"],
    ["in-progress", MODE, "in_progress"],
    ["'done'", MODE, "done"],
    ["actve", MODE, "active"],
    ["!active", MODE, undefined],
    ["inactive", MODE, undefined],
    ["a", { type: "string", enum: ["A_", "a-"] }, undefined],
    [{ a: 1 }, { type: "object" }, undefined],
    ['{"a": 1}', { type: "object" }, { a: 1 }],
    [[{ a: 1 }], { type: "object" }, { a: 1 }],
    ["[1]", { type: "object" }, undefined],
    ["a", { type: "object" }, undefined],
    [EXACT, TEXT, "9007199254740993"],
    [EXACT, { type: "object" }, undefined],
    [`${" ".repeat(1994)}active`, MODE, "active"],
    [`${" ".repeat(1995)}active`, MODE, undefined],
    ["HTTPS://a.example/task_1/task_1", { ...ID, pattern: "^task_" }, "task_1"],
    [`https://a.example/${"a/".repeat(28)}task_1`, { ...ID, pattern: "^task_" }, "task_1"],
    [`https://a.example/${"a/".repeat(29)}task_1`, { ...ID, pattern: "^task_" }, undefined],
    [`https://a.example/x/${UUID}`, { type: "string", format: "uuid" }, UUID],
    [`<${UUID}>`, { type: "string", format: "uuid" }, UUID],
    [`<${UUID}>`, { type: "string", format: "email" }, undefined],
  ])("%j for %j is %j", (value, schema, expected) => expect(same(value, schema)).toEqual(expected));

  test.each<readonly [value: JsonValue, schema: JsonSchema, expected: JsonValue | undefined]>([
    ["a", LIST(TEXT), ["a"]],
    ["a, b", LIST(TEXT), ["a", "b"]],
    ["a b, c", LIST(TEXT), undefined],
    ["a, , b", LIST(TEXT), undefined],
    ["a; b", LIST(TEXT), undefined],
    ["a|b", LIST(TEXT), undefined],
    ["a\nb", LIST(TEXT), undefined],
    ["a and b", LIST(TEXT), undefined],
    ["a or b", LIST(TEXT), undefined],
    ["a & b", LIST(TEXT), undefined],
    ["1. a", LIST(TEXT), undefined],
    ["sand", LIST(TEXT), ["sand"]],
    ["in progress, done", LIST(MODE), ["in_progress", "done"]],
    ["1, 2", LIST(INTEGER), [1, 2]],
    ["1, x", LIST(INTEGER), undefined],
    ["[1, 2]", LIST(INTEGER), [1, 2]],
    [" [1, 2] ", LIST(INTEGER), [1, 2]],
    ["  ", LIST(TEXT), undefined],
    ["['a']", LIST(TEXT), ["a"]],
    ["(1, 2)", LIST(INTEGER), [1, 2]],
    ["[1, 2", LIST(INTEGER), undefined],
    ["```\n[1]\n```", LIST(INTEGER), [1]],
    ['{"a": 1}', LIST({ type: "object" }), [{ a: 1 }]],
    [{ a: 1 }, LIST({ type: "object" }), [{ a: 1 }]],
    [7, LIST(INTEGER), [7]],
    [["1", 2], LIST(INTEGER), [1, 2]],
    [["1", "x"], LIST(INTEGER), undefined],
    [null, LIST(INTEGER), undefined],
    ["", LIST(TEXT), undefined],
    ["x".repeat(2000), LIST(TEXT), ["x".repeat(2000)]],
    ["x".repeat(2001), LIST(TEXT), undefined],
    [Array.from({ length: 200 }, () => "1"), LIST(INTEGER), Array.from({ length: 200 }, () => 1)],
    [Array.from({ length: 201 }, () => "1"), LIST(INTEGER), undefined],
    [["7"], { type: "array", prefixItems: [{ type: "integer" }] }, [7]],
    [["7", "7"], { type: "array", prefixItems: [{ type: "integer" }] }, [7, "7"]],
    [true, LIST({ type: "boolean" }), [true]],
    [true, LIST(TEXT), undefined],
    ["all", LIST(TEXT), undefined],
    [" None ", LIST(TEXT), undefined],
    ["-a", LIST(TEXT), undefined],
    ["-1", LIST(TEXT), ["-1"]],
    ["overall", LIST(TEXT), ["overall"]],
    ["allies", LIST(TEXT), ["allies"]],
    ["all", LIST({ type: "string", enum: ["all", "none"] }), ["all"]],
    ["1 2, b", LIST(ID), ["1 2", "b"]],
    ["a b, c", LIST({ type: "string", pattern: "^[a-c ]+$" }), ["a b", "c"]],
    ["a b, c", LIST({ type: ["integer", "string"] as never }), undefined],
    ["a, b;", LIST(MODE), undefined],
    ["7", LIST(LIST(LIST(INTEGER))), [[[7]]]],
    ["7", LIST(LIST(LIST(LIST(INTEGER)))), undefined],
  ])("the list %j for %j is %j", (value, schema, expected) => expect(same(value, schema)).toEqual(expected));

  test.each<readonly [value: JsonValue, schema: JsonSchema, expected: JsonValue | undefined]>([
    ["5 March 2026", DATE, "2026-03-05"],
    ["5 March 2026", TIME, "2026-03-05T00:00:00Z"],
    ["5 March 2026 2pm", TIME, "2026-03-05T14:00:00Z"],
    ["5 March 2026 2pm", DATE, undefined],
    ["2026-03-05T00:00:00Z", DATE, "2026-03-05"],
    [["5 March 2026"], DATE, "2026-03-05"],
    [1_772_721_000, TIME, "2026-03-05T14:30:00Z"],
    [1_772_721_000, { type: "string" }, "1772721000"],
    [1_772_721_000, DATE, "1772721000"],
    [1_772_668_800, DATE, "2026-03-05"],
    ["5 March 2026", TEXT, undefined],
    ["5 March 2026 2pm", { anyOf: [DATE, TIME] as never }, "2026-03-05T14:00:00Z"],
    ["5 March 2026", { anyOf: [DATE, TIME] as never }, "2026-03-05"],
    ["tomorrow", DATE, undefined],
  ])("the time %j for %j is %j", (value, schema, expected) => expect(same(value, schema)).toEqual(expected));

  test("the member of the argument's own name comes first, and an id is known by the name", () => {
    expect(same({ owner: "a", id: "b" }, TEXT, "owner")).toBe("a");
    expect(same({ id: "b", name: "c" }, TEXT, "owner_id")).toBe("b");
    expect(same([{ owner: "a" }], LIST(TEXT), "owners")).toEqual(["a"]);
    expect(same({ id: "b", name: "c" }, TEXT, "ownerKey")).toBe("b");
    expect(same({ id: "b", name: "c" }, TEXT, "idea")).toBeUndefined();
    expect(same("owner", { type: "string", enum: ["owners"] }, "owner")).toBeUndefined();
  });

  test("alternatives are tried with what stands beside them, and references are followed", () => {
    const either: JsonSchema = { anyOf: [{ type: "integer" }, { type: "null" }] };
    expect([same("7", either), same("null", either)]).toEqual([7, null]);
    expect(same("7", { minimum: 8, oneOf: [{ type: "integer" }] })).toBeUndefined();
    expect(same("9", { minimum: 8, oneOf: [{ type: "integer" }] })).toBe(9);
    expect(same("7", { $ref: "#/$defs/n", $defs: { n: { type: "integer" } } })).toBe(7);
    const many = { anyOf: [...Array.from({ length: 16 }, () => ({ type: "null" })), { type: "integer" }] };
    expect(same("7", many)).toBeUndefined();
  });

  test("a schema lists values if one of its alternatives has an enum", () => {
    expect(listsValues(MODE, MODE)).toBe(true);
    expect(listsValues(TEXT, TEXT)).toBe(false);
    const either = { anyOf: [{ type: "null" }, MODE as JsonObject] };
    expect(listsValues(either, either)).toBe(true);
  });

  test.each([
    ["actve", "active"],
    ["'actve'", "active"],
    [" actve ", "active"],
    ["-actve", undefined],
    ["$actve", undefined],
    ["mode", undefined],
    ["Mode", undefined],
    ["", undefined],
  ])("%j is mistyped for %s", (text, meant) => {
    expect(mistypedValue(text, ["active", "modes", "done"], "mode")).toBe(meant);
  });
});

describe("values to fill in", () => {
  test.each<readonly [schema: JsonSchema, value: JsonValue]>([
    [TEXT, "<a>"],
    [ID, "<a>"],
    [{}, "<a>"],
    [INTEGER, "<a: integer>"],
    [{ type: "integer", minimum: 1, maximum: 5 }, "<a: integer 1..5>"],
    [{ type: "integer", minimum: 1 }, "<a: integer at least 1>"],
    [{ type: ["number", "null"], maximum: 5 }, "<a: number at most 5>"],
    [{ anyOf: [{ type: "integer" }, { type: "boolean" }, { type: "null" }] }, "<a: integer or boolean>"],
    [{ type: "object" }, "<a: object>"],
    [{ oneOf: [{ type: "array" }, { type: "object", required: ["b"] }] }, "<a: any[] or {b}>"],
    [{ properties: { b: {} }, oneOf: [{ required: ["b"] }] }, { b: "<b>" }],
    [MODE, "<a: active or in_progress or done>"],
    [{ enum: [1, "b", null] }, "<a: 1 or b>"],
    [{ enum: Array.from({ length: 12 }, (_, i) => i) }, `<a: ${Array.from({ length: 12 }, (_, i) => i).join(" or ")}>`],
    [
      { enum: Array.from({ length: 13 }, (_, i) => i) },
      `<a: ${[...Array.from({ length: 12 }, (_, i) => i), "…"].join(" or ")}>`,
    ],
    [{ type: "string", "x-form": "HH:MM" }, "<a: HH:MM>"],
    [{ const: 7 }, 7],
    [{ enum: ["only"] }, "only"],
    [LIST(TEXT), ["<a>"]],
    [{ ...LIST(TEXT), minItems: 2 }, ["<a>", "<a>"]],
    [{ ...LIST(TEXT), minItems: 2, uniqueItems: true }, ["<a>", "<a_2>"]],
    [{ ...LIST(TEXT), minItems: 1000 }, Array.from({ length: 100 }, () => "<a>")],
    [{ type: "array", prefixItems: [{ type: "integer" }, { const: 1 }] }, ["<a: integer>", 1]],
    [closed({ b: { type: "string" }, c: { type: "integer" } }, ["c"]), { c: "<c: integer>" }],
    [{ properties: { b: { type: "string" } }, required: ["b"] }, { b: "<b>" }],
    [{ type: "object", required: ["b"] }, { b: "<b>" }],
    [{ type: ["integer", "null"] }, "<a: integer>"],
    [{ type: ["null", "array"], items: { type: "string" } }, ["<a>"]],
    [{ anyOf: [{ type: "null" }, { type: "array", items: { type: "string" } }] }, ["<a>"]],
    [{ $ref: "#/$defs/n", $defs: { n: { const: 3 } } }, 3],
    [{ type: "string", required: ["b"] }, "<a>"],
    [LIST(LIST(LIST(LIST(LIST(INTEGER))))), [[[[["<a>"]]]]]],
  ])("%j is %j", (schema, value) => expect(argumentSkeleton(schema, "a", schema)).toEqual(value));

  test("an item is called as its list without the plural", () => {
    expect(argumentSkeleton(LIST(TEXT), "tags", TEXT)).toEqual(["<tag>"]);
    expect(hinted(true, "a", {})).toBe("<a>");
  });

  test("four levels are written out", () => {
    const nested = (levels: number): JsonSchema =>
      levels === 0 ? { const: 1 } : closed({ a: nested(levels - 1) as JsonObject }, ["a"]);
    expect(JSON.stringify(argumentSkeleton(nested(4), "x", {}))).toBe('{"a":{"a":{"a":{"a":1}}}}');
    expect(JSON.stringify(argumentSkeleton(nested(5), "x", {}))).toBe('{"a":{"a":{"a":{"a":{"a":"<a>"}}}}}');
  });
});

describe("an id inside an object", () => {
  const schema = closed({ task_id: ID as JsonObject, title: TEXT as JsonObject });
  const idIn = (value: JsonValue) => equivalent(value, ID, schema, "task_id");

  test("is taken if the other members are no arguments of the op and no flags", () => {
    expect(idIn({ task_id: "task_1", state: "done" })).toBe("task_1");
    expect(idIn({ id: "task_1", name: "A" })).toBe("task_1");
    const both = closed({ task_id: ID as JsonObject, id: TEXT as JsonObject });
    expect(equivalent({ id: "task_1", name: "A" }, ID, both, "task_id")).toBe("task_1");
  });

  test.each<[JsonObject]>([
    [{ task_id: "task_1", title: "A" }],
    [{ id: "task_1", dry_run: true }],
    [{ task_id: "task_1", dryRun: "yes" }],
    [{ id: "task_1", idempotency_key: "k" }],
  ])("of %j is not all that is meant", (value) => expect(idIn(value)).toBeUndefined());
});

describe("a call that failed before", () => {
  const [tool] = TOOLS.filter(({ op }) => op === "onto.task.list");
  const told = { code: "VALIDATION_ERROR", message: "m", details: { a: 1 } } as const;

  test("once: as it is; twice: how the op is used; more: stop", () => {
    expect(narrowed(told, 1, tool)).toEqual({ message: "m", details: { a: 1 }, isFinal: false });
    expect(narrowed(told, 2, tool)).toEqual({
      message: "m",
      details: { a: 1, repeated: 2, usage: tool && parametersLine(tool) },
      isFinal: false,
    });
    expect(narrowed(told, 3, tool)).toEqual({
      message:
        "Stop: this call failed 3 times, word for word. Do not send it again. Ask the person for what onto.task.list needs.",
      details: { a: 1, repeated: 3 },
      isFinal: true,
    });
    expect(narrowed(told, 3, undefined).message).toContain("for what is to be done, and with what.");
    expect(narrowed(told, 2, undefined).details["usage"]).toContain('a call is {"op"');
  });

  test("a failure that another form of the call would not avoid only counts", () => {
    for (const code of ["UNAVAILABLE", "INTERNAL", "TIMEOUT"] as const)
      expect(narrowed({ ...told, code }, 3, tool)).toEqual({
        message: "m",
        details: { a: 1, repeated: 3 },
        isFinal: false,
      });
    for (const code of ["NOT_FOUND", "CONFLICT"] as const)
      expect(narrowed({ ...told, code }, 3, tool).isFinal).toBe(true);
  });

  test("a fault of all arguments has no name of its own", () => {
    const field_errors = [{ path: "", expected: "object, at least 1 member" }];
    const { message } = narrowed({ ...told, details: { field_errors } }, 3, tool);
    expect(message).toMatch(/for the arguments \(object, at least 1 member\)\.$/);
  });

  test("at most five arguments are asked for", () => {
    const field_errors = [7, ...Array.from({ length: 6 }, (_, i) => ({ path: `p${i}`, expected: "string" }))];
    const { message } = narrowed({ ...told, details: { field_errors } }, 3, tool);
    expect(message).toMatch(/for p0 \(string\), p1 \(string\), p2 \(string\), p3 \(string\), p4 \(string\)\.$/);
  });

  test("the usage names the arguments, optional ones with a question mark", () => {
    expect(tool && parametersLine(tool)).toMatch(
      /^onto\.task\.list\(project_id\?: .*, state_key\?: .*, limit\?: .*\)$/,
    );
  });
});
