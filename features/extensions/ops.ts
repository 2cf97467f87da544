/** Adds the tools of `.onetool/tools/` to a project as it is opened. */

import type { Config } from "../../generator/config/config.js";
import type { OpsPart } from "../../runtime/gateway/added-ops.js";
import { loadExtensions } from "./load.js";

/** Loads the files. The generator, which builds them, is imported if there are any. */
export const addExtensionTools: OpsPart = (project, config) =>
  loadExtensions(project, async (file) =>
    (await import("./extension-tools.js")).buildExtension(file, config as Config),
  );
