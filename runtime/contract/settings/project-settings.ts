/** All keys of `toolwright.yaml`: their shape, their defaults, and the types of a configuration. */

import { mergeMaps } from "../json.js";
import { ACCESS_SETTINGS } from "./access.js";
import { APPROVAL_SETTINGS } from "./approvals.js";
import { CLIENT_SETTINGS } from "./clients.js";
import { DEFINITION_SETTINGS } from "./definitions.js";
import { PACK_SETTINGS } from "./packs.js";
import { RUN_SETTINGS } from "./runs.js";
import { SERVER_SETTINGS } from "./servers.js";
import * as s from "./setting.js";
import { TRANSPORT_SETTINGS } from "./transports.js";

/** Every key of `toolwright.yaml`, in the order in which they are shown. */
export const PROJECT_SETTINGS = s.group("Declares a toolwright project.", {
  ...DEFINITION_SETTINGS,
  ...SERVER_SETTINGS,
  ...CLIENT_SETTINGS,
  ...ACCESS_SETTINGS,
  ...TRANSPORT_SETTINGS,
  ...RUN_SETTINGS,
  ...APPROVAL_SETTINGS,
  ...PACK_SETTINGS,
});

/** A configuration as it is written, all files merged. */
export type WrittenConfig = s.Written<typeof PROJECT_SETTINGS>;

/** A configuration in which every key that has a default is present. */
export type FilledConfig = s.Filled<typeof PROJECT_SETTINGS>;

/** The default of every key that has one. Lists and maps of names are empty by default. */
export const CONFIG_DEFAULTS = s.presetOf(PROJECT_SETTINGS) as Omit<FilledConfig, "sources">;

/** Fills in every default; keys that are not declared stay. */
export const withDefaults = <C extends Partial<WrittenConfig>>(
  config: C,
): Omit<C, keyof typeof CONFIG_DEFAULTS> & typeof CONFIG_DEFAULTS =>
  mergeMaps(CONFIG_DEFAULTS, config as Readonly<Record<string, unknown>>) as C & typeof CONFIG_DEFAULTS;
