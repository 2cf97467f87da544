/** The script `prepare`: a checkout that another project installs by its path is built, an install in the checkout builds nothing. */

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CHECKOUT, temporaryFolder } from "../support/project.js";

/** What npm is asked to run, by a script in its place, when an install begins in a folder. */
function askedOfNpm(startedIn: string): readonly string[] {
  const [npm, log] = ["npm.cjs", "log"].map((name) => join(temporaryFolder(), name)) as [string, string];
  writeFileSync(log, "");
  writeFileSync(
    npm,
    `require("node:fs").appendFileSync(${JSON.stringify(log)}, process.argv.slice(2).join(" ") + " in " + process.env.INIT_CWD + "\\n")`,
  );
  const env = { ...process.env, INIT_CWD: startedIn, npm_execpath: npm };
  execFileSync(process.execPath, [join(CHECKOUT, "generator/build/prepare.mjs")], { env });
  return readFileSync(log, "utf8").split("\n").slice(0, -1);
}

test("an install in the checkout builds nothing, one of another project builds the checkout", () => {
  const checkout = CHECKOUT.replace(/\/$/, "");
  expect(askedOfNpm(checkout)).toEqual([]);
  expect(askedOfNpm(temporaryFolder())).toEqual([`run --silent build in ${checkout}`]);
  const { scripts, files } = JSON.parse(readFileSync(join(CHECKOUT, "package.json"), "utf8"));
  expect(scripts.prepare).toBe("node generator/build/prepare.mjs");
  expect(files).not.toContain("generator/build");
});
