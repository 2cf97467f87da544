/** Help at a terminal: text from servers cannot control the terminal. */

import { expect, test } from "vitest";
import type { HelpAnswer } from "../../../runtime/catalog/help-answers.js";
import { helpText } from "../../../runtime/cli/help-text.js";

const EVIL = "a\u001b]0;pwn\u0007\u009b31m\u202e";
const SAID = String.raw`a\u001b]0;pwn\u0007\u009b31m\u202e`;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const UNSAFE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/;
const plain = (_: string, text: string): string => text;

test("an op: no text of it writes to the terminal, and its lines stay lines", () => {
  const answer = {
    type: "op",
    path: `s.${EVIL}`,
    kind: "read",
    description: `One ${EVIL}\n\ttwo`,
    usage: EVIL,
    args: [{ name: EVIL, type: EVIL, required: true, default: EVIL, description: EVIL }],
    policy: { do: [EVIL], dont: [EVIL], edge_cases: [EVIL] },
    notes: [EVIL],
    constraints: [EVIL],
    examples: [{ op: EVIL, args: { [EVIL]: EVIL } }],
    see_also: [EVIL],
    schema: { properties: { [EVIL]: { description: EVIL } } },
  };
  const text = helpText(answer as unknown as HelpAnswer, plain);
  expect(text).not.toMatch(UNSAFE);
  expect(text).toContain(`One ${SAID}\n\ttwo\n`);
  expect(text).toContain(`= "${SAID}"`);
  expect(text).toContain(`    "${SAID}": {\n      "description": "${SAID}"`);
});

test("a directory and an error likewise", () => {
  const items = [
    { group: EVIL, ops: 1, summary: EVIL },
    { op: EVIL, kind: "read", summary: EVIL },
    { op: EVIL, usage: EVIL },
  ];
  const directory = { type: "directory", path: EVIL, items };
  const failed = { type: "miss", path: EVIL, error: { code: "NOT_FOUND", message: EVIL }, suggestions: [EVIL], items };
  for (const answer of [directory, failed]) {
    const text = helpText(answer as unknown as HelpAnswer, plain);
    expect(text).not.toMatch(UNSAFE);
    expect(text).toContain(SAID);
  }
});

test("a long answer says how to see the rest", () => {
  const text = (answer: object): string => helpText(answer as unknown as HelpAnswer, plain);
  const items = [{ group: "a.b", ops: 2, holds: "c d" }];
  expect(text({ type: "directory", path: "a", items, next: { path: "a", page: 2 } })).toBe(
    "a\n  a.b  2 ops  c d\n\nMore: --page 2\n",
  );
  const part = {
    type: "op",
    path: "a.b",
    kind: "read",
    at: "c",
    shape: "{ d: { … } }",
    next: { path: "a.b", at: "c.d" },
  };
  expect(text(part)).toContain("a.b c (read)");
  expect(text(part)).toMatch(/Shape\n {2}- \{ d: \{ … \} \}\n\n… in full: --at c\.d\n$/);
  expect(text({ ...part, shape: undefined, parts: [{ of: "schema", text: "{" }] })).toContain("Part of schema\n{\n");
});

test("our own colours stay", () => {
  const answer = { type: "directory", path: "a", items: [] };
  expect(helpText(answer as unknown as HelpAnswer, (_, text) => `\u001b[1m${text}\u001b[0m`)).toBe(
    "\u001b[1ma\u001b[0m\n",
  );
});
