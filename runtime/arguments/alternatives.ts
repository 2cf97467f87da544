/** Settles what a validator says about `anyOf` and `oneOf`: one finding, about the branch that was meant if that is clear. */

import type { ValidationIssue } from "../contract/validation.js";

const UNIONS: ReadonlySet<string> = new Set(["anyOf", "oneOf"]);

/**
 * Without the noise of branches that were not meant.
 *
 * A branch was meant when it is the only one whose type fits; then its findings stay and the union's own goes. Otherwise
 * the union's own finding stays alone. Inner unions come first in a validator's list, so they are settled first.
 */
export function settleAlternatives(issues: readonly ValidationIssue[]): readonly ValidationIssue[] {
  const unions = issues.filter((issue) => UNIONS.has(issue.keyword));
  return unions.reduce((rest, union) => (rest.includes(union) ? settle(rest, union) : rest), issues);
}

function settle(issues: readonly ValidationIssue[], union: ValidationIssue): readonly ValidationIssue[] {
  const branches = new Map<string, ValidationIssue[]>();
  for (const issue of issues.slice(0, issues.indexOf(union))) {
    const branch = branchOf(issue, union);
    if (branch !== undefined) branches.set(branch, [...(branches.get(branch) ?? []), issue]);
  }
  const meant = [...branches.values()].filter((found) => !found.some((issue) => refusesType(issue, union)));
  const kept = new Set(meant.length === 1 ? meant[0] : [union]);
  const settled = new Set([...[...branches.values()].flat(), union]);
  return issues.filter((issue) => !settled.has(issue) || kept.has(issue));
}

/** The branch that a finding belongs to; findings behind a reference form one of their own. */
function branchOf(issue: ValidationIssue, union: ValidationIssue): string | undefined {
  const inside = issue.instancePath === union.instancePath || issue.instancePath.startsWith(`${union.instancePath}/`);
  if (!inside) return undefined;
  const prefix = `${union.schemaPath}/`;
  if (issue.schemaPath.startsWith(prefix)) return issue.schemaPath.slice(prefix.length).split("/")[0];
  return /^#\/(\$defs|definitions)\//.test(issue.schemaPath) ? "reference" : undefined;
}

const refusesType = (issue: ValidationIssue, union: ValidationIssue): boolean =>
  issue.instancePath === union.instancePath && (issue.keyword === "type" || issue.keyword === "const");
