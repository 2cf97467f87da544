/** Keys of `toolwright.yaml` that features declare, in the form of all others. */

import { conflictOf } from "../feature-conflict.js";
import { isRecord, mergeMaps, type Values } from "../json.js";
import type { DeclaredFeature } from "../plugin-feature.js";
import type { LanguageFeature } from "../program-language.js";
import { allLanguages } from "../python-language.js";
import { UsageError } from "../usage-error.js";
import { PROJECT_SETTINGS, type WrittenConfig } from "./project-settings.js";
import { type DeclaredKeys, group, presetOf, type Setting } from "./setting.js";

/**
 * A key that a feature declares.
 *
 * @example
 * const PER_HOUR: FeatureSetting = { key: "quota", setting: group("Calls of one caller.", { per_hour: integer([1], "In an hour.", 1000) }) };
 */
export interface FeatureSetting {
  /** Names with dots between them; `*` stands for every name of a map, as in `servers.*.learn`. */
  readonly key: string;
  /** The key of the same map behind which it is shown, or null: it is the first one; default: the last one. */
  readonly after?: string | null;
  /** How it is declared, or what declares it once all features are known, as for a map with a name for each rule of theirs. */
  readonly setting: Setting | ((features: readonly DeclaringFeature[]) => Setting);
}

/** A feature that declares keys. */
export interface DeclaringFeature extends LanguageFeature {
  readonly name: string;
  /** The entry of `plugins` that it comes from; absent: it is shipped. */
  readonly origin?: string;
  readonly settings?: readonly FeatureSetting[];
}

/** A feature as errors name it, with its origin. */
export const featureLabel = ({ name, origin = "shipped" }: Pick<DeclaringFeature, "name" | "origin">): string =>
  `the feature ${name} (${origin})`;

/** Most features of a project, those that are shipped included. */
export const MAX_FEATURES = 64;
/** Most keys of a feature. */
export const MAX_FEATURE_KEYS = 200;

/**
 * Every key of `toolwright.yaml`, those of features included.
 *
 * @throws UsageError if two features have one name, a key exists or stands below none, or there are too many
 */
export function settingsWith(features: readonly DeclaringFeature[]): Setting {
  refuseFeatures(features);
  const owners = new Map<string, DeclaringFeature>();
  let all = withLanguages(features);
  for (const feature of features)
    for (const one of feature.settings ?? []) {
      const setting = typeof one.setting === "function" ? one.setting(features) : one.setting;
      all = withKey(all, one.key.split("."), { ...one, setting, feature, owners });
      owners.set(one.key, feature);
    }
  return all;
}

/** The keys of the core, in which `run.languages` may name the languages of features. */
function withLanguages(features: readonly DeclaringFeature[]): Setting {
  const { properties } = PROJECT_SETTINGS;
  const { run } = properties;
  const { languages } = run.properties;
  const items = { ...languages.items, enum: allLanguages(features).map(({ name }) => name) };
  const named = { ...run, properties: { ...run.properties, languages: { ...languages, items } } };
  return { ...PROJECT_SETTINGS, properties: { ...properties, run: named } };
}

function refuseFeatures(features: readonly DeclaringFeature[]): void {
  if (features.length > MAX_FEATURES)
    throw new UsageError(
      `feature-conflict: there are ${features.length} features, and may be ${MAX_FEATURES}: take some out of \`plugins\``,
    );
  for (const [i, one] of features.entries()) {
    const twin = features.slice(0, i).find(({ name }) => name === one.name);
    if (twin)
      throw new UsageError(
        `feature-conflict: ${featureLabel(one)} has the name of another one (${twin.origin ?? "shipped"}): rename it`,
      );
    const { length } = one.settings ?? [];
    if (length > MAX_FEATURE_KEYS)
      throw new UsageError(
        `feature-conflict: ${featureLabel(one)} declares ${length} keys, and may declare ${MAX_FEATURE_KEYS}: declare fewer`,
      );
  }
}

/** Fills in every default; keys that are not declared stay. */
export const filledWith = (
  features: readonly DeclaringFeature[],
  config: Partial<WrittenConfig>,
): Readonly<Record<string, unknown>> =>
  mergeMaps(presetOf(settingsWith(features)) as Readonly<Record<string, unknown>>, { ...config });

/** The values at the keys that a feature declares, in the form of the file. @param filled - with its defaults */
export const ownConfig = ({ settings = [] }: DeclaringFeature, filled: Values): Values =>
  settings.reduce<Values>((all, { key }) => mergeMaps(all, valuesAt(filled, key.split(".")) as Values), {});

/** A value with only the members on a way of keys. */
function valuesAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (!isRecord(value)) return {};
  const names = Object.keys(value).filter((one) => name === "*" || one === name);
  return Object.fromEntries(names.map((one) => [one, valuesAt(value[one], rest)]));
}

/** A feature of a plugin, with its keys in the form of all others. */
export const declaringFeature = ({
  name,
  plugin,
  settings = [],
}: DeclaredFeature): Omit<DeclaringFeature, "languages"> => ({
  name,
  origin: plugin,
  settings: settings.map(({ key, schema, preset, about }) => ({
    key,
    setting: { ...schema, description: about, ...(preset === undefined ? {} : { preset }) },
  })),
});

interface DeclaredBy extends FeatureSetting {
  readonly setting: Setting;
  readonly feature: DeclaringFeature;
  readonly owners: ReadonlyMap<string, DeclaringFeature>;
}

function withKey(parent: Setting, [name = "", ...rest]: readonly string[], one: DeclaredBy): Setting {
  const { properties = {}, additionalProperties } = parent;
  const isEvery = name === "*";
  const there = isEvery ? additionalProperties : Object.hasOwn(properties, name) ? properties[name] : undefined;
  // A parent below the name of the feature needs no declaration.
  const isOwn = rest.length > 0 && one.key.startsWith(`${one.feature.name}.`);
  const known = there || (isOwn && !isEvery ? NO_KEYS : undefined);
  if (rest.length > 0 ? !known : known || isEvery) throw conflict(one, rest.length === 0);
  const below = known ? withKey(known, rest, one) : one.setting;
  return isEvery
    ? { ...parent, additionalProperties: below }
    : { ...parent, properties: inserted(properties, name, below, one.after) };
}

const NO_KEYS: Setting = group(undefined, {});

/** The keys with one more behind another one, or with another declaration of one. */
function inserted(keys: DeclaredKeys, name: string, setting: Setting, after: FeatureSetting["after"]): DeclaredKeys {
  if (after === undefined || Object.hasOwn(keys, name)) return { ...keys, [name]: setting };
  if (after === null) return { [name]: setting, ...keys };
  const entries = Object.entries(keys).flatMap(([key, one]) =>
    key === after ? [[key, one] as const, [name, setting] as const] : [[key, one] as const],
  );
  return { ...Object.fromEntries(entries), [name]: setting };
}

function conflict({ feature, key, owners }: DeclaredBy, exists: boolean): UsageError {
  const [label, declares] = [featureLabel(feature), `declares the key ${key}`];
  if (!exists)
    return new UsageError(
      `feature-conflict: ${label} ${declares} below one that nothing declares: declare that one too`,
    );
  const [, owner] = [...owners].find(([one]) => `${one}.`.startsWith(`${key}.`) || key.startsWith(`${one}.`)) ?? [];
  return conflictOf(label, declares, owner && featureLabel(owner));
}
