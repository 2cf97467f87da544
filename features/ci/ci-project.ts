/** Finds out what CI needs to know of a project: where it is in its repository, and how its packages are installed. */

import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join, posix, relative, resolve, sep } from "node:path";
import { git } from "../../generator/core/git.js";
import { isRecord } from "../../runtime/contract/json.js";
import { packageManagerOf } from "../../runtime/contract/package-manager.js";
import { messageOf } from "../../runtime/contract/thrown.js";
import { UsageError } from "../../runtime/contract/usage-error.js";

/** A project as CI sees it. Folders are relative to the top of the repository, `.` for the top itself. */
export interface CiProject {
  /** Top folder of the repository; the root of the project where there is no repository. */
  readonly top: string;
  readonly folder: string;
  /** The default branch. */
  readonly branch: string;
  /** Command that installs the packages, and the folder to run it in. */
  readonly install: string;
  readonly installIn: string;
  /** What is kept between runs; absent without a lock file. */
  readonly cache?: { readonly manager: string; readonly lock: string };
  /** Command that starts toolwright. */
  readonly toolwright: string;
  /** Variables that `servers` of the configuration name. */
  readonly variables: readonly string[];
  /** The path from which toolwright is installed, if it leads out of the repository. */
  readonly outside?: string;
}

const PACKAGE = "toolwright";

/** What tells the files and branches of a project from those of others in its repository; empty at the top. */
export const suffixOf = ({ folder }: Pick<CiProject, "folder">): string =>
  folder === "." ? "" : `-${folder.replace(/[^A-Za-z0-9]+/g, "-")}`;

/**
 * Looks at the repository, `package.json` and the lock file.
 *
 * @param variables that the servers of the project need
 * @throws UsageError if packages of the project would not bring toolwright
 */
export async function ciProjectOf(root: string, variables: readonly string[]): Promise<CiProject> {
  const real = realpathSync(root);
  const found = (await git(real, ["rev-parse", "--show-toplevel"]))?.trim();
  const top = found === undefined ? real : realpathSync(found);
  const { folder: packageFolder, isScript, from } = packageWith(real, top);
  const { manager, lock } = packageManagerOf(packageFolder, top);
  const inTop = (path: string): string => relative(top, path).split(sep).join("/") || ".";
  const installFolder = inTop(lock?.folder ?? packageFolder);
  return {
    top,
    folder: inTop(real),
    branch: await defaultBranch(real),
    install: lock ? manager.install : "npm install",
    installIn: installFolder,
    // Managers that the installation brings are not there yet when a cache is restored.
    ...(lock && manager.isThere
      ? { cache: { manager: manager.name, lock: posix.join(installFolder, lock.name) } }
      : {}),
    toolwright: isScript ? `npm run --silent ${PACKAGE} --` : `${manager.run} ${PACKAGE}`,
    variables,
    ...(isOutside(packageFolder, from, top) ? { outside: from } : {}),
  };
}

/** Whether a package is installed from a path that leads out of a folder. */
function isOutside(folder: string, from: string, top: string): boolean {
  const path = /^(?:file:|link:|portal:)(.*)$/.exec(from)?.[1];
  return path !== undefined && relative(top, resolve(folder, path)).startsWith("..");
}

/** The nearest `package.json` that brings toolwright, as a dependency or as a script of the name. */
function packageWith(
  folder: string,
  top: string,
): { readonly folder: string; readonly isScript: boolean; readonly from: string } {
  const value = manifestIn(folder);
  const entryIn = (key: string): string | undefined => {
    const list = isRecord(value) ? value[key] : undefined;
    return isRecord(list) && Object.hasOwn(list, PACKAGE) ? String(list[PACKAGE]) : undefined;
  };
  if (entryIn("scripts") !== undefined) return { folder, isScript: true, from: "" };
  const from = ["dependencies", "devDependencies", "optionalDependencies"]
    .map(entryIn)
    .find((one) => one !== undefined);
  if (from !== undefined) return { folder, isScript: false, from };
  if (folder === top || dirname(folder) === folder)
    throw new UsageError(
      `no package.json from here to the top of the repository lists ${PACKAGE}, so that CI could not install it: install it in the project first (npm install --save-dev ${PACKAGE}, or the path of its tarball)`,
    );
  return packageWith(dirname(folder), top);
}

/** @throws UsageError for a file that is no JSON */
function manifestIn(folder: string): unknown {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return undefined;
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    throw new UsageError(`${file} is no JSON (${messageOf(cause)}): correct it`);
  }
}

/** The branch that `origin` names as its own, or `main`, `master` or the current one, whichever is there first. */
async function defaultBranch(folder: string): Promise<string> {
  const ofOrigin = await git(folder, ["symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"]);
  if (ofOrigin) return ofOrigin.trim().replace(/^origin\//, "");
  const branches = (await git(folder, ["branch", "--format=%(refname:short)"]))?.split(/\r?\n/) ?? [];
  const current = (await git(folder, ["branch", "--show-current"]))?.trim();
  return ["main", "master"].find((one) => branches.includes(one)) ?? (current || "main");
}
