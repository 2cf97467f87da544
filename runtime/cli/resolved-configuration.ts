/** The resolved configuration for display: with every default, secrets masked, and the origin of each value. */

import type { SecretPlace } from "../config/secret-sources.js";
import { secretSources } from "../config/secrets.js";
import { type ConfigPath, type Overrides, withOverrides } from "../config/settings.js";
import { isToolFailure } from "../contract/handler.js";
import { isRecord } from "../contract/json.js";
import { onLine } from "../contract/message-text.js";
import { scrub } from "../contract/scrub.js";
import { MASK, masked, maskedAddress } from "../contract/secret-detection.js";
import type { SecretsEntry, ServerEntry } from "../contract/settings/entries.js";
import { filledWith, settingsWith } from "../contract/settings/feature-settings.js";
import { type Setting, settingsAlong } from "../contract/settings/setting.js";
import type { Start } from "../gateway/open-project.js";
import { argsWithoutSecrets } from "./import-server.js";

/** Where a value came from. */
export type Origin =
  | { readonly kind: "flag"; readonly flag: string }
  | { readonly kind: "file"; readonly file: string; readonly line: number; readonly column: number }
  | { readonly kind: "default" };

/** A variable that a text names, and where its value comes from. */
export interface Variable extends Found {
  readonly name: string;
}

/** Where a value comes from; `failed`: a place that is asked before it is found cannot be read. */
interface Found {
  readonly from: SecretPlace | "default" | "missing" | "failed";
  /** Why a look-up failed, and what to do. */
  readonly why?: string;
}

/** One value: a scalar, a list of scalars, or an empty map or list. */
export interface Effective {
  readonly path: ConfigPath;
  /** As configured, with secrets masked; variables are not expanded. */
  readonly value: unknown;
  readonly origin: Origin;
  readonly variables: readonly Variable[];
}

/** The keys that command-line flags override. */
const FLAGS: readonly (readonly [keyof Overrides, path: string, flag: string])[] = [
  ["allowWrite", "access.allow_write", "--allow-write"],
  ["state", "state", "--state"],
  ["state", "state.url", "--state"],
  ["logLevel", "log.level", "--log-level"],
];

/** The configuration as one value, and each single value in it, in schema order. */
export interface ResolvedConfiguration {
  readonly config: unknown;
  readonly values: readonly Effective[];
}

/** The configuration in force. */
export function resolvedConfiguration({
  root,
  config,
  overrides,
  features = [],
}: Pick<Start, "root" | "config" | "overrides" | "features">): ResolvedConfiguration {
  const declared = settingsWith(features);
  const { place, ...written } = config;
  const given = { ...written, ...(config.servers ? { servers: withServerDefaults(config.servers) } : {}) };
  const { sources, ...rest } = withOverrides(filledWith(features, given), overrides);
  const shown = shownValue({ sources, ...rest }, [], declared);
  const flags = new Map(FLAGS.flatMap(([key, path, flag]) => (overrides[key] === undefined ? [] : [[path, flag]])));
  const originOf = (path: ConfigPath): Origin => {
    const flag = flags.get(path.join("."));
    if (flag !== undefined) return { kind: "flag", flag };
    return place && isThere(written, path) ? { kind: "file", ...place(...path) } : { kind: "default" };
  };
  const sourceOf = sourceOfVariable(root, config.secrets);
  const values = leavesOf(shown, []).map(({ path, value }) => ({
    path,
    value,
    origin: originOf(path),
    variables: isMarked("isExpanded", path, declared) ? variablesIn(value, sourceOf) : [],
  }));
  return { config: shown, values };
}

const withServerDefaults = (servers: Readonly<Record<string, ServerEntry>>): Readonly<Record<string, ServerEntry>> =>
  Object.fromEntries(
    Object.entries(servers).map(([name, entry]) => {
      const type = entry.url === undefined ? "stdio" : "http";
      return [name, { type, enabled: true, ...entry }];
    }),
  );

