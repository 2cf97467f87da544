/** The command `docs build`. */

import { loadChanges } from "../../core/changes.js";
import type { CommandPart, FeatureCommand } from "../../core/feature.js";
import { commandFlag, JSON_FLAG, TODAY_FLAG } from "../../generator/cli/usage.js";
import type { DocsFlags } from "./command.js";

const BUILD: FeatureCommand = {
  after: "completion",
  group: "make the documentation site of the project",
  usage: "build",
  about: "write a static documentation site from generated/; it works on any host, in any folder, and from the disk",
  examples: [
    "docs build",
    "docs build --out public/tools --base https://docs.example.com/tools/",
    "docs build --against git:v1.2.0",
  ],
  flags: [
    commandFlag("--out <DIR>", "folder of the site (default: site/ under the root); foreign files in it stay"),
    commandFlag("--base <URL>", "where it will be served (default: docs.base of the configuration)"),
    commandFlag("--against <BASELINE>", "with a change log since git:REF, a registry.json, or a folder that holds one"),
    TODAY_FLAG,
    JSON_FLAG,
  ],
  async run({ setting, configured, features, packageFolder }, flags: DocsFlags): Promise<number> {
    const [{ start, config }, { buildDocs }, { openDisk }] = await Promise.all([
      configured(),
      import("./command.js"),
      import("../../generator/cli/files.js"),
    ]);
    const { progress } = setting;
    const { read } = openDisk(start.root);
    const changes = () => loadChanges(features);
    return buildDocs({ ...start, config, read, packageFolder, progress, changes }, flags);
  },
};

/** What the documentation site adds to the command line. */
export const DOCS_COMMANDS: CommandPart = { commands: { "docs build": BUILD } };
