/** The corpus through MCP, by the router, against real Python. `SCALE=1` takes all of it. */

import { expect, test } from "vitest";
import { randomOf, SCALE, shuffled } from "../../support/random.js";
import { corpus, isSame, referenceReplies } from "../../support/run/run-corpus.js";
import { runDemo } from "../../support/run/run-demo.js";

const { server } = runDemo();
const all = corpus();

/** Where the reply differs from Python 3.11's for a reason; an entry that no longer differs fails. */
const DIFFERENT: ReadonlyMap<string, string> = new Map([
  ["data: ordered dict", "3.12 shows an OrderedDict otherwise"],
  ["classes: slots and missing attribute", "wording of 3.14"],
  ["classes: abstract class", "wording of 3.12"],
  ["errors: max of nothing", "wording of 3.12"],
  ["errors: math domain", "wording of 3.14"],
  ["errors: unhashable", "wording of 3.14"],
  ["errors: unpack too many", "wording of 3.14"],
  ["errors: list index missing", "wording of 3.14"],
]);

test("the corpus is large, and its titles differ", () => {
  expect(all.length).toBeGreaterThan(250);
  expect([...DIFFERENT.keys()].filter((title) => !all.some((one) => one.title === title))).toEqual([]);
  expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
});

test("replies are those of Python", { tags: "full", timeout: 600_000 }, async () => {
  const some = shuffled(all, randomOf(11)).slice(0, Math.ceil(all.length * Math.min(1, SCALE)));
  const expected = referenceReplies(some.map(({ code }) => code));
  const wrong = [];
  for (const [i, { title, code }] of some.entries()) {
    const { content } = await server().client.callTool({ name: "run", arguments: { command: code } });
    const [block] = content as { text: string }[];
    const isDifferent = !isSame(block?.text ?? "", expected[i] ?? "");
    if (isDifferent !== DIFFERENT.has(title)) wrong.push({ title, reply: block?.text, python: expected[i] });
  }
  expect(wrong).toEqual([]);
});
