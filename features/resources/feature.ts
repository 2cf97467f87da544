/** Resources and prompts of MCP: pages of the ops, snippets and ops that clients see as resources and prompts, and completion. */

import type { Feature } from "../../core/feature.js";
import { checkExposedKeys } from "./exposed-keys.js";
import { EXPOSED_RULES } from "./rules.js";
import { RESOURCE_SETTINGS } from "./settings.js";

/** Resources and prompts. */
export const RESOURCES: Feature = {
  name: "resources",
  settings: RESOURCE_SETTINGS,
  rules: { after: "enum-unused", catalogue: EXPOSED_RULES },
  checkKeys: checkExposedKeys,
  checkOps: async () => (await import("./check-ops.js")).checkExposedOps,
  serve: async () => (await import("./serve.js")).serveResources,
};
