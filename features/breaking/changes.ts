/** Compares builds for others: the lock on live servers, files that flags name, and the documentation site. */

import type { Changes } from "../../generator/cli/changes.js";
import type { GeneratingFeature } from "../../generator/pipeline.js";
import { comparedTools } from "./compare.js";
import { changeFinders } from "./finders.js";

/** Compares with the rules of all features. */
export const changesWith = (features: readonly GeneratingFeature[]): Changes => ({
  compareTools: async (before, after) => comparedTools(before, after, await changeFinders(features)),
  async sinceBaseline(project, baseline) {
    const { compareWith } = await import("./command.js");
    return compareWith({ ...project, features }, { ...baseline, profile: "all", mergeBase: false });
  },
});
