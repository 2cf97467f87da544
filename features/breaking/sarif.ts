/** Prints findings as SARIF 2.1.0 for code scanning, with fingerprints that do not depend on the wording of messages. */

import type { BreakingCatalogue, CataloguedRule } from "../../generator/core/breaking-rule.js";
import type { Finding, FindingLevel } from "../../runtime/contract/finding.js";
import { findingDetails } from "./finding.js";

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";
/** Name of the fingerprint in results. Raise the number when its computation changes. */
const FINGERPRINT = "toolwright/v1";
const LEVELS: Readonly<Record<FindingLevel, "error" | "warning" | "note">> = {
  error: "error",
  warning: "warning",
  info: "note",
};

/** The SARIF log: one run, all rules, one result per finding. */
export function sarifOf(findings: readonly Finding[], rules: BreakingCatalogue, version: string): object {
  const indexes = new Map(Object.keys(rules).map((code, i) => [code, i]));
  const driver = {
    name: "toolwright breaking",
    semanticVersion: version,
    rules: Object.entries(rules).map(sarifRule),
  };
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: { driver },
        columnKind: "utf16CodeUnits",
        results: findings.map((one) => sarifResult(one, indexes.get(one.rule) ?? -1)),
      },
    ],
  };
}

const sarifRule = ([code, { level, surface, about }]: readonly [string, CataloguedRule]): object => ({
  id: code,
  shortDescription: { text: about },
  defaultConfiguration: { level: LEVELS[level] },
  properties: { tags: surface },
});

function sarifResult(one: Finding, ruleIndex: number): object {
  return {
    ruleId: one.rule,
    ruleIndex,
    level: LEVELS[one.level],
    message: { text: plainText([`${one.op}: ${one.message}`, ...findingDetails(one)].join("\n")) },
    locations: [
      {
        ...(one.file === "" ? {} : { physicalLocation: physical(one) }),
        logicalLocations: [{ fullyQualifiedName: one.op, kind: "function" }],
      },
    ],
    partialFingerprints: { [FINGERPRINT]: one.fingerprint },
    properties: {
      pointer: one.pointer,
      before: one.before,
      after: one.after,
      ...(one.counterexample === undefined ? {} : { counterexample: one.counterexample }),
      ...(one.reason === undefined ? {} : { reason: one.reason }),
      ...(one.hurt === undefined ? {} : { hurt: one.hurt }),
    },
  };
}

const physical = ({ file, line, column }: Finding): object => ({
  artifactLocation: { uri: file.split("/").map(encodeURIComponent).join("/"), uriBaseId: "%SRCROOT%" },
  ...(line > 0 ? { region: { startLine: line, startColumn: Math.max(1, column) } } : {}),
});

/** In a message `{0}` is a placeholder and `[text](target)` a link: both are escaped in text from definitions. */
function plainText(text: string): string {
  const whole = text.replace(/\{(\d+)\}/g, "{{$1}}");
  return whole.includes("](") ? whole.replace(/[\\[\]]/g, "\\$&") : whole;
}
