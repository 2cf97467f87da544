/** Changes of kind and hints that follow from newer rules of classification, not from a change of the tool. */

import { canonicalJson } from "../../runtime/contract/canonical.js";
import type { Finding } from "../../runtime/contract/finding.js";
import type { Registry, Tool } from "../../runtime/contract/registry.js";
import type { BreakingRule } from "./breaking-rules.js";
import { pairTools } from "./compare.js";

/** What is read from names. Access follows the kind. */
const READ_FROM_NAMES: ReadonlySet<string> = new Set<BreakingRule>([
  "kind-widened",
  "kind-narrowed",
  "access-raised",
  "access-lowered",
  "annotation-destructive-added",
  "annotation-destructive-removed",
  "annotation-idempotent-added",
  "annotation-idempotent-removed",
  "annotation-read-only-changed",
]);

/** What a source gives of a tool. */
const definitionOf = ({ tool_name, description, parameters_schema, source }: Tool): string =>
  canonicalJson({ tool_name, description, parameters_schema, kind: source.kind });

/**
 * The findings, where those about kind and hints are information if the definition of the tool is the same and the two
 * registries were made by different rules.
 *
 * @param version of toolwright, whose rules made the later registry
 */
export function withNewRules(
  findings: readonly Finding[],
  before: Registry,
  after: Registry,
  version: string,
): readonly Finding[] {
  if (before.classification === after.classification) return findings;
  const pairs = pairTools(before.tools, after.tools).kept;
  const same = new Set(
    pairs.flatMap((pair) => (definitionOf(pair.before) === definitionOf(pair.after) ? [pair.after.op] : [])),
  );
  const reason = `its definition is the same: toolwright ${version} judges names by newer rules`;
  return findings.map((one) =>
    READ_FROM_NAMES.has(one.rule) && same.has(one.op) ? { ...one, level: "info", reason } : one,
  );
}
