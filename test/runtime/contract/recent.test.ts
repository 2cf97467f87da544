/** What was made last is kept. */

import { expect, test } from "vitest";
import { recentOf } from "../../../runtime/contract/recent.js";

interface Made {
  readonly text: string;
}

test("a key that comes again gets what was made for it, and the key that was used longest ago is dropped", () => {
  const recent = recentOf<Made>(2);
  const made: string[] = [];
  const get = (text: string): Made =>
    recent(text, () => {
      made.push(text);
      return { text };
    });
  const first = get("a");
  expect(get("a")).toBe(first);
  get("b");
  get("a");
  get("c");
  expect(get("a")).toBe(first);
  expect(get("b")).toEqual({ text: "b" });
  expect(made).toEqual(["a", "b", "c", "b"]);
});

test("nothing is kept of a key for which nothing could be made", () => {
  const recent = recentOf<Made | undefined>(2);
  expect(recent("a", () => undefined)).toBeUndefined();
  expect(recent("a", () => ({ text: "a" }))).toEqual({ text: "a" });
});

test("values may have weights: the oldest make room, and one that is heavier than all is not kept", () => {
  const recent = recentOf<Made>(10, ({ text }) => text.length);
  const made: string[] = [];
  const get = (text: string): Made =>
    recent(text, () => {
      made.push(text);
      return { text };
    });
  for (const text of ["aaaa", "bbbb", "aaaa", "cc", "eleven char", "aaaa", "bbbb", "cc", "ddd"]) get(text);
  expect(made).toEqual(["aaaa", "bbbb", "cc", "eleven char", "ddd"]);
  // Of the 13, the oldest went: that of `aaaa`.
  for (const text of ["bbbb", "cc", "ddd", "aaaa"]) get(text);
  expect(made.slice(5)).toEqual(["aaaa"]);
});
