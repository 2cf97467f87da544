/** A static site of the ops of a project, and of its guides. */

import type { Feature } from "../../core/feature.js";
import { DOCS_SETTINGS } from "./settings.js";

/** The documentation site. */
export const DOCS_SITE: Feature = {
  name: "docs-site",
  settings: DOCS_SETTINGS,
  commands: async () => (await import("./commands.js")).DOCS_COMMANDS,
};
