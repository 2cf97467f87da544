/**
 * `toolwright add` and `toolwright remove` in a project of its own.
 *
 * @module-tag full
 */

import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { temporaryFolder, toolwright } from "../../support/project.js";
import { onTerminal } from "../../support/terminal.js";
import { behaving } from "../../support/upstream/servers.js";

const TOOLS = [{ name: "list_notes", description: "List notes.", inputSchema: { type: "object", properties: {} } }];
const notes = behaving("tools", TOOLS);
const NOTES = [notes.command ?? "", ...(notes.args ?? [])];
const CONFIG = "definitions/toolwright.yaml";
const BEFORE = "# mine\nsources:\n  - { functions: sums.ts }   # own\n";

/** A generated project with one typed function, and a home without clients. */
async function project(files: Readonly<Record<string, string>> = {}) {
  const [root, home] = [temporaryFolder(), temporaryFolder()];
  const own = {
    [CONFIG]: BEFORE,
    "definitions/sums.ts":
      "/** Adds two numbers.\n * @access read\n */\nexport function add(a: number, b: number): number {\n  return a + b;\n}\n",
  };
  for (const [name, text] of Object.entries({ ...own, ...files })) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), CODEX_HOME: "" };
  const run = (command: string, ...args: readonly string[]) => toolwright([command, "--root", root, ...args], { env });
  expect((await run("generate")).code).toBe(0);
  return { root, env, run, read: (file: string) => readFileSync(join(root, file), "utf8") };
}

