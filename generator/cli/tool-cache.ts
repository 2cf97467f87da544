/** The folder of the user's cache that holds a project for the servers and files that a command line names. */

import { chmodSync, mkdirSync, readdirSync, rmSync, statSync, utimesSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import { digestText } from "../../runtime/contract/canonical.js";
import { codeOf } from "../../runtime/contract/thrown.js";
import { UsageError } from "../../runtime/contract/usage-error.js";
import { refusedSince } from "./files.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder of the user's cache, as each system has it. */
const CACHES: Partial<Record<NodeJS.Platform, (env: Environment) => string>> = {
  darwin: () => join(homedir(), "Library", "Caches"),
  win32: ({ LOCALAPPDATA }) => LOCALAPPDATA || join(homedir(), "AppData", "Local"),
};
const inHome = (): string => join(homedir(), ".cache");

/**
 * Where projects without a folder of their own are kept.
 *
 * @param env `XDG_CACHE_HOME` counts on every system if it is an absolute path
 */
export function toolCache(env: Environment, platform: NodeJS.Platform = process.platform): string {
  const { XDG_CACHE_HOME = "" } = env;
  const base = isAbsolute(XDG_CACHE_HOME) ? XDG_CACHE_HOME : (CACHES[platform] ?? inHome)(env);
  return join(base, "toolwright", "projects");
}

/** Days after which a folder that no command has used is deleted. */
const UNUSED_DAYS = 30;
const DAY_MS = 86_400_000;
const DIGITS = 24;
const FOLDER = /^[0-9a-f]{24}$/;

/**
 * The folder for what a digest is made of: created for this user alone, and noted as used now. Those that were not used for
 * 30 days are deleted.
 *
 * @param meaning everything that makes one project another
 * @throws UsageError if it cannot be written
 */
export function cachedFolder(cache: string, meaning: unknown): string {
  const folder = join(cache, digestText(JSON.stringify(meaning)).slice(0, DIGITS));
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    noteUse(folder);
    deleteUnused(cache);
  } catch (error) {
    throw new UsageError(
      `${folder} cannot be written, since ${refusedSince(String(codeOf(error)))}: correct that, or name another folder in XDG_CACHE_HOME`,
    );
  }
  return folder;
}

/** Notes that a folder is used now. */
const noteUse = (folder: string): void => utimesSync(folder, new Date(), new Date());

/** Notes the use of a folder once a day, as long as the process runs. */
export const noteUseDaily = (folder: string): void => {
  setInterval(() => noteUse(folder), DAY_MS).unref();
};

function deleteUnused(cache: string): void {
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    const last = FOLDER.test(name) ? statSync(path, { throwIfNoEntry: false })?.mtimeMs : undefined;
    if (last !== undefined && Date.now() - last > UNUSED_DAYS * DAY_MS) rmSync(path, { recursive: true, force: true });
  }
}

/** Takes the permissions of others from every file and folder below a folder. */
export function makeAllPrivate(folder: string): void {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isDirectory() && !entry.isFile()) continue;
    try {
      chmodSync(join(entry.parentPath, entry.name), entry.isDirectory() ? 0o700 : 0o600);
    } catch (error) {
      // Another command has replaced it, or taken it away.
      if (codeOf(error) !== "ENOENT") throw error;
    }
  }
}
