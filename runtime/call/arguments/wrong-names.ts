/** Findings about the names of members (`propertyNames`): one for each name, with the rules that it breaks. */

import type { FieldError } from "../../contract/handler.js";
import { clip } from "../../contract/scrub.js";
import type { ValidationIssue } from "../../contract/validation.js";
import { joinPath } from "./schema.js";

const MAX_RULE_LENGTH = 160;

/** A rule that a name breaks, in words; and what is expected, if the rule says it. */
type Rule = (params: ValidationIssue["params"]) => readonly [said: string, expected?: string];

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["pattern", ({ pattern }) => [`does not match ${rule(pattern)}`, `a name matching ${rule(pattern)}`]],
  ["minLength", ({ limit }) => [`is shorter than ${limit} characters`, `a name of at least ${limit} characters`]],
  ["maxLength", ({ limit }) => [`is longer than ${limit} characters`, `a name of at most ${limit} characters`]],
  ["enum", ({ allowedValues }) => listed(allowedValues)],
  ["const", ({ allowedValue }) => listed([allowedValue])],
  ["format", ({ format }) => [`does not have the format ${rule(format)}`, `a name of the format ${rule(format)}`]],
]);

const rule = (value: unknown): string => clip(String(value), MAX_RULE_LENGTH);

function listed(values: unknown): ReturnType<Rule> {
  const names = rule(Array.isArray(values) ? values.join("|") : values);
  return [`is not one of ${names}`, names];
}

/** Most rules that one finding names. */
const MAX_RULES = 3;

/**
 * The findings with those about a name in one, and its rules in `params.rules`. A validator reports the rules of a name as
 * if they were rules of the object, before the finding about the name.
 */
export function withNameRules(issues: readonly ValidationIssue[]): readonly ValidationIssue[] {
  const rules = new Map<string, ValidationIssue[]>();
  const placeOf = (at: string, name: unknown): string => JSON.stringify([at, name]);
  for (const issue of issues) {
    if (issue.propertyName === undefined) continue;
    const place = placeOf(issue.instancePath, issue.propertyName);
    const known = rules.get(place);
    if (known) known.push(issue);
    else rules.set(place, [issue]);
  }
  return issues.flatMap((issue) => {
    if (issue.propertyName !== undefined) return [];
    if (issue.keyword !== "propertyNames") return [issue];
    const { propertyName } = issue.params;
    return [{ ...issue, params: { propertyName, rules: rules.get(placeOf(issue.instancePath, propertyName)) ?? [] } }];
  });
}

/** The field error for a finding of {@link withNameRules}: `the name y does not match ^x-`. */
export function wrongName({ params }: ValidationIssue, at: string): FieldError {
  const name = String(params["propertyName"]);
  const path = joinPath(at, name);
  const issues = params["rules"] as readonly ValidationIssue[];
  const told = issues
    .flatMap((issue) => [RULES.get(issue.keyword)?.(issue.params) ?? []])
    .filter(({ length }) => length);
  const some = told.slice(0, MAX_RULES);
  const said = [...new Set(some.map(([one]) => one))].join(" and ") || "is not allowed";
  const expected = [...new Set(some.flatMap(([, one]) => one ?? []))].join(" or ") || "another name";
  return { path, keyword: "propertyNames", message: `the name ${path} ${said}`, expected, received: rule(name) };
}
