/** What other features find in a comparison of two builds. */

import type { BreakingCatalogue, CompareTool } from "../../generator/core/breaking-rule.js";
import type { GeneratingFeature } from "../../generator/pipeline.js";

/** Finds changes by rules of its own. */
export interface ChangeFinder {
  readonly rules: BreakingCatalogue;
  readonly compare: CompareTool;
}

/** Loads those of the features that have some. */
export async function changeFinders(features: readonly GeneratingFeature[]): Promise<readonly ChangeFinder[]> {
  const found = await Promise.all(
    features.map(async ({ breakingRules, generate }) => {
      const compare = breakingRules && (await generate?.())?.compare;
      return compare ? [{ rules: breakingRules.catalogue, compare }] : [];
    }),
  );
  return found.flat();
}
