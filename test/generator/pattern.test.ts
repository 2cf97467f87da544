/** Patterns of anybody: which are tried, which are not, and that judging them ends. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { patternFault } from "../../generator/pattern.js";
import { runs } from "../support/random.js";

test.each([
  ["^(a+)+$", "endless"],
  ["^(a|a)*$", "endless"],
  ["^(a|aa)+$", "endless"],
  ["^([a-z]+)*$", "endless"],
  ["^foo(a+)+$", "endless"],
  ["^(\\w|\\d)+$", "endless"],
  ["^(ab|a|b)*$", "endless"],
  ["^(([a-z])+.)+[A-Z]([a-z])+$", "endless"],
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
])("%j", (pattern, fault) => expect(patternFault(pattern)).toBe(fault));

test("any text is judged, the same each time", () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(..."ab(|)[]{}*+?.^$\\wd,1-u:=!<>") }), (pattern) => {
      expect(patternFault(pattern)).toBe(patternFault(pattern));
    }),
    runs(2000),
  );
});
