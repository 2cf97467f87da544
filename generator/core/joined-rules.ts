/** Joins catalogues of rules. */

import { UsageError } from "../../runtime/contract/usage-error.js";

/** Rules that a feature adds to a catalogue. */
export interface AddedRules<R> {
  /** The code behind which they are listed; default: the last one. */
  readonly after?: string;
  readonly catalogue: Readonly<Record<string, R>>;
}

/**
 * The rules with those of features, in the order in which they are listed.
 *
 * @param kind of the rules, for the message
 * @throws UsageError if a code exists already
 */
export const joinedRules = <R>(
  kind: string,
  rules: Readonly<Record<string, R>>,
  added: readonly (readonly [feature: string, added: AddedRules<R> | undefined])[],
): Readonly<Record<string, R>> =>
  added.reduce((all, [feature, one]) => {
    if (!one) return all;
    const twice = Object.keys(one.catalogue).find((code) => Object.hasOwn(all, code));
    if (twice !== undefined)
      throw new UsageError(
        `feature-conflict: the feature ${feature} has the ${kind} ${twice}, which exists: rename it`,
      );
    const entries = Object.entries(all);
    const at = entries.findIndex(([code]) => code === one.after) + 1 || entries.length;
    return Object.fromEntries(entries.toSpliced(at, 0, ...Object.entries(one.catalogue)));
  }, rules);
