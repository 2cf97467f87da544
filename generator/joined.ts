/** What a build takes from the runtime: the gateway tools, the check of templates, the bundler. Each is imported when it is needed. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { BuildSetting } from "./cli/attempt.js";
import { ownPackage } from "./core/own-package.js";

/** Why a snippet's template does not compile, if so. */
export const templateFault = async (body: string): Promise<string | undefined> =>
  (await import("../runtime/run/snippet-template.js")).templateFault(body);

/** Dependencies of a build of the project at this root. */
export function buildSetting(root: string): Omit<BuildSetting, "progress"> {
  const { version, folder } = ownPackage();
  return {
    root,
    version,
    gatewayTools: async () => (await import("../runtime/serve/mcp/tools.js")).GATEWAY_TOOLS,
    templateFault,
    shipped: () => readFileSync(join(folder, "shipped.json"), "utf8"),
    bundle: async (specifier, from) =>
      (await import("../runtime/call/handlers.js")).bundleDefault(specifier, from, root),
  };
}
