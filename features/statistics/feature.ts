/** Statistics: records calls and runs, and shows how often they were made, how it went, and how long they took. */

import type { Feature } from "../../core/feature.js";
import { STATISTICS_SETTINGS } from "./settings.js";

/** Statistics of calls. */
export const STATISTICS_OF_CALLS: Feature = {
  name: "statistics",
  settings: STATISTICS_SETTINGS,
  serve: async () => (await import("./serve.js")).recordCalls,
  usage: async () => (await import("./figures.js")).readUsage,
};
