/** Small file systems that a test can fill. */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "toolwright-mount-"));
  const isMounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder]).status === 0;
  if (isMounted) execFileSync("umount", [folder]);
  rmSync(folder, { recursive: true });
  return isMounted;
}

/** Why nothing can be mounted here; empty where it can. A plain container has no right to. */
export const NO_MOUNT = canMount() ? "" : " (skipped: no right to mount a tmpfs)";

/** Mounts a file system of so many megabytes. */
export function mountSmall(folder: string, megabytes: number, later: (clean: () => void) => void): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0700`, "tmpfs", folder]);
  later(() => void spawnSync("umount", ["-l", folder]));
}

/** Leaves no room on it. */
export function fill(folder: string): void {
  for (const size of [1 << 20, 1 << 16, 1 << 12])
    try {
      for (;;) writeFileSync(join(folder, "filler"), Buffer.alloc(size), { flag: "a" });
    } catch {
      // Full to this size.
    }
}

/** Gives the room back. */
export const empty = (folder: string): void => rmSync(join(folder, "filler"));
