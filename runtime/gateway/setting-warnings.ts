/** What is probably a mistake in a configuration that works: patterns that match nothing so far, folders that are missing. */

import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type SecretLookup, secretEntry, secretPlaces } from "../config/secret-sources.js";
import { type ConfigPath, expandVariables, type RuntimeConfig, settingPlace } from "../config/settings.js";
import { isRecord } from "../contract/json.js";
import { onLine, pathText } from "../contract/message-text.js";
import type { Registry } from "../contract/registry.js";
import { RUN_ENGINE_IGNORED } from "../contract/settings/runs.js";
import { messageOf } from "../contract/thrown.js";
import { type GrantPatternKind, unmatched } from "../contract/unmatched-patterns.js";
import { approvalWarnings } from "./approval-warnings.js";
import { isFeatureOf, isServed } from "./features.js";
import type { Start } from "./open-project.js";
import type { PlacedPattern, PlacedWarning, SignInPart } from "./sign-in-part.js";

/**
 * The warnings, each with its place. They are no errors: a pack may come later.
 *
 * @param registry the ops that there are
 * @param signIn - which a feature has
 */
export function settingWarnings(
  { root, config, features = [] }: Pick<Start, "root" | "config" | "features">,
  registry: Registry,
  signIn?: Pick<SignInPart, "patternsIn" | "warningsOf">,
): readonly string[] {
  const at = (path: ConfigPath, what: string): string =>
    onLine(`${settingPlace(config.place, ...path)} ${pathText(path)} ${what}`);
  const placed = [...(signIn?.patternsIn(config) ?? []), ...patternsIn(config)];
  const patterns = placed.flatMap(([kind, pattern, path]) => {
    const fault = unmatched(kind, pattern, registry);
    return fault === undefined ? [] : [at(path, `is ${JSON.stringify(pattern)}, which ${fault}`)];
  });
  const folders = (config.secrets?.from ?? []).flatMap((text, i) => {
    const { place, argument } = secretEntry(text);
    if (place !== "folder" || isFolder(resolve(root, argument))) return [];
    return [at(["secrets", "from", i], `names the folder ${argument}, which is not there: no secret is found in it`)];
  });
  const approvals = approvalWarnings(config.approve ?? [], registry);
  const ignored =
    config.engine === undefined ? [] : [onLine(`${settingPlace(config.place, "engine")} ${RUN_ENGINE_IGNORED}`)];
  const others = [...approvals, ...documentsInClear(config), ...(signIn?.warningsOf(config) ?? [])].map(
    ([path, what]) => at(path, what),
  );
  return [...ignored, ...patterns, ...folders, ...others, ...unservedFeatures({ config, features })];
}

/** Warnings of features of plugins that are not served: what they refuse is not refused. */
export const unservedFeatures = ({ config, features = [] }: Pick<Start, "config" | "features">): readonly string[] =>
  features.flatMap((one) => {
    if (!one.serve || !isFeatureOf(one, config) || isServed(one, config)) return [];
    const path: ConfigPath = ["plugins", (config.plugins ?? []).indexOf(one.origin ?? "")];
    const what = `is ${one.origin}, whose feature ${one.name} is not served: it would run with the rights of the server. Set trust: local if you trust its code`;
    return [onLine(`${settingPlace(config.place, ...path)} ${pathText(path)} ${what}`)];
  });

/** Every `auth` of the configuration, with its path. */
const authsIn = ({ servers = {}, sources }: RuntimeConfig) => [
  ...Object.entries(servers).flatMap(([name, { auth, enabled }]) =>
    auth && enabled !== false ? [[["servers", name, "auth"] as ConfigPath, auth] as const] : [],
  ),
  ...sources.flatMap(({ auth }, i) => (auth ? [[["sources", i, "auth"] as ConfigPath, auth] as const] : [])),
];

/** Clients that are known by a document at an address which no authorization server takes. */
function documentsInClear(config: RuntimeConfig): readonly PlacedWarning[] {
  if (!/^http:/i.test(config.public_url ?? "")) return [];
  return authsIn(config).flatMap(([path, auth]) => {
    const { id, metadata_url: document, register } = auth.client ?? {};
    if (id !== undefined || document !== "auto" || register === true) return [];
    return [
      [
        [...path, "client", "metadata_url"],
        "is auto, and public_url is an http URL, at which no authorization server reads a document: nobody can sign in. Set public_url to an https URL, or client.register: true",
      ] as const,
    ];
  });
}

/**
 * Secrets of `auth` that are not set: calls that need them fail. `config` and `doctor` say so by checks of their own.
 *
 * @param lookup value of a variable
 */
export function unsetSecrets(config: RuntimeConfig, lookup: SecretLookup): readonly string[] {
  const texts = authsIn(config).flatMap(([path, auth]) => textsIn(auth, path));
  return texts.flatMap(([path, text]) => {
    const missing: string[] = [];
    const place = `${settingPlace(config.place, ...path)} ${pathText(path)}`;
    try {
      expandVariables(text, lookup, missing);
    } catch (error) {
      return [onLine(`${place}: ${messageOf(error)}`)];
    }
    const names = missing.join(", ");
    return names === ""
      ? []
      : [onLine(`${place} names ${names}, which is not set: calls fail. Set it ${lookup.places ?? secretPlaces()}`)];
  });
}

const textsIn = (value: unknown, path: ConfigPath): readonly (readonly [path: ConfigPath, text: string])[] => {
  if (typeof value === "string") return [[path, value]];
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, one]) => textsIn(one, [...path, key]));
};

const isFolder = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

function patternsIn({ approve = [], sanitize }: RuntimeConfig): readonly PlacedPattern[] {
  const each = (
    kind: GrantPatternKind,
    patterns: readonly string[] | undefined,
    path: ConfigPath,
  ): readonly PlacedPattern[] => (patterns ?? []).map((one, i) => [kind, one, [...path, i]]);
  const approvals = approve.flatMap(({ ops }, i) => each("op", ops, ["approve", i, "ops"]));
  const sanitized = Object.keys(sanitize?.ops ?? {}).map((one): PlacedPattern => ["op", one, ["sanitize", "ops", one]]);
  return [...approvals, ...sanitized];
}
