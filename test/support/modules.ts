/** Modules of tools in tests: what they are run with. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { type Disk, openDisk } from "../../generator/cli/files.js";
import { type ModuleSetting, moduleReader } from "../../generator/cli/find-module.js";
import { loadConfig } from "../../generator/config/config.js";
import { Report } from "../../generator/core/diagnostic.js";
import { buildGenerated } from "../../generator/pipeline.js";
import { bundleModule } from "../../runtime/call/handlers.js";
import { programPath } from "../../runtime/run/engine/program.js";
import { countTokens, type Outcome, type Project } from "./generator-host.js";
import { CHECKOUT, temporaryFolder } from "./project.js";

/** Where bundles of golden cases are stored, since these are part of the repository. */
export const BUNDLES = join(tmpdir(), "toolwright-test-bundles");

/** What modules of a root are run with; `store` is the folder of `.onetool/`. */
export const moduleSetting = (root: string, store = root): ModuleSetting => ({
  root,
  bundleModule: (path) => {
    mkdirSync(store, { recursive: true });
    return bundleModule(path, store);
  },
  moduleProgram: () => programPath("module-child", "../../../generator/module"),
});

/** A root with these definitions and the packages of the checkout, or one of them alone. */
export function moduleRoot(
  files: Project,
  { remove = onTestFinished, only = "" }: { remove?: (clean: () => void) => void; only?: string } = {},
): string {
  const root = temporaryFolder(remove);
  if (only !== "") mkdirSync(join(root, "node_modules"));
  symlinkSync(join(CHECKOUT, "node_modules", only), join(root, "node_modules", only));
  for (const [file, text] of Object.entries({ "toolwright.yaml": ONE_MODULE, ...files })) {
    mkdirSync(dirname(join(root, "definitions", file)), { recursive: true });
    writeFileSync(join(root, "definitions", file), text);
  }
  return root;
}

const ONE_MODULE = "use: []\nsources:\n  - { module: tools.ts, pack: p, kind: read }\n";

/** Builds a root, whose modules are run. */
export async function buildModules(root: string, ms?: number): Promise<Outcome & { readonly disk: Disk }> {
  const disk = openDisk(root);
  const readModule = moduleReader(disk, { ...moduleSetting(root), ...(ms === undefined ? {} : { moduleMs: ms }) });
  const host = { ...disk, countTokens, readModule, gatewayTools: [{ name: "tool_help" }], version: "0.0.0-test" };
  const report = new Report();
  const config = loadConfig(disk.readDefinition, report);
  return {
    disk,
    ...(config ? await buildGenerated(config, host, report) : { files: [], diagnostics: report.sorted() }),
  };
}
