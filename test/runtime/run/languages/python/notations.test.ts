/** A language of `run` is one row of the table. */

import { expect, test } from "vitest";
import {
  NOTATIONS as LANGUAGES,
  type Notation as Language,
} from "../../../../../runtime/run/languages/python/notations.js";
import { readQuickly } from "../../../../../runtime/run/languages/python/reading.js";

const names = { aliases: new Map(), packs: new Set(["onto"]), bare: new Map() };

const CALLS: Language = {
  name: "calls",
  words: ["calls"],
  accepts: (_, fence) => fence === "calls",
  read: (text) =>
    text.includes("(")
      ? { kind: "fault", type: "SyntaxError", message: "one path in each line", hints: [] }
      : { kind: "code", code: text.replace(/^(\S+)$/gm, "$1()") },
};

/** The Python that a command becomes, or what else it is. */
function read(command: string, languages?: readonly Language[]) {
  const step = readQuickly("command", command, { names }, 1000, languages);
  return step?.kind === "read" ? step.rewritten.source : (step?.kind ?? "nothing");
}
const more = [CALLS, ...LANGUAGES];

test.each([
  ["```calls\nonto.list\nonto.read\n```", "onto.list()\nonto.read()"],
  ["__ot ```calls onto.list```", "onto.list()"],
  ["```calls\nonto.list(1)\n```", "fault"],
  ["```python\nonto.list\n```", "onto.list"],
  ["onto.list", "onto.list"],
  ["```python\n$name a=1\n```", "call"],
])("with one more row, %j is %j", (command, expected) => {
  expect(read(command, more)).toBe(expected);
});

test("without the row, its word names no language", () => {
  expect(read("```calls\nonto.list\n```")).toBe("onto.list");
  expect(read("```calls onto.list```")).toBe("calls onto.list");
});

test("Python is the last row, and takes everything", () => {
  expect(LANGUAGES.at(-1)?.name).toBe("python");
  expect(LANGUAGES.at(-1)?.accepts("", "ruby")).toBe(true);
});
