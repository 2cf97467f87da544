/** `toolwright generate` without its token counts, which are measured separately. The bench bundles it, and V8 is set up as for the command. */

import { join } from "node:path";
import { openDisk, writeFiles } from "../../../generator/cli/files.js";
import { loadConfig } from "../../../generator/config/config.js";
import { Report } from "../../../generator/core/diagnostic.js";
import { setV8Flags } from "../../../generator/entry/v8-flags.mjs";
import { build } from "../../../generator/pipeline.js";

setV8Flags("generate");

const [root = "."] = process.argv.slice(2);
const disk = openDisk(root);
const report = new Report();
const config = loadConfig((file) => disk.read(`definitions/${file}`), report);
if (!config) throw new Error(JSON.stringify(report.sorted()));
const host = { read: disk.read, list: disk.list, countTokens: () => 1, gatewayTools: [], version: "bench" };
const { registry, files, diagnostics } = await build(config, host, report);
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
