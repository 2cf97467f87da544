/** The part of a configuration that a build reads: `generated/` is as old as its last change, whatever else the file says. */

import { digest } from "../../runtime/contract/canonical.js";
import { isRecord } from "../../runtime/contract/json.js";
import { ACCESS_SETTINGS } from "../../runtime/contract/settings/access.js";
import { APPROVAL_SETTINGS } from "../../runtime/contract/settings/approvals.js";
import type { DeclaringFeature } from "../../runtime/contract/settings/feature-settings.js";
import { PACK_SETTINGS } from "../../runtime/contract/settings/packs.js";
import { RUN_SETTINGS } from "../../runtime/contract/settings/runs.js";
import { TRANSPORT_SETTINGS } from "../../runtime/contract/settings/transports.js";
import type { Config } from "./config.js";

/** A feature that may take part in builds. */
interface BuildingFeature extends DeclaringFeature {
  readonly generate?: unknown;
}

/** Of programs, what agents are told of them depends on their languages. */
const { run: _, ...LIMITS_OF_RUNS } = RUN_SETTINGS;

/** Keys that no output depends on; `*` stands for every name of a map. The files of `include` are merged already. */
const NOT_BUILT: readonly string[] = [
  ...[ACCESS_SETTINGS, TRANSPORT_SETTINGS, LIMITS_OF_RUNS, APPROVAL_SETTINGS, PACK_SETTINGS].flatMap(Object.keys),
  ...["include", "projects", "topics", "synonyms", "diagnostics", "ops.*.deadline_ms", "ops.*.check"],
  ...["budget.tool", "budget.help_short"],
  ...["answer_bytes", "run_preview"].map((key) => `expose.${key}`),
  ...["cwd", "timeout", "answer_bytes", "enabled", "lazy", "sanitize", "idempotency", "snapshot"].map(
    (key) => `servers.*.${key}`,
  ),
];

/**
 * The digest of what a build reads of a configuration.
 *
 * @param features of the project: keys of those that take no part in builds do not count
 */
export function builtDigest({ place: _, ...values }: Config, features: readonly BuildingFeature[]): string {
  const ofFeatures = features
    .filter(({ generate }) => generate === undefined)
    .flatMap(({ settings = [] }) => settings.map(({ key }) => key));
  return digest([...NOT_BUILT, ...ofFeatures].reduce<unknown>((left, key) => without(left, key.split(".")), values));
}

/** A value without what is at a way of keys. A map that has nothing else is left out, as one that is not written. */
function without(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (!isRecord(value)) return value;
  const left = Object.entries(value).flatMap(([key, one]) => {
    if (name !== "*" && key !== name) return [[key, one] as const];
    if (rest.length === 0) return [];
    const below = without(one, rest);
    return name !== "*" && isRecord(below) && Object.keys(below).length === 0 ? [] : [[key, below] as const];
  });
  return Object.fromEntries(left);
}
