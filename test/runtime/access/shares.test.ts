/** How many requests one key may have open over HTTP, so that other keys are served. */

import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { expect, test } from "vitest";
import { createOpenRequests } from "../../../runtime/serve/http/requests.js";

const answer = (): ServerResponse => new EventEmitter() as ServerResponse;

test("a key has three quarters of the requests open at most, and may open others once those are answered", () => {
  const requests = createOpenRequests(() => 8);
  const answers = Array.from({ length: 6 }, answer);
  for (const one of answers) expect(requests.enter(one, "a")).toBeDefined();
  expect(requests.enter(answer(), "a")).toBeUndefined();
  expect(requests.enter(answer(), "b")).toBeDefined();
  answers[0]?.emit("close");
  const next = requests.enter(answer(), "a");
  expect(next).toBeDefined();
  expect(next?.more(1)).toBe(false);
});

test("a caller without a key may use all of them", () => {
  const requests = createOpenRequests(() => 8);
  for (let i = 0; i < 8; i++) expect(requests.enter(answer())).toBeDefined();
  expect(requests.enter(answer())).toBeUndefined();
});

test("a key has 32 streams at most, which are no requests any more, and others have their own", async () => {
  const requests = createOpenRequests(() => 8);
  const answers = Array.from({ length: 32 }, answer);
  for (const one of answers) expect(requests.enter(one, "a")?.listen()).toBe(true);
  expect(await requests.idle(0)).toBe(true);
  const more = answer();
  expect(requests.enter(more, "a")?.listen()).toBe(false);
  more.emit("close");
  expect(requests.enter(answer(), "b")?.listen()).toBe(true);
  answers[0]?.emit("close");
  expect(requests.enter(answer(), "a")?.listen()).toBe(true);
});
