/** The packs that come with the package, at run time: what their functions get beside a handler's context, and where they are. */

import type { Context } from "./contract/handler.js";
import type { LlmSettings } from "./settings.js";

/** The running product, as shipped packs see it. */
export interface Host {
  /** `projects`: name to absolute path. */
  readonly projects: ReadonlyMap<string, string>;
  readonly llm: LlmSettings;
}

/** The context of a shipped pack's function. */
export interface HostContext extends Context {
  readonly host: Host;
}

/** Imports the module of a shipped pack, whose exports are its functions; undefined for a name that this version does not ship. */
export type ShippedModules = (pack: string) => Promise<object> | undefined;
