/** Files for those who reach the ops without an MCP client: an agent skill, lists of tools for model providers, typed clients. */

import type { Feature } from "../../core/feature.js";
import { SURFACE_SETTINGS, type SurfaceName, surfacesOf } from "./settings.js";

/** Surfaces that list every op by its name as a tool. */
const LISTING: readonly SurfaceName[] = ["openai", "anthropic"];

/** Emitted surfaces. */
export const SURFACES: Feature = {
  name: "surfaces",
  settings: SURFACE_SETTINGS,
  listsTools: (config) => surfacesOf(config).some((one) => LISTING.includes(one)),
  generate: async () => (await import("./generate.js")).SURFACE_EMITTERS,
};
