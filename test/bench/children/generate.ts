/** `toolwright generate` without its token counts, which are measured separately. The bench bundles and loads it as the command line is. */

import { join } from "node:path";
import { openDisk, writeFiles } from "../../../generator/cli/files.js";
import { packageBuild } from "../../support/package-build.js";

/** Generates the project in the folder that follows the command. */
export async function runCommand(): Promise<void> {
  const [root = "."] = process.argv.slice(3);
  const disk = openDisk(root);
  const own = { gatewayTools: [], version: "bench", countTokens: () => 1 };
  const { registry, files, diagnostics } = await packageBuild({ ...own, read: disk.read, list: disk.list });
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
