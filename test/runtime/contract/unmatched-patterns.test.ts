/** Patterns that match nothing, with the nearest name. */

import { expect, test } from "vitest";
import type { Registry } from "../../../runtime/contract/registry.js";
import { isPattern, unmatched } from "../../../runtime/contract/unmatched-patterns.js";

const registry = {
  packs: ["onto", "github", "web"].map((name) => ({ name })),
  tools: ["onto.task.list", "github.issue.get", "web.fetch"].map((op) => ({ op })),
} as unknown as Registry;

test.each([
  ["pack", "onto", undefined],
  ["pack", "git*", undefined],
  ["pack", "*", undefined],
  ["op", "*.list", undefined],
  ["op", "onto.*", undefined],
  ["pack", "onot", 'matches no pack; did you mean "onto"?'],
  ["pack", "gti*", 'matches no pack; did you mean "git*"?'],
  ["pack", "billing", "matches no pack"],
  ["op", "onot.*", 'matches no op; did you mean "onto.*"?'],
  ["op", "onot.task.list", 'matches no op; did you mean "onto.task.list"?'],
  ["op", "onto.task.lits", 'matches no op; did you mean "onto.task.list"?'],
  ["op", "*.lits", "matches no op"],
  ["op", "onto.*.get", "matches no op"],
] as const)("a %s %s", (kind, pattern, fault) => expect(unmatched(kind, pattern, registry)).toBe(fault));

test("what can match nothing is no pattern", () => {
  expect(["onto", "*", "a-b*"].every((one) => isPattern("pack", one))).toBe(true);
  expect(["onto.task", "", "a b", "*.*"].some((one) => isPattern("pack", one))).toBe(false);
  expect(["onto.task", "*", "*.list"].every((one) => isPattern("op", one))).toBe(true);
  expect(["onto", "", "a b.c"].some((one) => isPattern("op", one))).toBe(false);
});
