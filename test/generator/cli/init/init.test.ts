/** `toolwright init` without a terminal: what it writes, and what it leaves alone. */

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { serverGiven } from "../../../../generator/cli/init/answers.js";
import { attributesText, configText, ignoreText, packageText } from "../../../../generator/cli/init/project.js";
import { loadConfig } from "../../../../generator/config/config.js";
import { Report } from "../../../../generator/core/diagnostic.js";
import { CHECKOUT, ownOps, temporaryFolder, toolwright } from "../../../support/project.js";
import { runs } from "../../../support/random.js";
import { onTerminal } from "../../../support/terminal.js";
import { behaving } from "../../../support/upstream/servers.js";

const SCHEMA = "# yaml-language-server: $schema=../node_modules/toolwright/schema.json";
const TOOLS = [{ name: "list_notes", description: "List notes.", inputSchema: { type: "object", properties: {} } }];
const notes = behaving("tools", TOOLS);
/** The server as a command line. */
const NOTES = `${notes.command} ${notes.args?.map((one) => `'${one}'`).join(" ")}`;

/** An empty folder, and a home without clients. */
function empty(files: Readonly<Record<string, string>> = {}): {
  readonly root: string;
  readonly env: NodeJS.ProcessEnv;
} {
  const [root, home] = [temporaryFolder(), temporaryFolder()];
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  return { root, env: { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), CODEX_HOME: "" } };
}

const init = ({ root, env }: ReturnType<typeof empty>, args: readonly string[] = []) =>
  toolwright(["init", "--root", root, ...args], { env });
const read = (root: string, file: string): string => readFileSync(join(root, file), "utf8");
const config = (root: string) => parse(read(root, "definitions/toolwright.yaml"));

test.each([
  ["localhost:1234/mcp", "http://localhost:1234/mcp"],
  ["localhost:1234", "http://localhost:1234"],
  ["127.0.0.1:80/mcp?a=b", "http://127.0.0.1:80/mcp?a=b"],
  ["[::1]:1234/mcp", "http://[::1]:1234/mcp"],
  ["mcp.example.com/mcp", "https://mcp.example.com/mcp"],
  ["mcp.example.com:8443/v1/sse/", "https://mcp.example.com:8443/v1/sse/"],
])("an address without its scheme is no command: %s", (target, meant) => {
  expect(() => serverGiven(`x=${target}`)).toThrow(`did you mean ${meant}?`);
});

test.each([
  "./server.py",
  "server.py",
  "bin/mcp",
  "npx",
  "a:b",
  "C:\\\\a\\\\mcp.exe",
  "/opt/x.d/mcp",
  "run localhost:1234/mcp",
])("a command stays one: %s", (target) => {
  expect(serverGiven(`x=${target}`).value).toHaveProperty("command");
});

