/** The error for features that add one name twice. */

import { UsageError } from "./usage-error.js";

/**
 * A name that a feature adds though it exists.
 *
 * @param by - the feature, by its label
 * @param adds - what it does, such as `declares the key quota`
 * @param owner - the feature that has the name; default: the core
 */
export const conflictOf = (by: string, adds: string, owner = "toolwright"): UsageError =>
  new UsageError(`feature-conflict: ${by} ${adds}, which ${owner} has: give it another name`);
