/** A pattern that is violated is said in words, with an example that fits it. */

import { expect, test } from "vitest";
import { patternWords } from "../../../../runtime/call/arguments/pattern-words.js";
import type { JsonObject } from "../../../../runtime/codegen.js";
import { tryArgs } from "../../gateway/fixture.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";

test.each([
  ["^project\\.[a-z0-9_]+\\.[a-z0-9_]+(?:\\.[a-z0-9_]+)?$", "project.<word>.<word>[.<word>]"],
  ["^([A-Za-z]{2}|ALL|all)$", "(<2 characters>|ALL|all)"],
  ["^[A-Za-z]{2,3}(-[A-Za-z]{2,4})?$", "<2 to 3 characters>[-<2 to 4 characters>]"],
  ["^(p[dwmy]|\\d{4}-\\d{2}-\\d{2})$", "(p<character>|<4 digits>-<2 digits>-<2 digits>)"],
  ["^[a-z]+(?:\\.[a-z0-9_]+)+$", "<word>.<word>[…]"],
  ["^\\d+:\\d+$", "<number>:<number>"],
  ["^#[0-9a-fA-F]{6}$", "#<6 characters>"],
  ["^e[1-9][0-9]*$", "e<character>[<number>]"],
  // No words: not the whole text, negations, references, unclosed groups.
  ["\\S", undefined],
  ["^[^\\u0000]*$", undefined],
  ["^a+$", undefined],
  ["^(a)\\1$", undefined],
  ["^(a$", undefined],
  ["^a)$", undefined],
  ["^$", undefined],
  [`^${"a".repeat(81)}$`, undefined],
  [`^${"(".repeat(5000)}$`, undefined],
])("%s is %s", (pattern, words) => expect(patternWords(pattern)).toBe(words));

const messageOf = async (schema: object, examples: readonly JsonObject[] = []): Promise<string | undefined> => {
  const tool = toolOf({
    op: "onto.plan.find",
    tool: "find_plan",
    kind: "read",
    schema: closed({ form: { type: "string", ...schema } }),
    extra: { examples: examples.map((args) => ({ title: "x", op: "onto.plan.find", args })) },
  });
  return (await tryArgs(tool, { form: "x" })).errors[0]?.message;
};

test("the message has an example of the op or the schema that fits", async () => {
  const pattern = "^plan\\.[a-z]+$";
  expect(await messageOf({ pattern })).toBe("form must match plan.<word>");
  expect(await messageOf({ pattern, examples: ["no", "plan.a"] })).toBe(
    'form must match plan.<word>, such as "plan.a"',
  );
  expect(await messageOf({ pattern }, [{ form: "<form>" }, { form: "plan.b" }])).toBe(
    'form must match plan.<word>, such as "plan.b"',
  );
  expect(await messageOf({ pattern, "x-form": "plan.kind" })).toBe("form must match plan.kind");
  expect(await messageOf({ pattern, "x-form": "a plan and its kind" })).toBe("form must be a plan and its kind");
  expect(await messageOf({ pattern: "^[^x]+$", examples: ["a b"] })).toBe(
    'form must have the expected form, such as "a b"',
  );
  expect(await messageOf({ pattern: "^[^x]+$" })).toBe("form does not have the expected form");
});
