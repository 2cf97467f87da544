/** `toolwright completion` and `toolwright help`, as a shell and a person call them. */

import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { eachCase } from "../../support/each-case.js";
import { temporaryFolder, toolwright } from "../../support/project.js";

const cleaning: (() => void)[] = [];
let root = "";

beforeAll(async () => {
  root = temporaryFolder((clean) => cleaning.push(clean));
  mkdirSync(join(root, "definitions/servers"), { recursive: true });
  const tool = (name: string) => ({ name, description: `Do ${name}.`, inputSchema: { properties: { to_do: {} } } });
  writeFileSync(join(root, "definitions/toolwright.yaml"), "sources: [{ mcp: servers/*.json }]\n");
  writeFileSync(join(root, "definitions/servers/shop.json"), JSON.stringify({ tools: [tool("list_items")] }));
  // A pack that is called like a command.
  writeFileSync(join(root, "definitions/servers/serve.json"), JSON.stringify({ tools: [tool("list_plates")] }));
  expect((await toolwright(["generate", "--root", root])).code).toBe(0);
  return () => {
    for (const clean of cleaning) clean();
  };
});

/** What a shell is told for the last word: the candidates, and what it does beside them. */
async function complete(...words: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await toolwright(["completion", "complete", "--", ...words], { cwd: root });
  expect([code, stderr]).toEqual([0, ""]);
  return stdout.split("\n").flatMap((line) => (line === "" ? [] : [line.split("\t")[0] ?? ""]));
}

describe("toolwright completion", { timeout: 120_000 }, () => {
  test("commands, groups, flags, values, ops and their arguments", { tags: "full" }, async () => {
    expect(await complete("ser")).toEqual(["serve", ":4"]);
    expect(await complete("keys", "r")).toEqual(["revoke", "rotate", ":4"]);
    expect(await complete("serve", "--w")).toEqual(["--watch", ":4"]);
    expect(await complete("breaking", "--format", "sa")).toEqual(["sarif", ":4"]);
    expect(await complete("connect", "cur")).toEqual(["cursor", ":4"]);
    expect(await complete("exec", "sh")).toEqual(["shop.list_items", ":4"]);
    expect(await complete("exec", "shop.list_items", "--to")).toEqual(["--to-do", ":4"]);
    expect(await complete("help", "serve.")).toEqual(["serve.list_plates", ":4"]);
    expect(await complete("completion", "z")).toEqual(["zsh", ":4"]);
    // Nothing is known, so that the shell completes files.
    expect(await complete("run", "rep")).toEqual([":0"]);
  });

  eachCase(["bash", "zsh", "fish", "powershell"], "bash")("the script of %s names this program", {}, async (shell) => {
    const { code, stdout, stderr } = await toolwright(["completion", shell], { cwd: root });
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`'${process.execPath}'`);
    expect(stdout).toMatch(/launch\.mjs' completion complete ('--'|--)/);
  });

  test("bash completes with its script, read twice, without bash-completion and compopt", async () => {
    const { stdout } = await toolwright(["completion", "bash"], { cwd: root });
    const ask = `COMP_WORDS=(toolwright exec shop.); COMP_CWORD=2
__toolwright_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
    writeFileSync(join(root, "ask.sh"), `enable -n compopt\n${stdout}\n${stdout}\n${ask}\n`);
    const said = spawnSync("bash", [join(root, "ask.sh")], { cwd: root, encoding: "utf8" });
    expect([said.stderr, said.stdout.trim()]).toEqual(["", "shop.list_items"]);
  });

  test("an unknown shell is refused with those that are known", { tags: "full" }, async () => {
    const { code, stderr } = await toolwright(["completion", "tcsh"], { cwd: root });
    expect([code, stderr]).toEqual([2, expect.stringContaining("name bash, zsh, fish, powershell")]);
  });
});

describe("toolwright help", { timeout: 120_000 }, () => {
  const help = (...words: readonly string[]) => toolwright(["help", ...words], { cwd: root });

  test("a command, one of a group, a group, without a project too", { tags: "full" }, async () => {
    expect((await help("check")).stdout).toMatch(/^Usage: toolwright check \[options\]/);
    expect((await help("keys", "create")).stdout).toMatch(/^Usage: toolwright keys create[\s\S]*Examples:/);
    expect((await help("keys")).stdout).toMatch(/^Usage: toolwright keys[\s\S]*rotate/);
    const elsewhere = await toolwright(["help", "check"], { cwd: temporaryFolder() });
    expect([elsewhere.code, elsewhere.stderr]).toEqual([0, ""]);
    const { type, path } = JSON.parse((await help("check", "--json")).stdout);
    expect([type, path]).toEqual(["command", "check"]);
  });

  test("an op is that of the registry; what is both is shown as both", { tags: "full" }, async () => {
    const op = await help("shop.list_items");
    expect([op.code, op.stdout]).toEqual([0, expect.stringMatching(/^shop\.list_items \(read\)/)]);
    const both = await help("serve");
    expect(both.stdout).toMatch(/^Usage: toolwright serve[\s\S]*\nserve\n {2}serve\.list_plates/);
    expect((await help("nothing", "here")).code).toBe(1);
  });
});
