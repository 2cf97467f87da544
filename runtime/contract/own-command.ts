/** The command that starts toolwright where a hint is read: an installation in a project is on no PATH. */

import { sep } from "node:path";
import { MANAGERS, packageManagerOf } from "./package-manager.js";

/** How this process was started. */
export interface StartedBy {
  /** Path of the program: the second word of the process. */
  readonly program: string;
  /** The working directory. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

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
const COMMAND = /(?<=["`]|: |; |such as |or )toolwright(?= [a-z]{3})/g;

/** A text for people, in which commands of toolwright are as they are typed here. Texts of JSON stay as they are. */
export function withOwnCommand(text: string): string {
  if (!text.includes(`${PLAIN} `) || /^\s*[{[]/.test(text)) return text;
  const command = ownCommand({ program: process.argv[1] ?? "", folder: process.cwd(), env: process.env });
  return command === PLAIN ? text : text.replace(COMMAND, () => command);
}
