/** Reads from a state database which ops were called, with the feature that records calls. */

import type { ReadUsage } from "../runtime/contract/statistics.js";
import type { Feature } from "./feature.js";

const nothing: ReadUsage = async () => new Map();

/** Loads how the first feature that records calls reads them; without one, there are none. */
export const loadUsage = async (features: readonly Feature[]): Promise<ReadUsage> =>
  (await features.find(({ usage }) => usage)?.usage?.()) ?? nothing;
