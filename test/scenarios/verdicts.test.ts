import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CHECKOUT } from "../support/project.js";
import { verdictsOf } from "./verdicts.js";

const ABSENT = "../shared/corpora is not there";
const result = (title: string, status: string, ...ancestorTitles: readonly string[]) => ({
  title,
  status,
  ancestorTitles,
});

test("a scenario that fails, one that was not run, one without a test and one that passes are told apart", () => {
  const verdicts = verdictsOf(
    ["A-1.1", "A-1.2", "A-1.3", "A-1.4", "A-1.5", "A-1.6"],
    [
      result("[A-1.1] fails once", "passed"),
      result("[A-1.1] fails", "failed"),
      result("[A-1.2] needs the corpora", "skipped", "registry", ABSENT),
      result("[A-1.4] passes", "passed"),
      result("[A-1.4] passes with the corpora too", "skipped", ABSENT),
      result("[A-1.5] [A-1.6] one test of two", "passed"),
      result("about [A-1.3]", "passed"),
    ],
  );
  expect(Object.fromEntries(verdicts)).toEqual({
    "A-1.1": { outcome: "fails", notRun: [] },
    "A-1.2": { outcome: "not run", notRun: [ABSENT] },
    "A-1.3": { outcome: "no test", notRun: [] },
    "A-1.4": { outcome: "passes", notRun: [ABSENT] },
    "A-1.5": { outcome: "passes", notRun: [] },
    "A-1.6": { outcome: "passes", notRun: [] },
  });
});

test("the tests of the corpora say that the folder is not there", () => {
  expect(readFileSync(new URL("corpora.test.ts", import.meta.url), "utf8")).toContain(`"${ABSENT}"`);
});

test("each scenario has an id of its own, whose prefix test/README.md explains, and a page that is there", () => {
  const [, ...rows] = readFileSync(new URL("scenarios.tsv", import.meta.url), "utf8")
    .trim()
    .split("\n");
  const explained = readFileSync(join(CHECKOUT, "test/README.md"), "utf8");
  const ids = new Set<string>();
  for (const row of rows) {
    const [id = "", page = "", ...words] = row.split("\t");
    ids.add(id);
    expect(explained).toContain(`| \`${id.split("-")[0]}\` |`);
    expect([row, page.endsWith(".md") && existsSync(join(CHECKOUT, page)), words.length]).toEqual([row, true, 2]);
  }
  expect(ids.size).toBe(rows.length);
});
