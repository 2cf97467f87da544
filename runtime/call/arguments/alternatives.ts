/**
 * Reduces a validator's findings about `anyOf` and `oneOf` to those of the intended branch, or to one finding about
 * the union.
 */

import { canonicalJson } from "../../contract/canonical.js";
import { escapePointer } from "../../contract/json-pointer.js";
import { alternatives, dereference } from "../../contract/json-schema.js";
import type { JsonSchema, JsonValue } from "../../contract/registry.js";
import type { ValidationIssue } from "../../contract/validation.js";
import { type Choice, chooseBranch, matchingBranch, placeAt } from "./branch.js";
import { mayHave, requiredOf } from "./schema.js";

const UNIONS: ReadonlySet<string> = new Set(["anyOf", "oneOf"]);

/**
 * Removes the findings of branches that were not intended.
 *
 * A finding is a fact about a value, so it concerns the intended branch if that branch has the same rule at the same
 * place; `schemaPath` does not tell, because it starts anew behind a reference. If no finding remains, the union's own
 * finding is kept. Inner unions come first in a validator's list, so they are settled first.
 */
export function settleAlternatives(
  issues: readonly ValidationIssue[],
  args: JsonValue,
  root: JsonSchema,
): readonly ValidationIssue[] {
  const unions = issues.filter((issue) => UNIONS.has(issue.keyword));
  return unions.reduce((rest, union) => (rest.includes(union) ? settle(rest, union, args, root) : rest), issues);
}

function settle(
  issues: readonly ValidationIssue[],
  union: ValidationIssue,
  args: JsonValue,
  root: JsonSchema,
): readonly ValidationIssue[] {
  const { schema, value } = placeAt(root, args, union.instancePath);
  if (schema === undefined || value === undefined) return issues;
  const { anyOf: _, oneOf: __, ...beside } = dereference(schema, root);
  const { branch, wrong } = choiceAt(schema, value, root);
  const position = issues.indexOf(union);
  const inside = issues.slice(0, position).filter((issue) => isInside(issue, union));
  const concerns = (from: JsonSchema | undefined): readonly ValidationIssue[] =>
    from ? inside.filter((issue) => isAsked(from, value, issue, union, root)) : [];
  const meant = concerns(branch);
  const kept = new Set([...meant, ...concerns(beside)]);
  const dropped = new Set(inside.filter((issue) => !kept.has(issue)));
  const own = wrong ? wrongMark(union, wrong) : union;
  return issues.flatMap((issue) => {
    if (issue === union) return meant.length > 0 ? [] : [own];
    return dropped.has(issue) ? [] : [issue];
  });
}

/** The choice at the innermost union, if a branch is itself a union. */
function choiceAt(schema: JsonSchema, value: JsonValue, root: JsonSchema): Choice {
  const choice = chooseBranch(dereference(schema, root), value, root);
  const branch = choice.branch && matchingBranch(choice.branch, value, root);
  if (branch === undefined || branch["properties"] !== undefined || alternatives(branch).length === 0)
    return branch ? { branch } : choice;
  return chooseBranch(branch, value, root);
}

const isInside = (issue: ValidationIssue, { instancePath }: ValidationIssue): boolean =>
  issue.instancePath === instancePath || issue.instancePath.startsWith(`${instancePath}/`);

/** One finding for the member that distinguishes the branches, instead of one for each branch. */
const wrongMark = (union: ValidationIssue, { name, values }: NonNullable<Choice["wrong"]>): ValidationIssue => ({
  instancePath: `${union.instancePath}/${escapePointer(name)}`,
  keyword: "enum",
  params: { allowedValues: values },
});

/** Whether a schema has the rule that a finding reports as broken. */
function isAsked(
  from: JsonSchema,
  value: JsonValue,
  issue: ValidationIssue,
  union: ValidationIssue,
  root: JsonSchema,
): boolean {
  const place = placeAt(root, value, issue.instancePath.slice(union.instancePath.length), from);
  if (!place.schema) return false;
  const schemas = [dereference(place.schema, root), matchingBranch(place.schema, place.value, root)];
  return schemas.some((schema) => (ASKS[issue.keyword] ?? asksLimit)(schema, issue));
}

type Asks = (schema: JsonSchema, issue: ValidationIssue) => boolean;

const same = (a: unknown, b: unknown): boolean => a !== undefined && canonicalJson(a) === canonicalJson(b);

const ASKS: Readonly<Record<string, Asks>> = {
  required: (schema, { params }) => requiredOf(schema).includes(String(params["missingProperty"])),
  additionalProperties: (schema, { params }) => !mayHave(schema, String(params["additionalProperty"])),
  enum: (schema, { params }) => same(schema["enum"], params["allowedValues"]),
  const: (schema, { params }) => same(schema["const"], params["allowedValue"]),
  type: (schema, { params }) => same(schema["type"], params["type"]),
};

/** For keywords with a limit, a pattern or a format: whether it is the same one. */
const asksLimit: Asks = (schema, { keyword, params }) => {
  const asked = schema[keyword];
  const told = params["limit"] ?? params["pattern"] ?? params["format"] ?? params["multipleOf"];
  return asked !== undefined && (typeof told !== typeof asked || told === asked);
};
