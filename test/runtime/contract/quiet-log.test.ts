/** Warnings about strangers: one of a kind a second, and a count of the others. */

import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { quietly, type Say } from "../../../runtime/contract/quiet-log.js";

let lines: string[] = [];
let say: Say;
beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  lines = [];
  const note = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  say = quietly({ debug: note, info: note, warn: note, error: note });
});

test("repetitions are counted, and the count is written when their time ends", () => {
  for (const trace_id of ["a", "b", "c"]) say("refused", { check: "aud" }, { trace_id });
  say("refused", { check: "exp" });
  expect(lines).toEqual(['refused {"check":"aud","trace_id":"a"}', 'refused {"check":"exp"}']);
  vi.advanceTimersByTime(1000);
  expect(lines.slice(2)).toEqual(['refused {"check":"aud","suppressed":2}']);
  say("refused", { check: "aud" });
  expect(lines.slice(3)).toEqual(['refused {"check":"aud"}']);
  vi.advanceTimersByTime(5000);
  expect(lines).toHaveLength(4);
});

test("more kinds than are told apart are counted together, so that memory and log are bounded", () => {
  for (let i = 0; i < 10_000; i++) say("refused", { check: String(i) });
  expect(lines).toHaveLength(101);
  vi.advanceTimersByTime(1000);
  expect(lines.slice(101)).toEqual(['refused {"suppressed":9899}']);
  expect(vi.getTimerCount()).toBe(0);
});
