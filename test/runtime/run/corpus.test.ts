/** The corpus through MCP, by the router, against real Python. `SCALE=1` takes all of it. */

import { expect, test } from "vitest";
import { randomOf, SCALE, shuffled } from "../../support/random.js";
import { corpus, isSame, referenceReplies } from "../../support/run-corpus.js";
import { runDemo } from "../../support/run-demo.js";

const { server } = runDemo();
const all = corpus();

test("the corpus is large, and its titles differ", () => {
  expect(all.length).toBeGreaterThan(250);
  expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
});

test("replies are those of Python", async () => {
  const some = shuffled(all, randomOf(11)).slice(0, Math.ceil(all.length * Math.min(1, SCALE)));
  const expected = referenceReplies(some.map(({ code }) => code));
  const wrong = [];
  for (const [i, { title, code }] of some.entries()) {
    const { content } = await server().client.callTool({ name: "run", arguments: { command: code } });
    const [block] = content as { text: string }[];
    if (!isSame(block?.text ?? "", expected[i] ?? "")) wrong.push({ title, reply: block?.text, python: expected[i] });
  }
  expect(wrong).toEqual([]);
}, 600_000);
