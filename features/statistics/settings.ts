/** The key `stats.enabled`. How long statistics are kept is a key of the core, since the audit is kept as long. */

import type { FeatureSetting } from "../../runtime/contract/settings/feature-settings.js";
import * as s from "../../runtime/contract/settings/setting.js";

const ENABLED = s.flag("Whether calls are recorded.", true);

/** All keys. */
export const STATISTICS_SETTINGS: readonly FeatureSetting[] = [{ key: "stats.enabled", after: null, setting: ENABLED }];

/** The part of `toolwright.yaml` that they are, with their defaults. They are checked when the file is read. */
export interface StatisticsConfig {
  readonly stats: { readonly enabled: s.Written<typeof ENABLED> };
}
