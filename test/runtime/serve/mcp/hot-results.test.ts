/** Results of ops that are tools of their own are checked in bounded time. */

import { describe, expect, test } from "vitest";
import { linearSchema } from "../../../../runtime/call/result-check.js";
import { type HotTool, resultOf } from "../../../../runtime/serve/mcp/hot-tools.js";

describe("results of tools that are offered by themselves", () => {
  const hot = (result_schema: object): HotTool =>
    ({ name: "a", tool: { op: "p.a", result_schema }, dryRun: undefined }) as unknown as HotTool;
  const answer = (schema: object, result: unknown): object =>
    resultOf(hot(schema), { op: "p.a", ok: true, result, meta: { warnings: [] } } as never, { isModern: true });

  test("a result that some pattern of its own schema would never be done with is answered", () => {
    const schema = {
      type: "object",
      properties: { a: { type: "string", pattern: "^(.*,){25}x" }, b: { type: "integer" } },
      patternProperties: { "^(a+)+$": { type: "integer" } },
    };
    const names = { [`${"a".repeat(60)}!`]: 1 };
    expect(answer(schema, { a: ",".repeat(10_000), ...names })).not.toMatchObject({ isError: true });
    expect(answer(schema, { a: ",", b: "no", ...names })).toMatchObject({ isError: true });
  });

  test("linear patterns are checked as before", () => {
    const schema = { type: "object", properties: { a: { type: "string", pattern: "^[a-z]+$" } } };
    expect(linearSchema(schema)).toEqual(schema);
    expect(answer(schema, { a: "A" })).toMatchObject({ isError: true });
  });

  test("data that looks like a pattern stays", () => {
    const schema = { enum: [{ pattern: "^(a+)+$" }], default: { pattern: "^(a+)+$" } };
    expect(linearSchema(schema)).toEqual(schema);
  });
});
