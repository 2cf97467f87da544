/** Gateways that a test makes by hand, with this feature alone. */

import type { WrittenConfig } from "../../../runtime/contract/settings/project-settings.js";
import { loadFeatures } from "../../../runtime/gateway/features.js";
import { RESOURCES } from "../feature.js";
import type { ResourcesConfig } from "../settings.js";

/** Options of a fixture with entries of `expose`; default: none. */
export async function withResources(expose: Partial<ResourcesConfig["expose"]> = {}) {
  const config: WrittenConfig & { readonly expose: object } = { sources: [], expose: { ...expose } };
  return { features: await loadFeatures({ features: [RESOURCES], config }) };
}
