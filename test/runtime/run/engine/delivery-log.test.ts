/** The order in which answers reach a program, and its repetition. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Delivered, type Delivery, deliveryLog } from "../../../../runtime/run/engine/delivery-log.js";
import { randomOf, runs, shuffled } from "../../../support/random.js";

const key = (what: Delivered): string => ("call" in what ? `call ${what.call}` : `timer ${what.timer}`);

/** Delivers all of `what`, in this order of their readiness; returns the keys in the order of delivery, with the times. */
function delivered(what: readonly Delivered[], earlier: readonly Delivery[], clock: () => number) {
  const log = deliveryLog(earlier, clock);
  const seen: (readonly [string, number])[] = [];
  for (const one of what) log.ready(one, (now) => void seen.push([key(one), now]));
  return { seen, log };
}

const EVENTS: readonly Delivered[] = [...Array(6)].flatMap((_, at) => [{ call: at + 1 }, { timer: at + 1 }]);

describe("delivery log", () => {
  test("without earlier deliveries, everything is delivered at once with the time of the clock", () => {
    let now = 10;
    const { seen, log } = delivered([{ timer: 1 }, { call: 1 }], [], () => now++);
    expect(seen).toEqual([
      ["timer 1", 10],
      ["call 1", 11],
    ]);
    expect(log.deliveries).toEqual([
      { timer: 1, now: 10 },
      { call: 1, now: 11 },
    ]);
  });

  test("earlier deliveries are repeated in their order with their times, then new ones follow", () => {
    const order = fc.tuple(fc.nat(), fc.nat(EVENTS.length), fc.nat());
    fc.assert(
      fc.property(order, ([first, length, second]) => {
        const earlier = shuffled(EVENTS, randomOf(first))
          .slice(0, length)
          .map((one, at) => ({ ...one, now: at }));
        const { seen, log } = delivered(shuffled(EVENTS, randomOf(second)), earlier, () => 1000);
        expect(seen.slice(0, length)).toEqual(earlier.map((one) => [key(one), one.now]));
        expect(seen.slice(length).every(([, now]) => now === 1000)).toBe(true);
        expect(new Set(seen.map(([name]) => name)).size).toBe(EVENTS.length);
        expect(log.deliveries.map(key)).toEqual(seen.map(([name]) => name));
      }),
      runs(5000),
    );
  });

  test("what is ready while another delivery is under way waits for it", () => {
    const log = deliveryLog(
      [
        { call: 2, now: 1 },
        { call: 1, now: 2 },
      ],
      () => 3,
    );
    const seen: string[] = [];
    log.ready({ call: 1 }, () => void seen.push("call 1"));
    log.ready({ call: 3 }, () => void seen.push("call 3"));
    expect(seen).toEqual([]);
    log.ready({ call: 2 }, () => {
      seen.push("call 2");
      log.ready({ call: 4 }, () => void seen.push("call 4"));
    });
    expect(seen).toEqual(["call 2", "call 1", "call 3", "call 4"]);
  });
});
