/** Hints name the command that works where they are read. */

import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { hintAtFlags, ownCommand, serverHint } from "../../../runtime/contract/own-command.js";
import { MANAGERS } from "../../../runtime/contract/package-manager.js";
import { CHECKOUT, temporaryFolder } from "../../support/project.js";

const AGENT = (name: string) => ({ npm_config_user_agent: `${name}/9.0.0 node/v22` });

describe("the command", () => {
  const root = temporaryFolder(() => undefined);
  const bin = join(root, "node_modules/.bin/toolwright");
  test.each([
    ["a checkout", join(CHECKOUT, "generator/launch.mjs"), {}, "toolwright"],
    [
      "a script of the name",
      join(CHECKOUT, "generator/launch.mjs"),
      { ...AGENT("npm"), npm_lifecycle_event: "toolwright" },
      "npm run --silent toolwright --",
    ],
    ["npm", bin, AGENT("npm"), "npm exec --no -- toolwright"],
    [
      "pnpm",
      join(root, "node_modules/.pnpm/toolwright@1/node_modules/toolwright/dist/generator/main.js"),
      AGENT("pnpm"),
      "pnpm exec toolwright",
    ],
    ["yarn", bin, { ...AGENT("yarn"), npm_lifecycle_event: "toolwright" }, "yarn toolwright"],
    ["bun", bin, AGENT("bun"), "bun run toolwright"],
    ["no manager", bin, {}, "npm exec --no -- toolwright"],
    ["an unknown manager", bin, AGENT("cnpm"), "npm exec --no -- toolwright"],
    ["a global installation", "/usr/lib/node_modules/toolwright/dist/generator/main.js", AGENT("npm"), "toolwright"],
    ["npx whose folder is gone", "/home/a/.npm/_npx/1f/node_modules/.bin/toolwright", AGENT("npm"), "toolwright"],
    [
      "a script of a project that is called start",
      bin,
      { ...AGENT("npm"), npm_lifecycle_event: "start" },
      "npm exec --no -- toolwright",
    ],
    [
      "npm start of a checkout",
      join(CHECKOUT, "generator/launch.mjs"),
      { ...AGENT("npm"), npm_lifecycle_event: "start" },
      "npm run --silent toolwright --",
    ],
  ])("is what starts it again: %s", (_, program, env, command) => {
    expect(ownCommand({ program, folder: root, env })).toBe(command);
    expect(ownCommand({ program, folder: join(root, "below"), env })).toBe(command);
  });

  test.each([
    ["pnpm-lock.yaml", "pnpm exec toolwright"],
    ["yarn.lock", "yarn toolwright"],
    ["bun.lock", "bun run toolwright"],
    ["package-lock.json", "npm exec --no -- toolwright"],
  ])("the lock file %s decides where no manager started it", (lock, command) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, lock), "");
    mkdirSync(join(folder, "services/shop"), { recursive: true });
    const program = join(folder, "node_modules/toolwright/dist/generator/main.js");
    expect(ownCommand({ program, folder: join(folder, "services/shop"), env: {} })).toBe(command);
  });
});

test.each([
  ["a tarball", "file:../../x/toolwright-1.0.0.tgz", ["../x/toolwright-1.0.0.tgz"], "/x/toolwright-1.0.0.tgz"],
  ["a folder with a space", "file:../../a checkout", ["../a checkout"], "'/a checkout'"],
  ["a version", "^1.2.0", ["toolwright@1"], "toolwright@1"],
  ["the registry's package of the name", "^1.2.0", ["toolwright"], "toolwright"],
])("npx of %s names it again, and nothing that npx would look for elsewhere", (_, dependency, packages, named) => {
  const cache = temporaryFolder();
  const home = join(cache, "_npx", "1f");
  mkdirSync(home, { recursive: true });
  writeFileSync(
    join(home, "package.json"),
    JSON.stringify({ dependencies: { toolwright: dependency }, _npx: { packages } }),
  );
  const program = join(home, "node_modules/.bin/toolwright");
  const command = ownCommand({ program, folder: temporaryFolder(), env: AGENT("npm") });
  expect(command).toBe(`npx ${named.replace(/^'?(?=\/)/, (start) => `${start}${cache}`)}`);
});

test("no hint has a manager fetch a package of the name", () => {
  const command = MANAGERS.map(({ hint }) => hint);
  expect(new Set(command)).toEqual(new Set(["npm exec --no --", "pnpm exec", "yarn", "bun run"]));
});

test("errors, hints and help of an installed command line are as they are typed; JSON stays as it is", () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "node_modules/.bin"), { recursive: true });
  const bin = join(root, "node_modules/.bin/toolwright");
  symlinkSync(join(CHECKOUT, "generator/launch.mjs"), bin);
  mkdirSync(join(root, "definitions"));
  writeFileSync(join(root, "pnpm-lock.yaml"), "");
  writeFileSync(
    join(root, "definitions/toolwright.yaml"),
    "use: []\nsources: [{ chat-tools: tools.json, pack: p, kind: read }]\n",
  );
  writeFileSync(
    join(root, "definitions/tools.json"),
    JSON.stringify([{ type: "function", function: { name: "list_x", description: "List x." } }]),
  );
  const { npm_config_user_agent: _, npm_lifecycle_event: __, ...env } = process.env;
  const run = (...args: readonly string[]) => {
    const { stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { cwd: root, env, encoding: "utf8" });
    return stdout + stderr;
  };
  expect(run("check")).toContain('Run "pnpm exec toolwright generate" and commit the result.');
  expect(run("add")).toContain("as in: pnpm exec toolwright add docs https://example.com/mcp");
  expect(run("generate", "--help")).toContain("  $ pnpm exec toolwright generate --json\n");
  expect(run("generate", "--colour")).toContain('(see "pnpm exec toolwright generate --help")');
  expect(run("lst")).toContain('(see "pnpm exec toolwright --help")');
  execFileSync(process.execPath, [bin, "generate"], { cwd: root, env, stdio: "ignore" });
  expect(run("breaking", "--against", "git:HEAD")).not.toMatch(/"toolwright [a-z]/);
  writeFileSync(join(root, "definitions/servers.json"), "");
  expect(run("check", "--json")).not.toContain("pnpm");
});

describe("the remedy for a server that a flag names", () => {
  test.each([
    ["install it, or correct servers.none.command", "install it, or correct --stdio"],
    ["check its address, or correct servers.none.url", "check its address, or correct --stdio"],
    ["run less at once, or raise servers.none.limits.calls", "run less at once"],
    [
      'run "toolwright snapshot none" on a terminal, or set servers.none.headers',
      'run "toolwright list" with these flags on a terminal, or set --header',
    ],
  ])("%s: names the flag, or leaves out what no flag sets", (remedy, shown) => {
    hintAtFlags(() => "--stdio");
    try {
      expect(serverHint(remedy)).toBe(shown);
    } finally {
      hintAtFlags(undefined);
    }
  });
});
