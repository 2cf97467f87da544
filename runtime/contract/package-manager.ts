/** Package managers of projects: how they install packages, and how they start a command of an installed one. */

import { existsSync } from "node:fs";
import { dirname, join } from "node:path";

/** A package manager, and its commands for a shell. */
export interface PackageManager {
  readonly name: "npm" | "pnpm" | "yarn" | "bun";
  /** Names of its lock files. */
  readonly locks: readonly string[];
  /** A file that tells it from another manager with the same lock file. */
  readonly beside?: string;
  /** Whether machines of CI have it. */
  readonly isThere?: true;
  /** Starts a command of an installed package, and prints nothing of its own. */
  readonly run: string;
  /** The same, as a person types it. Where nothing is installed, it fails: a package of the name elsewhere is another one. */
  readonly hint: string;
  /** Installs exactly what the lock file says. */
  readonly install: string;
}

/** Used where no lock file is found. */
const NPM: PackageManager = {
  name: "npm",
  locks: ["package-lock.json", "npm-shrinkwrap.json"],
  isThere: true,
  run: "npx --no --",
  hint: "npm exec --no --",
  install: "npm ci",
};

/** All package managers that are known. */
export const MANAGERS: readonly PackageManager[] = [
  NPM,
  {
    name: "pnpm",
    locks: ["pnpm-lock.yaml"],
    run: "pnpm exec",
    hint: "pnpm exec",
    install: "corepack enable && pnpm install --frozen-lockfile",
  },
  {
    name: "yarn",
    locks: ["yarn.lock"],
    beside: ".yarnrc.yml",
    run: "yarn",
    hint: "yarn",
    install: "corepack enable && yarn install --immutable",
  },
  {
    name: "yarn",
    locks: ["yarn.lock"],
    isThere: true,
    run: "yarn --silent",
    hint: "yarn",
    install: "yarn install --frozen-lockfile",
  },
  {
    name: "bun",
    locks: ["bun.lock", "bun.lockb"],
    run: "bun run --silent",
    hint: "bun run",
    install: "npm install --global bun && bun install --frozen-lockfile",
  },
];

/** The package manager of a project, and where its lock file is. */
export interface FoundManager {
  readonly manager: PackageManager;
  /** Folder of the lock file, and its name; absent if there is none. */
  readonly lock?: { readonly folder: string; readonly name: string };
}

/**
 * The package manager whose lock file is in a folder, or in the nearest folder above it; npm if there is none.
 *
 * @param top the last folder that is searched; default: the top of the file system
 */
export function packageManagerOf(folder: string, top?: string): FoundManager {
  for (const manager of MANAGERS) {
    const name = manager.locks.find((one) => existsSync(join(folder, one)));
    if (name !== undefined && (manager.beside === undefined || existsSync(join(folder, manager.beside))))
      return { manager, lock: { folder, name } };
  }
  const above = dirname(folder);
  return folder === top || above === folder ? { manager: NPM } : packageManagerOf(above, top);
}
