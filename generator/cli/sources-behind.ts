/** Finds what has changed since `generate` for those who ask whether `generated/` is as the definitions say. */

import { builtDigest } from "../config/built-values.js";
import { loadConfig } from "../config/config.js";
import type { ConfigFeature } from "../config/schema.js";
import { Report } from "../core/diagnostic.js";
import { openDisk } from "./files.js";
import { lastBuilt, staleSources } from "./last-run.js";

/**
 * The sources from which `generate` would read something else than last time; empty without a cache. Files of the configuration count
 * only if what a build reads of them has changed, as `check` would find.
 *
 * @example
 * sourcesBehind(root, ".onetool", FEATURES); // ["definitions/toolwright.yaml"] after a change of `ops`, [] after one of `trust`
 */
export function sourcesBehind(root: string, home: string, features: readonly ConfigFeature[]): readonly string[] {
  const changed = staleSources(root, home);
  if (changed.length === 0) return changed;
  const { readDefinition, seen } = openDisk(root);
  const config = loadConfig(readDefinition, new Report(), { features });
  const isBuiltFrom = config !== undefined && builtDigest(config, features) === lastBuilt(root, home);
  return isBuiltFrom ? changed.filter((path) => !seen.has(path)) : changed;
}
