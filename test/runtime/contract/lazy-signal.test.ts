/** A signal that is made when it is needed. */

import { expect, test, vi } from "vitest";
import { LazySignal, signalOf } from "../../../runtime/contract/lazy-signal.js";

test("listeners hear the abort once, those that were removed do not", () => {
  const ending = new LazySignal();
  const [kept, removed, late] = [vi.fn(), vi.fn(), vi.fn()];
  ending.addEventListener("abort", kept);
  ending.addEventListener("abort", removed);
  ending.removeEventListener("abort", removed);
  expect(ending.aborted).toBe(false);
  ending.abort("first");
  ending.abort("second");
  ending.addEventListener("abort", late);
  expect([kept.mock.calls.length, removed.mock.calls.length, late.mock.calls.length]).toEqual([1, 0, 0]);
  expect([ending.aborted, ending.signal.reason]).toEqual([true, "first"]);
});

test("a listener that aborts again, or removes another one, changes nothing for this abort", () => {
  const ending = new LazySignal();
  const other = vi.fn();
  ending.addEventListener("abort", () => {
    ending.abort("again");
    ending.removeEventListener("abort", other);
  });
  ending.addEventListener("abort", other);
  ending.abort("once");
  expect([other.mock.calls.length, ending.signal.reason]).toEqual([1, "once"]);
});

test("the signal is the same at each look, and aborts with the same reason, before and after it was made", () => {
  const [before, after] = [new LazySignal(), new LazySignal()];
  const made = before.signal;
  expect(before.signal).toBe(made);
  before.abort("why");
  after.abort("why");
  for (const one of [made, after.signal]) expect([one.aborted, one.reason]).toEqual([true, "why"]);
});

test("a signal stays what it is, and one that is lazy is made", () => {
  const [plain, lazy] = [new AbortController().signal, new LazySignal()];
  expect(signalOf(plain)).toBe(plain);
  expect(signalOf(lazy)).toBe(lazy.signal);
});
