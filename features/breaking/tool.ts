/** Compares one tool with its later form: aliases, access, hints, input, positions, constraints, policies and result. */

import { byCodeUnit, canonicalJson } from "../../runtime/contract/canonical.js";
import { escapePointer } from "../../runtime/contract/json-pointer.js";
import type { Annotations, Constraint, Level, Parameter, Policy, Tool } from "../../runtime/contract/registry.js";
import { typeText } from "../../runtime/contract/type-text.js";
import type { BreakingRule } from "./breaking-rules.js";
import { decidedConstraints } from "./constraints.js";
import { decidedFindings } from "./decide.js";
import type { DetectedChange } from "./finding.js";
import { compareInstructions } from "./instructions.js";
import { compareRequest } from "./request.js";
import { compareSchemas } from "./schema.js";

type Comparison = (before: Tool, after: Tool) => readonly DetectedChange[];

/** All changes between two forms of one tool. */
export const compareTool: Comparison = (before, after) => COMPARISONS.flatMap((compare) => [...compare(before, after)]);

const unlessSame = (before: string, after: string, rule: BreakingRule): readonly DetectedChange[] =>
  before === after ? [] : [{ rule, before, after }];

const compareNames: Comparison = (before, after) => {
  const kept = after.aliases.includes(before.op);
  const moved: readonly DetectedChange[] = kept
    ? [
        { rule: "op-renamed", before: before.op, after: after.op, level: "warning", more: "; the old path is kept" },
        ...unlessSame(before.group, after.group, "op-pack-changed"),
        ...unlessSame(before.entity ?? "", after.entity ?? "", "op-entity-changed"),
        ...unlessSame(before.action ?? "", after.action ?? "", "op-action-changed"),
      ]
    : [{ rule: "op-renamed", before: before.op, after: after.op }];
  return [
    ...unlessSame(before.tool_name, after.tool_name, "tool-renamed"),
    ...(before.op === after.op ? [] : moved),
    ...compareAliases(before, after),
  ];
};

/** Paths that no longer lead to the tool, as op or alias, and new ones. */
const compareAliases: Comparison = (before, after) => {
  const [old, now] = [before, after].map((one) => new Set([one.op, ...one.aliases]));
  return [
    ...before.aliases
      .filter((one) => !now?.has(one))
      .map((one): DetectedChange => ({ rule: "op-alias-removed", before: one })),
    ...after.aliases
      .filter((one) => !old?.has(one))
      .map((one): DetectedChange => ({ rule: "op-alias-added", after: one })),
  ];
};

const compareKind: Comparison = (before, after) => {
  if (before.kind === after.kind) return [];
  const rule = after.kind === "write" ? "kind-widened" : "kind-narrowed";
  return [{ rule, before: before.kind, after: after.kind }];
};

const LEVELS: readonly Level[] = ["read", "write", "admin"];

/** A grant for one project covers the ops of that project only, so an op of the whole installation needs more. */
const compareAccess: Comparison = (before, after) => {
  const levels = LEVELS.indexOf(after.access) - LEVELS.indexOf(before.access);
  const scopes = before.target === after.target ? 0 : after.target === "global" ? 1 : -1;
  const of = ({ access, target }: Tool): string =>
    scopes === 0 ? access : `${access} of ${target === "global" ? "the installation" : "one project"}`;
  const facts = { before: of(before), after: of(after) };
  return [
    ...(levels > 0 || scopes > 0 ? [{ rule: "access-raised", ...facts } as const] : []),
    ...(levels < 0 || scopes < 0 ? [{ rule: "access-lowered", ...facts } as const] : []),
  ];
};

type Hint = Exclude<keyof Annotations, "title">;

/** Rules of a hint: when it became true, and when it became false. */
const HINTS: readonly (readonly [Hint, BreakingRule, BreakingRule])[] = [
  ["destructiveHint", "annotation-destructive-added", "annotation-destructive-removed"],
  ["idempotentHint", "annotation-idempotent-added", "annotation-idempotent-removed"],
  ["readOnlyHint", "annotation-read-only-changed", "annotation-read-only-changed"],
  ["openWorldHint", "annotation-open-world-changed", "annotation-open-world-changed"],
];

/** Hints that follow from the kind: a read is read-only, idempotent and not destructive. */
const impliedBy = (before: Tool, after: Tool): ReadonlySet<BreakingRule> => {
  if (before.kind === after.kind) return new Set();
  const lost = after.kind === "write" ? "annotation-idempotent-removed" : "annotation-destructive-removed";
  return new Set<BreakingRule>(["annotation-read-only-changed", "annotation-idempotent-added", lost]);
};

