/**
 * Opens the project for the commands of the runtime: the input from the command line, settings, and upstream servers.
 */

import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { withConditions } from "../config/approval-settings.js";
import { secretPlaces } from "../config/secret-sources.js";
import { secretsOf } from "../config/secrets.js";
import {
  expandConfig,
  expandVariables,
  missingVariables,
  type Overrides,
  type Prompts,
  type RuntimeConfig,
  type Settings,
  settingPlace,
  settingsOf,
  type UnsetVariable,
  withOverrides,
} from "../config/settings.js";
import { type StateSettings, stateSettingsOf } from "../config/state-settings.js";
import { canonicalJson } from "../contract/canonical.js";
import { isObject } from "../contract/json.js";
import { allLanguages } from "../contract/python-language.js";
import type { Registry } from "../contract/registry.js";
import type { SecretsEntry } from "../contract/settings/entries.js";
import { filledWith, settingsWith } from "../contract/settings/feature-settings.js";
import { withDefaults } from "../contract/settings/project-settings.js";
import { messageOf } from "../contract/thrown.js";
import { isUsageError, UsageError } from "../contract/usage-error.js";
import type { ShippedModules } from "../packs/host.js";
import type { AddedLanguage } from "../run/languages/table.js";
import type { LockParts } from "../upstream/lock.js";
import type { ConnectionPool, Upstreams } from "../upstream/upstreams.js";
import { type OpsFeature, withFeatureOps } from "./added-ops.js";
import type { ConsoleParts } from "./console-data.js";
import type { CheckingFeature } from "./doctor-part.js";
import type { ServingFeature } from "./features.js";
import type { SocketFeature } from "./open-transport.js";
import { type CallingFeature, type OpenedProject, openProject, type ProjectData, readProject } from "./project.js";
import { loadSignIn, type SignInFeature, type SignInPart } from "./sign-in-part.js";

/** What the runtime uses of a feature. */
export interface StartedFeature
  extends ServingFeature,
    OpsFeature,
    CallingFeature,
    CheckingFeature,
    SocketFeature,
    SignInFeature {
  /** Languages of programs: data, whose code is imported when a program needs it. */
  readonly languages?: readonly AddedLanguage[];
}

/** Input from the command line: the root, the configuration, and output functions. */
export interface Start {
  readonly root: string;
  readonly version: string;
  readonly config: RuntimeConfig;
  readonly overrides: Overrides;
  /** Text of `prompts.yaml`, if there is one. */
  readonly prompts: string | undefined;
  /** What it holds; absent if it is no YAML, which {@link Start.faults} reports. */
  readonly promptValues?: Readonly<Record<string, unknown>> | undefined;
  /** Faults in aliases, snippets and prompts for a registry, one line each. */
  readonly faults: (registry: Registry) => Promise<readonly string[]>;
  /** The generator's functions for the lock: build the tools of a snapshot, and compare two lists of tools. */
  readonly lock: Pick<LockParts, "toolsFromSnapshot" | "compareTools">;
  /** Definition files changed since the last `generate`. */
  readonly stale: () => readonly string[];
  readonly shipped: ShippedModules;
  /** Default: none. */
  readonly features?: readonly StartedFeature[];
  /** What the console of a server takes from the command line; absent in a program. */
  readonly console?: ConsoleParts;
  /**
   * Reads the configuration again.
   *
   * @throws UsageError with the place and reason of every fault
   */
  readonly again: () => Promise<Start>;
  /** The pool of servers that are open already; default: a new one. */
  readonly pool?: PoolOf | undefined;
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly paint: (style: "red" | "yellow" | "green" | "dim" | "bold", text: string) => string;
}

/** Provides the connection pool, which a previous project may have filled. */
export type PoolOf = () => Promise<ConnectionPool>;

/**
 * Opens a project with the ops that features add, and checks its aliases, snippets and prompts.
 *
 * @throws UsageError as {@link openUnchecked}, and for faults in these
 */
