/** Builds examples from schemas: required arguments, one change for updates, the first branch of a `one_of`. */

import { unescapePointer } from "../../runtime/contract/json-pointer.js";
import { isSchema } from "../../runtime/contract/json-schema.js";
import type { Constraint, Example, JsonObject, JsonSchema } from "../../runtime/contract/registry.js";
import { isPlaceholder, requiredNamesInOrder, sample, sampleChange } from "../../runtime/contract/sample.js";
import type { ValidationIssue } from "../../runtime/contract/validation.js";
import type { Config } from "../config/config.js";
import { issueText } from "../core/compile.js";
import type { Place, Report } from "../core/diagnostic.js";
import type { OpDraft } from "../core/ir.js";

/** The examples of an op: the configured ones, which must fit its input, else one made from the schema if possible. */
export function fittingExamples(draft: OpDraft, config: Config, report: Report): readonly Example[] {
  const authored = draft.author_examples.map((args): Example => ({ op: draft.op, args }));
  for (const { args } of authored) {
    const reason = misfit(draft, args);
    if (reason !== undefined) report.add("example-invalid", placeOfExamples(draft, config), { op: draft.op, reason });
  }
  if (authored.length > 0) return authored;
  const made: Example = { title: "Smallest call", op: draft.op, args: smallestArgs(draft) };
  const reason = misfit(draft, made.args);
  if (reason === undefined) return [made];
  report.add("example-impossible", draft.place, { op: draft.op, reason });
  return [];
}

const placeOfExamples = ({ declared, config_key, place }: OpDraft, config: Config): Place =>
  declared?.examples && !config.ops?.[config_key]?.examples ? place : config.place("ops", config_key, "examples");

function smallestArgs(draft: OpDraft): JsonObject {
  const schema = draft.shape;
  const properties = isSchema(schema["properties"]) ? schema["properties"] : {};
  const added = draft.constraints
    .flatMap((one) => additions(one, properties))
    .filter((name) => Object.hasOwn(properties, name));
  const needed = requiredNamesInOrder(schema);
  return Object.fromEntries(
    requiredNamesInOrder(schema, added).map((name) => {
      const make = needed.includes(name) ? sample : sampleChange;
      return [name, make(Object.hasOwn(properties, name) ? properties[name] : true, name, schema)];
    }),
  );
}

/** Arguments that a constraint requires in addition to the required ones. */
function additions(constraint: Constraint, properties: JsonSchema): readonly string[] {
  if (constraint.kind === "one_of") return constraint.branches[0] ?? [];
  if (constraint.kind !== "at_least_one_change") return [];
  const plain = constraint.of.find((name) => {
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isSchema(schema) && schema["type"] === "string" && schema["x-id"] === undefined;
  });
  const first = plain ?? constraint.of[0];
  return first === undefined ? [] : [first];
}

/** Why an example does not fit the input; undefined if it does. */
function misfit({ compiled }: OpDraft, args: JsonObject): string | undefined {
  return firstMisfit(compiled.keptIssuesOf(args), args);
}

/** Text of the first issue that is not excused by a placeholder; undefined without one. */
export function firstMisfit(issues: readonly ValidationIssue[], args: JsonObject): string | undefined {
  const issue = issues.find((one) => !excused(one, args));
  return issue && `${issue.instancePath || "/"} ${issueText(issue)}`;
}

/** Whether an issue is at a placeholder, which fits every type, or at a union that encloses one. */
function excused(issue: ValidationIssue, args: unknown): boolean {
  let at: unknown = args;
  for (const part of issue.instancePath.split("/").slice(1)) {
    const key = unescapePointer(part);
    at = typeof at === "object" && at !== null ? (at as Record<string, unknown>)[key] : undefined;
  }
  if (isPlaceholder(at)) return true;
  const union =
    issue.keyword === "anyOf" || issue.keyword === "oneOf" || /\/(anyOf|oneOf)\//.test(issue.schemaPath ?? "");
  return union && JSON.stringify(at)?.includes('"<') === true;
}
