/** The one place that decides visibility and permission of an op for a grant. */

import type { Grant } from "./handler.js";
import type { Level, TargetScope } from "./registry.js";

/** The part of a tool that access depends on. */
export interface Target {
  readonly access: Level;
  readonly target: TargetScope;
}

const RANK: Readonly<Record<Level, number>> = { read: 0, write: 1, admin: 2 };

const reaches = (op: Target, grant: Grant): boolean =>
  RANK[grant.level] >= RANK[op.access] && (op.target === "project" || grant.projects === "*" || op.access === "read");

/** Whether the grant permits the op on the given project; a global op needs none. */
export function allowed(op: Target, grant: Grant, project?: string): boolean {
  if (!reaches(op, grant)) return false;
  return (
    op.target === "global" || grant.projects === "*" || (project !== undefined && grant.projects.includes(project))
  );
}

/** Whether {@link allowed} holds for some project: decides what a caller sees. */
export const visible = (op: Target, grant: Grant): boolean => reaches(op, grant);

/** Whether a grant permits everything that another one permits. */
export const covers = (grant: Grant, other: Grant): boolean =>
  RANK[grant.level] >= RANK[other.level] &&
  (grant.projects === "*" || (other.projects !== "*" && other.projects.every((one) => grant.projects.includes(one))));
