/** Breaking changes: compares two builds by meaning, and says what breaks for callers. */

import type { Feature } from "../../core/feature.js";
import { BREAKING_RULES } from "./breaking-rules.js";
import { SETTINGS } from "./settings.js";

/** Breaking changes. */
export const BREAKING_CHANGES: Feature = {
  name: "breaking",
  settings: SETTINGS,
  breakingRules: { catalogue: BREAKING_RULES },
  commands: async () => (await import("./commands.js")).COMMAND_PART,
  changes: async (features) => (await import("./changes.js")).changesWith(features),
};
