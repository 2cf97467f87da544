/** The features of the package. The first one is innermost around a call. Only the entries of the package import this list. */

import type { Feature } from "../core/feature.js";
import { BREAKING_CHANGES } from "./breaking/feature.js";
import { LEARNED_TYPES } from "./learned-types/feature.js";

/** All features. */
export const FEATURES: readonly Feature[] = [BREAKING_CHANGES, LEARNED_TYPES];
