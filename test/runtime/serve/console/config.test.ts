/** Changes of `toolwright.yaml` by the console's HTTP API: previews, what is written, and what is refused. */

import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { raw } from "../../../support/http.js";
import { keysOfEveryGrant } from "../../../support/keys.js";
import { type Json, toolwright } from "../../../support/project.js";
import { listening, mcpRoute } from "../../../support/upstream/http.js";
import { CONFIG_TEXT, type ConfigProject, configProject } from "./config-project.js";

const SLOW = 240_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
let project: ConfigProject;

beforeAll(async () => {
  project = await configProject(later);
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

const FILE = "definitions/toolwright.yaml";

async function post(path: string, body: object, key = "", url = project.server.url) {
  const headers = key === "" ? {} : { headers: { authorization: `Bearer ${key}` } };
  const { status, text } = await raw(url, { path, body, ...headers });
  return { status, body: JSON.parse(text) as Json };
}
const get = async (path: string): Promise<Json> =>
  JSON.parse((await raw(project.server.url, { method: "GET", path })).text);
const preview = async (change: object): Promise<Json> => (await post("/api/config/preview", { change })).body;

/** The lines of a change that are added and taken out. */
async function linesOf(change: object): Promise<readonly string[]> {
  const { diff, faults } = await preview(change);
  expect(faults).toEqual([]);
  return diff.split("\n").filter((line: string) => /^[+-](?![+-])/.test(line));
}

async function write(change: object): Promise<Json> {
  const { digest, faults } = await preview(change);
  expect(faults).toEqual([]);
  return (await post("/api/config/write", { change, digest })).body;
}

const opsOf = async (): Promise<readonly string[]> =>
  (await get("/api/registry")).packs.flatMap(({ ops }: Json) => ops.map(([op]: Json) => op));

test("what can be changed, and the servers with their tools, without secrets", async () => {
  expect(await get("/api/config")).toEqual({
    file: FILE,
    aliases: [{ name: "plus", target: "sums.add" }],
    hidden: [],
    policies: [],
    servers: [{ name: "team-notes", address: "toolwright-no-such-program --token=***", enabled: true }],
  });
  const { servers } = await get("/api/servers");
  expect(servers.map(({ name, tools }: Json) => [name, tools])).toEqual([["team-notes", 2]]);
});

test("a preview shows the lines that a change adds and takes out, and writes nothing", async () => {
  const rules = { do: ["Give both: a, b."], dont: [], edge_cases: [] };
  expect(await linesOf({ kind: "alias", name: "sum", target: "sums.add" })).toEqual(["+    sum: sums.add"]);
  expect(await linesOf({ kind: "alias", name: "plus", target: null })).toEqual([
    "-aliases:",
    "-    plus:   sums.add     # short",
    "-",
  ]);
  expect(await linesOf({ kind: "hidden", op: "sums.add", hidden: true })).toEqual([
    "+",
    "+ops:",
    "+    add:",
    "+        hidden: true",
  ]);
  expect(await linesOf({ kind: "policy", op: "sums.add", policy: rules })).toEqual([
    "+",
    "+policies:",
    "+    sums.add:",
    '+        do: ["Give both: a, b."]',
    expect.stringMatching(/^\+ {8}source_hash: [0-9a-f"]{12,14}$/),
  ]);
  expect(await linesOf({ kind: "server", name: "web", url: "https://example.com/mcp" })).toEqual([
    "+  web:",
    "+    type: http",
    "+    url: https://example.com/mcp",
  ]);
  const off = await linesOf({ kind: "enabled", name: "team-notes", enabled: false });
  expect(off.map((line) => line.replace(/abc/, "***"))).toEqual([
    expect.stringMatching(/^- {2}team-notes: \{ command: "toolwright-no-such-program", /),
    expect.stringMatching(/^\+ +team-notes: .*enabled: false/),
  ]);
  expect(await linesOf({ kind: "alias", name: "plus", target: "team_notes.list_notes" })).toEqual([
    "-    plus:   sums.add     # short",
    "+    plus: team_notes.list_notes # short",
  ]);
  expect(await preview({ kind: "alias", name: "plus", target: "sums.add" })).toMatchObject({ diff: "", faults: [] });
  expect(project.text()).toBe(CONFIG_TEXT);
});

test("a change is written, generated and served; one that does not generate leaves all as it was", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  expect(await write({ kind: "hidden", op: "team_notes.get_note", hidden: true })).toEqual({
    ok: true,
    ops: expect.any(Number),
  });
  expect(project.text()).toBe(`${CONFIG_TEXT}\nops:\n    get_note:\n        hidden: true\n`);
  expect(await opsOf()).not.toContain("team_notes.get_note");
  expect((await get("/api/config")).hidden).toEqual(["team_notes.get_note"]);
  const before = project.text();
  expect(await write({ kind: "alias", name: "wrong", target: "sums.no_such" })).toEqual({
    ok: false,
    stale: false,
    faults: [expect.stringContaining("sums.no_such")],
  });
  expect(project.text()).toBe(before);
  expect((await toolwright(["check", "--root", project.root])).code).toBe(0);
});

test("a change is refused where the file is another one meanwhile", { timeout: SLOW }, async () => {
  const change = { kind: "alias", name: "sum", target: "sums.add" };
  const { digest } = await preview(change);
  const mine = `${project.text()}# and this\n`;
  writeFileSync(join(project.root, FILE), mine);
  expect((await post("/api/config/write", { change, digest })).body).toMatchObject({ ok: false, stale: true });
  expect(project.text()).toBe(mine);
});

test("what a browser must not add, and what is no change", async () => {
  const faultsOf = async (change: object): Promise<string> => (await preview(change)).faults.join();
  const server = (url: string) => faultsOf({ kind: "server", name: "web", url });
  expect(await server("rm -rf /tmp/x")).toContain("http or https URL");
  expect(await server("https://example.com/?key=$" + "{OUBLIETTE_API_KEY}")).toContain("without variables");
  expect(await server("https://me:secret-of-mine@example.com/mcp")).toMatch(/secret/);
  const before = project.text();
  // A file in which no secret is looked up may be as it likes.
  writeFileSync(join(project.root, ".onetool", "secrets.yaml"), "A: b\n", { mode: 0o644 });
  writeFileSync(join(project.root, FILE), `${before}secrets: { from: [env] }\n`);
  expect(await server("https://me:secret-of-mine@example.com/mcp")).toContain("the URL holds a secret");
  rmSync(join(project.root, ".onetool", "secrets.yaml"));
  writeFileSync(join(project.root, FILE), before);
  for (const host of ["127.0.0.1:9", "169.254.169.254", "[::1]", "10.0.0.1", "2130706433"])
    expect(await server(`http://${host}/mcp`)).toContain("private");
  expect(await faultsOf({ kind: "server", name: "../x", url: "https://example.com" })).toContain("no file name");
  expect(await faultsOf({ kind: "server", name: "team-notes", url: "https://example.com" })).toContain("another name");
  expect(await faultsOf({ kind: "hidden", op: "no.such", hidden: true })).toContain("no op no.such");
  for (const change of [
    undefined,
    { kind: "state", state: "/tmp" },
    { kind: "alias", name: "x" },
    { kind: "alias", name: "x\ny", target: "sums.add" },
    { kind: "hidden", op: "sums.add", hidden: true, access: "admin" },
    { kind: "policy", op: "sums.add", policy: { do: "x", dont: [], edge_cases: [] } },
    { kind: "__proto__" },
  ])
    expect((await post("/api/config/preview", { change })).status).toBe(400);
});

test("servers at a URL: added with their tools, switched off, and taken out", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const tools = [{ name: "list_pages", description: "List pages.", inputSchema: { type: "object", properties: {} } }];
  const { origin, stop } = await listening(mcpRoute(tools));
  const first = project.text();
  writeFileSync(join(project.root, FILE), `${first}web: { allow_private: [127.0.0.1] }\n`);
  const before = project.text();
  expect(await write({ kind: "server", name: "web", url: `${origin}/mcp` })).toMatchObject({ ok: true });
  expect((await opsOf()).some((op) => op.startsWith("web."))).toBe(true);
  expect(await write({ kind: "enabled", name: "web", enabled: false })).toMatchObject({ ok: true });
  expect((await get("/api/servers")).servers.map(({ name }: Json) => name)).toEqual(["team-notes"]);
  expect(await write({ kind: "server", name: "web", url: null })).toMatchObject({ ok: true });
  expect(project.text()).toBe(before);
  expect(existsSync(join(project.root, "definitions/servers/web.json"))).toBe(false);
  await stop();
  const gone = await write({ kind: "server", name: "web", url: `${origin}/mcp` });
  expect(gone).toMatchObject({ ok: false, faults: [expect.stringContaining("web does not answer as an MCP server")] });
  expect(project.text()).toBe(before);
  // What answers there is not repeated.
  const other = await listening((_, answer) => void answer.writeHead(500).end("secret of a neighbour"));
  const refused = await write({ kind: "server", name: "web", url: `${other.origin}/mcp` });
  expect(refused).toMatchObject({ ok: false, faults: [expect.any(String)] });
  expect(JSON.stringify(refused)).not.toContain("neighbour");
  await other.stop();
  writeFileSync(join(project.root, FILE), first);
});

describe("who may", () => {
  const change = { kind: "alias", name: "sum", target: "sums.add" };

  test("admins may, other keys and callers without one may not", { timeout: SLOW }, async () => {
    const known = await keysOfEveryGrant(project.root);
    const { keys, admin, write, read, project: one } = known;
    later(() => keys.close());
    // From the first key on, a caller needs one.
    await expect.poll(async () => (await post("/api/config/preview", { change })).status).toBe(401);
    expect((await post("/api/config/preview", { change }, admin.key)).status).toBe(200);
    for (const { key } of [write, read, one])
      for (const path of ["/api/config/preview", "/api/config/write"])
        expect((await post(path, { change, digest: "" }, key)).status).toBe(403);
  });

  test("writes that are off are off for the configuration, too", { tags: "full", timeout: SLOW }, async () => {
    const other = await configProject(later, []);
    const { status, body } = await post("/api/config/preview", { change }, "", other.server.url);
    expect([status, body.error.message]).toEqual([403, expect.stringContaining("--allow-write")]);
    expect(other.text()).toBe(CONFIG_TEXT);
  });
});
