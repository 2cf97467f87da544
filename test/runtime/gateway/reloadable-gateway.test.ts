/** Reloads of a gateway: calls under way, failures, and requests at the same time. */

import { expect, test } from "vitest";
import { silentLog } from "../../../runtime/config/log.js";
import { UsageError } from "../../../runtime/contract/usage-error.js";
import type { Gateway } from "../../../runtime/gateway/gateway.js";
import { createLive, type Live } from "../../../runtime/gateway/reloadable-gateway.js";
import { fixture, handler, okOf, principal } from "./fixture.js";

const DONE = "OK: Configuration reloaded";

/** A gateway whose calls say its name when `finish` is called, or at once. */
function named(name: string, waiting = false) {
  const closed: string[] = [];
  let finish = (): void => undefined;
  const until = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const answers = handler(async () => {
    if (waiting) await until;
    return name;
  });
  const { gateway } = fixture({ handlers: { "onto.task.list": answers } });
  const watched: Gateway = { ...gateway, log: silentLog, close: async () => void closed.push(name) };
  return { gateway: watched, finish, closed };
}

const resultOf = async ({ within }: Live) =>
  okOf(await within(({ dispatch }) => dispatch({ op: "onto.task.list" }, principal()))).result;

test("a call ends on the gateway that it began with, which is closed after it", async () => {
  const old = named("old", true);
  const next = named("next");
  const live = createLive(old.gateway, async () => ({ gateway: next.gateway, stale: [] }));
  const under = resultOf(live);
  expect(await live.reload()).toBe(DONE);
  expect(await resultOf(live)).toBe("next");
  expect(old.closed).toEqual([]);
  old.finish();
  expect(await under).toBe("old");
  expect(old.closed).toEqual(["old"]);
  expect(live.current().index).toBe(next.gateway.index);
  await live.close();
  expect([...old.closed, ...next.closed]).toEqual(["old", "next"]);
});

test("what cannot be opened changes nothing", async () => {
  const old = named("old");
  let listened = 0;
  const live = createLive(old.gateway, async () => {
    throw new UsageError("definitions/toolwright.yaml:3 is wrong");
  });
  live.onSwap(() => listened++);
  expect(await live.reload()).toBe("Error: Configuration not reloaded: definitions/toolwright.yaml:3 is wrong");
  expect(await resultOf(live)).toBe("old");
  expect([listened, old.closed.length]).toEqual([0, 0]);
});

test("reloads never overlap, and requests during a waiting reload share it", async () => {
  let [open, most, opened] = [0, 0, 0];
  const live = createLive(named("first").gateway, async () => {
    most = Math.max(most, ++open);
    opened++;
    await new Promise((resolve) => setTimeout(resolve, 5));
    open--;
    return { gateway: named("next").gateway, stale: [] };
  });
  const asked = Array.from({ length: 10 }, () => live.reload());
  expect(new Set(await Promise.all(asked))).toEqual(new Set([DONE]));
  expect(most).toBe(1);
  // The first shares its turn with those who asked before it began.
  expect(opened).toBe(1);
  const under = live.reload();
  await new Promise((resolve) => setTimeout(resolve, 1));
  await Promise.all([under, live.reload(), live.reload()]);
  expect(opened).toBe(3);
});

test("a gateway that is opened while the server ends is closed", async () => {
  const old = named("old");
  const late = named("late");
  let release = (): void => undefined;
  const live = createLive(old.gateway, async () => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    return { gateway: late.gateway, stale: [] };
  });
  const reloading = live.reload();
  await new Promise((resolve) => setTimeout(resolve, 1));
  const closing = live.close();
  release();
  expect(await reloading).toMatch(/^Error: Configuration not reloaded: the server is ending/);
  await closing;
  expect([late.closed, old.closed]).toEqual([["late"], ["old"]]);
});
