/** The modules of the packs that come with the package: one line each. */

import type { ShippedModules } from "../../runtime/packs/host.js";

const MODULES: Readonly<Record<string, () => Promise<object>>> = {
  brave: () => import("./brave.js"),
  llm: () => import("./llm.js"),
  oubliette: () => import("./oubliette.js"),
  ot: () => import("./ot.js"),
  proj: () => import("./proj.js"),
  web: () => import("./web.js"),
};

/** Imports the module of a shipped pack. */
export const shippedModules: ShippedModules = (pack) => (Object.hasOwn(MODULES, pack) ? MODULES[pack]?.() : undefined);
