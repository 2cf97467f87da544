/** The one place that decides visibility and permission of an op for a grant. */

import type { Grant, GrantPart } from "./handler.js";
import { opGlob } from "./op-glob.js";
import type { Level, TargetScope } from "./registry.js";

/** The part of a tool that access depends on. */
export interface Target {
  readonly op: string;
  readonly access: Level;
  readonly target: TargetScope;
}

const RANK: Readonly<Record<Level, number>> = { read: 0, write: 1, admin: 2 };

/** Matchers by pattern: grants are asked about every op of a registry. Bounded, since keys may name any pattern. */
const matchers = new Map<string, (text: string) => boolean>();
const MAX_MATCHERS = 1000;

function matches(pattern: string, text: string): boolean {
  const known = matchers.get(pattern);
  if (known) return known(text);
  if (matchers.size >= MAX_MATCHERS) matchers.clear();
  const made = opGlob(pattern);
  matchers.set(pattern, made);
  return made(text);
}

const fitsAny = (patterns: readonly string[] | undefined, text: string): boolean =>
  patterns === undefined || patterns.some((one) => matches(one, text));

/** The first segment of an op or of a pattern of ops. */
const packOf = (op: string): string => op.split(".", 1)[0] ?? op;

/** The parts of a grant; each permits on its own. */
const partsOf = (grant: Grant): readonly GrantPart[] => grant.parts ?? [grant];

const reaches = (op: Target, part: GrantPart): boolean =>
  RANK[part.level] >= RANK[op.access] &&
  (op.target === "project" || part.projects === "*" || op.access === "read") &&
  fitsAny(part.packs, packOf(op.op)) &&
  fitsAny(part.ops, op.op);

const permits = (op: Target, part: GrantPart, project: string | undefined): boolean =>
  reaches(op, part) &&
  (op.target === "global" || part.projects === "*" || (project !== undefined && part.projects.includes(project)));

/** Whether the grant permits the op on the given project; a global op needs none. */
export const allowed = (op: Target, grant: Grant, project?: string): boolean =>
  partsOf(grant).some((part) => permits(op, part, project));

/** Whether {@link allowed} holds for some project: decides what a caller sees. */
export const isVisible = (op: Target, grant: Grant): boolean => partsOf(grant).some((part) => reaches(op, part));

/** Whether a grant permits everything that another one permits; false also where that cannot be told from the patterns. */
export const covers = (grant: Grant, other: Grant): boolean =>
  partsOf(other).every((asked) => partsOf(grant).some((part) => coversPart(part, asked)));

const coversPart = (part: GrantPart, other: GrantPart): boolean =>
  RANK[part.level] >= RANK[other.level] &&
  coversProjects(part.projects, other.projects) &&
  // A pattern that matches another one as a text matches all that the other one matches.
  (part.packs === undefined ||
    isWithin(part.packs, other.packs) ||
    isWithin(part.packs, other.ops?.map(packPattern))) &&
  (part.ops === undefined ||
    isWithin(part.ops, other.ops) ||
    isWithin(
      part.ops,
      other.packs?.map((one) => `${one}.*`),
    )) &&
  // What waits for an approval, waits for it with the other grant too.
  (part.approve === undefined || (other.approve !== undefined && isWithin(other.approve, part.approve)));

const coversProjects = (own: GrantPart["projects"], other: GrantPart["projects"]): boolean =>
  own === "*" || (other !== "*" && other.every((one) => own.includes(one)));

const isWithin = (patterns: readonly string[], others: readonly string[] | undefined): boolean =>
  others?.every((other) => patterns.some((one) => matches(one, other))) ?? false;

/** A pattern of the packs whose ops a pattern of ops may match: up to its first asterisk, which matches dots too. */
function packPattern(ops: string): string {
  const pack = packOf(ops);
  const end = pack.indexOf("*");
  return end < 0 ? pack : pack.slice(0, end + 1);
}

/** Patterns of the ops whose writes wait for the approval of a person, by any part of a grant. */
export const approvalPatterns = (grant: Grant): readonly string[] =>
  partsOf(grant).flatMap(({ approve = [] }) => approve);

const isUnboundPart = ({ projects, packs, ops }: GrantPart): boolean =>
  projects === "*" && packs === undefined && ops === undefined;

/** Whether a grant is bound to neither projects nor packs nor ops. */
export const isUnboundGrant = (grant: Grant): boolean => partsOf(grant).some(isUnboundPart);

/** Whether some part of a grant is of level admin, and bound to neither projects nor packs nor ops. */
export const isAdmin = (grant: Grant): boolean =>
  partsOf(grant).some((part) => part.level === "admin" && isUnboundGrant(part));

/**
 * Joins grants: what any of them permits is permitted. `level` and `projects` of the result are what all of them permit.
 *
 * @returns undefined without a grant
 */
export function joinedGrants(parts: readonly GrantPart[]): Grant | undefined {
  const [first] = parts;
  if (!first || parts.length === 1) return first;
  return { ...commonOf(parts), parts };
}

function commonOf(parts: readonly GrantPart[]): Pick<Grant, "level" | "projects"> {
  const lists = parts.flatMap(({ projects }) => (projects === "*" ? [] : [projects]));
  const [first = []] = lists;
  return {
    level: levelOf(parts, Math.min),
    projects: lists.length === 0 ? "*" : first.filter((one) => lists.every((list) => list.includes(one))),
  };
}

/**
 * The grant as the handler of an op reads it: `level` and `projects` are those of the parts that permit the op. What the
 * grant permits is the same.
 */
export function grantFor(op: Target, grant: Grant): Grant {
  const parts = grant.parts?.filter((part) => reaches(op, part)) ?? [];
  if (parts.length === 0) return grant;
  const projects = parts.some((part) => part.projects === "*")
    ? ("*" as const)
    : [...new Set(parts.flatMap((part) => part.projects))];
  return { ...grant, level: levelOf(parts, Math.max), projects };
}

const LEVELS: readonly Level[] = ["read", "write", "admin"];

const levelOf = (parts: readonly GrantPart[], choose: (...ranks: number[]) => number): Level =>
  LEVELS[choose(...parts.map(({ level }) => RANK[level]))] ?? "read";

/** Whether some part of a grant permits writes. */
export const mayWrite = (grant: Grant): boolean => partsOf(grant).some(({ level }) => level !== "read");

/** What a grant permits everywhere: by its parts that are bound to nothing, else what all parts permit. */
export function overallGrant(grant: Grant): Pick<Grant, "level" | "projects"> & {
  /** Whether some part permits more than `level`. */
  readonly more: boolean;
} {
  const unbound = partsOf(grant).filter(isUnboundPart);
  const level = unbound.length > 0 ? levelOf(unbound, Math.max) : grant.level;
  const projects = unbound.length > 0 ? "*" : grant.projects;
  return { level, projects, more: RANK[levelOf(partsOf(grant), Math.max)] > RANK[level] };
}

/** The facts on which the visibility of ops depends, as a text. */
export const grantKey = (grant: Grant): string => partsOf(grant).map(partKey).join("|");

function partKey({ level, projects, packs, ops }: GrantPart): string {
  const reach = `${level}:${projects === "*" ? "all" : "some"}`;
  return packs === undefined && ops === undefined ? reach : `${reach}:${JSON.stringify([packs ?? null, ops ?? null])}`;
}
