/** What `--explain` says of a rule of each kind. */

import { expect, test } from "vitest";
import { BREAKING_RULES } from "../breaking-rules.js";
import { ruleExplanation } from "../explain.js";

const explanationOf = (code: string): string => ruleExplanation(code, BREAKING_RULES);

const PLAIN = "decided  The two registries are compared; no value is tried.";

test("a rule about tools is compared as it is", () => {
  const lines = explanationOf("tool-renamed").split("\n");
  expect(lines).toEqual([
    "tool-renamed: the same op has another tool name",
    "level    error",
    "touches  wire",
    PLAIN,
    "example  tool name was list_tasks, is search_tasks",
    "",
  ]);
  expect(explanationOf("tool-added")).toContain("touches  no caller\n");
  expect(explanationOf("op-renamed")).toContain("touches  op, agent\n");
});

test.each(["arg-removed", "constraint-added"])("%s is decided by values that calls hold", (rule) => {
  expect(explanationOf(rule)).toContain(
    [
      "decided  The old and the new schema are compared as sets of accepted values.",
      "A proof that every value is still accepted makes it an info.",
      "A value that was accepted and is refused makes it an error, and is shown.",
      "Neither makes it a warning, undecided.\n",
    ].join("\n         "),
  );
});

test("result-type-changed is decided by values that results hold", () => {
  expect(explanationOf("result-type-changed")).toContain(
    [
      "decided  The new and the old schema are compared as sets of possible values, properties that the old one does not know left out.",
      "A proof that every new value fits the old schema makes it an info.",
      "A value that is possible now and does not fit the old schema makes it an error, and is shown.",
      "Neither makes it a warning, undecided.\n",
    ].join("\n         "),
  );
});

test("a rule that does not exist has a near one, or a list", () => {
  expect(() => explanationOf("tool-renamd")).toThrow(
    "--explain tool-renamd: there is no such rule; did you mean tool-renamed?",
  );
  expect(() => explanationOf("zzzzzzzzzzzz")).toThrow(
    "there is no such rule; docs/reference/breaking-rules.md lists them",
  );
});
