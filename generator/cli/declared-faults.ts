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
  checkPrompts(host.read, tools, report, host.readYaml);
  checkExposedResources(tools, config, report);
  return report
    .sorted()
    .filter(({ severity }) => severity === "error")
    .map(formatDiagnostic);
}
