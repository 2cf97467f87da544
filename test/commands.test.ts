/** Commands in the process that stays end as each does in a process of its own. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { canHost, runHosted } from "./support/commands.js";
import { CHECKOUT, temporaryFolder, toolwright } from "./support/project.js";

/** Runs a command in the process that stays. */
function hosted(args: readonly string[], cwd = CHECKOUT, env: NodeJS.ProcessEnv = {}) {
  return runHosted({ args, cwd, env: { ...process.env, ...env } });
}

test.each([
  ["help", ["--help"]],
  ["a word that is no command", ["nonsense"]],
  ["a folder without a project", ["generate", "--root", "nowhere"]],
  ["an op that is unknown", ["explain", "onto.task.lst"]],
])("output and exit code of %s", async (_, args) => {
  // A command that gets input has a process of its own.
  expect(await hosted(args)).toEqual(await toolwright(args, { input: "" }));
});

test("a command sees its folder and variables, and the next one nothing of them", async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  writeFileSync(join(root, "definitions", "toolwright.yaml"), "use: []\nsources: []\n");
  const here = await hosted(["config", "--json"], root, { TOOLWRIGHT_TITLE: "here" });
  expect(here).toMatchObject({ code: 0, stderr: "" });
  expect(await hosted(["generate"], root)).toMatchObject({ code: 0 });
  const [first, second] = [await hosted(["config", "--json"]), await toolwright(["config", "--json"], { input: "" })];
  expect(first).toEqual(second);
});

test.each([
  ["a command that serves", { args: ["serve", "--stdio"] }],
  ["one that goes on", { args: ["generate", "--watch"] }],
  ["another time zone", { args: ["generate"], env: { ...process.env, TZ: "Asia/Tokyo" } }],
  ["options of Node.js", { args: ["generate"], env: { ...process.env, NODE_OPTIONS: "--no-warnings" } }],
])("%s has a process of its own", (_, command) => {
  expect(canHost({ cwd: CHECKOUT, env: process.env, ...command })).toBe(false);
});

test("a command that ends its process, since something is open, ends alone", async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  mkdirSync(join(root, "node_modules"));
  symlinkSync(CHECKOUT, join(root, "node_modules", "toolwright"));
  writeFileSync(
    join(root, "definitions", "toolwright.yaml"),
    "use: []\ntrust: local\nplugins: [./plugin.mjs]\nsources: []\n",
  );
  writeFileSync(
    join(root, "definitions", "plugin.mjs"),
    `import { defineFeature } from "toolwright/feature";
const run = async (context) => {
  setInterval(() => undefined, 1000);
  context.out("looked\\n");
  return 1;
};
export default defineFeature({ name: "probe", commands: { look: { about: "look", run } } });
`,
  );
  expect(await hosted(["generate"], root)).toMatchObject({ code: 0 });
  expect(await hosted(["probe", "look"], root)).toEqual({ code: 1, stdout: "looked\n", stderr: "" });
  expect(await hosted(["--version"], root)).toMatchObject({ code: 0, stderr: "" });
});

test("a plugin that has changed is read anew", async () => {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  writeFileSync(join(root, "definitions", "toolwright.yaml"), "use: []\nplugins: [./plugin.mjs]\nsources: []\n");
  const generateWith = async (text: string) => {
    writeFileSync(join(root, "definitions", "plugin.mjs"), text);
    const [first, second] = [
      await hosted(["generate"], root),
      await toolwright(["generate"], { cwd: root, input: "" }),
    ];
    expect(first).toEqual(second);
    return first;
  };
  const [one, other] = [
    await generateWith("export default {}; throw new Error('one');"),
    await generateWith("export default {}; throw new Error('other');"),
  ];
  expect(one.stderr).toContain("one");
  expect(other.stderr).toContain("other");
});
