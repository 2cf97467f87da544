/** `ot.result` of projects without the pack `ot` is the same op as that of the pack. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { RESULT_TOOL, readsResults, validateResultQuery } from "../../../runtime/contract/result-tool.js";
import { CHECKOUT, type Json } from "../../support/project.js";

test("it is declared as the pack declares it", () => {
  const { tools }: Json = JSON.parse(readFileSync(join(CHECKOUT, "generated", "registry.json"), "utf8"));
  const { tokens, digest, examples, ...declared }: Json = tools.find(({ op }: Json) => op === RESULT_TOOL.op);
  expect(RESULT_TOOL).toMatchObject(declared);
});

test("its arguments are checked as a generated validator does", () => {
  const issuesOf = (args: object) => {
    const isValid = validateResultQuery(args);
    return [
      isValid,
      ...(validateResultQuery.errors ?? []).map(({ instancePath, keyword }) => `${instancePath} ${keyword}`),
    ];
  };
  expect(issuesOf({ handle: "a", offset: 1, limit: 2, search: "", fuzzy: true })).toEqual([true]);
  expect(issuesOf({ handle: 7, offset: "1", limit: 1.5, search: 2, fuzzy: 0 })).toEqual([
    false,
    "/handle type",
    "/offset type",
    "/limit type",
    "/search type",
    "/fuzzy type",
  ]);
  expect(issuesOf({})).toEqual([false, " required"]);
  expect(issuesOf({ handle: { handle: "a" } })).toEqual([true]);
  expect(issuesOf({ handle: ["a"] })).toEqual([false, "/handle type"]);
});

test("an op of that name of the project itself is another op", () => {
  const own = { ...RESULT_TOOL, source: { kind: "local" as const, file: "own.ts" } };
  expect([readsResults(RESULT_TOOL), readsResults(own), readsResults(undefined)]).toEqual([true, false, false]);
});