const compareHints: Comparison = (before, after) => {
  const implied = impliedBy(before, after);
  return HINTS.flatMap(([hint, added, removed]): readonly DetectedChange[] => {
    const [old, now] = [before.annotations[hint], after.annotations[hint]];
    const rule = now ? added : removed;
    return old === now || implied.has(rule) ? [] : [{ rule, before: String(old), after: String(now) }];
  });
};

/** An argument whose old name became an alias can still be called by it. */
const compareInput: Comparison = (before, after) => {
  const aliases = new Map(after.parameters.flatMap((one) => one.aliases.map((alias) => [alias, one.original])));
  const [old, now] = [before.parameters_schema, after.parameters_schema];
  const examples = before.examples.map((one) => one.args);
  const found = decidedFindings("input", old, now, compareSchemas("input", old, now), examples);
  const renamed = new Map(found.flatMap((one) => (isRename(one) ? [[one.before ?? "", one.after ?? ""]] : [])));
  return [
    ...found.map((one): DetectedChange => {
      const called = one.rule === "arg-renamed" && aliases.has(one.before ?? "");
      return called ? { ...one, level: "warning", more: "; the old name is an alias" } : one;
    }),
    ...comparePositions(before, after, renamed),
  ];
};

/** Whether an argument was renamed, not a property inside one. */
const isRename = ({ rule, pointer = "" }: DetectedChange): boolean =>
  rule === "arg-renamed" && pointer.split("/").length === 3;

const compareArgumentAliases: Comparison = (before, after) => {
  const called = (tool: Tool) => new Set(tool.parameters.flatMap((one) => [one.original, ...one.aliases]));
  const [old, now] = [called(before), called(after)];
  const found = (one: Parameter, alias: string, rule: BreakingRule): DetectedChange => ({
    rule,
    pointer: `/properties/${escapePointer(one.original)}`,
    at: one.original,
    [rule === "arg-alias-added" ? "after" : "before"]: alias,
  });
  const of = (tool: Tool, others: ReadonlySet<string>, rule: BreakingRule): readonly DetectedChange[] =>
    tool.parameters.flatMap((one) =>
      one.aliases.filter((alias) => !others.has(alias)).map((alias) => found(one, alias, rule)),
    );
  return [...of(before, now, "arg-alias-removed"), ...of(after, old, "arg-alias-added")];
};

/** Positions of the arguments. Removed, added and newly required arguments break calls by themselves and are left out. */
function comparePositions(before: Tool, after: Tool, renamed: ReadonlyMap<string, string>): readonly DetectedChange[] {
  const old = new Map(before.parameters.map((one) => [renamed.get(one.original) ?? one.original, one.required]));
  const now = new Map(after.parameters.map((one) => [one.original, one.required]));
  const became = (name: string): boolean => old.get(name) === false && now.get(name) === true;
  const was = [...old.keys()].filter((name) => now.has(name) && !became(name));
  const is = [...now.keys()].filter((name) => (old.has(name) ? !became(name) : now.get(name) === false));
  // New optional arguments after all others move no position.
  while (is.length > 0 && !old.has(is.at(-1) ?? "")) is.pop();
  if (was.join("\0") === is.join("\0")) return [];
  const first = was.findIndex((name, i) => name !== is[i]);
  while (was.length === is.length && was.at(-1) === is.at(-1)) {
    was.pop();
    is.pop();
  }
  return [
    {
      rule: "arg-position-changed",
      at: String(first + 1),
      before: was.slice(first).join(", "),
      after: is.slice(first).join(", "),
    },
  ];
}

const compareConstraints: Comparison = (before, after) => {
  const isOne = [before, after].every((tool) => changeSets(tool).length <= 1);
  const keyOf = (one: Constraint): string => (isOne && isChangeSet(one) ? one.kind : canonicalJson(one));
  const texts = (tool: Tool) => new Map(tool.constraints.map((one) => [keyOf(one), textOf(one)]));
  const [old, now] = [texts(before), texts(after)];
  const gone = [...old].filter(([key]) => !now.has(key)).map(([, text]) => text);
  const come = [...now].filter(([key]) => !old.has(key)).map(([, text]) => text);
  return decidedConstraints(before, after, [
    ...changesOf(before, after),
    ...gone.map((text): DetectedChange => ({ rule: "constraint-removed", before: text })),
    ...come.map((text): DetectedChange => ({ rule: "constraint-added", after: text })),
  ]);
};