describe("toolwright init without a terminal", () => {
  test("a server is named: the project is written, read and generated; generate and help work on it", async () => {
    const place = empty();
    const { code, stdout, stderr } = await init(place, ["--server", `notes=${NOTES}`]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^wrote definitions\/toolwright\.yaml\nwrote \.gitattributes\nwrote \.gitignore\nnotes {2}written {4}1 tool /,
    );
    expect(stdout).toMatch(/^(\d+) ops in notes, ot, proj \(\1 read, 0 write\)/m);
    expect(stdout).not.toContain("to take the changes over");
    const { root } = place;
    expect(ownOps(root)).toEqual(["notes.list_notes"]);
    expect(read(root, "definitions/toolwright.yaml").split("\n")[0]).toBe(SCHEMA);
    expect(config(root)).toEqual({
      sources: [{ mcp: "servers/*.json" }],
      servers: { notes: { type: "stdio", ...notes } },
      run: { languages: ["python", "typescript"] },
      learn: { words: "on" },
    });
    expect(read(root, "definitions/toolwright.yaml")).toContain("\nrun:\n  languages: [python, typescript]\n");
    expect(read(root, ".gitattributes")).toBe(
      "definitions/** text=auto eol=lf\ngenerated/** linguist-generated text eol=lf\ngenerated/validators/** linguist-generated -diff\n",
    );
    expect(read(root, ".onetool/.gitignore")).toBe("*\n");
    expect(read(root, ".gitignore")).toBe("node_modules/\n.onetool/\n*.key\n");
    expect((await toolwright(["generate", "--root", root])).code).toBe(0);
    expect((await toolwright(["check", "--root", root])).code).toBe(0);
    expect((await toolwright(["help", "notes.list_notes", "--root", root])).stdout).toContain(
      "notes.list_notes (read)",
    );
  });

  test("an empty folder with --yes starts from the example, which generates and answers", {
    tags: "full",
  }, async () => {
    const place = empty();
    const { code, stdout, stderr } = await init(place, ["--yes"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^wrote definitions\/tools\.ts\nwrote definitions\/handlers\.ts\nwrote definitions\/toolwright\.yaml\n/,
    );
    const { root } = place;
    expect((await toolwright(["check", "--root", root])).code).toBe(0);
    const called = await toolwright(["exec", "demo.get_greeting", "--name", "Ada", "--root", root]);
    expect([called.code, called.stdout]).toEqual([0, expect.stringContaining("Hello, Ada!")]);
  });

  test("a server that is left out is named, and no example takes its place", { tags: "full" }, async () => {
    const place = empty({ ".mcp.json": JSON.stringify({ mcpServers: { odd: { url: 7 } } }) });
    const { code, stderr } = await init(place, ["--yes"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining("odd is left out")]);
    expect(existsSync(join(place.root, "definitions"))).toBe(false);
  });

  test("a client's file that cannot be read is named with its place, and the rest goes on", async () => {
    const place = empty({
      ".mcp.json": '{\n  "mcpServers": {\n    "a": { "url": }\n  }\n}',
      ".cursor/mcp.json": '{ "mcpServers": [] }',
      ".vscode/mcp.json": '{ "servers": { "b": "node b.js" } }',
    });
    const personal = join(place.env["HOME"] ?? "", ".codex", "config.toml");
    mkdirSync(dirname(personal), { recursive: true });
    writeFileSync(personal, "[mcp_servers.c]\ncommand = \n");
    const { code, stdout, stderr } = await init(place, ["--yes"]);
    expect([code, stderr.trim().split("\n")]).toEqual([
      0,
      [
        `passed over Claude Code: ${join(place.root, ".mcp.json")} is no JSON that can be read: line 3, column 19: value expected`,
        "passed over Cursor, .cursor/mcp.json: mcpServers must be an object, a server by each name",
        "passed over VS Code, .vscode/mcp.json: servers.b must be an object with command or url",
        expect.stringMatching(/^passed over Codex: .*config\.toml is no TOML that can be read: line 2, column \d+: /),
      ],
    ]);
    expect(stdout).toContain("wrote definitions/toolwright.yaml");
  });

  test("a server that fails in a new project: the command that follows was not run before", async () => {
    const { code, stdout } = await init(empty(), ["--server", "a=node nope.js"]);
    expect(code).toBe(1);
    expect(stdout).toContain('A server failed: correct it, and run "toolwright snapshot".\n');
  });

  test("nothing to start from, wrong flags: exit 2, and nothing is written", { tags: "full" }, async () => {
    const place = empty();
    for (const [args, says] of [
      [[], /nothing to start from: name a server with --server/],
      [["--server", "x"], /"x" is not NAME=URL or NAME=COMMAND/],
      [["--server", "../x=node"], /"\.\.\/x" makes no file name/],
      [["--server", "x=node 'a"], /ends inside a quote/],
      [
        ["--server", "x=ftp://a.example/b"],
        /"ftp:\/\/a\.example\/b" cannot be reached: a server has an http or https URL/,
      ],
      [["--server", "x=a", "--server", "x=b"], /names x twice/],
      [["--import", "cursor"], /Cursor has no servers in \.cursor\/mcp\.json or /],
      [["--import", "all"], /no client on this machine has servers/],
      [["--import", "nowhere.json"], /neither a client nor a file/],
    ] as const) {
      const { code, stdout, stderr } = await init(place, args);
      expect(stderr).toMatch(says);
      expect([code, stdout, readdirSync(place.root)]).toEqual([2, "", []]);
    }
  });

  test("a file in definitions/ that exists is named and not replaced, before anything is written", async () => {
    const taken = empty({ "definitions/toolwright.yaml": "mine\n" });
    const first = await init(taken, ["--server", `notes=${NOTES}`]);
    expect([first.code, first.stderr]).toEqual([2, expect.stringContaining("definitions/toolwright.yaml exists")]);
    expect(read(taken.root, "definitions/toolwright.yaml")).toBe("mine\n");
    const snapshot = empty({ "definitions/servers/notes.json": '{"tools":[]}' });
    const second = await init(snapshot, ["--server", `notes=${NOTES}`]);
    expect([second.code, second.stderr]).toEqual([2, expect.stringContaining("definitions/servers/notes.json exists")]);
    expect(readdirSync(join(snapshot.root, "definitions"))).toEqual(["servers"]);
  });

  test("unreadable files are skipped, write errors are reported", { tags: "full" }, async () => {
    const place = empty({ "definitions/readme.md": "text" });
    symlinkSync(join(place.root, "nowhere"), join(place.root, "definitions", "gone.json"));
    symlinkSync(join(place.root, "nowhere"), join(place.root, "definitions", "toolwright.yaml"));
    expect((await init(place)).stderr).toContain("definitions/toolwright.yaml exists");
    const file = empty({ definitions: "a file" });
    const { code, stderr } = await init(file, ["--server", `notes=${NOTES}`]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/error .* cannot be written: E/)]);
  });

  test("a server that fails is reported, and does not undo the rest", { tags: "full" }, async () => {
    const place = empty();
    const { code, stdout } = await init(place, ["--yes", "--server", "gone=no-such-command-here"]);
    expect(code).toBe(1);
    expect(stdout).toContain('gone  failed     there is no command "no-such-command-here"');
    expect(stdout).toContain('"toolwright generate" follows when "toolwright snapshot" has read one');
    expect(existsSync(join(place.root, "definitions/toolwright.yaml"))).toBe(true);
    expect(existsSync(join(place.root, "generated"))).toBe(false);
    const half = empty();
    const ran = await init(half, ["--yes", "--server", "gone=no-such-command-here", "--server", `notes=${NOTES}`]);
    expect([ran.code, ran.stdout]).toEqual([1, expect.stringContaining("A server failed: correct it")]);
    expect(existsSync(join(half.root, "generated/registry.json"))).toBe(true);
  });

  const CURSOR = JSON.stringify({
    mcpServers: {
      notes: { ...notes, env: { NOTES_KEY: "quite-a-secret" } },
      toolwright: { command: "toolwright", args: ["serve"] },
    },
  });

  test("--yes imports what the project's clients have; secrets go to their file, for their owner only", {
    tags: "full",
  }, async () => {
    const place = empty({
      ".cursor/mcp.json": CURSOR,
      "package.json": '{\n\t"name": "x",\n\t"scripts": { "check": "mine" }\n}\n',
    });
    const { code, stdout } = await init(place, ["--yes"]);
    expect(code).toBe(0);
    expect(stdout).toContain("wrote .onetool/secrets.yaml (mode 0600): NOTES_KEY");
    expect(stdout).toContain("left out toolwright (Cursor, .cursor/mcp.json): it is toolwright itself");
    const { root } = place;
    expect(config(root).servers).toEqual({
      notes: { type: "stdio", ...notes, env: { NOTES_KEY: "$" + "{NOTES_KEY}" } },
    });
    expect(parse(read(root, ".onetool/secrets.yaml"))).toEqual({ NOTES_KEY: "quite-a-secret" });
    expect(statSync(join(root, ".onetool/secrets.yaml")).mode & 0o777).toBe(0o600);
    expect(JSON.parse(read(root, "package.json")).scripts).toEqual({ check: "mine", generate: "toolwright generate" });
    expect(read(root, "package.json")).toContain('\n\t"name": "x"');
    for (const file of readdirSync(root, { recursive: true, withFileTypes: true }))
      if (file.isFile() && !/mcp\.json$|secrets\.yaml$/.test(file.name))
        expect(readFileSync(join(file.parentPath, file.name), "utf8")).not.toContain("quite-a-secret");
  });

  test("without --yes the values of secrets are not kept, and named; the server then says which it lacks", {
    tags: "full",
  }, async () => {
    const place = empty({ ".cursor/mcp.json": CURSOR });
    const { code, stdout } = await init(place, ["--import", "cursor"]);
    expect(code).toBe(1);
    expect(stdout).toContain("not kept: the values of NOTES_KEY");
    expect(stdout).toContain("NOTES_KEY is not set");
    expect(existsSync(join(place.root, ".onetool/secrets.yaml"))).toBe(false);
  });

  test("--import is given several times: every client, and env that is not secret stays in the YAML", {
    tags: "full",
  }, async () => {
    const file = (name: string, env: object) => JSON.stringify({ mcpServers: { [name]: { ...notes, env } } });
    const files = {
      ".cursor/mcp.json": file("first", { LEVEL: "debug" }),
      ".mcp.json": file("second", { A_KEY: "k" }),
    };
    const some = empty({ ...files, "third.json": file("third", {}) });
    const args = ["cursor", "claude-code", join(some.root, "third.json")].flatMap((one) => ["--import", one]);
    expect(await init(some, ["--yes", ...args])).toMatchObject({ code: 0 });
    expect(config(some.root).servers).toMatchObject({
      first: { env: { LEVEL: "debug" } },
      second: { env: { A_KEY: "$" + "{A_KEY}" } },
      third: { type: "stdio" },
    });
    expect(parse(read(some.root, ".onetool/secrets.yaml"))).toEqual({ A_KEY: "k" });
    const all = empty(files);
    expect(await init(all, ["--yes", "--import", "all"])).toMatchObject({ code: 0 });
    expect(Object.keys(config(all.root).servers).sort()).toEqual(["first", "second"]);
  });

  test("definitions that are there become sources", { tags: "full" }, async () => {
    const tools = [
      { type: "function", function: { name: "get_x", description: "Get x.", parameters: { type: "object" } } },
    ];
    const place = empty({
      "definitions/shop/tools.json": JSON.stringify(tools),
      "definitions/shop/handlers.ts": "export const handlers = {};",
      "definitions/servers/old.json": JSON.stringify({ tools: TOOLS }),
      "definitions/weather.yaml":
        "openapi: 3.0.3\ninfo: { title: W, version: '1' }\npaths: { /w: { get: { operationId: getW } } }\n",
    });
    const { code, stdout } = await init(place, []);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+ ops in old, ot, proj, tools, weather \(/m)]);
    expect(ownOps(place.root)).toEqual(["old.list_notes", "tools.get_x", "weather.getW"]);
    expect(stdout).toMatch(/\nNext: "toolwright connect"/);
    expect(config(place.root)).toEqual({
      sources: [{ mcp: "servers/*.json" }, { "chat-tools": "shop/tools.json" }, { openapi: "weather.yaml" }],
      learn: { words: "on" },
    });
  });
});

