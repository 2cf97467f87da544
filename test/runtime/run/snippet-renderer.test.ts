/** The worker of templates ends once it is idle, and the next template starts another. */

import { expect, test, vi } from "vitest";
import { programPath } from "../../../runtime/run/engine/program.js";
import { snippetRenderer } from "../../../runtime/run/snippet-renderer.js";

const MARKS = { open: "\ue000", close: "\ue001" };
const order = (word: string) => ({
  ...{ body: "'{{ word }}'", marks: MARKS, most: 1000 },
  values: new Map([["word", word]]),
});

test("the worker ends once nothing was rendered for a time, and starts again", { timeout: 60_000 }, async () => {
  const renderer = snippetRenderer(await programPath("snippet-worker"), 20);
  expect(renderer.isStarted()).toBe(false);
  const texts = ["a", "b", "it's"].map((word) => renderer.render(order(word)));
  expect(await Promise.all(texts)).toEqual(["'a'", "'b'", "'it\\'s'"].map((text) => ({ kind: "text", text })));
  expect(renderer.isStarted()).toBe(true);
  await vi.waitUntil(() => !renderer.isStarted(), { timeout: 30_000 });
  // That the first worker goes has no effect on what waits for the second.
  expect(await renderer.render(order("c"))).toEqual({ kind: "text", text: "'c'" });
});

test("a worker that is in use stays", { timeout: 60_000 }, async () => {
  const renderer = snippetRenderer(await programPath("snippet-worker"), 1);
  for (let n = 0; n < 20; n++)
    expect(await renderer.render(order(String(n)))).toEqual({ kind: "text", text: `'${n}'` });
});
