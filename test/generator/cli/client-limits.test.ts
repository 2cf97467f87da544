/** Limits that a user has set in a client's file: kept by `add` and `init`, or the server is left out and each limit is named. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { keptKeys } from "../../../runtime/cli/client-keys.js";
import { temporaryFolder, toolwright } from "../../support/project.js";
import { behaving } from "../../support/upstream/servers.js";

const SLOW = { timeout: 180_000 };
const tool = (name: string) => ({ name, description: `Does ${name}.`, inputSchema: { type: "object" } });
const files = behaving("tools", ["read_file", "list_directory", "write_file"].map(tool));

/** A new project, and a file of a client. */
function project(name: string, text: string) {
  const [root, home] = [temporaryFolder(), temporaryFolder()];
  mkdirSync(join(root, "definitions"));
  writeFileSync(join(root, "definitions", "toolwright.yaml"), "sources: []\n");
  const file = join(temporaryFolder(), name);
  writeFileSync(file, text);
  const env = { HOME: home, XDG_CONFIG_HOME: join(home, ".config"), CODEX_HOME: "", FILES_TOKEN: "very-secret" };
  const run = (...args: readonly string[]) => toolwright([...args, "--root", root], { env });
  const config = () => parse(readFileSync(join(root, "definitions", "toolwright.yaml"), "utf8"));
  const ops = (): readonly string[] =>
    JSON.parse(readFileSync(join(root, "generated", "registry.json"), "utf8")).tools.flatMap(
      ({ group, tool_name }: { readonly group: string; readonly tool_name: string }) =>
        group === "files" ? [tool_name] : [],
    );
  return { root, file, run, config, ops };
}

const toml = (rest: string): string =>
  `[mcp_servers.files]\ncommand = ${JSON.stringify(files.command)}\nargs = ${JSON.stringify(files.args)}\n${rest}`;

describe("limits of a client", SLOW, () => {
  test("lists of tools become the ops that are offered, and variables that are passed on stay names", async () => {
    const limits =
      'env_vars = ["FILES_TOKEN"]\nenabled_tools = ["read_file", "write_file"]\ndisabled_tools = ["write_file"]\n';
    const { file, run, config, ops, root } = project("config.toml", toml(limits));
    const added = await run("add", "--from", file, "--yes", "--json");
    expect([added.code, JSON.parse(added.stdout)]).toEqual([
      0,
      {
        ok: true,
        servers: [expect.objectContaining({ name: "files", not_kept: [] })],
        left_out: [],
        secrets: [],
      },
    ]);
    expect(config().servers.files).toMatchObject({
      env: { FILES_TOKEN: "$" + "{FILES_TOKEN}" },
      tools: { only: ["read_file", "write_file"], except: ["write_file"] },
    });
    expect(ops()).toEqual(["read_file"]);
    expect(readFileSync(join(root, "definitions", "toolwright.yaml"), "utf8") + added.stderr).not.toContain("very-");
  });

  test("a limit that cannot be kept leaves its server out, until it is accepted by name", async () => {
    const { file, run, config } = project(
      "mcp.json",
      JSON.stringify({
        mcpServers: {
          files: { ...files, headersHelper: "/bin/x", allowWrites: false, description: "x" },
          free: { ...files, autoApprove: [], disabled: false },
        },
      }),
    );
    const added = await run("add", "--from", file, "--yes");
    expect(added.code).toBe(1);
    for (const part of ["left out files: its headersHelper cannot be kept", "its allowWrites", "--accept files"])
      expect(added.stdout).toContain(part);
    expect(Object.keys(config().servers)).toEqual(["free"]);
    const strange = await run("add", "--from", file, "--yes", "--accept", "fils");
    expect(strange).toMatchObject({ code: 2, stderr: expect.stringContaining("--accept fils: no server of the name") });
    const accepted = await run("add", "--from", file, "--yes", "--accept", "files");
    expect([accepted.code, accepted.stdout]).toEqual([
      0,
      expect.stringContaining("files: its headersHelper is not kept, as accepted"),
    ]);
    expect(Object.keys(config().servers)).toEqual(["free", "files"]);
  });

  test("init says the same, as JSON too", async () => {
    const { file } = project("config.toml", toml('default_tools_approval_mode = "prompt"\n'));
    const root = temporaryFolder();
    const init = (...args: readonly string[]) => toolwright(["init", "--yes", "--root", root, ...args]);
    const refused = await init("--import", file);
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("its default_tools_approval_mode")]);
    const made = await init("--import", file, "--accept", "files", "--json");
    expect([made.code, JSON.parse(made.stdout)]).toEqual([
      0,
      expect.objectContaining({
        ok: true,
        servers: [
          expect.objectContaining({ not_kept: [expect.objectContaining({ key: "default_tools_approval_mode" })] }),
        ],
      }),
    ]);
  });
});

