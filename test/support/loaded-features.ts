/** What the features of the package do in a gateway that a test makes by hand. */

import { FEATURES } from "../../features/list.js";
import type { WrittenConfig } from "../../runtime/contract/settings/project-settings.js";
import { type LoadedFeatures, loadFeatures } from "../../runtime/gateway/features.js";

/** Loads all features for a configuration. */
export const loadedFeatures = (config: WrittenConfig = { sources: [] }): Promise<LoadedFeatures> =>
  loadFeatures({ features: FEATURES, config });
