/**
 * Looks up secrets where `secrets.from` says: by default in the environment first, then in `.onetool/secrets.yaml`, which
 * only its owner may read.
 */

import { closeSync, constants, existsSync, fstatSync, openSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseDocument, visit } from "yaml";
import { writeAtomically } from "../contract/atomic-write.js";
import { fail } from "../contract/handler.js";
import { isRecord } from "../contract/json.js";
import { rememberSecret } from "../contract/known-secrets.js";
import { maskedAddress, soundsSecret } from "../contract/secret-detection.js";
import type { SecretsEntry } from "../contract/settings/entries.js";
import { CONFIG_DEFAULTS, type WrittenConfig, withDefaults } from "../contract/settings/project-settings.js";
import { codeOf } from "../contract/thrown.js";
import { secretProgram } from "./secret-programs.js";
import {
  allInFolder,
  folderSecrets,
  type SecretLookup,
  type SecretPlace,
  secretEntry,
  secretPlaces,
} from "./secret-sources.js";
import { directoryFault, STATE_DIRECTORY, stateDirectory } from "./state-directory.js";
import { variablesOfState } from "./state-settings.js";

const FILE = "secrets.yaml";
/** Permission bits of group and others. */
const OTHERS = 0o077;

/**
 * Makes the secret lookup of a project. Values of secrets that are read are masked from then on in what this process logs
 * and answers. A file is read whenever the places before it lack a secret, so that a corrected
 * file takes effect at the next call; it throws ToolFailure UNAVAILABLE if the file cannot be read or others may read
 * it.
 *
 * @param root the folder that contains `.onetool/`
 */
export function secretsOf(root: string, config: SecretsEntry = {}): SecretLookup {
  const sources = secretSources(root, config);
  const lookup = (name: string): string | undefined => {
    for (const { place, lookup: look } of sources) {
      const value = look(name);
      if (value === undefined) continue;
      if (isSecret({ place, isListed: config.names?.includes(name) }, name, value)) rememberSecret(value);
      return value;
    }
    return undefined;
  };
  return Object.assign(lookup, { places: secretPlaces(config) });
}

/**
 * Whether a value is masked wherever it appears. The environment holds more than secrets, and an address without a
 * password is in results with good reason.
 */
const isSecret = (
  { place, isListed = false }: { readonly place: SecretPlace; readonly isListed?: boolean | undefined },
  name: string,
  value: string,
): boolean =>
  place === "environment"
    ? isListed || soundsSecret(name)
    : !(/^[a-z][a-z0-9+.-]*:\/\//i.test(value) && maskedAddress(value) === value);

/**
 * Masks from now on what is known before any look-up: all of `.onetool/secrets.yaml` and of the folders of `secrets.from`,
 * and of the environment what `secrets.names` lists. Programs are not asked. Never throws.
 */
export function maskKnownSecrets(root: string, config: SecretsEntry = {}): void {
  for (const { place, held } of secretSources(root, config))
    for (const [name, value] of orNone(held)) if (isSecret({ place }, name, value)) rememberSecret(value);
  const { from = CONFIG_DEFAULTS.secrets.from } = config;
  const withoutPrograms = from.filter((text) => secretEntry(text).place !== "program");
  maskNamed(secretsOf(root, { ...config, from: withoutPrograms }), config.names);
}

/** A place that cannot be read says so where a secret is needed. */
function orNone(held: SecretSource["held"]): readonly (readonly [name: string, value: string])[] {
  try {
    return held?.() ?? [];
  } catch {
    return [];
  }
}

/** A look-up masks what it finds. */
function maskNamed(lookup: SecretLookup, names: readonly string[] = []): void {
  for (const name of names) isUnset(lookup, name);
}

/**
 * Has the programs of `secrets.from` tell what no place before them holds, within 30 seconds; from then on this process
 * waits for no program. Never rejects: a secret that is missing then is UNAVAILABLE where it is needed.
 *
 * @param config a configuration, whose texts name secrets as `${NAME}`
 */
export async function loadSecrets(root: string, config: Partial<WrittenConfig>): Promise<void> {
  const { secrets = {} } = config;
  const sources = secretSources(root, secrets);
  // Keys that are not configured name secrets too, by their defaults.
  const full = withDefaults(config);
  const names = [...namesIn(full), ...variablesOfState(full.state), ...(secrets.names ?? [])];
  const loads = sources.map(async ({ load }, at) => {
    if (!load) return;
    const isMissing = (name: string): boolean =>
      sources.slice(0, at).every(({ lookup, load: other }) => other || isUnset(lookup, name));
    await load([...new Set(names)].filter(isMissing));
  });
  await Promise.all(loads);
  maskNamed(secretsOf(root, secrets), names);
}

function isUnset(lookup: SecretLookup, name: string): boolean {
  try {
    return lookup(name) === undefined;
  } catch {
    return false;
  }
}

/** The variables that the texts of a configuration name. */
function namesIn(value: unknown): readonly string[] {
  if (typeof value === "string")
    return [...value.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)/g)].map(([, name = ""]) => name);
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(namesIn) : [];
}