describe("toolwright add and remove", { timeout: 180_000 }, () => {
  test("a command is added, read and generated, and taken out again", { tags: "full" }, async () => {
    const { root, run, read } = await project();
    const added = await run("add", "--yes", "notes", "--", ...NOTES);
    expect([added.code, added.stderr]).toEqual([0, ""]);
    for (const part of [
      "+  - mcp: servers/*.json",
      `wrote ${CONFIG}`,
      "definitions/servers/notes.json",
      "+ 1 op: notes.list_notes",
    ])
      expect(added.stdout).toContain(part);
    expect(read(CONFIG).startsWith(BEFORE)).toBe(true);
    expect(parse(read(CONFIG)).servers).toEqual({ notes: { type: "stdio", ...notes } });
    expect((await run("check")).code).toBe(0);
    const again = await run("add", "notes", "--", ...NOTES);
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining("notes is there already") });
    const removed = await run("remove", "notes");
    expect([removed.code, removed.stderr]).toEqual([0, ""]);
    expect(removed.stdout).toContain("deleted definitions/servers/notes.json");
    expect(removed.stdout).toContain("- 1 op: notes.list_notes");
    expect(read(CONFIG)).toBe(BEFORE);
    expect(readdirSync(join(root, "definitions/servers"))).toEqual([]);
  });

  test("without a terminal an unknown command is not started, and the remedy is named; a known one is", async () => {
    const { root, run, read } = await project();
    const refused = await run("add", "notes", "--", ...NOTES);
    expect(refused).toMatchObject({ code: 2, stdout: "" });
    expect(refused.stderr).toMatch(
      /a command is started that this project does not start yet:\n {2}notes: .*\nadd --yes/s,
    );
    expect([read(CONFIG), existsSync(join(root, "definitions/servers"))]).toEqual([BEFORE, false]);
    expect((await run("add", "--yes", "notes", "--", ...NOTES)).code).toBe(0);
    expect((await run("add", "more", "--", ...NOTES)).code).toBe(0);
    expect(Object.keys(parse(read(CONFIG)).servers)).toEqual(["notes", "more"]);
  });

  test("--from takes the servers of clients, or one of them; secrets go to their file", { tags: "full" }, async () => {
    const servers = { notes: { ...notes, env: { N_TOKEN: "hush", LEVEL: "debug" } }, other: notes };
    const { run, read } = await project({ ".cursor/mcp.json": JSON.stringify({ mcpServers: servers }) });
    const one = await run("add", "notes", "--from", "cursor", "--yes");
    expect([one.code, one.stdout]).toEqual([0, expect.stringContaining("(mode 0600): N_TOKEN")]);
    expect(one.stdout + one.stderr).not.toContain("hush");
    expect(parse(read(CONFIG)).servers).toEqual({
      notes: { type: "stdio", ...notes, env: { N_TOKEN: "$" + "{N_TOKEN}", LEVEL: "debug" } },
    });
    expect(parse(read(".onetool/secrets.yaml"))).toEqual({ N_TOKEN: "hush" });
    const rest = await run("add", "--from", "cursor", "--yes");
    expect([rest.code, rest.stdout]).toEqual([0, expect.stringContaining("notes is there already")]);
    expect(Object.keys(parse(read(CONFIG)).servers)).toEqual(["notes", "other"]);
    expect((await run("remove", "notes")).stdout).toContain("The values of N_TOKEN stay in .onetool/secrets.yaml");
  });

  test("secrets are where secrets.from says: names that are taken there, and no file that nothing reads", async () => {
    const servers = { notes: { ...notes, env: { N_TOKEN: "hush" } } };
    const { root, run, read } = await project({
      [CONFIG]: `${BEFORE}secrets: { from: ["dir: mounted"] }\n`,
      "mounted/N_TOKEN": "of another server",
      ".cursor/mcp.json": JSON.stringify({ mcpServers: servers }),
    });
    const { stdout, stderr } = await run("add", "notes", "--from", "cursor", "--yes");
    expect(parse(read(CONFIG)).servers.notes.env).toEqual({ N_TOKEN: "$" + "{NOTES_N_TOKEN}" });
    expect(stdout).toContain(
      'not kept: the values of NOTES_N_TOKEN; put them where secrets.from looks: "dir: mounted"',
    );
    expect(stdout + stderr).not.toContain("hush");
    expect(existsSync(join(root, ".onetool/secrets.yaml"))).toBe(false);
  });

  test("wrong calls end with 2, and change nothing", { tags: "full" }, async () => {
    const { run, read } = await project({ ".mcp.json": '{ "mcpServers": { "x": { "command": "y" } } }' });
    for (const [[command, ...args], says] of [
      [["add"], /name a server with its URL or command/],
      [["add", "docs"], /name a server with its URL or command/],
      [["add", "../x", "node"], /makes no file name/],
      [["add", "docs", "ftp://a.example"], /cannot be reached/],
      [["add", "docs", "https://a.example", "more"], /more follows a URL/],
      [["add", "--from", "cursr"], /did you mean cursor/],
      [["add", "z", "--from", "claude-code"], /claude-code has no server z; it has x/],
      [["add", "z", "node", "--from", "claude-code"], /node and --from/],
      [["remove", "docs"], /no server "docs" in toolwright\.yaml; there are none/],
    ] as const) {
      const { code, stderr } = await run(command, ...args);
      expect(stderr).toMatch(says);
      expect(code).toBe(2);
    }
    expect(read(CONFIG)).toBe(BEFORE);
  });

  test("a server that fails stays, and what to do is said", { tags: "full" }, async () => {
    const { run, read } = await project();
    const { code, stdout } = await run("add", "gone", "no-such-command-here", "--yes");
    expect([code, stdout]).toEqual([1, expect.stringContaining('take it out with "toolwright remove NAME"')]);
    expect(parse(read(CONFIG)).servers.gone).toEqual({ type: "stdio", command: "no-such-command-here" });
    expect((await run("remove", "gone")).code).toBe(0);
    expect(read(CONFIG)).toBe(BEFORE);
  });

  test("on a terminal the command is asked for", { tags: "full" }, async ({ skip }) => {
    const { root, env, read } = await project();
    const asked = (types: string) =>
      onTerminal(["add", "--root", root, "notes", "--", ...NOTES], { env, steps: [["◆  Start them?", types]] });
    const no = await asked("n");
    if (!no) return skip("python3 is not there");
    expect([no.code, no.text, read(CONFIG)]).toEqual([1, expect.stringContaining("Nothing was written."), BEFORE]);
    const yes = await asked("y");
    expect([yes?.code, yes?.text]).toEqual([0, expect.stringContaining("+ 1 op: notes.list_notes")]);
  });
});
