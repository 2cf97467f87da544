/** Applies tombstones to findings: an announced removal is allowed, and a reserved name must stay unused. */

import { isDay } from "../../generator/core/shape.js";
import { byCodeUnit } from "../../runtime/contract/canonical.js";
import type { Finding, FindingLevel } from "../../runtime/contract/finding.js";
import type { Registry, Tombstone, Tool } from "../../runtime/contract/registry.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { aboutTool, pairTools } from "./compare.js";
import { type DetectedChange, makeFinding, RANK } from "./finding.js";

type Reserving = Pick<Registry, "tools" | "reserved">;

/**
 * Findings with the tombstones of the later registry applied.
 *
 * @param today `YYYY-MM-DD`, which sunsets are compared with
 * @throws UsageError if a sunset decides and the day is unknown
 */
export function applyTombstones(
  findings: readonly Finding[],
  before: Reserving,
  after: Reserving,
  today: string | undefined,
): readonly Finding[] {
  const promised = today === undefined ? [] : before.tools.flatMap(promiseOf);
  const judged = findings.map((one) => {
    const tombstone = [...after.reserved, ...promised].find((stone) => covers(stone, one));
    return tombstone ? revise(one, verdictOf(tombstone, one, today), tombstone) : one;
  });
  return [...judged.map((one) => softenPath(one, judged)), ...reusedNames(before, after)];
}

/** A sunset in the API description is an announcement, as a tombstone is. */
const promiseOf = ({ op, tool_name: tool, lifecycle: { sunset = "" } = {} }: Tool): readonly Tombstone[] =>
  isDay(sunset) ? [{ op, tool, since: "", sunset }] : [];

/** Rules for a path or name that was removed; the finding's `before` or op is the old one. */
const REMOVALS: ReadonlySet<string> = new Set(["tool-removed", "op-renamed", "tool-renamed"]);

const covers = (stone: Tombstone, one: Finding): boolean =>
  REMOVALS.has(one.rule) &&
  one.level === "error" &&
  (stone.op === one.op || [stone.op, stone.tool].includes(one.before));

type Verdict = "announced" | "early" | "over";

function verdictOf({ op, sunset }: Tombstone, one: Finding, today: string | undefined): Verdict {
  if (sunset === undefined) return "announced";
  if (today === undefined)
    throw new UsageError(
      `the tombstone of ${op} has a sunset, and neither side of ${one.op} is a commit that says which day it is: give --today YYYY-MM-DD`,
    );
  return byCodeUnit(today, sunset) < 0 ? "early" : "over";
}

function revise(one: Finding, verdict: Verdict, { sunset = "", use }: Tombstone): Finding {
  const about = { op: one.op, tool: one.tool, file: one.file, line: one.line, column: one.column };
  const more = use === undefined ? "" : `; use ${use}`;
  const facts = { pointer: one.pointer, before: one.before, after: one.after, more };
  if (verdict === "early")
    return one.rule === "tool-removed"
      ? makeFinding(about, { ...facts, rule: "tool-removed-before-sunset", after: sunset })
      : makeFinding(about, {
          ...facts,
          rule: one.rule as DetectedChange["rule"],
          more: `, but was promised until ${sunset}${more}`,
        });
  return makeFinding(about, {
    ...facts,
    rule: one.rule as DetectedChange["rule"],
    level: verdict === "over" ? "info" : "warning",
  });
}

/** The removal of a help path has the level of its most severe removed tool. */
function softenPath(one: Finding, all: readonly Finding[]): Finding {
  if (one.rule !== "help-path-removed") return one;
  const within = all.filter((other) => isRemoval(other) && oldPath(other).startsWith(`${one.op}.`));
  const worst = within.reduce<FindingLevel>((level, { level: own }) => (RANK[own] > RANK[level] ? own : level), "info");
  return within.length > 0 ? { ...one, level: worst } : one;
}

const isRemoval = ({ rule }: Finding): boolean =>
  rule === "tool-removed" || rule === "tool-removed-before-sunset" || rule === "op-renamed";

const oldPath = ({ rule, op, before }: Finding): string => (rule === "op-renamed" ? before : op);

/** Tools under a reserved name or op whose input differs from its former owner's. Removed tombstones count as well. */
function reusedNames(before: Reserving, after: Reserving): readonly Finding[] {
  const { kept } = pairTools(before.tools, after.tools);
  const earlier = new Map<Tool, Tool>(kept.map((pair) => [pair.after, pair.before]));
  const stones = new Map([...before.reserved, ...after.reserved].map((one) => [`${one.tool}\0${one.op}`, one]));
  return [...stones.values()].flatMap((stone) =>
    after.tools.flatMap((tool): readonly Finding[] => {
      const name = tool.op === stone.op ? stone.op : tool.tool_name === stone.tool ? stone.tool : undefined;
      if (name === undefined || isOwner(stone, tool, earlier.get(tool))) return [];
      const found = { rule: "reserved-name-reused", before: name, after: tool.tool_name } as const;
      return [makeFinding(aboutTool(tool), { ...found, more: ` since ${stone.since}` })];
    }),
  );
}

/** Whether the tombstone announces the removal of this tool: it existed before, with the same input. */
const isOwner = (stone: Tombstone, tool: Tool, was: Tool | undefined): boolean =>
  was !== undefined && (was.op === stone.op || was.tool_name === stone.tool) && was.digest.input === tool.digest.input;