export async function openStart(start: Start, poolOf?: PoolOf): Promise<OpenedProject> {
  const data = await readProject(start.root);
  const settings = await wholeSettings(start, data.registry);
  const found = await start.faults(data.registry);
  if (found.length === 0) return open(start, data, settings, poolOf);
  const isStale = start.stale().length > 0;
  const hint = isStale ? '\ngenerated/ is older than definitions/: if an op is new, run "toolwright generate"' : "";
  throw new UsageError(`what definitions/ declares does not fit together:\n${found.join("\n")}${hint}`);
}

/**
 * Opens a project with the ops that features add.
 *
 * @throws UsageError if `generated/` is missing, or a variable of the configuration is not set
 */
export async function openUnchecked(start: Start): Promise<OpenedProject> {
  const data = await readProject(start.root);
  return open(start, data, await wholeSettings(start, data.registry));
}

async function open(start: Start, data: ProjectData, settings: Settings, poolOf?: PoolOf): Promise<OpenedProject> {
  const { root, version, config, shipped, features } = start;
  const upstreams = await openUpstreams(start, data.registry, poolOf);
  return withFeatureOps(openProject({ ...data, root, version, config, settings, shipped, upstreams, features }), start);
}

/** The upstream servers, none of them started; `undefined` if none is configured. */
async function openUpstreams(
  { root, version, config, lock }: Start,
  registry: Registry,
  poolOf: PoolOf | undefined,
): Promise<Upstreams | undefined> {
  const { servers = {} } = config;
  if (Object.keys(servers).length === 0) return undefined;
  const [{ createConnectionPool, createUpstreams }, { createLock }, { snapshotJobs }] = await Promise.all([
    import("../upstream/upstreams.js"),
    import("../upstream/lock.js"),
    import("../upstream/snapshot-jobs.js"),
  ]);
  const pool = poolOf ? await poolOf() : createConnectionPool({ root, version });
  const secret = secretsOf(root, config.secrets);
  const scheduled = snapshotJobs({ root, version, servers, secret, tokens: pool.tokens, ...lock });
  const locking = createLock({ root, registry, ...lock });
  return createUpstreams({ servers, secret, lock: locking, pool, snapshotJobs: scheduled });
}

/** The settings, with the conditions of approval rules compiled. */
async function wholeSettings(start: SettingsStart, registry: Registry): Promise<Settings> {
  const settings = settingsOrRefuse(start, registry, await loadSignIn(start));
  return { ...settings, approvals: await withConditions(settings.approvals) };
}

/** What the settings are made of. */
export type SettingsStart = Pick<Start, "root" | "config" | "promptValues" | "overrides" | "features">;

/**
 * The settings of a project.
 *
 * @throws UsageError that names every variable that is not set
 */
export function settingsOrRefuse(
  { root, config, promptValues, overrides, features }: SettingsStart,
  registry: Registry,
  signIn?: SignInPart,
): Settings {
  const lookup = variablesOf(root, config.secrets);
  const missing = missingVariables(config, overrides, lookup);
  // What a variable that is not set stands for would be refused with a reason that misleads.
  if (missing.length > 0) refuseMissing(config, missing);
  const languages = allLanguages(features);
  return settingsOf(config, registry, promptsOf(promptValues), overrides, lookup, languages, signIn).settings;
}

function refuseMissing({ secrets, place }: RuntimeConfig, missing: readonly UnsetVariable[]): never {
  const names = [...new Set(missing.map(({ name }) => name))].join(", ");
  const places = missing.flatMap(({ path }) => (place ? [settingPlace(place, ...path)] : []));
  throw new UsageError(
    `toolwright.yaml: missing variables: ${names}; set them ${secretPlaces(secrets)}, or give a default as \${NAME:-default}${places.length === 0 ? "" : ` (named at ${[...new Set(places)].join(", ")})`}`,
  );
}

/** A registry without ops. */
const NO_OPS: Registry = { ir_version: 1, registry_version: "", tools: [], packs: [], reserved: [] };

/**
 * Why `serve` would refuse the configuration, whether or not the project is generated; undefined if it would not. Variables
 * that are not set are the caller's to report.
 */