const KEPT: readonly (readonly [about: string, value: object, entry: object])[] = [
  [
    "Codex",
    { enabled_tools: ["a", "b"], disabled_tools: ["b"], tool_timeout_sec: 9, required: true },
    { tools: { only: ["a", "b"], except: ["b"] }, timeout: 9 },
  ],
  ["Codex, no tool at all", { enabled_tools: [] }, { tools: { only: [] } }],
  [
    "Codex, modes that ask nobody",
    { default_tools_approval_mode: "approve", tools: { a: { approval_mode: "auto" } } },
    {},
  ],
  [
    "Windsurf, Roo, Amazon Q",
    { disabledTools: ["a"], disabled: true, timeout: 60_000 },
    { tools: { except: ["a"] }, enabled: false, timeout: 60 },
  ],
  ["Cline", { autoApprove: [], alwaysAllow: [], disabled: false, timeout: 120 }, { timeout: 120 }],
  [
    "Gemini CLI",
    { includeTools: ["a"], excludeTools: [], trust: false, cwd: "./x" },
    { tools: { only: ["a"] }, cwd: "./x" },
  ],
  ["GitHub Copilot, all tools", { tools: ["*"] }, {}],
  ["GitHub Copilot", { tools: ["a"] }, { tools: { only: ["a"] } }],
  ["Goose", { available_tools: [], env_keys: ["A"], display_name: "x", bundled: null }, {}],
  ["two lists: what both allow", { enabled_tools: ["a", "b"], includeTools: ["b", "c"] }, { tools: { only: ["b"] } }],
  ["all tools denied", { disabledTools: ["*"] }, { tools: { only: [] } }],
  ["sign-in as toolwright does it", { oauth: { callbackPort: 1 }, auth: "oauth" }, {}],
  ["comments", { "//": "x", $schema: "y", _note: 1 }, {}],
];

test.each(KEPT)("kept: %s", (_, value, entry) => {
  expect(keptKeys({ command: "x", ...value }, "one")).toEqual({ entry, notes: [], lost: [] });
});

const LOST: readonly (readonly [key: string, value: unknown])[] = [
  ["enabled_tools", "read_file"],
  ["disabledTools", [1]],
  ["enabled", "no"],
  ["autoApprove", ["a"]],
  ["alwaysAllow", ["a"]],
  ["default_tools_approval_mode", "prompt"],
  ["tools", { a: { approval_mode: "prompt" } }],
  ["tools", { a: { enabled: false } }],
  ["env_vars", [{ name: "A", source: "remote" }]],
  ["envFile", ".env"],
  ["headersHelper", "x"],
  ["oauth", { clientId: "x" }],
  ["oauth", { scopes: "read" }],
  ["oauth", false],
  ["auth", { CLIENT_ID: "x" }],
  ["scopes", ["read"]],
  ["roots", ["/x"]],
  ["sandboxEnabled", true],
  ["sandbox", {}],
  ["readOnly", true],
  ["constructor", 1],
];

test.each(LOST)("cannot be kept: %s %j", (key, value) => {
  const { entry, lost } = keptKeys({ command: "x", [key]: value }, "one");
  expect([entry, lost.map((one) => one.key)]).toEqual([{}, [key]]);
  expect(lost[0]?.why).not.toContain("NAME");
});
