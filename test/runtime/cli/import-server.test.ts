/** Servers of clients' files become entries of `servers`, without their secrets. */

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ForeignServer, findServers, serversFrom } from "../../../runtime/cli/client-servers.js";
import { CLIENTS, filesOf, type Machine } from "../../../runtime/cli/clients.js";
import { importServer } from "../../../runtime/cli/import-server.js";
import { isServerName } from "../../../runtime/upstream/servers.js";
import { temporaryFolder } from "../../support/project.js";
import { runs } from "../../support/random.js";

const v = (name: string): string => `\${${name}}`;
const foreign = (name: string, value: object): ForeignServer => ({
  name,
  value: { ...value },
  from: "x",
  scope: "given",
});
const adoptOne = (value: object, name = "one", known: Readonly<Record<string, string>> = {}) => {
  const { servers, secrets } = importServer([foreign(name, value)], (variable) => known[variable]);
  return { entry: servers[0]?.entry, notes: servers[0]?.notes, secrets: Object.fromEntries(secrets) };
};

const secretNames = (values: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.entries(values).map(([key, one]) => [`${key}_TOKEN`, one]));

describe("a client's server becomes an entry of servers", () => {
  const cases: readonly (readonly [about: string, value: object, entry: object, secrets: object])[] = [
    [
      "secret values of env become variables, others stay; references are ours",
      {
        command: "npx",
        args: ["-y", "x"],
        env: { A_KEY: "s3cret", B: `\${env:HOST}`, C: "", D: `\${input:my-id}`, E: 7 },
      },
      {
        type: "stdio",
        command: "npx",
        args: ["-y", "x"],
        env: { A_KEY: v("A_KEY"), B: v("HOST"), C: "", D: v("MY_ID"), E: "7" },
      },
      { A_KEY: "s3cret" },
    ],
    [
      "values of headers become variables after their scheme",
      {
        url: "https://a.example/mcp",
        headers: { Authorization: "Bearer abc", "X-Api-Key": "def", Accept: `\${env:A}` },
      },
      {
        type: "http",
        url: "https://a.example/mcp",
        headers: { Authorization: `Bearer ${v("ONE_AUTHORIZATION")}`, "X-Api-Key": v("ONE_X_API_KEY"), Accept: v("A") },
      },
      { ONE_AUTHORIZATION: "abc", ONE_X_API_KEY: "def" },
    ],
    [
      "secrets in an address: user, path and query",
      { serverUrl: "https://me:p%40ss@a.example/s/abcdefgh12345678ijklmnop/mcp?apiKey=zz&lang=en" },
      {
        type: "http",
        url: `https://a.example/s/${v("ONE_PATH")}/mcp?apiKey=${v("ONE_API_KEY")}&lang=en`,
        headers: { Authorization: `Basic ${v("ONE_AUTHORIZATION")}` },
      },
      { ONE_PATH: "abcdefgh12345678ijklmnop", ONE_API_KEY: "zz", ONE_AUTHORIZATION: "bWU6cEBzcw==" },
    ],
    [
      "secrets in arguments: after a flag, in a flag, and by their shape",
      {
        command: "x",
        args: [
          "--api-key",
          "k1",
          "--token=t1",
          "--port",
          "80",
          "postgres://u:pw@h/db",
          "--header",
          "Authorization: Bearer abcdefghij",
        ],
      },
      {
        type: "stdio",
        command: "x",
        args: [
          "--api-key",
          v("ONE_API_KEY"),
          `--token=${v("ONE_TOKEN")}`,
          "--port",
          "80",
          v("ONE_ARG_6"),
          "--header",
          v("ONE_ARG_8"),
        ],
      },
      {
        ONE_API_KEY: "k1",
        ONE_TOKEN: "t1",
        ONE_ARG_6: "postgres://u:pw@h/db",
        ONE_ARG_8: "Authorization: Bearer abcdefghij",
      },
    ],
    [
      "Codex: header variables, bearer, timeout, switched off",
      {
        url: "https://a.example/mcp",
        bearer_token_env_var: "TOK",
        env_http_headers: { "X-A": "A_VAR" },
        tool_timeout_sec: 90,
        enabled: false,
      },
      {
        type: "http",
        url: "https://a.example/mcp",
        headers: { "X-A": v("A_VAR"), Authorization: `Bearer ${v("TOK")}` },
        timeout: 90,
        enabled: false,
      },
      {},
    ],
  ];
  test.each(cases)("so that %s", (_, value, entry, secrets) => {
    const found = adoptOne(value);
    expect({ entry: found.entry, secrets: found.secrets }).toEqual({ entry, secrets });
  });

  test("a variable that means something else gets a name of the server's own", () => {
    expect(adoptOne({ command: "x", env: { A_TOKEN: "one" } }, "my tool", { A_TOKEN: "two" })).toMatchObject({
      entry: { env: { A_TOKEN: v("MY_TOOL_A_TOKEN") } },
      secrets: { MY_TOOL_A_TOKEN: "one" },
    });
    const { servers, secrets } = importServer(
      [
        foreign("a", { command: "x", env: { KEY: "1" } }),
        foreign("b", { command: "y", env: { KEY: "2" } }),
        foreign("c", { command: "z", env: { KEY: "1" } }),
      ],
      () => undefined,
    );
    expect(servers.map((one) => one.entry.env)).toEqual([{ KEY: v("KEY") }, { KEY: v("B_KEY") }, { KEY: v("KEY") }]);
    expect(Object.fromEntries(secrets)).toEqual({ KEY: "1", B_KEY: "2" });
  });

  test("names are made safe; the same twice is one, another of the same name gets a number", () => {
    const same = { command: "x" };
    const { servers } = importServer(
      [
        foreign("a b/c", same),
        foreign("a b/c", same),
        foreign("a b/c", { command: "y" }),
        foreign("con", same),
        foreign("..", same),
      ],
      () => undefined,
    );
    expect(servers.map((one) => one.name)).toEqual(["a-b-c", "a-b-c-2", "server-con", "server"]);
  });

  test("omitted parts, and parts that cannot be imported, are reported", () => {
    const { servers, skipped } = importServer(
      [
        foreign("toolwright", { command: "x" }),
        foreign("mine", { command: "node", args: ["/p/node_modules/toolwright/dist/generator/main.js"] }),
        foreign("none", { note: 1 }),
        foreign("old", { type: "sse", url: "https://a.example/sse" }),
        foreign("placed", { command: "x", cwd: "/tmp", envFile: ".env" }),
      ],
      () => undefined,
    );
    expect(skipped.map((one) => `${one.name}: ${one.reason}`)).toEqual([
      "toolwright: it is toolwright itself",
      "mine: it is toolwright itself",
      "none: it has neither a command nor a url",
      "old: it speaks the older SSE transport, which this version does not",
      "placed: its envFile cannot be kept (its variables are not read: set them in servers.placed.env). To add it without: --accept placed",
    ]);
    expect(servers).toEqual([]);
    const placed = foreign("placed", { command: "x", cwd: "/tmp", envFile: ".env" });
    const { servers: accepted } = importServer([placed], () => undefined, ["placed"]);
    expect(accepted).toMatchObject([
      { entry: { type: "stdio", command: "x", cwd: "/tmp" }, lost: [{ key: "envFile" }] },
    ]);
  });

  test.each([
    ["PGPASSWORD", "x"],
    ["AUTHTOKEN", "x"],
    ["MYSQL_PWD", "x"],
    ["ACCESS", "aB3dE5gH7jK9"],
    ["DATABASE_URL", "postgres://me:pass@db.example/shop"],
    ["ENDPOINT", "https://a.example/?token=abc"],
    ["ODD", `a$${"{"}`],
  ])("env %s=%s may be secret", (key, value) => {
    expect(adoptOne({ command: "x", env: { [key]: value } }).secrets).toEqual({ [key]: value });
  });

  test.each([
    ["LOG_LEVEL", "debug"],
    ["AWS_REGION", "eu-central-1"],
    ["PATH", "/usr/local/bin:/usr/bin"],
    ["BASE_URL", "https://a.example/v1/items?page=2"],
    ["PORT", "8080"],
  ])("env %s=%s stays readable", (key, value) => {
    expect(adoptOne({ command: "x", env: { [key]: value } })).toMatchObject({
      entry: { env: { [key]: value } },
      secrets: {},
    });
  });

  test("no value of headers, or of env under a name that says secret, is left in an entry", () => {
    const value = fc.stringMatching(/^[A-Za-z0-9!-#%-;=?-~]{6,40}$/);
    fc.assert(
      fc.property(fc.string(), fc.dictionary(fc.string(), value), fc.boolean(), (name, values, isHttp) => {
        const server = isHttp
          ? { url: "https://a.example/", headers: values }
          : { command: "x", env: secretNames(values) };
        const { servers } = importServer([foreign(name, server)], () => undefined);
        const [one] = servers;
        if (!one) return;
        expect(isServerName(one.name)).toBe(true);
        const kept = Object.values(one.entry.env ?? one.entry.headers ?? {});
        for (const secret of Object.values(values)) expect(kept).not.toContain(secret);
      }),
      runs(500),
    );
  });
});

describe("where clients keep their servers", () => {
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  const TEXTS = {
    mcpServers: (name: string) => `{ // a comment\n "mcpServers": { "${name}": { "command": "x", }, }, }`,
    servers: (name: string) => `{ "inputs": [], "servers": { "${name}": { "type": "stdio", "command": "x" } } }`,
    mcp_servers: (name: string) => `model = "m"\n[mcp_servers.${name}]\ncommand = "x"\nargs = ["a"]\n`,
  };

  test.each(["linux", "darwin", "win32"] as const)(
    "every client on %s, in the project and at home",
    async (platform) => {
      const [root, home] = [temporaryFolder(), temporaryFolder()];
      const machine: Machine = { home, platform, env: {} };
      const wanted: string[] = [];
      for (const client of CLIENTS)
        for (const { path, scope } of filesOf(client, root, machine)) {
          put(path, TEXTS[client.member](`${client.id}-${scope}`));
          wanted.push(`${client.id}-${scope}`);
        }
      const found = await findServers(root, machine);
      expect(found.map((one) => one.name).sort()).toEqual(wanted.sort());
      expect(found.filter((one) => one.scope === "project").length).toBe(CLIENTS.filter((one) => one.project).length);
      for (const { id } of CLIENTS)
        expect((await serversFrom(id, root, machine)).every((one) => one.name.startsWith(id))).toBe(true);
    },
  );

  test("what Claude Code keeps for a project at home belongs to the project", async () => {
    const [root, home] = [temporaryFolder(), temporaryFolder()];
    const projects = {
      [root]: { mcpServers: { here: { command: "x" } } },
      "/elsewhere": { mcpServers: { there: {} } },
    };
    put(join(home, ".claude.json"), JSON.stringify({ projects }));
    const found = await findServers(root, { home, platform: "linux", env: {} });
    expect(found.map(({ name, scope }) => [name, scope])).toEqual([["here", "project"]]);
  });

  test("a broken file is passed over with its fault when looking round, and refused when it is named", async () => {
    const [root, home] = [temporaryFolder(), temporaryFolder()];
    const machine: Machine = { home, platform: "linux", env: {} };
    put(join(root, ".cursor", "mcp.json"), '{ "mcpServers": ');
    const faults: string[] = [];
    expect(await findServers(root, machine, (one) => faults.push(one))).toEqual([]);
    expect(faults).toEqual([
      expect.stringMatching(/^Cursor: .*mcp\.json is no JSON that can be read: line 1, column 17: /),
    ]);
    await expect(serversFrom("cursor", root, machine)).rejects.toThrow(
      /is no JSON that can be read: line 1, column 17/,
    );
    await expect(serversFrom("vscode", root, machine)).rejects.toThrow(
      /VS Code has no servers in \.vscode\/mcp\.json or /,
    );
    await expect(serversFrom("all", root, machine)).rejects.toThrow(/no client on this machine has servers/);
    await expect(serversFrom("cursr", root, machine)).rejects.toThrow(/did you mean cursor\?/);
    put(join(root, "settings.json"), '{ "mcp": { "servers": { "inside": { "command": "x" } } } }');
    expect((await serversFrom(join(root, "settings.json"), root, machine))[0]?.name).toBe("inside");
    put(join(root, "other.json"), "{}");
    await expect(serversFrom(join(root, "other.json"), root, machine)).rejects.toThrow(/holds no servers/);
  });
});
