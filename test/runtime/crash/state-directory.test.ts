/**
 * A state directory that the user who runs toolwright may not use: commands say which, why, and what to do.
 *
 * @module-tag full
 */

import { spawnSync } from "node:child_process";
import { chmodSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { statefulRoot } from "../../support/databases/outage.js";
import { CHECKOUT, serverCommand } from "../../support/project.js";

const SLOW = 120_000;
const CAN_CHANGE_USER = process.getuid?.() === 0 && spawnSync("runuser", ["-u", "nobody", "--", "true"]).status === 0;

/** The owner of a directory that lacks rights may give them to himself: with a secret to look up, that comes first. */
test.skipIf(!CAN_CHANGE_USER).each(["nobody", "root"])(
  "one of mode 0 that belongs to %s ends every command that needs it (needs root and runuser)",
  { timeout: SLOW },
  async (owner) => {
    const root = await statefulRoot();
    const folder = join(root, ".onetool");
    const { command, args } = serverCommand(root);
    const launch = [command, ...args.slice(0, args.indexOf("serve"))];
    const commands: readonly (readonly [command: readonly string[], code: number])[] = [
      [["serve", "--http", "0"], 2],
      [["exec", "oubliette.project.list"], 2],
      [["run", "-c", "1"], 2],
      [["keys", "list"], 2],
      [["doctor"], 1],
      ...(owner === "root" ? [[["exec", "oubliette.project.list", "--state", ""], 2] as const] : []),
    ];
    for (const [given, code] of commands) {
      spawnSync("chown", ["nobody", root]);
      spawnSync("chown", ["-R", owner, folder]);
      chmodSync(folder, 0);
      const as = ["-u", "nobody", "--", ...launch, ...given, "--root", root];
      const ran = spawnSync("runuser", as, { encoding: "utf8", timeout: 60_000, cwd: CHECKOUT });
      const said = ran.stdout + ran.stderr;
      expect(said).toContain(`${folder} has mode 0000 and cannot be used by this user`);
      expect(said).toContain(`chmod 700 ${folder}`);
      expect(said).not.toContain("is not set");
      expect({ given, code: ran.status }).toEqual({ given, code });
    }
  },
);
