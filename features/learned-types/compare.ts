/** Compares the learned types of one tool. Nothing was promised, so a finding is a warning: programs may rely on what changed. */

import type { ToolChange } from "../../generator/core/breaking-rule.js";
import { isSchema, typeNames } from "../../runtime/contract/json-schema.js";
import { isLocked } from "../../runtime/contract/known-result.js";
import type { JsonSchema, Tool } from "../../runtime/contract/registry.js";
import type { LearnedRule } from "./breaking-rules.js";

type LearnedChange = ToolChange<LearnedRule>;

/** Changes of a type that was locked. A type that is declared now is not compared with what was learned. */
export function compareLearned(
  { learned_result: before }: Pick<Tool, "learned_result">,
  { learned_result: after, result_schema: declared }: Pick<Tool, "learned_result" | "result_schema">,
): readonly LearnedChange[] {
  if (!isLocked(before) || declared) return [];
  // Help shows no type any more, and programs are not checked.
  const level = after?.level ?? "nothing learned";
  if (!isLocked(after)) return [{ rule: "learned-widened", at: "the result", before: "locked", after: level }];
  return compare(before.schema, after.schema, "");
}

function compare(before: JsonSchema, after: JsonSchema, path: string): readonly LearnedChange[] {
  const at = path === "" ? "the result" : path;
  const [old, now] = [typeNames(before), typeNames(after)];
  if (now.length === 0 && old.length > 0)
    return [{ rule: "learned-widened", at, before: old.join("|"), after: "unknown" }];
  const kept = old.filter((type) => now.includes(type));
  if (old.length > 0 && kept.length === 0)
    return [{ rule: "learned-type-changed", at, before: old.join("|"), after: now.join("|") }];
  const more = old.length > 0 && now.some((type) => !old.includes(type));
  return [
    ...(more ? [{ rule: "learned-widened", at, before: old.join("|"), after: now.join("|") } as const] : []),
    ...compareProperties(before, after, path),
    ...compareBelow(before["items"], after["items"], `${path}[]`),
    ...compareBelow(before["additionalProperties"], after["additionalProperties"], path === "" ? "*" : `${path}.*`),
  ];
}

const compareBelow = (before: unknown, after: unknown, path: string): readonly LearnedChange[] =>
  isSchema(before) && isSchema(after) ? compare(before, after, path) : [];

function compareProperties(before: JsonSchema, after: JsonSchema, path: string): readonly LearnedChange[] {
  const [old, now] = [propertiesOf(before), propertiesOf(after)];
  const [needed, left] = [requiredOf(before), requiredOf(after)];
  return Object.entries(old).flatMap(([name, one]): readonly LearnedChange[] => {
    const at = path === "" ? name : `${path}.${name}`;
    const other = Object.hasOwn(now, name) ? now[name] : undefined;
    if (!isSchema(other)) return [{ rule: "learned-property-gone", at }];
    const isOptional = needed.includes(name) && !left.includes(name);
    return [
      ...(isOptional ? [{ rule: "learned-widened", at, before: "always there", after: "optional" } as const] : []),
      ...compareBelow(one, other, at),
    ];
  });
}

const propertiesOf = ({ properties }: JsonSchema): JsonSchema => (isSchema(properties) ? properties : {});
const requiredOf = ({ required }: JsonSchema): readonly unknown[] => (Array.isArray(required) ? required : []);