export async function configurationFault(start: SettingsStart): Promise<string | undefined> {
  const { root, config, overrides } = start;
  try {
    if (missingVariables(config, overrides, variablesOf(root, config.secrets)).length > 0) return undefined;
    await wholeSettings(start, NO_OPS);
    return undefined;
  } catch (error) {
    if (isUsageError(error)) return error.message;
    throw error;
  }
}

/** Keys of the configuration in which servers of one database may differ. */
const OWN_KEYS: ReadonlySet<string> = new Set(["include", "log", "state"]);

/**
 * Digest of everything that a server serves: its configuration, in which variables are not expanded, and what was
 * generated. Servers of one database should have the same.
 */
export async function digestOf({ root, config, prompts, overrides, features = [] }: Start): Promise<string> {
  const bytes = (path: string) => readFile(join(root, path)).catch(() => "");
  const files = await Promise.all([bytes("generated/registry.json"), bytes("definitions/snippets.yaml")]);
  const full = filledWith(features, config);
  const keys = Object.keys(settingsWith(features).properties ?? {}).filter((key) => !OWN_KEYS.has(key));
  const { allowWrite } = overrides;
  const hash = createHash("sha256").update(canonicalJson([keys.map((key) => full[key]), prompts, allowWrite]));
  for (const file of files) hash.update("\n").update(file);
  return hash.digest("hex");
}

/**
 * The state database of a project, which need not be generated.
 *
 * @throws UsageError for a variable that is not set, or an invalid database URL
 */
export function stateSettingsIn({
  root,
  config,
  overrides,
}: Pick<Start, "root" | "config" | "overrides">): StateSettings {
  const missing: string[] = [];
  const lookup = variablesOf(root, config.secrets);
  const { state } = withDefaults(withOverrides(config, overrides));
  const expand = (text: string): string => expandVariables(text, lookup, missing);
  const expanded =
    typeof state === "string"
      ? expand(state)
      : Object.fromEntries(
          Object.entries(state).map(([key, one]) => [key, typeof one === "string" ? expand(one) : one]),
        );
  if (missing.length === 0) return stateSettingsOf(expanded, lookup);
  throw new UsageError(
    `toolwright.yaml: state names ${missing.join(", ")}, which is not set; set it ${secretPlaces(config.secrets)}`,
  );
}

/**
 * A key of the configuration with its variables expanded; the project need not be generated.
 *
 * @throws UsageError for a variable that is not set
 */
export function expandedOrRefuse({ root, config }: Pick<Start, "root" | "config">, key: "state_encryption") {
  const missing: UnsetVariable[] = [];
  const full = withDefaults(config);
  const expanded = expandConfig({ [key]: full[key] }, variablesOf(root, config.secrets), missing);
  if (missing.length === 0) return expanded[key] ?? full[key];
  throw new UsageError(
    `toolwright.yaml: ${key} names ${[...new Set(missing.map(({ name }) => name))].join(", ")}, which is not set; set it ${secretPlaces(config.secrets)}`,
  );
}

/** Looks up `${VAR}`. @throws UsageError for a secrets file that must not be read */
export function variablesOf(root: string, secrets?: SecretsEntry): (name: string) => string | undefined {
  const lookup = secretsOf(root, secrets);
  return (name) => {
    try {
      return lookup(name);
    } catch (error) {
      throw new UsageError(messageOf(error));
    }
  };
}

/** Reads the valid part of the file; {@link Start.faults} reports the rest. */
function promptsOf({ instructions, packs, tools }: NonNullable<Start["promptValues"]> = {}): Prompts {
  const texts = Object.entries(isObject(packs) ? packs : {}).flatMap(([pack, text]) =>
    typeof text === "string" && text.trim() !== "" ? [[pack, text.trim()] as const] : [],
  );
  return {
    instructions: typeof instructions === "string" ? instructions.trim() : "",
    packInstructions: new Map(texts),
    toolExamples: new Map(Object.entries(isObject(tools) ? tools : {}).map(([op, one]) => [op, examplesIn(one)])),
  };
}

const examplesIn = (entry: unknown): readonly string[] => {
  const examples = isObject(entry) ? entry["examples"] : undefined;
  return Array.isArray(examples) ? examples.filter((one) => typeof one === "string") : [];
};
