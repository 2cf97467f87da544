/** Prints findings as SARIF 2.1.0 for code scanning, with fingerprints that do not depend on the wording of messages. */

import type { Finding, FindingLevel } from "../../runtime/contract/finding.js";
import { BREAKING_RULES, type BreakingRule } from "./breaking-rules.js";
import { findingDetails } from "./finding.js";

const SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/os/schemas/sarif-schema-2.1.0.json";
/** Name of the fingerprint in results. Raise the number when its computation changes. */
const FINGERPRINT = "toolwright/v1";
const LEVELS: Readonly<Record<FindingLevel, "error" | "warning" | "note">> = {
  error: "error",
  warning: "warning",
  info: "note",
};

const CODES = Object.keys(BREAKING_RULES) as readonly BreakingRule[];
const INDEXES = new Map<string, number>(CODES.map((code, i) => [code, i]));

/** The SARIF log: one run, all rules, one result per finding. */
export const sarifOf = (findings: readonly Finding[], version: string): object => ({
  $schema: SCHEMA,
  version: "2.1.0",
  runs: [
    {
      tool: { driver: { name: "toolwright breaking", semanticVersion: version, rules: CODES.map(ruleOf) } },
      columnKind: "utf16CodeUnits",
      results: findings.map(resultOf),
    },
  ],
});

function ruleOf(code: BreakingRule): object {
  const { level, surface, about } = BREAKING_RULES[code];
  return {
    id: code,
    shortDescription: { text: about },
    defaultConfiguration: { level: LEVELS[level] },
    properties: { tags: surface },
  };
}

function resultOf(one: Finding): object {
  return {
    ruleId: one.rule,
    ruleIndex: INDEXES.get(one.rule) ?? -1,
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
