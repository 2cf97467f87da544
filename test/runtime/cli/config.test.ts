/**
 * `toolwright config`: the configuration in force, its origins, and masked secrets; and the errors for an invalid
 * start, with their place.
 */

import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { loadConfig } from "../../../generator/config/config.js";
import { Report } from "../../../generator/core/diagnostic.js";
import { printConfig } from "../../../runtime/cli/config.js";
import { resolvedConfiguration } from "../../../runtime/cli/resolved-configuration.js";
import type { Overrides } from "../../../runtime/config/settings.js";
import { maskedAddress } from "../../../runtime/contract/secret-detection.js";
import { CONFIG_DEFAULTS } from "../../../runtime/contract/settings/project-settings.js";
import { type Json, temporaryFolder, toolwright } from "../../support/project.js";
import { runs } from "../../support/random.js";

const SLOW = 180_000;
const variable = (name: string): string => `\${${name}}`;

/** A root with these files, paths from it. */
function rootWith(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder();
  for (const folder of ["definitions", ".onetool"]) mkdirSync(join(root, folder));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  return root;
}

/** What the command prints of a configuration, in this process. */
async function printed(text: string, flags: Json = {}, overrides: Overrides = {}, root = temporaryFolder()) {
  const config = loadConfig((file) => (file === "toolwright.yaml" ? text : undefined), new Report());
  if (!config) throw new Error("the configuration has a fault");
  const out: string[] = [];
  const err: string[] = [];
  const start = {
    ...{ root, config, overrides, paint: (_: string, one: string) => one, faults: async () => [] },
    out: (one: string) => void out.push(one),
    err: (one: string) => void err.push(one),
  };
  return { code: await printConfig(start, flags), out: out.join(""), err: err.join("") };
}

describe("the command", () => {
  const root = () =>
    rootWith({
      "definitions/toolwright.yaml":
        "include: [team.yaml]\nsources:\n  - chat-tools: t.json\nlimits: { cpu_ms: 1 }\n" +
        `servers:\n  hub:\n    url: https://example.com/mcp\n    headers: { Authorization: "Bearer ${variable("CONFIG_TEST_HUB")}" }\n`,
      "definitions/team.yaml": `engine: monty\nlimits:\n  wall_ms: 5\nstate: "${variable("CONFIG_TEST_STATE")}"\n`,
      ".onetool/secrets.yaml": "CONFIG_TEST_HUB: from-the-file\n",
    });

  test("shows defaults, files, includes, flags and variables with their origins; no generated code is needed", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const folder = root();
    chmodSync(join(folder, ".onetool/secrets.yaml"), 0o600);
    const args = ["config", "--origins", "--root", folder, "--allow-write", "--log-level", "warn"];
    const env = { CONFIG_TEST_STATE: "postgres://me:hunter2@db/x" };
    const { code, stdout, stderr } = await toolwright(args, { env });
    expect([code, stderr]).toEqual([0, ""]);
    for (const line of [
      "  - chat-tools: t.json  # definitions/toolwright.yaml:3:5",
      "engine: monty  # definitions/team.yaml:1:1",
      "  cpu_ms: 1  # definitions/toolwright.yaml:4:11",
      "  wall_ms: 5  # definitions/team.yaml:3:3",
      "  memory_mb: 256  # default",
      "  allow_write: true  # flag --allow-write",
      "  level: warn  # flag --log-level",
      `state: "${variable("CONFIG_TEST_STATE")}"  # definitions/team.yaml:4:1; CONFIG_TEST_STATE from the environment`,
      `      Authorization: "Bearer ${variable("CONFIG_TEST_HUB")}"  # definitions/toolwright.yaml:8:16; CONFIG_TEST_HUB from .onetool/secrets.yaml`,
    ])
      expect(stdout.split("\n")).toContain(line);
    expect(stdout).not.toMatch(/hunter2|from-the-file/);
    expect(stdout).not.toContain("\u001b");
  });

  test(
    "a missing variable is shown and ends with 1, with --json too, where all is one document",
    async () => {
      const folder = root();
      const { code, stdout, stderr } = await toolwright(["config", "--json", "--origins", "--root", folder]);
      expect([code, stderr]).toEqual([
        1,
        expect.stringMatching(/missing variables: CONFIG_TEST_HUB, CONFIG_TEST_STATE; .*team\.yaml:4:1\)/),
      ]);
      const { config, origins, missing }: Json = JSON.parse(stdout);
      expect(config).toMatchObject({ engine: "monty", limits: { cpu_ms: 1, wall_ms: 5, memory_mb: 256 } });
      expect(origins).toContainEqual({
        path: ["engine"],
        value: "monty",
        origin: { kind: "file", file: "definitions/team.yaml", line: 1, column: 1 },
        variables: [],
      });
      expect(origins).toContainEqual({
        path: ["limits", "queue"],
        value: 32,
        origin: { kind: "default" },
        variables: [],
      });
      // The secrets file has a mode that lets others in, so it is not read.
      expect(missing.map((one: Json) => [one.name, one.path.join(".")])).toEqual([
        ["CONFIG_TEST_HUB", "servers.hub.headers.Authorization"],
        ["CONFIG_TEST_STATE", "state"],
      ]);
    },
    SLOW,
  );

  test(
    "files are included from definitions/, from above it, from the home folder and from anywhere",
    async () => {
      const home = temporaryFolder();
      const far = join(home, "far.yaml");
      const folder = rootWith({
        "definitions/toolwright.yaml": `include: [../up.yaml, ~/home.yaml, ${far}]\nsources: []\n`,
        "up.yaml": "engine: monty\n",
      });
      writeFileSync(join(home, "home.yaml"), "trust: local\n");
      writeFileSync(far, "limits: { cpu_ms: 7 }\n");
      const { code, stdout } = await toolwright(["config", "--origins", "--root", folder], {
        env: { HOME: home },
      });
      expect(code).toBe(0);
      for (const line of [
        "engine: monty  # up.yaml:1:1",
        "trust: local  # ~/home.yaml:1:1",
        `  cpu_ms: 7  # ${far}:1:11`,
      ])
        expect(stdout.split("\n")).toContain(line);
    },
    SLOW,
  );

  test(
    "a configuration with faults is refused with all of them",
    async () => {
      const folder = rootWith({ "definitions/toolwright.yaml": "sources: []\nengin: x\noutput: { result_ttl: 1h }\n" });
      const { code, stderr } = await toolwright(["config", "--root", folder]);
      expect(code).toBe(2);
      expect(stderr).toContain(
        "definitions/toolwright.yaml:2:1 error config-unknown-key  unknown key 'engin' (did you mean 'engine'?)",
      );
      expect(stderr).toContain(
        "definitions/toolwright.yaml:3:11 error config-invalid  output.result_ttl must be an integer",
      );
    },
    SLOW,
  );
});

