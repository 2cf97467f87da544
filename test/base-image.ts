/**
 * Images without a daemon or an image registry: buildah builds them from Debian packages. They need root, and the
 * packages `buildah` and `debootstrap`.
 */

import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { execPath } from "node:process";
import { temporaryFolder } from "./support/project.js";

const SUITE = "bookworm";
const CERTIFICATES = "/etc/ssl/certs/ca-certificates.crt";
/** Without layers of the kernel and without namespaces, so that it works inside of a container too. */
const ENV = { ...process.env, STORAGE_DRIVER: "vfs", BUILDAH_ISOLATION: "chroot" };

const has = (command: string): boolean => {
  try {
    execFileSync("sh", ["-c", `command -v ${command}`], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
};

/** Whether images can be built here. */
export const canBuild = process.getuid?.() === 0 && has("buildah") && has("debootstrap");

/** Runs buildah; returns what it prints. */
export const buildah = (...args: readonly string[]): string =>
  execFileSync("buildah", args, {
    env: ENV,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
    maxBuffer: 1e8,
  }).trim();

/** The command that runs something in a container, for `spawn`. */
export const inContainer = (container: string, ...command: readonly string[]) => ({
  command: "buildah",
  args: ["run", "--network", "host", container, "--", ...command],
  env: ENV,
});

/** The settings of npm of this machine, which the registry may need; mounted while an image is built. */
export function npmSettings(): readonly string[] {
  const file = join(homedir(), ".npmrc");
  return existsSync(file) ? ["--volume", `${file}:/root/.npmrc:ro`] : [];
}

/** Makes an image of Debian with Node and npm of this machine, unless there is one of this name. It trusts what this machine trusts. */
export function makeBaseImage(name: string): void {
  if (buildah("images", "--quiet", "--filter", `reference=${name}`) !== "") return;
  const root = join(temporaryFolder(), "base");
  execFileSync("debootstrap", ["--variant=minbase", "--include=ca-certificates", SUITE, root], { stdio: "ignore" });
  const [bin, modules] = [join(root, "usr/local/bin"), join(root, "usr/local/lib/node_modules")];
  mkdirSync(modules, { recursive: true });
  cpSync(execPath, join(bin, "node"));
  const npm = join(dirname(dirname(execPath)), "lib/node_modules/npm");
  cpSync(npm, join(modules, "npm"), { recursive: true, verbatimSymlinks: true });
  for (const one of ["npm", "npx"]) symlinkSync(`../lib/node_modules/npm/bin/${one}-cli.js`, join(bin, one));
  if (existsSync(CERTIFICATES)) cpSync(CERTIFICATES, join(root, CERTIFICATES));
  const container = buildah("from", "scratch");
  buildah("add", "--quiet", container, root, "/");
  const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  buildah("config", "--env", `PATH=${path}`, "--env", `NODE_EXTRA_CA_CERTS=${CERTIFICATES}`, container);
  buildah("commit", "--quiet", "--rm", container, name);
  rmSync(root, { recursive: true, force: true });
}
