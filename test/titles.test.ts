/** Titles of tests and groups say what must hold, also those of tables. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CHECKOUT } from "./support/project.js";

/** A title behind a table, as in `test.each(TABLE)("%s is read"`. */
const TITLE = /\)\s*\(\s*(["'`])((?:\\.|(?!\1)[^\\\n])*)\1/g;

/** What Vitest, or a template, fills in from a row. */
const FILLED_IN = /%[sdifjoOc#$%]|\$\{[^}]*\}|\$[\w.]+/g;

/** `LINE: TITLE` for each title of a text that has no word of its own. */
const wordless = (text: string): readonly string[] =>
  [...text.matchAll(TITLE)].flatMap(({ index, 2: title = "" }) => {
    const own = title.replace(FILLED_IN, "");
    return own === title || /\p{L}/u.test(own) ? [] : [`${text.slice(0, index).split("\n").length}: ${title}`];
  });

test("titles of placeholders alone are found with their lines", () => {
  const titles = ["%s", "%j: %s", "$name", "of %s", "over $name", "[]"];
  const text = titles.map((title) => `test.each(\n)(${JSON.stringify(title)}, () => {});\n`).join("");
  expect(wordless(`${text}test.each(A)(\n  "%s %d",\n  {}, f)`)).toEqual([
    "2: %s",
    "4: %j: %s",
    "6: $name",
    "13: %s %d",
  ]);
});

test("no title of a test is a placeholder alone", () => {
  const files = ["features", "test"].flatMap((folder) =>
    readdirSync(join(CHECKOUT, folder), { recursive: true, encoding: "utf8" }).map((file) => join(folder, file)),
  );
  const tests = files.filter((file) => file.endsWith(".test.ts"));
  expect(tests.length).toBeGreaterThan(500);
  const found = tests.flatMap((file) =>
    wordless(readFileSync(join(CHECKOUT, file), "utf8")).map((one) => `${file}:${one}`),
  );
  expect(found).toEqual([]);
});