describe("what is printed", () => {
  test("is the defaults if nothing is configured, in YAML and JSON alike", async () => {
    const { out, code } = await printed("sources: []\n");
    expect(code).toBe(0);
    expect(parse(out)).toEqual({ sources: [], ...CONFIG_DEFAULTS });
    const { out: json } = await printed("sources: []\n", { json: true });
    expect(JSON.parse(json)).toEqual({ config: parse(out), missing: [], faults: [] });
  });

  test("is YAML that parses back to any configuration, one value per line, with or without origins", {
    tags: "full",
  }, async () => {
    const text = fc.oneof(
      fc.string(),
      fc.string({ unit: "binary" }),
      fc.constantFrom(
        "",
        "~",
        "yes",
        "- a",
        "# x",
        "a: b",
        "1",
        "\n",
        "a\n b",
        "\u001b[31m",
        "'",
        '"',
        "|",
        "null",
        "${",
      ),
    );
    const list = fc.array(text, { maxLength: 3 });
    const names = fc.dictionary(
      text,
      text.filter((one) => one !== ""),
      { maxKeys: 3 },
    );
    await fc.assert(
      fc.asyncProperty(names, list, fc.boolean(), async (aliases, hot, origins) => {
        const source = JSON.stringify({ sources: [], aliases, expose: { hot } });
        const { out } = await printed(source, { origins });
        const { config } = JSON.parse((await printed(source, { json: true })).out);
        expect(parse(out)).toEqual(config);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: no such character may reach a terminal.
        expect(out).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
        for (const line of out.trimEnd().split("\n")) if (origins) expect(line).toMatch(/(?:^\s*.+:$| {2}# .+$)/);
      }),
      runs(1000),
    );
  });

  test("servers say how they are reached; one that is switched off misses no variable", async () => {
    const servers = `{ a: { url: "https://x/${variable("CONFIG_TEST_NONE")}", enabled: false }, b: { command: x } }`;
    const { out, code } = await printed(`sources: []\nservers: ${servers}\n`, { json: true });
    expect(code).toBe(0);
    expect(JSON.parse(out).config.servers).toMatchObject({
      a: { type: "http", enabled: false },
      b: { type: "stdio", enabled: true },
    });
  });

  test("a text that is not expanded names no variable", async () => {
    const { code } = await printed(`sources: []\nops: { a: { notes: ["Say ${variable("CONFIG_TEST_NONE")}."] } }\n`);
    expect(code).toBe(0);
  });
});

describe("secrets", () => {
  const SECRET = "S3cr3tS3cr3t";
  const bearing = {
    sources: [
      { openapi: "a.yaml", server: `https://u:${SECRET}@x.example/v1`, auth: { bearer: SECRET, basic: `u:${SECRET}` } },
      {
        openapi: "b.yaml",
        server: `https://x.example/?api_key=${SECRET}`,
        auth: { headers: { A: SECRET }, query: { k: `${variable("A")}${SECRET}` } },
      },
    ],
    servers: {
      a: {
        url: `https://${SECRET}@x.example/?token=${SECRET}`,
        headers: { Authorization: `Bearer ${SECRET}`, B: `${variable("X")} ${SECRET}` },
      },
      b: {
        command: "x",
        args: ["--token", SECRET, `--api-key=${SECRET}`, `https://u:${SECRET}@x.example`],
        env: { A: SECRET, B: `\${X:-${SECRET}}` },
      },
    },
    state: `postgres://me:${SECRET}@db/x?password=${SECRET}`,
    // Options of plugins, which no declaration knows.
    emitters: { site: { client_secret: SECRET, deeper: { secret: SECRET } } },
    llm: { url: `https://x.example/v1?key=${SECRET}` },
    log: { file: `Bearer ${SECRET}` },
  };

  test.each([{}, { origins: true }, { json: true }, { json: true, origins: true }])(
    "are in no output, with %j",
    async (flags) => {
      const { out, err } = await printed(JSON.stringify(bearing), flags, { state: `postgres://u:${SECRET}@db` });
      expect(out + err).not.toContain(SECRET);
      expect(out).toContain("Bearer ***");
      expect(out).toContain("postgres://u:***@db");
    },
  );

  test("the value of a variable is in no output, wherever it is named", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("state", "log", "url", "env", "bearer"), async (where) => {
        const named = variable("CONFIG_TEST_SECRET");
        const source = {
          sources: [{ openapi: "a.yaml", ...(where === "bearer" ? { auth: { bearer: named } } : {}) }],
          ...(where === "state" ? { state: named } : {}),
          ...(where === "log" ? { log: { file: named } } : {}),
          ...(where === "url" ? { servers: { a: { url: `https://x/${named}` } } } : {}),
          ...(where === "env" ? { servers: { a: { command: "x", env: { A: named } } } } : {}),
        };
        const root = rootWith({ ".onetool/secrets.yaml": `CONFIG_TEST_SECRET: ${SECRET}\n` });
        chmodSync(join(root, ".onetool/secrets.yaml"), 0o600);
        const { out, err, code } = await printed(JSON.stringify(source), { origins: true }, {}, root);
        // The secret is no URL of a database, which is said without it.
        expect([code, `${out}${err}`.includes(SECRET)]).toEqual([where === "state" ? 1 : 0, false]);
        expect(out).toContain("CONFIG_TEST_SECRET from .onetool/secrets.yaml");
      }),
      { numRuns: 10 },
    );
  });

  test.each([
    ["postgres://me:pw@db/x", "postgres://me:***@db/x"],
    [`postgres://me:${variable("PW")}@db/x`, `postgres://me:${variable("PW")}@db/x`],
    ["postgres://me:p@s/s@db/x", "postgres://me:***@db/x"],
    ["https://ghp@github.com/a", "https://***@github.com/a"],
    ["https://x.example/a?b=c&access_token=d", "https://x.example/a?b=c&access_token=***"],
    ["https://hooks.example/T0/aB3dE6gH9jK2mN5pQ8sT1vW4", "https://hooks.example/T0/***"],
    ["https://registry.example/@scope/name", "https://registry.example/@scope/name"],
    ["no address", "no address"],
  ])("%s is shown as %s", (text, shown) => expect(maskedAddress(text)).toBe(shown));
});

