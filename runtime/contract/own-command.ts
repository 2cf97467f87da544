/**
 * Adapts hints to the reader: the command that starts toolwright here, since an installation in a project is on no PATH; and
 * without a project, flags instead of `toolwright.yaml` and project commands.
 */

import { resolve, sep } from "node:path";
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
 * the lock file. Other installations are on the PATH, but for that of npx, which is kept for one call.
 */
export function ownCommand({ program, folder, env }: StartedBy): string {
  const agent = env["npm_config_user_agent"]?.split("/")[0];
  // Yarn says the same of a command that is no script.
  if (env["npm_lifecycle_event"] === PLAIN && agent === "npm") return `npm run --silent ${PLAIN} --`;
  const [home = "", ...rest] = program.split(`${sep}node_modules${sep}`);
  if (rest.length === 0) return PLAIN;
  const folders = home.split(sep);
  if (folders.includes("_npx")) return `npx ${PLAIN}`;
  if (folder !== home && !folder.startsWith(home + sep)) return PLAIN;
  const manager = MANAGERS.find(({ name }) => name === agent) ?? packageManagerOf(folder, home).manager;
  return `${manager.hint} ${PLAIN}`;
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
