/** The modules of the packs that the package ships, one line each: the type checker reports a pack of `SHIPPED_PACKS` without one. */

import type { SHIPPED_PACKS } from "../../runtime/contract/settings/parts.js";
import type { ShippedModules } from "../../runtime/packs/host.js";

const MODULES: Readonly<Record<(typeof SHIPPED_PACKS)[number], () => Promise<object>>> = {
  brave: () => import("./brave.js"),
  llm: () => import("./llm.js"),
  oubliette: () => import("./oubliette.js"),
  ot: () => import("./ot.js"),
  proj: () => import("./proj.js"),
  web: () => import("./web.js"),
};

/** Imports the module of a shipped pack. */
export const shippedModules: ShippedModules = (pack) => (isShipped(pack) ? MODULES[pack]() : undefined);

const isShipped = (pack: string): pack is keyof typeof MODULES => Object.hasOwn(MODULES, pack);
