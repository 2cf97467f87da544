/** Code of which the parser builds a broken tree. */

import { expect, test } from "vitest";
import { isParseLimitError, parsePython } from "../../../../../runtime/run/languages/python/python-tree.js";

test("fields of f-strings that nest too deep are a limit, not a fault of ours", () => {
  const code = `${"f'{".repeat(21_845)}${"\\".repeat(65_535)}'`;
  let refusal: unknown;
  try {
    parsePython(code);
  } catch (error) {
    refusal = error;
  }
  expect(isParseLimitError(refusal)).toBe(true);
});
