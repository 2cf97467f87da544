/** `toolwright generate` without its token counts, which are measured separately. The bench bundles and loads it as the command line is. */

import { join } from "node:path";
import { FEATURES } from "../../../features/list.js";
import { openDisk, writeFiles } from "../../../generator/cli/files.js";
import { loadConfig } from "../../../generator/config/config.js";
import { Report } from "../../../generator/core/diagnostic.js";
import { buildGenerated } from "../../../generator/pipeline.js";

/** Generates the project in the folder that follows the command. */
export async function runCommand(): Promise<void> {
  const [root = "."] = process.argv.slice(3);
  const disk = openDisk(root);
  const report = new Report();
  const config = loadConfig((file) => disk.read(`definitions/${file}`), report, { features: FEATURES });
  if (!config) throw new Error(JSON.stringify(report.sorted()));
  const own = { gatewayTools: [], version: "bench", features: FEATURES };
  const host = { ...own, read: disk.read, list: disk.list, countTokens: () => 1 };
  const { registry, files, diagnostics } = await buildGenerated(config, host, report);
  if (!registry) throw new Error(JSON.stringify(diagnostics));
  const { written } = writeFiles(join(root, "generated"), files);
  const validators = files.filter((one) => /^validators\/.*\.js$/.test(one.path));
  process.stdout.write(
    `${JSON.stringify({
      tools: registry.tools.length,
      written: written.length,
      validators: validators.reduce((sum, one) => sum + one.text.length, 0),
    })}\n`,
  );
}