const isThere = (value: unknown, [key, ...rest]: ConfigPath): boolean =>
  key === undefined ||
  (typeof value === "object" && value !== null && Object.hasOwn(value, key) && isThere(Reflect.get(value, key), rest));

/** Whether a value is shown as one: a scalar, a list without maps, an empty map. */
export const isShownWhole = (value: unknown): boolean =>
  Array.isArray(value) ? !value.some(isRecord) : !isRecord(value) || Object.keys(value).length === 0;

/** The members of a map or a list. */
export const membersOf = (value: unknown): readonly (readonly [key: string | number, value: unknown])[] =>
  Array.isArray(value) ? [...value.entries()] : Object.entries(value as object);

const leavesOf = (
  value: unknown,
  path: ConfigPath,
): readonly { readonly path: ConfigPath; readonly value: unknown }[] =>
  isShownWhole(value) ? [{ path, value }] : membersOf(value).flatMap(([key, one]) => leavesOf(one, [...path, key]));

/** Whether a mark stands on the way to a value. */
const isMarked = (mark: "isExpanded" | "isSecret", path: ConfigPath, declared: Setting): boolean =>
  settingsAlong(declared, path).some((one) => one[mark]);

/** Whether a text is secret: by its declaration, or by its name in options of a plugin, which are not declared. */
const isSecret = (path: ConfigPath, declared: Setting): boolean =>
  isMarked("isSecret", path, declared) || /^(?:client_)?secret$/.test(String(path.at(-1)));

/** A copy with secrets masked. */
function shownValue(value: unknown, path: ConfigPath, declared: Setting): unknown {
  const [section, name, key] = path;
  if (typeof value === "string") return isSecret(path, declared) ? masked(value) : cleaned(value);
  if (Array.isArray(value)) {
    const isArgs = section === "servers" && key === "args" && path.length === 3;
    const items = isArgs ? argsWithoutSecrets(value.map(String), String(name), () => MASK) : value;
    return items.map((one, i) => shownValue(one, [...path, i], declared));
  }
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([one, member]) => [one, shownValue(member, [...path, one], declared)]),
  );
}

const cleaned = (text: string): string => (text.includes("://") ? maskedAddress(text) : scrub(text));

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)(:-[^}]*)?\}/g;

function variablesIn(value: unknown, sourceOf: SourceOfVariable): readonly Variable[] {
  const texts = [value].flat(Number.POSITIVE_INFINITY).filter((one) => typeof one === "string");
  const found = texts.flatMap((text) => [...text.matchAll(REFERENCE)]);
  return [...new Map(found.map(([whole, name = "", fallback]) => [whole, { name, fallback }])).values()].map(
    ({ name, fallback }) => ({
      name,
      ...(sourceOf(name) ?? { from: fallback === undefined ? ("missing" as const) : ("default" as const) }),
    }),
  );
}

/** Where a variable comes from; undefined if no place has it. */
type SourceOfVariable = (name: string) => Found | undefined;

/** Where the names of `secrets.names` come from. */
export const listedSecrets = ({ root, config: { secrets } }: Pick<Start, "root" | "config">): readonly Variable[] => {
  const sourceOf = sourceOfVariable(root, secrets);
  return (secrets?.names ?? []).map((name) => ({ name, ...(sourceOf(name) ?? { from: "missing" }) }));
};

function sourceOfVariable(root: string, config: SecretsEntry | undefined): SourceOfVariable {
  const sources = secretSources(root, config ?? {});
  return (name) => {
    try {
      const place = sources.find(({ lookup }) => lookup(name) !== undefined)?.place;
      return place === undefined ? undefined : { from: place };
    } catch (error) {
      if (!isToolFailure(error)) throw error;
      return { from: "failed", why: onLine(error.message.replace(/^The secret \S+ /, "")) };
    }
  };
}
