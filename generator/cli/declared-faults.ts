/** Checks aliases, snippets, prompts and ops that keys name before a server starts or reloads its configuration. */

import type { LanguageFeature } from "../../runtime/contract/program-language.js";
import type { Registry } from "../../runtime/contract/registry.js";
import type { Config } from "../config/config.js";
import { formatDiagnostic, Report } from "../core/diagnostic.js";
import { checkConfiguredAliases, checkOpsOf, checkPrompts, type OpCheckingFeature } from "../pass/declared.js";
import { readSnippets, type SnippetHost } from "../source/snippets.js";

/** The errors with their place, one per line. Names of ops are checked against this registry. */
export async function declaredFaults(
  { tools }: Registry,
  config: Config,
  host: SnippetHost,
  features: readonly (OpCheckingFeature & LanguageFeature)[] = [],
): Promise<readonly string[]> {
  const report = new Report();
  checkConfiguredAliases(new Set(tools.map(({ op }) => op)), config, report);
  await readSnippets(host, report, config.run?.languages, features);
  checkPrompts(host.read, tools, report, host.readYaml);
  await checkOpsOf(features, tools, config, report);
  return report
    .sorted()
    .filter(({ severity }) => severity === "error")
    .map(formatDiagnostic);
}
