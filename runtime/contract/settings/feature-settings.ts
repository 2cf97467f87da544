/** Keys of `toolwright.yaml` that features declare, in the form of all others. */

import { mergeMaps } from "../json.js";
import { UsageError } from "../usage-error.js";
import { PROJECT_SETTINGS, type WrittenConfig } from "./project-settings.js";
import { type DeclaredKeys, presetOf, type Setting } from "./setting.js";

/**
 * A key that a feature declares.
 *
 * @example
 * const PER_HOUR: FeatureSetting = { key: "quota", setting: group("Calls of one caller.", { per_hour: integer([1], "In an hour.", 1000) }) };
 */
export interface FeatureSetting {
  /** Names with dots between them; `*` stands for every name of a map, as in `servers.*.learn`. */
  readonly key: string;
  /** The key of the same map behind which it is shown; default: the last one. */
  readonly after?: string;
  /** How it is declared, or what declares it once all features are known, as for a map with a name for each rule of theirs. */
  readonly setting: Setting | ((features: readonly DeclaringFeature[]) => Setting);
}

/** A feature that declares keys. */
export interface DeclaringFeature {
  readonly name: string;
  readonly settings?: readonly FeatureSetting[];
}

/** Every key of `toolwright.yaml`, those of features included. @throws UsageError if a key exists, or stands below none */
export const settingsWith = (features: readonly DeclaringFeature[]): Setting =>
  features.reduce<Setting>(
    (all, { name, settings = [] }) =>
      settings.reduce((before, { setting, ...one }) => {
        const declared = typeof setting === "function" ? setting(features) : setting;
        return withKey(before, one.key.split("."), { ...one, setting: declared, feature: name });
      }, all),
    PROJECT_SETTINGS,
  );

/** Fills in every default; keys that are not declared stay. */
export const filledWith = (
  features: readonly DeclaringFeature[],
  config: Partial<WrittenConfig>,
): Readonly<Record<string, unknown>> =>
  mergeMaps(presetOf(settingsWith(features)) as Readonly<Record<string, unknown>>, { ...config });

interface DeclaredBy extends FeatureSetting {
  readonly setting: Setting;
  readonly feature: string;
}

function withKey(parent: Setting, [name = "", ...rest]: readonly string[], one: DeclaredBy): Setting {
  const { properties = {}, additionalProperties } = parent;
  const isEvery = name === "*";
  const known = isEvery ? additionalProperties : Object.hasOwn(properties, name) ? properties[name] : undefined;
  if (rest.length > 0 ? !known : known || isEvery) throw conflict(one, rest.length === 0);
  const below = known ? withKey(known, rest, one) : one.setting;
  return isEvery
    ? { ...parent, additionalProperties: below }
    : { ...parent, properties: inserted(properties, name, below, one.after) };
}

/** The keys with one more behind another one, or with another declaration of one. */
function inserted(keys: DeclaredKeys, name: string, setting: Setting, after: string | undefined): DeclaredKeys {
  if (after === undefined || Object.hasOwn(keys, name)) return { ...keys, [name]: setting };
  const entries = Object.entries(keys).flatMap(([key, one]) =>
    key === after ? [[key, one] as const, [name, setting] as const] : [[key, one] as const],
  );
  return { ...Object.fromEntries(entries), [name]: setting };
}

const conflict = ({ feature, key }: DeclaredBy, exists: boolean): UsageError =>
  new UsageError(
    exists
      ? `feature-conflict: the feature ${feature} declares the key ${key}, which exists: give it another name`
      : `feature-conflict: the feature ${feature} declares the key ${key} below one that nothing declares: declare that one too`,
  );
