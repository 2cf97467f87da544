/**
 * What a comparison of two builds finds in learned types: one folder for each rule, compared in both directions as `breaking` does.
 * UPDATE=1 rewrites the expected files.
 */

import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import { toolComparison } from "../../../core/changes.js";
import { completeTool } from "../../../test/support/partial-registry.js";
import { FEATURES } from "../../list.js";
import { LEARNED_BREAKING_RULES } from "../breaking-rules.js";

const CASES = new URL("./cases/", import.meta.url);
const rules = Object.keys(LEARNED_BREAKING_RULES);

/** Rules that the reverse change does not find, with the reason. */
const WAIVED: Readonly<Record<string, string>> = {
  "learned-property-gone": "a key that was learned later breaks no program",
  "learned-widened": "more that is certain breaks no program",
};

test("every rule has a case, and its example a whole message", () => {
  expect(readdirSync(CASES).sort()).toEqual([...rules].sort());
  for (const { message, example } of Object.values(LEARNED_BREAKING_RULES))
    expect(message(example)).not.toMatch(/undefined|NaN/);
});

test.each(rules)("are compared by their order: %s", async (rule) => {
  const read = (file: string) => readFileSync(new URL(`${rule}/${file}.json`, CASES), "utf8");
  const [before, after] = ["before", "after"].map((file) => JSON.parse(read(file)).tools.map(completeTool));
  const compare = toolComparison(FEATURES);
  const golden = async (...sides: Parameters<typeof compare>) =>
    (await compare(...sides)).map(({ line: _, column: __, surface: ___, tool: ____, ...one }) => one);
  const found = { forward: await golden(before, after), reversed: await golden(after, before) };
  if (process.env["UPDATE"])
    writeFileSync(new URL(`${rule}/expected.json`, CASES), `${JSON.stringify(found, undefined, 2)}\n`);
  else expect(found).toEqual(JSON.parse(read("expected")));
  expect(new Set(found.forward.map((one) => one.rule))).toEqual(new Set([rule]));
  expect(found.reversed.some((one) => one.rule === rule)).toBe(WAIVED[rule] === undefined);
  expect(await golden(before, before)).toEqual([]);
});
