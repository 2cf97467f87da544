/** Waits that poll for a moment, and how often they do. */

import fc from "fast-check";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { type PollBackoff, pollBackoff, polledWaits } from "../../../runtime/contract/busy-poll.js";
import { nextTurn } from "../../../runtime/contract/turn.js";
import { runs } from "../../support/random.js";

/** How many of the next waits do not poll before one does. */
function skipped(backoff: PollBackoff): number {
  for (let count = 0; ; count++) if (backoff.next()) return count;
}

describe("the backoff", () => {
  test("polls fewer waits while nothing comes in the moment, and all once something does", () => {
    const backoff = pollBackoff();
    expect(skipped(backoff)).toBe(0);
    for (const count of [1, 3, 7, 15, 31, 31]) {
      backoff.polled(false);
      expect(skipped(backoff)).toBe(count);
    }
    backoff.polled(true);
    expect(skipped(backoff)).toBe(0);
  });

  test("a peer that has become slow costs few moments, and one that has become quick is met soon", () => {
    const polls = (backoff: PollBackoff, came: readonly boolean[]): number =>
      came.filter((one) => {
        const isPolled = backoff.next();
        if (isPolled) backoff.polled(one);
        return isPolled;
      }).length;
    const slow = Array.from({ length: 320 }, () => false);
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 400 }), (came) => {
        const backoff = pollBackoff();
        polls(backoff, came);
        expect(polls(backoff, slow)).toBeLessThanOrEqual(5 + slow.length / 32);
        expect(skipped(backoff)).toBeLessThanOrEqual(31);
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

  test("it turns for the moment and no longer, and the next wait sleeps", async () => {
    const waits = polledWaits();
    let now = 1000;
    const clock = vi.spyOn(performance, "now").mockImplementation(() => now);
    onTestFinished(() => clock.mockRestore());
    waits.begin();
    for (const at of [0.02, 0.05, 0.09]) {
      now = 1000 + at;
      await nextTurn();
      expect(added(waits.begin)).toBe(0);
    }
    now = 1000.11;
    await nextTurn();
    expect(added(waits.end)).toBe(0);
    expect(added(waits.begin)).toBe(0);
    expect(added(waits.begin)).toBe(1);
    expect(added(waits.end)).toBe(-1);
  });

  test("one that ends in a later turn was met", async () => {
    const waits = polledWaits();
    const clock = vi.spyOn(performance, "now").mockReturnValue(1000);
    onTestFinished(() => clock.mockRestore());
    waits.begin();
    for (let turn = 0; turn < 3; turn++) await nextTurn();
    expect(added(waits.end)).toBe(-1);
    expect(added(waits.begin)).toBe(1);
    waits.end();
  });
});
