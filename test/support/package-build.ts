/** Configurations and builds with all features of the package. */

import { FEATURES } from "../../features/list.js";
import { type Config, loadConfig } from "../../generator/config/config.js";
import { Report } from "../../generator/core/diagnostic.js";
import { type Build, type BuildHost, buildGenerated } from "../../generator/pipeline.js";

/**
 * Reads a configuration.
 *
 * @param read - text of a file by its path below `definitions/`
 * @throws Error with its faults if it cannot be used
 */
export function packageConfig(read: (file: string) => string | undefined): { config: Config; report: Report } {
  const report = new Report();
  const config = loadConfig(read, report, { features: FEATURES });
  if (!config) throw new Error(JSON.stringify(report.sorted()));
  return { config, report };
}

/** Builds a project in memory. @throws Error as {@link packageConfig} */
export function packageBuild(host: Omit<BuildHost, "features">): Promise<Build> {
  const { config, report } = packageConfig((file) => host.read(`definitions/${file}`));
  return buildGenerated(config, { ...host, features: FEATURES }, report);
}
