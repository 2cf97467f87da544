/** The time limit of a call: when it ends, and what is said of a write that was given up. */

import { describe, expect, test, vi } from "vitest";
import { limitMs, startLimit, stateLimitMs } from "../../../runtime/call/limit.js";
import type { ToolFailure } from "../../../runtime/codegen.js";

describe("startLimit", () => {
  const never = (): Promise<never> => new Promise(() => {});

  test("says what is known of a write that was given up", async () => {
    const texts: readonly (readonly ["none" | "unknown" | undefined, string, object])[] = [
      [undefined, "The call took longer than 5 ms.", { limit_ms: 5 }],
      ["none", "The call took longer than 5 ms. Nothing was changed.", { limit_ms: 5, outcome: "none" }],
      [
        "unknown",
        "The call took longer than 5 ms. Whether it took effect is not known: read before trying again.",
        { limit_ms: 5, outcome: "unknown" },
      ],
    ];
    for (const [outcome, message, details] of texts) {
      const limit = startLimit(5, 100);
      expect(limit).toMatchObject({ ms: 5, deadline: 105 });
      const error = await limit.race(never, outcome).catch((one: unknown) => one as ToolFailure);
      expect(error).toMatchObject({ code: "TIMEOUT", message, details });
      limit.end();
    }
  });

  test("time that is spent counts, to its end", async () => {
    expect(startLimit(10, 100, undefined, 4.5).deadline).toBe(105);
    const late = startLimit(10, 100, undefined, 50);
    expect(late.deadline).toBe(100);
    expect(await late.race(never, "unknown").catch((one: unknown) => one as ToolFailure)).toMatchObject({
      code: "TIMEOUT",
      details: { limit_ms: 10, outcome: "unknown" },
    });
    expect(await late.race(never, "unknown").catch((one: unknown) => one as ToolFailure)).toMatchObject({
      code: "TIMEOUT",
      details: { limit_ms: 10, outcome: "none" },
    });
  });

  test("a fifth of it, at most half a second, is kept from the state database for the answer", () => {
    expect([1000, 2500, 5000, 0].map(stateLimitMs)).toEqual([800, 2000, 4500, 0]);
    const settings = { ops: new Map([["a.b", { deadline_ms: 7 }]]), callTimeoutMs: 30 };
    expect([limitMs(settings, "a.b"), limitMs(settings, "a.c")]).toEqual([7, 30]);
  });

  test("a caller that has gone before is CANCELLED, and nothing was begun", async () => {
    const begun = vi.fn(never);
    const limit = startLimit(1000, 0, AbortSignal.abort());
    const gone = (outcome?: "unknown") => limit.race(begun, outcome).catch((one: unknown) => one as ToolFailure);
    expect(await gone("unknown")).toMatchObject({
      code: "CANCELLED",
      message: "The call was cancelled. Nothing was changed.",
      details: { limit_ms: 1000, outcome: "none" },
    });
    expect(await gone()).toMatchObject({
      code: "CANCELLED",
      message: "The call was cancelled.",
      details: { limit_ms: 1000 },
    });
    expect(begun).not.toHaveBeenCalled();
    limit.end();
  });

  test("the end releases the caller's signal and stops the timer; a limit beyond timers never fires", async () => {
    const controller = new AbortController();
    const limit = startLimit(10, 0, controller.signal);
    limit.end();
    controller.abort();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(limit.signal.aborted).toBe(false);
    const long = startLimit(2 ** 40, 0);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(long.signal.aborted).toBe(false);
    expect(await long.race(async () => "done", "none")).toBe("done");
    long.end();
  });

  test("a signal that is first asked for after the end of the time has aborted, with the reason", async () => {
    const limit = startLimit(1, 0);
    await limit.race(never, undefined).catch(() => undefined);
    expect([limit.signal.aborted, limit.signal.reason]).toEqual([true, "TIMEOUT"]);
    expect(limit.signal).toBe(limit.signal);
    const cancelled = startLimit(1000, 0, AbortSignal.abort());
    expect([cancelled.signal.aborted, cancelled.signal.reason]).toEqual([true, "CANCELLED"]);
    cancelled.end();
  });

  test("who waits is told before the handler's own listeners", async () => {
    const controller = new AbortController();
    const limit = startLimit(1000, 0, controller.signal);
    const failing = () =>
      new Promise<never>((_, reject) => limit.signal.addEventListener("abort", () => reject(new Error("own failure"))));
    const given = limit.race(failing, undefined).catch((one: unknown) => one as ToolFailure);
    controller.abort();
    expect(await given).toMatchObject({ code: "CANCELLED" });
    limit.end();
  });
});
