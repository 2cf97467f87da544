/** Checks aliases, snippets, prompts and exposed resources before a server starts or reloads its configuration. */

import type { Registry } from "../../runtime/contract/registry.js";
import type { Config } from "../config/config.js";
import { formatDiagnostic, Report } from "../core/diagnostic.js";
import { checkConfiguredAliases, checkPrompts } from "../pass/declared.js";
import { checkExposedResources } from "../pass/expose.js";
import { readSnippets, type SnippetHost } from "../source/snippets.js";

/** The errors with their place, one per line. Names of ops are checked against this registry. */
export async function declaredFaults(
  { tools }: Registry,
  config: Config,
  host: SnippetHost,
): Promise<readonly string[]> {
  const report = new Report();
  checkConfiguredAliases(new Set(tools.map(({ op }) => op)), config, report);
  await readSnippets(host, report);
  const known = tools.map((tool) => ({
    ...{ op: tool.op, pack: tool.group, kind: tool.kind },
    // Read from disk for each tool, so only for those that are declared.
    get parameters() {
      return tool.parameters;
    },
  }));
  checkPrompts(host.read, known, report, host.readYaml);
  checkExposedResources(known, config, report);
  return report
    .sorted()
    .filter(({ severity }) => severity === "error")
    .map(formatDiagnostic);
}
