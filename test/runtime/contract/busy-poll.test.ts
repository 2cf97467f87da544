/** Waits that poll for a moment, and how often they do. */

import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PollPolicy, polledWaits, pollPolicy } from "../../../runtime/contract/busy-poll.js";
import { runs } from "../../support/random.js";

/** How many of the next waits do not poll before one does. */
function skipped(policy: PollPolicy): number {
  for (let count = 0; ; count++) if (policy.next()) return count;
}

describe("the policy", () => {
  test("polls fewer waits while nothing comes in the moment, and all once something does", () => {
    const policy = pollPolicy();
    expect(skipped(policy)).toBe(0);
    for (const count of [1, 3, 7, 15, 31, 31]) {
      policy.polled(false);
      expect(skipped(policy)).toBe(count);
    }
    policy.polled(true);
    expect(skipped(policy)).toBe(0);
  });

  test("a peer that has become slow costs few moments, and one that has become quick is met soon", () => {
    const polls = (policy: PollPolicy, came: readonly boolean[]): number =>
      came.filter((one) => {
        const isPolled = policy.next();
        if (isPolled) policy.polled(one);
        return isPolled;
      }).length;
    const slow = Array.from({ length: 320 }, () => false);
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 400 }), (came) => {
        const policy = pollPolicy();
        polls(policy, came);
        expect(polls(policy, slow)).toBeLessThanOrEqual(5 + slow.length / 32);
        expect(skipped(policy)).toBeLessThanOrEqual(31);
      }),
      runs(200),
    );
  });
});

describe("waits", () => {
  const turns = (): number => process.getActiveResourcesInfo().filter((one) => one === "Immediate").length;
  /** Turns of the event loop that a step adds. */
  const added = (step: () => void): number => {
    const before = turns();
    step();
    return turns() - before;
  };

  test("the event loop turns until a message has come", () => {
    const waits = polledWaits();
    for (let n = 0; n < 3; n++) {
      expect(added(waits.begin)).toBe(1);
      expect(added(waits.begin)).toBe(0);
      expect(added(waits.end)).toBe(-1);
      expect(added(waits.end)).toBe(0);
    }
  });

  test("it turns no longer than the moment, and the next wait sleeps", async () => {
    const waits = polledWaits();
    waits.begin();
    await sleep(5);
    expect(added(waits.end)).toBe(0);
    expect(added(waits.begin)).toBe(0);
    expect(added(waits.begin)).toBe(1);
    expect(added(waits.end)).toBe(-1);
  });
});
