/** What CI runs for a project: the workflow of GitHub, and the jobs of GitLab. */

import type { Feature } from "../../core/feature.js";

/** The files that `init --ci` writes. */
export const CI_FILES: Feature = {
  name: "ci",
  ci: async () => (await import("./write-ci.js")).prepareCi,
};
