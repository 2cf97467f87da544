/** A process that may open too few files to start reports it. */

import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, test } from "vitest";
import { statefulRoot } from "../../support/databases/outage.js";
import { CHECKOUT } from "../../support/project.js";

const SLOW = 120_000;
/** Enough to read the program, too few for the state database. */
const FILES = 28;

test.runIf(process.platform === "linux").each([
  ["serve", "--http", "0"],
  ["exec", "oubliette.project.list"],
])(
  "%s with too few open files ends with the cause and what to do",
  { timeout: SLOW, tags: "slow" },
  async (...command) => {
    const root = await statefulRoot();
    const launcher = join(CHECKOUT, "generator", "launch.mjs");
    const given = [process.execPath, launcher, ...command, "--root", root];
    const ran = spawnSync("/bin/sh", ["-c", `ulimit -n ${FILES}; exec "$0" "$@"`, ...given], {
      encoding: "utf8",
      timeout: SLOW / 2,
    });
    expect(ran.stderr).toMatch(/^error EMFILE: too many open files.*: raise the limit of open files \(ulimit -n 1024/);
    expect(ran.stderr).not.toMatch(/internal error|please report/i);
    expect(ran.status).toBe(2);
  },
);
