/**
 * Installs the peers on demand, at pinned versions, into a folder that git ignores. A peer that cannot be installed is
 * reported as absent.
 */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const VERSIONS = {
  "openapi-typescript": "7.13.0",
  "@hey-api/openapi-ts": "0.95.0",
  "@octokit/openapi": "23.0.2",
  typescript: "5.9.3",
} as const;

/** Name of a peer's package. */
export type Peer = keyof typeof VERSIONS;

/** Where a peer is, by its name; undefined where it could not be installed. */
export const installPeers = (folder: string): ((peer: Peer) => string | undefined) => installPackages(folder, VERSIONS);

/** Where each of some packages is; undefined where it could not be installed at its version. */
export function installPackages<Name extends string>(
  folder: string,
  versions: Readonly<Record<Name, string>>,
): (name: Name) => string | undefined {
  mkdirSync(folder, { recursive: true });
  const missing = Object.entries(versions).filter(([name, version]) => versionAt(folder, name) !== version);
  if (missing.length > 0) {
    process.stderr.write(`installing ${missing.map(([name]) => name).join(", ")} …\n`);
    writeFileSync(
      join(folder, "package.json"),
      JSON.stringify({ name: "peers", private: true, dependencies: versions }),
    );
    try {
      execFileSync("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: folder, stdio: "ignore" });
    } catch {
      process.stderr.write("npm could not install all of them\n");
    }
  }
  return (name) => (versionAt(folder, name) === versions[name] ? join(folder, "node_modules", name) : undefined);
}

function versionAt(folder: string, name: string): string | undefined {
  const file = join(folder, "node_modules", name, "package.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version : undefined;
}
