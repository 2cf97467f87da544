/** What is probably a mistake in a configuration that works: patterns that match nothing so far, folders that are missing. */

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { secretEntry } from "../config/secret-sources.js";
import { type ConfigPath, placeOf, type RuntimeConfig } from "../config/settings.js";
import { onLine, pathText } from "../contract/message-text.js";
import type { Registry } from "../contract/registry.js";
import { type PatternKind, unmatched } from "../contract/unmatched-patterns.js";
import { approvalWarnings } from "./approval-warnings.js";

/** A pattern, and where it is. */
type Placed = readonly [kind: PatternKind, pattern: string, path: ConfigPath];

/**
 * The warnings, each with its place. They are no errors: a pack may come later.
 *
 * @param registry the ops that there are
 */
export function settingWarnings(
  { root, config }: { readonly root: string; readonly config: RuntimeConfig },
  registry: Registry,
): readonly string[] {
  const at = (path: ConfigPath, what: string): string =>
    onLine(`${placeOf(config.place, ...path)} ${pathText(path)} ${what}`);
  const patterns = patternsIn(config).flatMap(([kind, pattern, path]) => {
    const fault = unmatched(kind, pattern, registry);
    return fault === undefined ? [] : [at(path, `is ${JSON.stringify(pattern)}, which ${fault}`)];
  });
  const folders = (config.secrets?.from ?? []).flatMap((text, i) => {
    const { place, argument } = secretEntry(text);
    if (place !== "folder" || isFolder(resolve(root, argument))) return [];
    return [at(["secrets", "from", i], `names the folder ${argument}, which is not there: no secret is found in it`)];
  });
  const approvals = approvalWarnings(config.approve ?? [], registry).map(([path, what]) => at(path, what));
  return [...patterns, ...approvals, ...folders];
}

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function patternsIn({ access, approve = [], sanitize }: RuntimeConfig): readonly Placed[] {
  const each = (kind: PatternKind, patterns: readonly string[] | undefined, path: ConfigPath): readonly Placed[] =>
    (patterns ?? []).map((one, i) => [kind, one, [...path, i]]);
  const grants = (access?.oauth?.issuers ?? []).flatMap(({ grants: all }, i) =>
    all.flatMap(({ packs, ops }, j) => {
      const path = ["access", "oauth", "issuers", i, "grants", j];
      return [...each("pack", packs, [...path, "packs"]), ...each("op", ops, [...path, "ops"])];
    }),
  );
  const approvals = approve.flatMap(({ ops }, i) => each("op", ops, ["approve", i, "ops"]));
  const sanitized = Object.keys(sanitize?.ops ?? {}).map((one): Placed => ["op", one, ["sanitize", "ops", one]]);
  return [...grants, ...approvals, ...sanitized];
}
