/** What a server looks at before it starts, or takes over a changed configuration: aliases, snippets, prompts, and ops as resources. */

import type { Registry } from "toolwright/codegen";
import type { Config } from "./config.js";
import { checkConfiguredAliases, checkPrompts } from "./declared.js";
import { formatDiagnostic, Report } from "./diagnostic.js";
import { checkOffers } from "./offers.js";
import { readSnippets, type SnippetHost } from "./source/snippets.js";

/** The errors, a line each, with the place: of what names ops, those of this registry count. */
export async function declaredFaults(
  { tools }: Registry,
  config: Config,
  host: SnippetHost,
): Promise<readonly string[]> {
  const report = new Report();
  checkConfiguredAliases(new Set(tools.map(({ op }) => op)), config, report);
  await readSnippets(host, report);
  const known = tools.map(({ op, group, kind, parameters }) => ({ op, pack: group, kind, parameters }));
  checkPrompts(host.read, known, report);
  checkOffers(known, config, report);
  return report
    .sorted()
    .filter(({ severity }) => severity === "error")
    .map(formatDiagnostic);
}
