/** The script `prepare`: a checkout that another project installs by its path is built, an install in the checkout builds nothing. */

import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
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

test("a tarball has no script that npm warns of, and the checkout has it again after the pack", () => {
  const checkout = temporaryFolder();
  mkdirSync(join(checkout, "generator/build"), { recursive: true });
  for (const file of ["package.json", "generator/build/packed-manifest.mjs"])
    cpSync(join(CHECKOUT, file), join(checkout, file));
  const text = (): string => readFileSync(join(checkout, "package.json"), "utf8");
  const { scripts } = JSON.parse(text());
  expect(Object.keys(scripts).filter((name) => /^(?:pre|post)?(?:install|prepare)$/.test(name))).toEqual(["prepare"]);
  const before = text();
  const run = (script: string): void => {
    const command = scripts[script].replace("npm run --silent build && ", "");
    execFileSync("sh", ["-c", command], { cwd: checkout });
  };
  run("prepack");
  const { scripts: packed, ...rest } = JSON.parse(text());
  expect(packed).toEqual({ ...scripts, prepare: undefined });
  expect({ ...rest, scripts }).toEqual(JSON.parse(before));
  run("prepack");
  run("postpack");
  expect(text()).toBe(before);
  run("postpack");
  expect(text()).toBe(before);
});
