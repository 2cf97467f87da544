/** What configuration makes of findings: levels, exceptions, profile, and what fails. */

import { closest, type Finding, type FindingLevel, opGlob, type Surface } from "toolwright/codegen";
import type { BreakingEntry, Config } from "../config.js";
import { formatPlace } from "../diagnostic.js";
import { UsageError } from "../usage-error.js";
import { RANK, sortFindings } from "./finding.js";

/** Whose trouble counts. */
export type Profile = "wire" | "code" | "all";

/** What a release of the later registry should be called. */
export type Advice = "major" | "minor" | "patch";

const SURFACES: Readonly<Record<Profile, readonly Surface[]>> = {
  wire: ["wire", "op"],
  code: ["wire", "op", "code"],
  all: ["wire", "op", "code", "agent"],
};

/**
 * Findings as configuration wants them: without the ignored ones, at the configured levels, those of the profile.
 *
 * A finding that touches nobody belongs to every profile.
 *
 * @param ops of both registries: an entry of `ignore` may outlive the finding that it was written for, but not the op
 * @throws UsageError naming the entries of `ignore` that match no op
 */
export function judge(
  findings: readonly Finding[],
  entry: BreakingEntry,
  profile: Profile,
  place: Config["place"],
  ops: ReadonlySet<string>,
): readonly Finding[] {
  const surfaces = SURFACES[profile];
  return sortFindings(
    withoutIgnored(findings, entry, place, ops).flatMap((one): readonly Finding[] => {
      const level = entry.level?.[one.rule] ?? one.level;
      const held = one.surface.length === 0 || one.surface.some((surface) => surfaces.includes(surface));
      return level === "off" || !held ? [] : [{ ...one, level }];
    }),
  );
}

function withoutIgnored(
  findings: readonly Finding[],
  { ignore = {} }: BreakingEntry,
  place: Config["place"],
  ops: ReadonlySet<string>,
): readonly Finding[] {
  const entries = Object.entries(ignore).flatMap(([rule, globs]) =>
    globs.map((glob, i) => ({ rule, glob, index: i, matches: opGlob(glob) })),
  );
  const lost = entries.filter((entry) => ![...ops].some(entry.matches));
  if (lost.length === 0)
    return findings.filter((one) => !entries.some((entry) => entry.rule === one.rule && entry.matches(one.op)));
  const lines = lost.map(({ rule, glob, index }) => {
    const near = closest(glob, ops);
    const hint = near === undefined ? "remove the entry" : `did you mean ${near}? correct or remove the entry`;
    return `${formatPlace(place("breaking", "ignore", rule, index))} breaking.ignore.${rule} ${glob} matches no op; ${hint}`;
  });
  throw new UsageError(lines.join("\n"));
}

/** How many findings there are of each level. */
export function countLevels(findings: readonly Finding[]): Readonly<Record<FindingLevel, number>> {
  const of = (level: FindingLevel): number => findings.filter((one) => one.level === level).length;
  return { error: of("error"), warning: of("warning"), info: of("info") };
}

/** An error means major, a warning or a new tool minor, anything else patch. */
export function adviceOf(findings: readonly Finding[]): Advice {
  const { error, warning } = countLevels(findings);
  if (error > 0) return "major";
  return warning > 0 || findings.some((one) => one.rule === "tool-added") ? "minor" : "patch";
}

/** Whether a finding is at or over the threshold. */
export const fails = (findings: readonly Finding[], failOn: FindingLevel): boolean =>
  findings.some((one) => RANK[one.level] >= RANK[failOn]);
