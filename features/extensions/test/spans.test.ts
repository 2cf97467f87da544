/** Spans of a run whose calls go through a Python process. */

import { join } from "node:path";
import { afterEach, expect, onTestFinished, test } from "vitest";
import { parentOf, withoutSdk, withSdk } from "../../../test/runtime/call/span-sdk.js";
import { openRoot, writeTools } from "../../../test/support/open-root.js";
import { CHECKOUT, generatedRoot } from "../../../test/support/project.js";
import { SLOW } from "../../../test/support/run/run-demo.js";

afterEach(withoutSdk);

test("calls that a Python tool makes hang on its call, that on its run; runs do not mix", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const root = await generatedRoot(join(CHECKOUT, "test/support/demos/ot-demo/definitions"));
  writeTools(root, { "mine.py": 'def twice(q: str) -> dict:\n  "Twice."\n  return demo.search(query=q + q)\n' });
  const { run } = await openRoot(root, "limits: { call_timeout_ms: 110000, wall_ms: 110000 }\n", onTestFinished);
  const spans = withSdk();
  expect(await Promise.all([run('mine.twice("a")["query"]'), run('mine.twice("b")["query"]')])).toEqual(["aa", "bb"]);
  const all = spans();
  const runs = all.filter(({ name }) => name === "run");
  expect(all.map((one) => `${one.name} < ${parentOf(all, one)}`).sort()).toEqual([
    "demo.search < mine.twice",
    "demo.search < mine.twice",
    "mine.twice < run",
    "mine.twice < run",
    "run < undefined",
    "run < undefined",
  ]);
  for (const span of all.filter(({ name }) => name !== "run")) {
    const whole = runs.find((one) => one.spanContext().traceId === span.spanContext().traceId);
    expect(span.attributes["run"]).toBe(whole?.attributes["trace_id"]);
  }
});