describe("toolwright init on a terminal", () => {
  test("asks what there is, imports, keeps secrets on consent, reads and generates", { tags: "full" }, async ({
    skip,
  }) => {
    const place = empty({
      ".mcp.json": JSON.stringify({ mcpServers: { notes: { ...notes, env: { K_TOKEN: "typed-secret" } } } }),
    });
    const ran = await onTerminal(["init", "--root", place.root], {
      env: place.env,
      steps: [
        ["◆  What tools are there?", "\r"],
        ["◆  Which servers shall be imported?", "\r"],
        ["◆  Another server", `more=${NOTES}\r`],
        ["◆  Another server", "\r"],
        ["◆  Keep the values of K_TOKEN", "\r"],
        ["◆  Read the servers now", "\r"],
      ],
    });
    if (!ran) return skip("python3 is not there");
    expect(ran.text).toMatch(/\d ops in more, notes, ot, proj \(/);
    expect(ownOps(place.root)).toEqual(["more.list_notes", "notes.list_notes"]);
    expect(ran.code).toBe(0);
    expect(Object.keys(config(place.root).servers)).toEqual(["notes", "more"]);
    expect(parse(read(place.root, ".onetool/secrets.yaml"))).toEqual({ K_TOKEN: "typed-secret" });
    expect(ran.text).not.toContain("typed-secret");
  });

  test("an example to start from compiles, generates and answers", { tags: "full" }, async ({ skip }) => {
    const place = empty();
    const ran = await onTerminal(["init", "--root", place.root], {
      env: place.env,
      // Down to the example, choose it, up, take the servers out.
      steps: [
        ["◆  What tools are there?", "\u001b[B"],
        ["an example to start from", " \u001b[A \r"],
        ["◆  Generate now?", "\r"],
      ],
    });
    if (!ran) return skip("python3 is not there");
    expect(ran.text).toMatch(/(\d+) ops in demo, ot, proj \(\1 read, 0 write\)/);
    expect(ownOps(place.root)).toEqual(["demo.get_greeting"]);
    mkdirSync(join(place.root, "node_modules"));
    symlinkSync(CHECKOUT, join(place.root, "node_modules", "toolwright"));
    const { stdout } = await toolwright(["exec", "demo.get_greeting", "--name", "Ada", "--root", place.root, "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, result: { greeting: "Hello, Ada!" } });
  });

  test("a user who chooses only servers is asked until one is named", { tags: "full" }, async ({ skip }) => {
    const place = empty();
    const ran = await onTerminal(["init", "--root", place.root], {
      env: place.env,
      steps: [
        ["◆  What tools are there?", "\r"],
        ["◆  A server, as NAME=URL", "\r"],
        ["so name one; Ctrl-C gives up", `notes=${NOTES}\r`],
        ["◆  Another server", "\r"],
        ["◆  Read the servers now", "\u001b[C\r"],
      ],
    });
    if (!ran) return skip("python3 is not there");
    expect([ran.code, Object.keys(config(place.root).servers)]).toEqual([0, ["notes"]]);
  });

  test("giving up writes nothing", async ({ skip }) => {
    const place = empty();
    const ran = await onTerminal(["init", "--root", place.root], {
      env: place.env,
      steps: [["◆  What tools are there?", "\u0003"]],
    });
    if (!ran) return skip("python3 is not there");
    expect([ran.code, readdirSync(place.root)]).toEqual([1, []]);
    expect(ran.text).toContain("Nothing was written.");
  });
});

describe("what init writes", () => {
  test("hostile names, arguments and values stay data", { tags: "full" }, () => {
    const text = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "yes",
        "null",
        "1e3",
        "0x1",
        "~",
        "- a",
        "#c",
        "a: b",
        "*a",
        "&a",
        "!!js/function x",
        "{{x}}",
        "\u2028",
        "\n---\n",
        "<<",
        "=",
        "%TAG",
        "@x",
        "`x`",
        "\t",
        "\ufeff",
      ),
    );
    const command = text.filter((one) => one !== "");
    const entry = fc.record({ command, args: fc.array(text), env: fc.dictionary(text, text) });
    fc.assert(
      fc.property(fc.dictionary(text, entry), (servers) => {
        const written = configText({ sources: [{ mcp: "servers/*.json" }], servers });
        expect(written.split("\n")[0]).toBe(SCHEMA);
        const report = new Report();
        const loaded = loadConfig((file) => (file === "toolwright.yaml" ? written : undefined), report);
        expect(report.sorted()).toEqual([]);
        expect(JSON.stringify(loaded?.servers ?? {})).toBe(JSON.stringify(servers));
      }),
      runs(1_000),
    );
  });

  test("lines are added to .gitattributes and .gitignore once, scripts to package.json where they lack", async () => {
    const lines = attributesText(undefined);
    expect(attributesText(lines)).toBeUndefined();
    expect(attributesText("*.x text")).toBe(`*.x text\n${lines}`);
    expect(ignoreText("node_modules/\n.onetool/\n")).toBe("node_modules/\n.onetool/\n*.key\n");
    expect(ignoreText(undefined)).toBe("node_modules/\n.onetool/\n*.key\n");
    expect(ignoreText("node_modules\n")).toBe("node_modules\n.onetool/\n*.key\n");
    expect(ignoreText(ignoreText(undefined))).toBeUndefined();
    const added = await packageText('{\n    "name": "x"\n}');
    expect(added).toBe(
      '{\n    "name": "x",\n    "scripts": {\n        "generate": "toolwright generate",\n        "check": "toolwright check"\n    }\n}',
    );
    expect(await packageText(added ?? "")).toBeUndefined();
    for (const odd of ["", "[]", '{"scripts":[]', '{"scripts":null}'])
      expect(await packageText(odd), odd).toBeUndefined();
  });

  test("a command is split as a shell would, and nothing is expanded", () => {
    const args = (text: string) => [serverGiven(`x=${text}`).value["command"], serverGiven(`x=${text}`).value["args"]];
    expect(args(`node "a b" 'c "d"' e\\ f g"h"i '' $HOME *`)).toEqual([
      "node",
      ["a b", 'c "d"', "e f", "ghi", "", "$HOME", "*"],
    ]);
    expect(args('run "a \\" b"')).toEqual(["run", ['a " b']]);
    expect(serverGiven("x=HTTPS://a.example/?a=b").value).toEqual({ url: "HTTPS://a.example/?a=b" });
  });
});
