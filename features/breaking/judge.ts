/** Applies configuration to findings: levels, exceptions, profile, and the threshold at which `breaking` fails. */

import type { Config } from "../../generator/config/config.js";
import { formatPlace } from "../../generator/core/diagnostic.js";
import { closest } from "../../runtime/contract/closest.js";
import type { Finding, FindingLevel, Surface } from "../../runtime/contract/finding.js";
import { opGlob } from "../../runtime/contract/op-glob.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { RANK, sortFindings } from "./finding.js";
import type { BreakingEntry } from "./settings.js";

/** Which findings count: those that affect calls over the wire, those that affect generated code, or all. */
export type Profile = "wire" | "code" | "all";

const SURFACES: Readonly<Record<Profile, readonly Surface[]>> = {
  wire: ["wire", "op"],
  code: ["wire", "op", "code"],
  all: ["wire", "op", "code", "agent"],
};

/**
 * The findings of the profile at the configured levels, without the ignored ones.
 *
 * A finding that affects no client belongs to every profile.
 *
 * @param ops of both registries: an entry of `ignore` may stay after its finding is gone, but not after its op is gone
 * @throws UsageError naming the entries of `ignore` that match no op
 */
export function judgeFindings(
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

/** Whether a finding is at or over the threshold. */
export const reachesThreshold = (findings: readonly Finding[], failOn: FindingLevel): boolean =>
  findings.some((one) => RANK[one.level] >= RANK[failOn]);
