/** The interface of a feature that writes what CI runs. */

import type { CiSystem } from "../commands.js";
import type { CommandSetting } from "../generate.js";

/** Dependencies of the command. */
export type CiSetting = Pick<CommandSetting, "root" | "out" | "paint" | "features">;

/**
 * Prepares the files of a CI system; nothing is written yet.
 *
 * @returns what writes them, for the servers that the configuration has by then
 * @throws UsageError if packages of the project would not bring toolwright
 */
export type PrepareCi = (setting: CiSetting, system: CiSystem) => Promise<() => Promise<number>>;

/** A feature that writes what CI runs. */
export interface CiFeature {
  readonly name: string;
  /** Loads what `init --ci` writes. One feature has it. */
  readonly ci?: () => Promise<PrepareCi>;
}
