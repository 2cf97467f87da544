/** The waits between attempts to connect. */

import fc from "fast-check";
import { expect, test } from "vitest";
import { BACKOFF, waitAfter } from "../../../runtime/contract/backoff.js";
import { runs } from "../../support/random.js";

test("there is no wait before the first failure, then doubled and bounded, each in its upper half", () => {
  const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), unit, (failures, random) => {
      const whole = Math.min(BACKOFF.longestMs, BACKOFF.firstMs * 2 ** (failures - 1));
      const wait = waitAfter(failures, () => random);
      expect(wait).toBeGreaterThanOrEqual(whole / 2);
      expect(wait).toBeLessThanOrEqual(whole);
    }),
    runs(1_000),
  );
  expect([waitAfter(0, () => 0.5), waitAfter(1, () => 0), waitAfter(2, () => 0)]).toEqual([0, 500, 1_000]);
});
