/** One folder per rule, compared in both directions: the findings, and those of the reverse change. UPDATE=1 rewrites the expected files. */

import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import type { Finding } from "../../../runtime/contract/finding.js";
import { completeFile, configOf, type PartialRegistry } from "../../../test/support/partial-registry.js";
import { BREAKING_RULES, type BreakingRule } from "../breaking-rules.js";
import { compareFiles } from "../command.js";
import { sortFindings } from "../finding.js";

const CASES = new URL("./cases/", import.meta.url);
const rules = Object.keys(BREAKING_RULES) as readonly BreakingRule[];

/** What the reversed input of a rule's case must find. */
const MIRRORS: Readonly<Partial<Record<BreakingRule, BreakingRule>>> = {
  "tool-removed": "tool-added",
  "tool-removed-before-sunset": "tool-added",
  "tool-added": "tool-removed",
  "tool-renamed": "tool-renamed",
  "typed-tool-renamed": "typed-tool-renamed",
  "reserved-name-reused": "tool-removed",
  "op-renamed": "op-renamed",
  "op-alias-removed": "op-alias-added",
  "op-alias-added": "op-alias-removed",
  "op-pack-changed": "op-pack-changed",
  "op-entity-changed": "op-entity-changed",
  "op-action-changed": "op-action-changed",
  "kind-widened": "kind-narrowed",
  "kind-narrowed": "kind-widened",
  "access-raised": "access-lowered",
  "access-lowered": "access-raised",
  "annotation-destructive-added": "annotation-destructive-removed",
  "annotation-destructive-removed": "annotation-destructive-added",
  "annotation-idempotent-added": "annotation-idempotent-removed",
  "annotation-idempotent-removed": "annotation-idempotent-added",
  "annotation-read-only-changed": "annotation-read-only-changed",
  "annotation-open-world-changed": "annotation-open-world-changed",
  "arg-required-added": "arg-removed",
  "arg-optional-added": "arg-removed",
  "arg-removed": "arg-optional-added",
  "arg-renamed": "arg-renamed",
  "arg-alias-removed": "arg-alias-added",
  "arg-alias-added": "arg-alias-removed",
  "arg-became-required": "arg-became-optional",
  "arg-became-optional": "arg-became-required",
  "arg-type-changed": "arg-type-changed",
  "arg-type-narrowed": "arg-type-widened",
  "arg-type-widened": "arg-type-narrowed",
  "arg-enum-value-removed": "arg-enum-value-added",
  "arg-enum-value-added": "arg-enum-value-removed",
  "arg-became-enum": "arg-stopped-being-enum",
  "arg-stopped-being-enum": "arg-became-enum",
  "arg-const-changed": "arg-const-changed",
  "arg-range-narrowed": "arg-range-widened",
  "arg-range-widened": "arg-range-narrowed",
  "arg-pattern-added": "arg-pattern-removed",
  "arg-pattern-changed": "arg-pattern-changed",
  "arg-pattern-removed": "arg-pattern-added",
  "arg-format-added": "arg-format-removed",
  "arg-format-changed": "arg-format-changed",
  "arg-format-removed": "arg-format-added",
  "arg-default-changed": "arg-default-changed",
  "arg-default-added": "arg-default-removed",
  "arg-default-removed": "arg-default-added",
  "arg-unknown-refused": "arg-unknown-accepted",
  "arg-unknown-accepted": "arg-unknown-refused",
  "arg-position-changed": "arg-position-changed",
  "constraint-added": "constraint-removed",
  "constraint-removed": "constraint-added",
  "result-property-removed": "result-property-added",
  "result-property-added": "result-property-removed",
  "result-property-became-optional": "result-property-became-required",
  "result-property-became-required": "result-property-became-optional",
  "result-type-widened": "result-type-narrowed",
  "result-type-narrowed": "result-type-widened",
  "result-type-changed": "result-type-changed",
  "result-enum-value-added": "result-enum-value-removed",
  "result-enum-value-removed": "result-enum-value-added",
  "result-schema-removed": "result-schema-added",
  "result-schema-added": "result-schema-removed",
  "description-changed": "description-changed",
  "description-removed": "description-changed",
  "arg-description-changed": "arg-description-changed",
  "arg-description-removed": "arg-description-changed",
  "policy-dont-removed": "policy-changed",
  "policy-do-removed": "policy-changed",
  "policy-edge-case-removed": "policy-changed",
  "policy-changed": "policy-changed",
  "alias-retargeted": "alias-retargeted",
  "deprecated-added": "deprecated-removed",
  "deprecated-removed": "deprecated-added",
  "arg-encoding-changed": "arg-encoding-changed",
  "result-encoding-changed": "result-encoding-changed",
  "arg-discriminator-changed": "arg-discriminator-changed",
  "result-discriminator-changed": "result-discriminator-changed",
  "result-format-changed": "result-format-changed",
  "request-host-changed": "request-host-changed",
  "request-program-changed": "request-program-changed",
  "request-path-changed": "request-path-changed",
  "request-method-changed": "request-method-changed",
  "request-auth-changed": "request-auth-changed",
  "request-argument-changed": "request-argument-changed",
  "request-body-changed": "request-body-changed",
  "request-accept-changed": "request-accept-changed",
  "security-added": "security-narrowed",
  "security-widened": "security-narrowed",
  "security-narrowed": "security-widened",
  "result-answer-added": "result-answer-removed",
  "result-answer-changed": "result-answer-changed",
  "result-answer-removed": "result-answer-added",
  "sunset-added": "sunset-later",
  "sunset-sooner": "sunset-later",
  "sunset-later": "sunset-sooner",
  "stability-lowered": "stability-raised",
  "stability-raised": "stability-lowered",
  "source-changed": "source-changed",
};

