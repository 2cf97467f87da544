/** Retries, and several pieces of work in one call. */

import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Context } from "../../../../runtime/contract/handler.js";
import { ToolFailure } from "../../../../runtime/contract/handler.js";
import { parallelMap } from "../../../../runtime/packs/web/parallel-map.js";
import { withRetries } from "../../../../runtime/packs/web/retry.js";
import { calling, failureOf } from "./loopback.js";

const passing = (details: object = { status: 503, retry_after_ms: 0 }) =>
  new ToolFailure("UNAVAILABLE", "later", details);
const context = (more: Partial<Context> = {}): Context => ({ ...calling().context, ...more });

/** Work that fails as often as there are failures. */
function failing(...failures: readonly Error[]) {
  let tries = 0;
  const work = async (): Promise<number> => {
    const failure = failures[tries++];
    if (failure) throw failure;
    return tries;
  };
  return { work, tries: () => tries };
}

describe("retrying", () => {
  test.each([
    [{ status: 500, retry_after_ms: 0 }],
    [{ status: 408, retry_after_ms: 0 }],
    [{ reason: "ECONNRESET", retry_after_ms: 0 }],
    [{ reason: "UND_ERR_SOCKET", retry_after_ms: 0 }],
  ])("passing: %j", async (details) => {
    expect(await withRetries(context(), "s", { attempts: 2 }, failing(passing(details)).work)).toBe(2);
  });

  test.each([
    [passing({ status: 404, retry_after_ms: 0 })],
    [passing({ reason: "ENOTFOUND", retry_after_ms: 0 })],
    [passing({})],
    [new ToolFailure("VALIDATION_ERROR", "no", { retry_after_ms: 0 })],
    [new ToolFailure("UNAVAILABLE", "no")],
    [new TypeError("ours")],
  ])("not passing: %s", async (failure) => {
    const { work, tries } = failing(failure);
    await expect(withRetries(context(), "s", { attempts: 4 }, work)).rejects.toBe(failure);
    expect(tries()).toBe(1);
  });

  test("the last failure is reported", async () => {
    const failures = [passing(), passing(), passing()];
    await expect(withRetries(context(), "s", { attempts: 3 }, failing(...failures).work)).rejects.toBe(failures[2]);
  });

  test("no wait goes beyond the call", async () => {
    const told = passing({ status: 503, retry_after_ms: 60_000 });
    await expect(withRetries(context(), "s", { attempts: 3 }, failing(told).work)).rejects.toBe(told);
    const soon = context({ deadline: Date.now() + 200 });
    const untold = passing({ status: 503 });
    await expect(withRetries(soon, "s", { attempts: 3 }, failing(untold).work)).rejects.toBe(untold);
  });

  test("an estimated wait is not used", async () => {
    const guessed = new ToolFailure("RATE_LIMITED", "later", { retry_after_ms: 59_000, estimated: true });
    expect(await withRetries(context(), "s", { attempts: 2 }, failing(guessed).work)).toBe(2);
  });

  test("an attempt that takes too long ends, and the next one begins", async () => {
    let tries = 0;
    const found = await withRetries(context(), "s", { attempts: 2, attemptMs: 30 }, async ({ signal }) => {
      if (tries++ === 0) await pause(60_000, undefined, { signal });
      return tries;
    });
    expect(found).toBe(2);
    const work = ({ signal }: Context) => pause(60_000, undefined, { signal });
    const failure = await failureOf(withRetries(context(), "host.example", { attempts: 1, attemptMs: 30 }, work));
    expect(failure).toMatchObject({ code: "UNAVAILABLE", details: { server: "host.example" } });
  });

  test("a wait ends with the call", async () => {
    const leaving = new AbortController();
    const waiting = withRetries(
      context({ signal: leaving.signal }),
      "s",
      { attempts: 2 },
      failing(passing({ status: 503, retry_after_ms: 30_000 })).work,
    );
    leaving.abort();
    await expect(waiting).rejects.toMatchObject({ name: "AbortError" });
  });
});

describe("parallelMap", () => {
  test("every item has its own result in its place, for any durations", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ ms: fc.nat(3), fails: fc.boolean() }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 5 }),
        async (items, parallel) => {
          let open = 0;
          const pieces = await parallelMap(context(), items, parallel, async ({ ms, fails }) => {
            expect(++open).toBeLessThanOrEqual(parallel);
            await pause(ms);
            open--;
            if (fails) throw new ToolFailure("NOT_FOUND", `after ${ms}`);
            return ms;
          });
          expect(pieces).toEqual(
            items.map(({ ms, fails }) =>
              fails ? { error: { code: "NOT_FOUND", message: `after ${ms}` } } : { value: ms },
            ),
          );
        },
      ),
      { numRuns: 30, seed: 1 },
    );
  });

  test("what is our own fault ends the call", async () => {
    const broken = new TypeError("ours");
    const work = async (): Promise<never> => {
      throw broken;
    };
    await expect(parallelMap(context(), [1, 2], 2, work)).rejects.toBe(broken);
  });

  test("what was not begun in time has the error TIMEOUT", async () => {
    const soon = context({ deadline: Date.now() + 100 });
    const pieces = await parallelMap(soon, [1, 2, 3], 1, (_, { signal }) => pause(60_000, "done", { signal }));
    expect(pieces.map((piece) => "error" in piece && piece.error.code)).toEqual(["TIMEOUT", "TIMEOUT", "TIMEOUT"]);
  });
});
