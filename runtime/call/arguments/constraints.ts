/** Checks rules across arguments. */

import { canonicalJson } from "../../contract/canonical.js";
import { received } from "../../contract/error-body.js";
import type { FieldError } from "../../contract/handler.js";
import type { Constraint, JsonObject, Tool } from "../../contract/registry.js";

/** Findings of all constraints of the op. `given` are the arguments before defaults: a default is not a choice. */
export function checkConstraints(tool: Tool, given: JsonObject): readonly FieldError[] {
  return tool.constraints.flatMap((constraint) => check(constraint, given));
}

function check(constraint: Constraint, given: JsonObject): readonly FieldError[] {
  switch (constraint.kind) {
    case "at_least_one_change":
      return atLeastOne(constraint.of, given);
    case "one_of":
      return oneBranch(constraint.branches, given);
    case "requires":
      return unmetNeeds(constraint, given).map((need) => ({
        path: need,
        keyword: "requires",
        message: `${need} is ${given[need] === false ? "off" : "missing"}, which ${condition(constraint)} needs`,
        expected: `${need}${given[need] === false ? "=true" : ""} beside ${condition(constraint)}`,
        received: received(given[need]),
      }));
  }
}

type Requires = Extract<Constraint, { readonly kind: "requires" }>;

/** The arguments that a `requires` constraint needs and does not find; a flag counts if it is true. */
export function unmetNeeds(constraint: Requires, given: JsonObject): readonly string[] {
  const { argument, equals, needs } = constraint;
  if (!Object.hasOwn(given, argument)) return [];
  if (equals !== undefined && canonicalJson(given[argument]) !== canonicalJson(equals)) return [];
  return needs.filter((need) => !isGiven(given, need) || given[need] === false);
}

const condition = ({ argument, equals }: Requires): string =>
  equals === undefined ? argument : `${argument}=${typeof equals === "string" ? equals : JSON.stringify(equals)}`;

/** Whether an argument is present and not blank. `null` counts: it clears a value. */
export function isGiven(given: JsonObject, name: string): boolean {
  if (!Object.hasOwn(given, name)) return false;
  const value = given[name];
  return typeof value !== "string" || value.trim() !== "";
}

function atLeastOne(of: readonly string[], given: JsonObject): readonly FieldError[] {
  // Blank text counts as a change here; the validator decides whether it may be stored.
  if (of.some((name) => Object.hasOwn(given, name))) return [];
  return [
    {
      path: "",
      keyword: "at_least_one_change",
      message: "there is nothing to change",
      expected: `at least one of ${of.join(", ")}`,
      received: Object.keys(given).slice(0, 8).join(", ") || "nothing",
    },
  ];
}

function oneBranch(branches: readonly (readonly string[])[], given: JsonObject): readonly FieldError[] {
  const touched = branches.filter((branch) => branch.some((name) => isGiven(given, name)));
  const expected = `exactly one of: ${branches.map((branch) => branch.join(" and ")).join("; or ")}`;
  const base = { keyword: "one_of", expected };
  const [first, second] = touched;
  if (!first) return [{ ...base, path: "", message: `give ${wordsOf(branches)}`, received: "nothing" }];
  if (second) {
    const names = touched.flatMap((branch) => branch.filter((name) => isGiven(given, name)));
    return [{ ...base, path: "", message: `${names.join(", ")} do not go together`, received: names.join(", ") }];
  }
  const present = first.find((name) => isGiven(given, name));
  return first
    .filter((name) => !isGiven(given, name))
    .map((name) => ({ ...base, path: name, message: `${name} is missing beside ${present}`, received: "nothing" }));
}

const wordsOf = (branches: readonly (readonly string[])[]): string =>
  branches.map((branch) => branch.join(" and ")).join(", or ");
