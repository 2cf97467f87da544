/** Where a text stops being JSON, as a form says it. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { jsonFault, jsonFaultText } from "../../../../runtime/serve/console/app/json-fault.js";

const told = (text: string): string | undefined => {
  const fault = jsonFault(text);
  return fault && jsonFaultText(fault);
};

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe("a fault in JSON", () => {
  test.each<[string, string]>([
    ["[1,\n2,,3]", 'line 2, column 3: expected a value; a text is in double quotes, found ","'],
    ["[1", "line 1, column 3: expected a comma or ], the text ends"],
    ['{"a": 1,}', 'line 1, column 9: expected a name in double quotes, found "}"'],
    ['{\n  "a" 1}', 'line 2, column 7: expected : after the name, found "1"'],
    ["{'a': 1}", `line 1, column 2: expected a name in double quotes or }, found "'"`],
    ["Call Anna", 'line 1, column 1: expected a value; a text is in double quotes, found "C"'],
    ["[01]", 'line 1, column 2: expected a value or ]; a text is in double quotes, found "0"'],
    ['{"a": 1} x', 'line 1, column 10: expected nothing more, found "x"'],
    ['["a\nb"]', 'line 1, column 2: expected a value or ]; a text is in double quotes, found "\\""'],
    ["", "line 1, column 1: expected a value; a text is in double quotes, the text ends"],
  ])("%j: its place, what is expected there, and what is found", (text, fault) => {
    expect(told(text)).toBe(fault);
  });

  test("is found in a text exactly where the text is no JSON", () => {
    const json = fc.json({ maxDepth: 3 });
    // JSON with one character put in, taken out or replaced.
    const broken = fc.tuple(
      json,
      fc.nat(),
      fc.nat(1),
      fc.constantFrom("", '"', ",", ":", "}", "]", "{", "1", "e", "\\", "\n", "x"),
    );
    fc.assert(
      fc.property(
        fc.oneof(
          json,
          broken.map(
            ([text, at, cut, put]) =>
              text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + cut),
          ),
        ),
        (text) => {
          const fault = jsonFault(text);
          expect(fault === undefined).toBe(isJson(text));
          if (fault) expect(fault.at).toBeLessThanOrEqual(text.length);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test("is found in a deep or long text in linear time", () => {
    expect(jsonFault("[".repeat(200_000))?.at).toBe(200_000);
    expect(jsonFault(`"${"\\\\".repeat(100_000)}`)?.at).toBe(0);
    expect(jsonFault(`[${"1,".repeat(100_000)}1]`)).toBeUndefined();
  });
});