/** A place of secrets; `load` looks them up ahead, where a look-up takes time. */
interface SecretSource {
  readonly place: SecretPlace;
  readonly lookup: SecretLookup;
  /** The secrets that it holds, where that is cheap to say. */
  held?(): readonly (readonly [name: string, value: string])[];
  load?(names: readonly string[]): Promise<void>;
}

/** The places of the secrets of a project, in the order in which they are asked. @throws UsageError for an unknown one */
export function secretSources(
  root: string,
  { from = CONFIG_DEFAULTS.secrets.from }: SecretsEntry,
): readonly SecretSource[] {
  const path = join(root, STATE_DIRECTORY, FILE);
  const made: Readonly<Record<SecretPlace, (argument: string) => Omit<SecretSource, "place">>> = {
    environment: () => ({
      lookup: (name) => (Object.hasOwn(process.env, name) ? process.env[name] || undefined : undefined),
    }),
    secrets: () => ({ lookup: (name) => fromFile(path, name), held: () => allInFile(path) }),
    folder: (argument) => ({ lookup: folderSecrets(root, argument), held: () => allInFolder(root, argument) }),
    program: (argument) => secretProgram(root, argument),
  };
  return from.map((text) => {
    const { place, argument } = secretEntry(text);
    return { place, ...made[place](argument) };
  });
}

/**
 * Adds secrets to `.onetool/secrets.yaml`, which only its owner may read; other entries and comments stay.
 *
 * @returns the path of the file, relative to the root
 */
export async function keepSecrets(root: string, values: ReadonlyMap<string, string>): Promise<string> {
  const path = join(await stateDirectory(root), FILE);
  const document = parseDocument(existsSync(path) ? readFileSync(path, "utf8") : "");
  for (const [name, value] of values) document.set(name, value);
  await writeAtomically(path, document.toString(), { mode: 0o600, isDurable: true });
  return `${STATE_DIRECTORY}/${FILE}`;
}

function fromFile(path: string, name: string): string | undefined {
  const text = textOf(path, name);
  if (text === undefined) return undefined;
  return textIn(valuesIn(text, name).get(name));
}

const textIn = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

function allInFile(path: string): readonly (readonly [string, string])[] {
  const text = textOf(path, "");
  if (text === undefined) return [];
  return [...valuesIn(text, "")].map(([name, value]) => [name, textIn(value) ?? ""]);
}

function textOf(path: string, name: string): string | undefined {
  let file: number;
  try {
    // Opening a named pipe would otherwise block until another process writes to it.
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const absent = ["ENOENT", "ENOTDIR"].includes(String(codeOf(error)));
    const fault = absent ? undefined : directoryFault(dirname(path));
    if (fault !== undefined) fail("UNAVAILABLE", `${fault}.`, { secret: name });
    return absent ? undefined : refuse(name, "cannot be opened", "let the user that runs toolwright read it");
  }
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) refuse(name, "is no file", "put a file in its place");
    const { mode } = stats;
    const open = process.platform !== "win32" && (mode & OTHERS) !== 0;
    const shown = `0${(mode & 0o777).toString(8)}`;
    return open
      ? refuse(name, `has mode ${shown}, so that others may reach it`, `chmod 600 ${STATE_DIRECTORY}/${FILE}`)
      : readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

function valuesIn(text: string, name: string): ReadonlyMap<string, unknown> {
  let value: unknown;
  try {
    const document = parseDocument(text);
    const [fault] = document.errors;
    if (fault) throw fault;
    // As it is written: a number would lose zeros and digits.
    visit(document, {
      Scalar(_, node) {
        if (typeof node.value === "number") node.value = node.source;
      },
    });
    value = document.toJS() ?? {};
  } catch {
    value = undefined;
  }
  return isRecord(value)
    ? new Map(Object.entries(value))
    : refuse(name, "is no map of names to values", "write one NAME: value on each line");
}

const refuse = (name: string, what: string, remedy: string): never =>
  fail("UNAVAILABLE", `The secret ${name} is not set, and ${STATE_DIRECTORY}/${FILE} ${what}: ${remedy}.`, {
    secret: name,
  });
