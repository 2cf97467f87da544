/** What a feature that compares two builds offers to others. */

import type { CompareTools, Finding } from "../../runtime/contract/finding.js";
import type { Config } from "../config/config.js";
import type { ComparedRegistry } from "../core/registry-file.js";

/** A project whose build is compared. */
export interface ComparedProject {
  readonly root: string;
  /** Of toolwright. */
  readonly version: string;
  readonly config: Config;
  /** Text of a file by its path relative to the root, or undefined. */
  readonly read: (file: string) => string | undefined;
}

/** What differs from a baseline. */
export interface BaselineComparison {
  readonly head: ComparedRegistry;
  readonly baseline: ComparedRegistry;
  readonly findings: readonly Finding[];
}

/** Compares builds. */
export interface Changes {
  readonly compareTools: CompareTools;
  /**
   * All that differs between `generated/` of a project and a baseline.
   *
   * @throws UsageError if one of them cannot be read
   */
  sinceBaseline(
    project: ComparedProject,
    baseline: { readonly against: string; readonly today?: string },
  ): Promise<BaselineComparison>;
}
