/**
 * The tarball that `npm pack` makes in a fresh clone, installed from the registry by each package manager, and used with each Node.js: a first answer, a project, a client's
 * entry, both engines, CI.
 *
 * @module-tag full
 */

import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { pageText } from "../support/doc-pages.js";
import { CHECKOUT, type Json, temporaryFolder } from "../support/project.js";
import { runSteps } from "../support/workflow.js";
import { AWKWARD, blocksBelow, commandsBelow, fileIn, jsonOf, type Newcomer, typingIn } from "./newcomer.js";

const SLOW = { timeout: 1_800_000, tags: "full" };
const PNPM = "pnpm@12.21.0";
const YARN_1 = "yarn@1.22.22";
const YARN_4 = "@yarnpkg/cli-dist@4.18.1";
const README = blocksBelow("README.md", "## No project at all");
const [CALL = ""] = commandsBelow("README.md", "## No project at all");

const cleaning: (() => void)[] = [];
const later = (clean: () => void): void => void cleaning.push(clean);
let tarball = "";

beforeAll(() => {
  const clone = join(temporaryFolder(later), "toolwright");
  execFileSync("git", ["clone", "-q", "--no-local", "--depth", "1", `file://${CHECKOUT}`, clone]);
  symlinkSync(realpathSync(join(CHECKOUT, "node_modules")), join(clone, "node_modules"));
  execFileSync("npm", ["pack", "--silent"], { cwd: clone, stdio: "ignore" });
  expect(execFileSync("git", ["status", "--porcelain", "--untracked-files=no"], { cwd: clone, encoding: "utf8" })).toBe(
    "",
  );
  tarball = join(clone, readdirSync(clone).find((name) => name.endsWith(".tgz")) ?? "none");
}, SLOW.timeout);
afterAll(() => {
  for (const clean of cleaning) clean();
});

/** An empty folder, with the file of functions of the README. Commands in it may use the registry. */
function emptyFolder(remove?: (clean: () => void) => void): Newcomer {
  const root = join(temporaryFolder(remove), AWKWARD);
  mkdirSync(root);
  const me = typingIn(root);
  me.write("tools.ts", fileIn(README, "tools.ts"));
  return me;
}

/** Packages of other platforms, which Yarn and `npm ci` want to know. A registry that does not serve them is no fault of the package. */
function leaveOutOtherPlatforms(me: Newcomer): void {
  const { packages }: Json = JSON.parse(readFileSync(join(CHECKOUT, "package-lock.json"), "utf8"));
  const isOther = ({ os, cpu }: Json): boolean => os && !(os.includes(process.platform) && cpu?.includes(process.arch));
  const monty: Json = packages["node_modules/@pydantic/monty"].optionalDependencies;
  const here = `${process.platform}-${process.arch}`;
  const names = [
    ...Object.keys(packages)
      .filter((path) => isOther(packages[path]))
      .map((path) => path.replace("node_modules/", "")),
    ...Object.keys(monty).filter((name) => !name.includes(here)),
  ];
  me.write("absent/package.json", '{ "name": "absent", "version": "0.0.0" }');
  const resolutions = Object.fromEntries(names.map((name) => [name, "file:./absent"]));
  me.write("package.json", JSON.stringify({ name: "trial", private: true, resolutions, overrides: resolutions }));
}

/** What a newcomer does then: a call without a project, a project, a client that starts its entry, both engines of `run`. */
async function firstUse(me: Newcomer, toolwright: string): Promise<void> {
  const said = await me.ok(
    `${CALL.replace(/ +#.*/, "").replace("npm exec --no -- toolwright", toolwright)} 2>/dev/null`,
  );
  expect(jsonOf(said.slice(said.indexOf("{\n"), said.lastIndexOf("}") + 1))).toMatchObject({ ok: true, result: 2 });
  expect(await me.ok(`${toolwright} init --yes`)).toContain("connect");
  await me.ok(`${toolwright} connect claude-code --write --yes`);
  const { command, args } = JSON.parse(readFileSync(join(me.root, ".mcp.json"), "utf8")).mcpServers.toolwright;
  const client = new Client({ name: "test", version: "1" });
  const env = me.env as Record<string, string>;
  await client.connect(new StdioClientTransport({ command, args, cwd: me.root, env, stderr: "ignore" }));
  onTestFinished(() => client.close());
  const run = async (code: string): Promise<unknown> => {
    const { content } = await client.callTool({ name: "run", arguments: { command: code } });
    return (content as Json)[0].text;
  };
  expect(await run('demo.get_greeting(name="Ann")')).toContain("Ann");
  expect(await run("class A: pass\nA().__class__.__name__")).toBe("A");
}

/** Package managers: what makes them a command, how each installs, and how each starts the command. */
const MANAGERS: readonly (readonly [name: string, asCommand: string, install: () => string, toolwright: string])[] = [
  ["npm", "", () => `npm install '${tarball}'`, "npm exec --no -- toolwright"],
  ["pnpm", `pnpm() { npx --yes ${PNPM} "$@"; };`, () => `pnpm add '${tarball}'`, "pnpm exec toolwright"],
  ["yarn 1", `yarn() { npx --yes ${YARN_1} --silent "$@"; };`, () => `yarn add 'file:${tarball}'`, "yarn toolwright"],
  [
    "yarn 4",
    `yarn() { npx --yes --package ${YARN_4} yarn "$@"; };`,
    () => `yarn config set nodeLinker node-modules && yarn add 'toolwright@file:${tarball}'`,
    "yarn toolwright",
  ],
];