/** Rules whose reverse change is not reported, with the reason. */
const WAIVED: Readonly<Partial<Record<BreakingRule, string>>> = {
  "example-invalidated": "an example that fits again was none that anybody was shown",
  "help-path-removed": "a new help path comes with a new op, which is told",
  "instruction-added": "a removed order is harmless",
  "snippet-removed": "a new snippet breaks no caller",
  "snippet-param-removed": "a new parameter breaks no caller; a required one fails with its name",
  "arg-became-read-only": "an argument that may be written again refuses nothing",
  "result-property-became-write-only": "a property that results hold again breaks no consumer",
  "arg-value-refused": "alternatives that no longer overlap refuse nothing",
  "arg-undecided": "the way back is proven to refuse nothing",
  "result-value-added": "a result that is less than it was breaks no consumer",
  "result-undecided": "the way back is proven to add no value",
  "alias-removed": "a new alias breaks no caller",
  "reference-broken": "only the later side's own files are read",
};

const read = (rule: string, file: string): string | undefined => {
  const path = new URL(`${rule}/${file}.json`, CASES);
  return existsSync(path) ? readFileSync(path, "utf8") : undefined;
};

async function compare(before: PartialRegistry, after: PartialRegistry): Promise<readonly Finding[]> {
  const today = after.today ?? before.today;
  const files = [completeFile("before", before), completeFile("after", after)] as const;
  return sortFindings(await compareFiles(...files, configOf(after.config), { snippets: after.snippets_yaml, today }));
}

const golden = (findings: readonly Finding[]): unknown =>
  findings.map(({ line: _, column: __, surface: ___, tool: ____, ...one }) => one);

describe("every rule has a case", () => {
  test("no folder is missing, none is left over", () => {
    expect(readdirSync(CASES).sort()).toEqual([...rules].sort());
  });

  test("every rule has a mirror or a waiver with a reason, and not both", () => {
    for (const rule of rules) {
      const [mirror, reason] = [MIRRORS[rule], WAIVED[rule]];
      expect(
        [mirror, reason].filter((one) => one !== undefined),
        rule,
      ).toHaveLength(1);
      if (reason !== undefined) expect(reason.length, rule).toBeGreaterThan(20);
    }
  });

  test.each(rules)("%s is found, and its opposite in the reversed change", async (rule) => {
    const [before, after] = [read(rule, "before"), read(rule, "after")].map((text) => JSON.parse(text ?? "{}"));
    const [forward, reversed] = [await compare(before, after), await compare(after, before)];
    const found = { forward: golden(forward), reversed: golden(reversed) };
    const path = new URL(`${rule}/expected.json`, CASES);
    if (process.env["UPDATE"]) writeFileSync(path, `${JSON.stringify(found, undefined, 2)}\n`);
    else expect(found).toEqual(JSON.parse(read(rule, "expected") ?? "{}"));
    expect(forward.map((one) => one.rule)).toContain(rule);
    const mirror = MIRRORS[rule];
    if (mirror !== undefined) expect(reversed.map((one) => one.rule)).toContain(mirror);
    else
      expect(
        reversed.map((one) => one.rule),
        "a stale waiver",
      ).not.toContain(rule);
    expect(await compare(before, before), "against itself").toEqual([]);
    expect(forward.every((one) => one.message.length > 0 && !one.message.includes("undefined"))).toBe(true);
  });

  test.each(rules)("%s: nothing but what the case is about", async (rule) => {
    const [before, after] = [read(rule, "before"), read(rule, "after")].map((text) => JSON.parse(text ?? "{}"));
    const others = (await compare(before, after)).filter((one) => one.rule !== rule).map((one) => one.rule);
    expect(others.sort()).toEqual(COMPANIONS[rule] ?? []);
  });
});

/** What cannot happen alone. */
const COMPANIONS: Readonly<Partial<Record<BreakingRule, readonly BreakingRule[]>>> = {
  "typed-tool-renamed": ["tool-added"],
  "reserved-name-reused": ["tool-added"],
  "op-pack-changed": ["op-renamed"],
  "op-entity-changed": ["op-renamed"],
  "op-action-changed": ["op-renamed"],
  "example-invalidated": ["arg-range-narrowed"],
  "help-path-removed": ["tool-removed"],
  "instruction-added": ["arg-description-changed", "description-changed"],
  "reference-broken": ["tool-removed"],
};
