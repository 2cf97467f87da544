/**
 * The command `config`: prints the configuration in force as YAML or JSON, optionally with the origin of each value.
 */

import { stringify } from "yaml";
import { secretPlaces } from "../config/secret-sources.js";
import type { ConfigPath } from "../config/settings.js";
import { onLine } from "../contract/message-text.js";
import { isUsageError } from "../contract/usage-error.js";
import { configurationFault, type SettingsStart, type Start } from "../gateway/open-project.js";
import { type ProjectData, readProject } from "../gateway/project.js";
import { settingWarnings } from "../gateway/setting-warnings.js";
import { loadSignIn } from "../gateway/sign-in-part.js";
import {
  type Effective,
  isShownWhole,
  listedSecrets,
  membersOf,
  type Origin,
  resolvedConfiguration,
  type Variable,
} from "./resolved-configuration.js";

/** Flags of the command `config`. */
export interface ConfigFlags {
  readonly origins?: boolean;
  readonly json?: boolean;
}

/** Prints the configuration in force. Exit code 0, or 1 for a variable that is not set and for what `serve` would refuse. */
export async function printConfig(
  start: SettingsStart & Pick<Start, "faults" | "features" | "out" | "err" | "paint">,
  flags: ConfigFlags,
): Promise<number> {
  const { config, values } = resolvedConfiguration(start);
  const missing = missingIn(values);
  const names = [...new Set(missing.map(({ name }) => name))];
  const project = await generatedProject(start);
  const fault = await configurationFault(start);
  const declared = project ? await start.faults(project.registry) : [];
  const faults = [...(fault === undefined ? [] : [fault]), ...declared].map(onLine);
  if (flags.json)
    start.out(`${JSON.stringify({ config, ...(flags.origins ? { origins: values } : {}), missing, faults })}\n`);
  else {
    const notes = new Map(flags.origins ? values.map((one) => [JSON.stringify(one.path), originText(one)]) : []);
    const note = (path: ConfigPath): string => {
      const text = notes.get(JSON.stringify(path));
      return text === undefined ? "" : start.paint("dim", `  # ${onLine(text)}`);
    };
    start.out(`${linesOf(config, [], note).join("\n")}\n`);
  }
  for (const one of faults) start.err(`${start.paint("red", "error")} serve refuses this: ${one}\n`);
  // Patterns are matched only where the project is generated.
  const warnings = project ? settingWarnings(start, project.registry, await loadSignIn(start)) : [];
  for (const one of warnings) start.err(`${start.paint("yellow", "warning")} ${one}\n`);
  if (missing.length === 0) return faults.length > 0 ? 1 : 0;
  const failed = new Map(missing.map(({ name, why }) => [name, why]));
  for (const [name, why] of failed)
    if (why !== undefined) start.err(`${start.paint("yellow", "warning")} ${name} ${why}\n`);
  const places = [...new Set(missing.map(({ origin }) => placeText(origin)))].join(", ");
  start.err(
    `${start.paint("yellow", "warning")} toolwright.yaml: missing variables: ${names.join(", ")}; set them ${secretPlaces(start.config.secrets)} (named at ${onLine(places)})\n`,
  );
  return 1;
}

/** The project as it was generated; undefined if it was not. */
const generatedProject = ({ root }: SettingsStart): Promise<ProjectData | undefined> =>
  readProject(root).catch((error: unknown) => {
    if (isUsageError(error)) return undefined;
    throw error;
  });

interface MissingVariable {
  readonly name: string;
  readonly path: ConfigPath;
  readonly origin: Origin;
  /** Why its look-up failed; absent if no place has it. */
  readonly why: string | undefined;
}

const isLacking = (from: Variable["from"]): boolean => from === "missing" || from === "failed";

/** Variables that are not set, except those of disabled servers. */
function missingIn(values: readonly Effective[]): readonly MissingVariable[] {
  const isOff = (server: unknown): boolean =>
    values.some(
      ({ path: [section, name, key], value }) =>
        section === "servers" && name === server && key === "enabled" && value === false,
    );
  return values
    .filter(({ path: [section, name] }) => section !== "servers" || !isOff(name))
    .flatMap(({ path, origin, variables }) =>
      variables.flatMap(({ name, from, why }) => (isLacking(from) ? [{ name, path, origin, why }] : [])),
    );
}

const placeText = (origin: Origin): string =>
  origin.kind === "file"
    ? `${origin.file}:${origin.line}:${origin.column}`
    : origin.kind === "flag"
      ? `flag ${origin.flag}`
      : "default";

const FROM = {
  environment: "from the environment",
  secrets: "from .onetool/secrets.yaml",
  folder: "from a folder of secrets.from",
  program: "from a program of secrets.from",
  default: "not set, so its default",
  missing: "not set",
  failed: "cannot be looked up",
} as const satisfies Readonly<Record<Variable["from"], string>>;

const originText = ({ origin, variables }: Effective): string =>
  [placeText(origin), ...variables.map(({ name, from }) => `${name} ${FROM[from]}`)].join("; ");

/**
 * Prints where each variable of the configuration, and each secret of `secrets.names`, comes from, never its value. Exit code
 * 0, or 1 if one is not set or cannot be looked up.
 */
export function checkSecrets(
  start: Pick<Start, "root" | "config" | "overrides" | "out" | "paint">,
  flags: { readonly json?: boolean },
): number {
  const { values } = resolvedConfiguration(start);
  const missing = new Set(missingIn(values).map(({ name }) => name));
  const listed = listedSecrets(start);
  for (const { name, from } of listed) if (isLacking(from)) missing.add(name);
  const found = new Map([...values.flatMap(({ variables }) => variables), ...listed].map((one) => [one.name, one]));
  const rows = [...found.values()]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .filter(({ name, from }) => !isLacking(from) || missing.has(name));
  if (flags.json) start.out(`${JSON.stringify({ ok: missing.size === 0, secrets: rows })}\n`);
  else
    for (const { name, from, why = FROM[from] } of rows)
      start.out(
        `${isLacking(from) ? start.paint("red", "FAIL") : start.paint("green", "ok  ")} ${onLine(name)} ${why}\n`,
      );
  return missing.size === 0 ? 0 : 1;
}

/** Writes a map or a list of maps as YAML, with notes as comments. */
function linesOf(value: unknown, path: ConfigPath, note: (path: ConfigPath) => string): readonly string[] {
  return membersOf(value).flatMap(([key, member]) => {
    const below = [...path, key];
    const isItem = typeof key === "number";
    if (isShownWhole(member)) return [`${isItem ? "-" : `${scalarText(key)}:`} ${scalarText(member)}${note(below)}`];
    const lines = linesOf(member, below, note);
    if (isItem) return lines.map((line, i) => `${i === 0 ? "- " : "  "}${line}`);
    return [`${scalarText(key)}:`, ...lines.map((line) => `  ${line}`)];
  });
}

/** A value on one line. Text with line breaks or control characters is written as JSON, which is valid YAML. */
function scalarText(value: unknown): string {
  const text = stringify(value, { collectionStyle: "flow", flowCollectionPadding: false, lineWidth: 0 }).trimEnd();
  return text.includes("\n") || onLine(text) !== text ? onLine(JSON.stringify(value)) : text;
}
