/** `toolwright completion` and `toolwright help`, as a shell and a person call them. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
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
const complete = (...words: readonly string[]) => completeIn(root, ...words);

async function completeIn(cwd: string, ...words: readonly string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await toolwright(["completion", "complete", "--", ...words], { cwd });
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
    expect(await complete("call", "shop.list_items", "--to")).toEqual(["--tools", "--to-do", ":4"]);
    expect(await complete("list", "sh")).toEqual(["shop", ":4"]);
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

  describe("texts of a server that a shell would run", () => {
    const shop = "shop.list_items";
    let folder = "";
    /** What bash, zsh and fish would run, expand or show elsewhere. */
    const HOSTILE = [
      ...["a$(touch MARK)", "a`touch MARK`", "a;touch MARK", "a|touch MARK", "a&touch MARK", "a\ntouch MARK"],
      ...[
        "$(touch MARK)",
        "`touch MARK`",
        "a'$(touch MARK)'",
        'a"$(touch MARK)"',
        "a\\$(touch MARK)",
        "a$((`touch MARK`))",
      ],
      ...[
        "<(touch MARK)",
        ">(touch MARK)",
        "a>MARK",
        "a<MARK",
        `\${x:=$(touch MARK)}`,
        "a[$(touch MARK)]",
        "x[`touch MARK`]=1",
      ],
      ...[
        "!touch",
        "~root",
        "a{b,c}",
        "*",
        "a?",
        "a b",
        "#",
        "%a",
        "(touch MARK)",
        "\u202egnp",
        "a\u001b]0;x\u0007",
        "a\t$(touch MARK)",
      ],
      ...[
        "-$(touch MARK)",
        "=(touch MARK)",
        "a:$(touch MARK)",
        ":$(touch MARK)",
        "\r",
        "a\u2028touch MARK",
        "：",
        "‘a’",
      ],
    ];

    beforeAll(async () => {
      const hostile = temporaryFolder((clean) => cleaning.push(clean));
      folder = join(hostile, "a project");
      mkdirSync(join(folder, "generated"), { recursive: true });
      const parameters = [...HOSTILE, "to_do"].map((original) => ({ original, description: original }));
      const tools = [
        { op: shop, summary: HOSTILE.join(" "), parameters },
        ...HOSTILE.map((op) => ({ op, summary: "" })),
      ];
      writeFileSync(join(folder, "generated/registry.json"), JSON.stringify({ tools }));
    });

    test("names that every shell reads as themselves are offered, others are not", async () => {
      expect(await completeIn(folder, "exec", shop, "--")).toContain("--to-do");
      for (const words of [
        ["exec", ""],
        ["help", ""],
        ["exec", shop, "--"],
      ])
        for (const one of await completeIn(folder, ...words)) expect(one).toMatch(/^[\w.@/+:-][\w.@/+:=,-]*$/);
    });

    test("descriptions stay on their line, without controls and what shells expand", async () => {
      const { stdout } = await toolwright(["completion", "complete", "--", "exec", "shop"], { cwd: folder });
      expect(stdout.split("\n")).toHaveLength(3);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
      expect(stdout.replace("\t", "")).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f\u202e\u2028$`\\]/);
    });

    test("bash runs nothing of them, nor of the line that it completes", async () => {
      const { stdout } = await toolwright(["completion", "bash"], { cwd: folder });
      const asks = [
        `exec ${shop} --`,
        "exec ''",
        "help ''",
        `exec ${shop} --to-do='$(touch MARK)' --`,
        "exec '`touch MARK`'",
      ];
      const script = asks.map(
        (words) => `COMP_WORDS=(toolwright ${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1))
__toolwright_complete; printf '%s\\n' "\${COMPREPLY[@]}"`,
      );
      writeFileSync(join(folder, "ask.sh"), `enable -n compopt\n${stdout}\n${script.join("\n")}\n`);
      const said = spawnSync("bash", [join(folder, "ask.sh")], { cwd: folder, encoding: "utf8" });
      expect([said.stderr, existsSync(join(folder, "MARK"))]).toEqual(["", false]);
      expect(said.stdout).toContain("--to-do");
    });

    test("bash finds the project that a quoted --root names", async () => {
      const { stdout } = await toolwright(["completion", "bash"], { cwd: folder });
      const ask = `COMP_WORDS=(toolwright exec --root "'a project'" shop.); COMP_CWORD=4
__toolwright_complete; printf '%s\\n' "\${COMPREPLY[@]}"`;
      writeFileSync(join(folder, "ask.sh"), `enable -n compopt\n${stdout}\n${ask}\n`);
      const said = spawnSync("bash", [join(folder, "ask.sh")], { cwd: join(folder, ".."), encoding: "utf8" });
      expect([said.stderr, said.stdout.trim()]).toEqual(["", shop]);
    });
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
    expect((await help("xyzzy", "plugh")).code).toBe(1);
  });
});
