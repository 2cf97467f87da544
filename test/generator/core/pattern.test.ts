/** Which patterns are supported, how each is matched, and that the check of a pattern ends. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { patternFault } from "../../../generator/core/pattern.js";
import { patternKind } from "../../../runtime/contract/pattern/bounded-pattern.js";
import { runs } from "../../support/random.js";

test.each([
  ["(a{9}b){999}", "unsupported"],
  ["((?:){999}){999}x", "unsupported"],
  ["^[\\w-.]+$", "legacy"],
  ["\\-", "legacy"],
  ["^(?i)abc$", "invalid"],
  ["(", "invalid"],
  ["^\\p{L}+$", undefined],
  ["^[a-z]+(?:\\.[a-z0-9_]+)+$", undefined],
  ["^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.)+[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$", undefined],
  ["^(?:task_[A-Za-z0-9_-]{1,60}|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$", undefined],
  ["^[^,]+(,[^,]+)*$", undefined],
  ["", undefined],
])("what our engine cannot take in the pattern %j is found", (pattern, fault) =>
  expect(patternFault(pattern)).toBe(fault),
);

test.each([
  ["^(a+)+$", "scan"],
  ["^(a|a)*$", "scan"],
  ["^(.*,){25}x", "scan"],
  ["\\s*$", "scan"],
  ["foo.*bar", "scan"],
  ["^(?:.*a){3}", "scan"],
  ["^(?=(a+)+b)", "scan"],
  ["^(['\"]).*\\1$", "backtrack"],
  ["^[a-z]+(?:-[a-z]+)*$", "native"],
  ["^.{1,5000}$", "native"],
  ["^(?!.*foo)(?!.*bar).*$", "native"],
  ["[a-z]{2,}", "native"],
  ["^(?:a|ab)*c", "native"],
])("%j is matched by %s", (pattern, kind) => expect(patternKind(pattern, "u")).toBe(kind));

test("any text is judged, the same each time", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."ab(|)[]{}*+?.^$\\wd,1-u:=!<>") }), (pattern) => {
      expect(patternFault(pattern)).toBe(patternFault(pattern));
    }),
    runs(2000),
  );
});
