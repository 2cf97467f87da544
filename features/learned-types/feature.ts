/** Learns from calls: types of results that no server declares, and words by which callers look for ops. */

import type { Feature } from "../../core/feature.js";
import { LEARNED_BREAKING_RULES } from "./breaking-rules.js";
import { LEARNED_RULES } from "./diagnostics.js";
import { SETTINGS } from "./settings.js";

/** Learned types and words. */
export const LEARNED_TYPES: Feature = {
  name: "learned-types",
  settings: SETTINGS,
  rules: { after: "schema-dialect", catalogue: LEARNED_RULES },
  breakingRules: { after: "result-schema-added", catalogue: LEARNED_BREAKING_RULES },
  // Off where it is not written: a project of an earlier version stores no words.
  written: { init: { learn: { words: "on" } }, flags: { learn: "off" } },
  commands: async () => (await import("./commands.js")).COMMAND_PART,
  generate: async () => (await import("./generate.js")).addLearned,
  serve: async () => (await import("./serve.js")).learnFromCalls,
};