test("every default is the value in force of its key", () => {
  const config = loadConfig(() => "sources: []\n", new Report());
  if (!config) throw new Error("no configuration");
  const { values } = resolvedConfiguration({ root: temporaryFolder(), config, overrides: {} });
  expect(values.filter(({ origin }) => origin.kind !== "default").map(({ path }) => path)).toEqual([["sources"]]);
});

describe("a start", () => {
  const tools = [
    {
      type: "function",
      function: {
        name: "get_a",
        description: "Gets.",
        parameters: { type: "object", properties: { n: {} }, required: ["n"] },
      },
    },
  ];
  const CONFIG = "use: []\nsources:\n  - { chat-tools: t.json, pack: shop, kind: read }\n";

  test("is refused for broken aliases, snippets and prompts, all at once, each with its place; doctor says the same", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const root = rootWith({ "definitions/toolwright.yaml": CONFIG, "definitions/t.json": JSON.stringify(tools) });
    expect((await toolwright(["generate", "--root", root])).code).toBe(0);
    expect((await toolwright(["serve", "--root", root])).code).toBe(0);
    writeFileSync(
      join(root, "definitions/toolwright.yaml"),
      `${CONFIG}aliases:\n  a: b\n  b: c\n  c: a\n  d: shop.gte_a\n  e: a\n`,
    );
    writeFileSync(join(root, "definitions/snippets.yaml"), 'hi:\n  body: "{% if %}"\n  parms: {}\n');
    writeFileSync(
      join(root, "definitions/prompts.yaml"),
      "instruction: x\npacks: { shp: x }\ntools:\n  shop.get_a: { examples: [{ n: 1 }, { m: 1 }, 'shop.get_a(n=1)', 5] }\n  shop.get: {}\n",
    );
    const lines = [
      "definitions/prompts.yaml:1:1 error config-unknown-key  unknown key 'instruction' (did you mean 'instructions'?)",
      "definitions/prompts.yaml:2:10 error prompt-unmatched  there is no pack shp; did you mean shop?",
      "definitions/prompts.yaml:4:38 error argument-unmatched  shop.get_a has no argument m;",
      "definitions/prompts.yaml:4:38 error config-invalid  tools.shop.get_a.examples[1] must be a map with n, got a map",
      "definitions/prompts.yaml:4:67 error config-invalid  tools.shop.get_a.examples[3] must be a text or a map, got 5",
      "definitions/prompts.yaml:5:3 error prompt-unmatched  there is no op shop.get; did you mean shop.get_a?",
      "definitions/snippets.yaml:2:3 error snippet-invalid  the template of snippet hi does not compile: ",
      "definitions/snippets.yaml:3:3 error config-unknown-key  unknown key 'hi.parms' (did you mean 'params'?)",
      "definitions/toolwright.yaml:5:3 error alias-cycle  aliases form a cycle: a -> b -> c -> a;",
      "definitions/toolwright.yaml:8:3 error alias-unmatched  alias d leads to shop.gte_a, which is no op; did you mean shop.get_a?",
    ];
    for (const command of [["serve"], ["run", "-c", "1"], ["generate"]]) {
      const { code, stderr } = await toolwright([...command, "--root", root]);
      expect(code).toBe(2);
      const found = stderr.split("\n").filter((line) => line.startsWith("definitions/"));
      expect(
        found.map((line, i) => line.startsWith(lines[i] ?? "?")),
        stderr,
      ).toEqual(lines.map(() => true));
    }
    const shown = await toolwright(["config", "--json", "--root", root]);
    const { faults } = JSON.parse(shown.stdout);
    expect([shown.code, faults.map((line: string, i: number) => line.startsWith(lines[i] ?? "?"))]).toEqual([
      1,
      lines.map(() => true),
    ]);
    const { code, stdout } = await toolwright(["doctor", "--json", "--root", root]);
    const finding = JSON.parse(stdout).findings.find((one: Json) => one.what === "declared");
    expect([code, finding.ok, finding.found.includes("a -> b -> c -> a")]).toEqual([1, false, true]);
  });

  test("is refused for variables that are not set, each named with its place", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const root = rootWith({
      "definitions/toolwright.yaml": `include: [team.yaml]\n${CONFIG}log: { file: "${variable("CONFIG_TEST_B")}" }\n`,
      "definitions/team.yaml": `projects:\n  a: "${variable("CONFIG_TEST_A")}/x"\n`,
      "definitions/t.json": JSON.stringify(tools),
    });
    expect((await toolwright(["generate", "--root", root])).code).toBe(0);
    const { code, stderr } = await toolwright(["serve", "--root", root]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/toolwright\.yaml: missing variables: CONFIG_TEST_A, CONFIG_TEST_B;/);
    expect(stderr).toContain("definitions/team.yaml:2:3, definitions/toolwright.yaml:5:8");
  });
});
