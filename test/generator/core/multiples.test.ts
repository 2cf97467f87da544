/** `multipleOf` in validators: decimal fractions and numbers beyond 2^53 are judged as they are written. */

import { describe, expect, test } from "vitest";
import { checksOf, loadChecks } from "../../../generator/core/checker.js";
import { loadCompiler } from "../../../generator/core/compile.js";

await loadChecks();

const CASES: readonly (readonly [value: number, step: number, isMultiple: boolean])[] = [
  [0.3, 0.1, true],
  [19.99, 0.01, true],
  [-0.7, 0.1, true],
  [4.35, 0.01, true],
  [1_234_567.89, 0.01, true],
  [0, 0.1, true],
  [1e21, 1, true],
  [1e21, 0.1, true],
  [6, 0.5, true],
  [0.35, 0.1, false],
  [19.995, 0.01, false],
  [1e-7, 0.1, false],
  [1.0000001, 1, false],
  [7, 2, false],
  [0.75, 0.5, false],
  [1e308, 0.123456789, false],
];

describe("multipleOf", () => {
  test.each(CASES)("%d is a multiple of %d: %s", (value, multipleOf, expected) => {
    const schema = { type: "number", multipleOf };
    const [check] = checksOf(schema, {}) ?? [];
    expect(check?.(value)).toEqual(
      expected ? [] : [{ instancePath: "", schemaPath: "#/multipleOf", keyword: "multipleOf", params: { multipleOf } }],
    );
  });

  test("printed validators judge the same", async () => {
    const { compile } = await loadCompiler();
    for (const [value, multipleOf, expected] of CASES)
      expect(compile({ type: "number", multipleOf }).issuesOf(value).length === 0).toBe(expected);
  });
});
