/**
 * Adapts hints to the reader: the command that starts toolwright here, since an installation in a project is on no PATH; and
 * without a project, flags instead of `toolwright.yaml` and project commands.
 */

import { readFileSync } from "node:fs";
import { basename, dirname, join, resolve, sep } from "node:path";
import { MANAGERS, packageManagerOf } from "./package-manager.js";

/** How this process was started. */
export interface StartedBy {
  /** Path of the program: the second word of the process. */
  readonly program: string;
  /** The working directory. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** The program that Node started this process with: the command line itself. */
export const launcherPath = (): string => resolve(process.argv[1] ?? "");

const PLAIN = "toolwright";

/**
 * The command, as a person types it in the folder.
 *
 * An installation in the folder or above it is started by its package manager: the one that started this process, else the one with
 * the lock file. What npx installed for one call is named to npx again, since the name alone may be somebody else's package. Other
 * installations are on the PATH. A checkout has a script.
 */
export function ownCommand({ program, folder, env }: StartedBy): string {
  const agent = env["npm_config_user_agent"]?.split("/")[0];
  const [home = "", ...rest] = program.split(`${sep}node_modules${sep}`);
  const scripts = rest.length === 0 ? [PLAIN, "start"] : [PLAIN];
  // Yarn says the same of a command that is no script.
  if (agent === "npm" && scripts.includes(env["npm_lifecycle_event"] ?? "")) return `npm run --silent ${PLAIN} --`;
  if (rest.length === 0) return PLAIN;
  if (basename(dirname(home)) === "_npx") return npxCommand(home);
  if (folder !== home && !folder.startsWith(home + sep)) return PLAIN;
  const manager = MANAGERS.find(({ name }) => name === agent) ?? packageManagerOf(folder, home).manager;
  return `${manager.hint} ${PLAIN}`;
}

/** Names to npx what it has installed in a folder of its cache. */
function npxCommand(folder: string): string {
  const { dependencies, _npx: npx } = manifestIn(folder);
  const [, file] = /^file:(.*)$/.exec(dependencies?.[PLAIN] ?? "") ?? [];
  const [named, ...others] = npx?.packages ?? [];
  const spec = file === undefined ? (others.length === 0 ? named : undefined) : resolve(folder, file);
  return spec === undefined ? PLAIN : `npx ${/^[\w@%+=:,./~^-]+$/.test(spec) ? spec : `'${spec}'`}`;
}

interface NpxManifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  /** What npx was told to install. */
  readonly _npx?: { readonly packages?: readonly string[] };
}

function manifestIn(folder: string): NpxManifest {
  try {
    return JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  } catch {
    return {};
  }
}

/** A command of toolwright in a text: in quotes, or where a sentence begins to say what to do. */
const COMMAND = /(?<=["`]|: |; |such as |or )toolwright(?= (?:[a-z]{3}|--help))/g;

/** A text for people, in which commands of toolwright are as they are typed here. Texts of JSON stay as they are. */
export function withOwnCommand(text: string): string {
  if (!text.includes(`${PLAIN} `) || /^\s*[{[]/.test(text)) return text;
  const command = ownCommand({ program: process.argv[1] ?? "", folder: process.cwd(), env: process.env });
  return command === PLAIN ? text : text.replace(COMMAND, () => command);
}

let flagOf: ((server: string) => string) | undefined;

/**
 * Sets whom the hints of this process are for.
 *
 * @param flag the flag that names a server, for somebody who named tools without a project; undefined where a project is read
 */
export function hintAtFlags(flag: ((server: string) => string) | undefined): void {
  flagOf = flag;
}

/**
 * The hint that fits: for a project, or for somebody who named tools with flags.
 *
 * @example
 * hint("Set access.allow_write.", "Add --allow-write to the command.")
 */
export const hint = (project: string, flags: string): string => (flagOf ? flags : project);

/** The flags for what a server has in `toolwright.yaml`, beside that which names it. */
const FLAGS: Readonly<Record<string, string>> = { headers: "--header", env: "--env", timeout: "--timeout" };
/** What no flag sets: the hint ends before it. */
const WITHOUT_FLAG = /,? (?:or|and) (?:raise|set|correct) servers\.[\w-]+\.(?!command|url|headers|env|timeout)\w+.*$/;

/** The remedy for a fault of a server. Without a project, it names flags instead of `servers.NAME` and project commands. */
export function serverHint(remedy: string): string {
  const shown = flagOf;
  if (!shown) return remedy;
  return remedy
    .replace(WITHOUT_FLAG, "")
    .replace(/"toolwright (?:snapshot|connections renew) [^"]*"/g, '"toolwright list" with these flags')
    .replace(
      /\bservers\.([\w-]+)(?:\.(\w+))?(?:\.\w+)*(?: in toolwright\.yaml)?/g,
      (_, name: string, member: string | undefined) => FLAGS[member ?? ""] ?? shown(name),
    );
}
