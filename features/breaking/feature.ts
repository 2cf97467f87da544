/** Breaking changes: compares two builds by meaning, and says what breaks for callers. */

import type { Feature } from "../../core/feature.js";
import { BREAKING_RULES } from "./breaking-rules.js";
import { BREAKING_SETTINGS } from "./settings.js";

/** Breaking changes. */
export const BREAKING_CHANGES: Feature = {
  name: "breaking",
  settings: BREAKING_SETTINGS,
  breakingRules: { catalogue: BREAKING_RULES },
  commands: async () => (await import("./commands.js")).BREAKING_COMMANDS,
  changes: async (features) => (await import("./changes.js")).changesWith(features),
};
