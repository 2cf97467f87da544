/** Joins catalogues of rules. */

import { conflictOf } from "../../runtime/contract/feature-conflict.js";
import { type DeclaringFeature, featureLabel } from "../../runtime/contract/settings/feature-settings.js";

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
export const joinedRules = <R, F extends Pick<DeclaringFeature, "name" | "origin">>(
  kind: string,
  rules: Readonly<Record<string, R>>,
  features: readonly F[],
  addedOf: (feature: F) => AddedRules<R> | undefined,
): Readonly<Record<string, R>> =>
  features.reduce((all, feature, i) => {
    const added = addedOf(feature);
    if (!added) return all;
    const twice = Object.keys(added.catalogue).find((code) => Object.hasOwn(all, code));
    if (twice !== undefined) {
      const owner = features.slice(0, i).find((one) => Object.hasOwn(addedOf(one)?.catalogue ?? {}, twice));
      throw conflictOf(featureLabel(feature), `has the ${kind} ${twice}`, owner && featureLabel(owner));
    }
    const entries = Object.entries(all);
    const at = entries.findIndex(([code]) => code === added.after) + 1 || entries.length;
    return Object.fromEntries(entries.toSpliced(at, 0, ...Object.entries(added.catalogue)));
  }, rules);
