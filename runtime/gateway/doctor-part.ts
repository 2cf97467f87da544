/** What features check in `toolwright doctor`. */

import type { DeclaringFeature } from "../contract/settings/feature-settings.js";
import type { OpenedProject } from "./project.js";

/** Result of one check. */
export interface CheckFinding {
  readonly what: string;
  readonly ok: boolean;
  readonly found: string;
  /** What to do if it is not ok. */
  readonly remedy?: string;
  /** Work that only a person can do, a line each; it is no fault. */
  readonly needs_person?: readonly string[];
}

/** Checks a project that could be opened. */
export type DoctorPart = (project: OpenedProject) => Promise<readonly CheckFinding[]>;

/** A feature that checks something. */
export interface CheckingFeature extends DeclaringFeature {
  /** Loads what it checks. */
  readonly doctor?: () => Promise<DoctorPart>;
  /** The checks of the core behind which its findings stand; default: those of validators. */
  readonly doctorAfter?: "http";
}

/** What features find, in their order: those whose findings stand behind the given checks. */
export const featureFindings = async (
  features: readonly CheckingFeature[],
  project: OpenedProject,
  after?: CheckingFeature["doctorAfter"],
): Promise<readonly CheckFinding[]> => {
  const found: CheckFinding[] = [];
  for (const { doctor } of features.filter(({ doctorAfter }) => doctorAfter === after))
    found.push(...((await (await doctor?.())?.(project)) ?? []));
  return found;
};