test.each(MANAGERS)(
  "%s installs the package and starts the command",
  SLOW,
  async (name, asCommand, install, toolwright) => {
    const page = pageText("docs/getting-started.md");
    expect(page).toContain(`\`${toolwright}`);
    if (name === "yarn 4") expect(page).toContain("`yarn config set nodeLinker node-modules`");
    const me = emptyFolder();
    if (name.startsWith("yarn")) leaveOutOtherPlatforms(me);
    if (name === "yarn 4") me.write("yarn.lock", "");
    const said = await me.ok(`${asCommand} ${install()}`);
    expect(said).not.toMatch(/install scripts|ERR|deprecated/);
    await firstUse(me, `${asCommand} ${toolwright}`);
  },
);

test("yarn 4 with its archives: every command says what to do", SLOW, async () => {
  const me = emptyFolder();
  leaveOutOtherPlatforms(me);
  me.write("yarn.lock", "");
  const yarn = `yarn() { npx --yes --package ${YARN_4} yarn "$@"; };`;
  await me.ok(`${yarn} yarn add 'toolwright@file:${tarball}'`);
  const said = await me.ok(`${yarn} yarn toolwright list`, 2);
  expect(said).toMatch(
    /^error toolwright cannot be started from the archives .* "yarn config set nodeLinker node-modules"/m,
  );
  await me.ok(`${yarn} yarn config set nodeLinker node-modules && yarn install`);
  await firstUse(me, `${yarn} yarn toolwright`);
});

test.each(["18", "20.19", "22", "24", "26"])("Node.js %s", SLOW, async (version) => {
  const node = temporaryFolder();
  writeFileSync(join(node, "package.json"), "{}");
  execFileSync("npm", ["install", "--silent", `node@${version}`], { cwd: node });
  const me = emptyFolder();
  // The npm of this machine, which an older Node.js may not start, installs.
  await me.ok(`npm install '${tarball}'`);
  me.env["PATH"] = [join(node, "node_modules/.bin"), join(me.root, "node_modules/.bin"), me.env["PATH"]].join(
    delimiter,
  );
  expect(await me.ok("node --version")).toMatch(new RegExp(`^v${version.replace(".", "\\.")}\\.`));
  if (version !== "18") return firstUse(me, "toolwright");
  expect(await me.ok("toolwright init --yes", 2)).toMatch(
    /^error toolwright needs Node\.js 20\.19 or newer, and this is 18/,
  );
});

test("CI in a repository made for it", SLOW, async () => {
  const me = emptyFolder();
  leaveOutOtherPlatforms(me);
  const [remote, programs] = [temporaryFolder(), temporaryFolder()];
  // The program that talks to GitHub writes down what it is asked.
  me.env["PATH"] = `${programs}${delimiter}${me.env["PATH"]}`;
  writeFileSync(join(programs, "gh"), `#!/bin/sh\necho "gh $*" >> ${programs}/asked.txt\n`, { mode: 0o755 });
  await me.ok(`mkdir vendor && cp '${tarball}' vendor/toolwright.tgz && npm install ./vendor/toolwright.tgz`);
  await me.ok("npm exec --no -- toolwright init --yes");
  const [line = ""] = commandsBelow("docs/ci.md", "# CI: drift and breaking changes");
  await me.ok(line.replace(/ +#.*/, ""));
  me.write(".gitignore", "node_modules/\n");
  const git = "git -c user.name=T -c user.email=t@example.com";
  await me.ok(`git init -q --bare -b main '${remote}' && git init -q -b main && git remote add origin '${remote}'`);
  await me.ok(`git add . && ${git} commit -q -m Start && git push -q origin main`);

  const { jobs }: Json = parse(readFileSync(join(me.root, ".github/workflows/toolwright.yml"), "utf8"));
  const head = { repo: { full_name: "owner/shop" } };
  const github = { event_name: "pull_request", base_ref: "main", repository: "owner/shop", token: "t" };
  const context = { github: { ...github, event: { pull_request: { number: 7, head } } } };
  const env = { ...me.env, CI: "true", GITHUB_ACTIONS: "true", GITHUB_REPOSITORY: "owner/shop" };
  const check = () => runSteps(jobs.check.steps, { folder: me.root, env, context, job: jobs.check });
  const faults = (): readonly string[] =>
    check().flatMap(({ name, status, output }) => (status === 0 ? [] : [`${name}\n${output}`]));
  expect(faults()).toEqual([]);

  for (const file of ["definitions/tools.ts", "definitions/handlers.ts"])
    me.write(file, readFileSync(join(me.root, file), "utf8").replaceAll("get_greeting", "get_welcome"));
  const [drift = ""] = faults();
  expect(drift).toMatch(/^Drift[\s\S]*::error title=generated-drift::/);
  await me.ok(
    `npm exec --no -- toolwright generate && git switch -q -c change && git add . && ${git} commit -q -m Rename`,
  );
  expect(faults().join("\n")).toMatch(/^What breaks callers and agents\n[\s\S]*::error [^\n]*title=tool-renamed/);
  expect(readFileSync(join(programs, "asked.txt"), "utf8")).toContain("gh pr comment 7 --body-file comment.md");
});