/** A single set of `at_least_one_change` is the same with other arguments: it follows those of the tool, whose changes are reported themselves. */
const isChangeSet = (one: Constraint) => one.kind === "at_least_one_change";
const changeSets = (tool: Tool) => tool.constraints.filter((one) => one.kind === "at_least_one_change");

/** Existing arguments that no longer count as a change, or that count now. */
const changesOf: Comparison = (before, after) => {
  const [[old, ...olds], [now, ...nows]] = [changeSets(before), changeSets(after)];
  if (!old || !now || olds.length + nows.length > 0) return [];
  const has = (tool: Tool, name: string): boolean => tool.parameters.some((one) => one.original === name);
  const facts = { before: textOf(old), after: textOf(now) };
  const less = old.of.some((name) => !now.of.includes(name) && has(after, name));
  const more = now.of.some((name) => !old.of.includes(name) && has(before, name));
  return [
    ...(less ? [{ rule: "constraint-added", ...facts } as const] : []),
    ...(more ? [{ rule: "constraint-removed", ...facts } as const] : []),
  ];
};

function textOf(one: Constraint): string {
  if (one.kind === "at_least_one_change") return `at least one of ${[...one.of].sort(byCodeUnit).join(", ")}`;
  if (one.kind === "one_of") return `exactly one of ${one.branches.map((names) => names.join(" with ")).join(" or ")}`;
  const equals = one.equals === undefined ? "" : ` being ${JSON.stringify(one.equals)}`;
  return `${one.argument}${equals} needs ${one.needs.join(" and ")}`;
}

const compareResult: Comparison = ({ result_schema: before }, { result_schema: after }) => {
  if (before && after) return decidedFindings("result", before, after, compareSchemas("result", before, after));
  if (before) return [{ rule: "result-schema-removed", before: typeText(before) }];
  return after ? [{ rule: "result-schema-added", after: typeText(after) }] : [];
};

const fold = (text: string): string => text.replace(/\s+/g, " ").trim();

const compareDescription: Comparison = (before, after) => {
  const [old, now] = [fold(before.description), fold(after.description)];
  return unlessSame(old, now, now === "" ? "description-removed" : "description-changed");
};

const LISTS: readonly (readonly [keyof Omit<Policy, "source">, BreakingRule, string])[] = [
  ["do", "policy-do-removed", "do"],
  ["dont", "policy-dont-removed", "do not"],
  ["edge_cases", "policy-edge-case-removed", "edge case"],
];

const comparePolicy: Comparison = (before, after) =>
  LISTS.flatMap(([list, removed, label]): readonly DetectedChange[] => {
    const [old, now] = [before, after].map((one) => (one.policy?.[list] ?? []).map(fold)) as [string[], string[]];
    const gone = old.filter((text) => !now.includes(text));
    const come = new Set(now.filter((text) => !old.includes(text)));
    return [
      ...gone.map((text): DetectedChange => {
        const reworded = [...come].find((one) => isReworded(text, one));
        if (reworded === undefined) return { rule: removed, before: text };
        come.delete(reworded);
        return { rule: "policy-changed", before: `${label}: ${text}`, after: `${label}: ${reworded}` };
      }),
      ...[...come].map((text): DetectedChange => ({ rule: "policy-changed", after: `${label}: ${text}` })),
    ];
  });

/** Whether two rules share at least half of their words: the later one is then a rewording. */
function isReworded(before: string, after: string): boolean {
  const words = (text: string) =>
    new Set(
      text
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u)
        .filter((one) => one !== ""),
    );
  const [old, now] = [words(before), words(after)];
  const shared = [...old].filter((one) => now.has(one)).length;
  return shared > 0 && shared / (old.size + now.size - shared) >= 0.5;
}

const compareSource: Comparison = (before, after) => {
  const text = ({ source: { server, file } }: Tool): string => (server === undefined ? file : `${server}: ${file}`);
  return unlessSame(text(before), text(after), "source-changed");
};

const COMPARISONS: readonly Comparison[] = [
  compareNames,
  compareKind,
  compareAccess,
  compareHints,
  compareInput,
  compareArgumentAliases,
  compareConstraints,
  compareResult,
  compareDescription,
  compareInstructions,
  comparePolicy,
  compareRequest,
  compareSource,
];
