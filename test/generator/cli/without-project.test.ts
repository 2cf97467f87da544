/** Servers, APIs and files that the command line names in place of a project, with real processes. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { CHECKOUT, temporaryFolder, toolwright } from "../../support/project.js";
import { onTerminal } from "../../support/terminal.js";
import { guardedServer, listening } from "../../support/upstream/http.js";
import { BROWSER } from "../../support/upstream/servers.js";

const LAUNCHER = join(CHECKOUT, "generator", "launch.mjs");
const EVERYTHING = join(CHECKOUT, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
const command = (...words: readonly string[]): string =>
  [process.execPath, ...words].map((word) => JSON.stringify(word)).join(" ");
const STDIO = command(EVERYTHING, "stdio");

/** A folder without a project, and a cache of its own. */
function place(files: Readonly<Record<string, string>> = {}) {
  const [folder, cache] = [temporaryFolder(), temporaryFolder()];
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const env = { XDG_CACHE_HOME: cache };
  const run = (args: readonly string[], input = "", more: NodeJS.ProcessEnv = {}) =>
    toolwright(args, { cwd: folder, env: { ...env, ...more }, input });
  const answer = async (args: readonly string[], input?: string) =>
    JSON.parse((await run([...args, "--json"], input)).stdout);
  return { folder, env, run, answer, projects: join(cache, "toolwright", "projects") };
}

/** Everything below a folder, with modes. */
const below = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => {
    const path = join(entry.parentPath, entry.name);
    return { path, isFile: entry.isFile(), mode: statSync(path).mode & 0o777 };
  });

const TOOLS = `/** Adds two numbers.
 * @kind read
 */
export function get_sum({ a, b }: { a: number; b: number }): number {
  return a + b;
}
`;

describe("the first program", { timeout: 120_000 }, () => {
  test("says what it waits for, and the next one nothing", async () => {
    const { run } = place({ "tools.ts": TOOLS });
    const program = ["run", "-c", "tools.get_sum(a=1, b=2)", "--tools", "tools.ts"];
    const said = "preparing the Python interpreter for its first run here, which takes some seconds …\n";
    expect(await run(program)).toEqual({ code: 0, stdout: "3\n", stderr: said });
    expect(await run(program)).toEqual({ code: 0, stdout: "3\n", stderr: "" });
  });

  test("may be in TypeScript", async () => {
    const { run } = place({ "tools.ts": TOOLS });
    const program = ["run", "-c", "const sum = await tools.get_sum({ a: 1, b: 2 });\nsum", "--tools", "tools.ts"];
    expect(await run(program)).toEqual({ code: 0, stdout: "3\n", stderr: "" });
  });

  test.each([["--json"], ["--log-level", "silent"]])("says nothing with %s", async (...flags) => {
    const { run } = place({ "tools.ts": TOOLS });
    const { stderr } = await run(["run", "-c", "1", "--tools", "tools.ts", ...flags]);
    expect(stderr).toBe("");
  });
});

/** A server with one tool, whose schema a file of its folder holds. */
const MOVING = `import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
const results = {
  initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "moving", version: "1" } }),
  "tools/list": () => ({ tools: [{ name: "get_note", description: "Get a note.", inputSchema: JSON.parse(readFileSync("schema.json", "utf8")) }] }),
  "tools/call": () => ({ content: [{ type: "text", text: "a note" }] }),
};
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, result: results[method]?.(params) ?? {} }));
});
`;

/** The same, whose tool never answers. */
const SLOW = MOVING.replace(/"tools\/call": .*/, "").replace("if (id", 'if (method !== "tools/call" && id');

describe("a server that a command names", { timeout: 120_000 }, () => {
  test("is started once, listed and called; nothing is written beside the caller's files", async () => {
    const { folder, run, projects } = place({
      "counted.mjs": `import { appendFileSync } from "node:fs";
appendFileSync(process.argv[2], "started\\n");
process.argv[2] = "stdio";
await import(${JSON.stringify(EVERYTHING)});
`,
    });
    const log = join(temporaryFolder(), "log");
    const server = ["--stdio", `every=${command("counted.mjs", log)}`];
    const called = await run(["call", "every.echo", "message=hi", ...server]);
    expect(called).toMatchObject({ code: 0, stderr: "" });
    expect(JSON.parse(called.stdout)).toMatchObject({ op: "every.echo", ok: true, result: "Echo: hi" });
    expect(readFileSync(log, "utf8")).toBe("started\n");
    const listed = await run(["list", ...server]);
    expect(listed.stdout).toContain("every.get_sum(a: float, b: float)");
    expect((await run(["run", "-c", "every.get_sum(a=1, b=2)", ...server])).stdout).toContain(
      "The sum of 1 and 2 is 3.",
    );
    expect((await run(["help", "get-sum", ...server])).stdout).toMatch(/a \* number/);
    expect(readFileSync(log, "utf8")).toBe("started\n".repeat(4));
    expect(readdirSync(folder)).toEqual(["counted.mjs"]);
    expect(readdirSync(projects)).toHaveLength(1);
    if (process.platform !== "win32")
      expect(below(projects).filter(({ isFile, mode }) => mode !== (isFile ? 0o600 : 0o700))).toEqual([]);
  });

  test("takes arguments by name with the types of the schema, and repeats a corrected call as a command", {
    tags: "full",
  }, async () => {
    const { folder, env, run, answer } = place({ "message.txt": "from a file" });
    const server = ["--stdio", `every=${STDIO}`];
    const result = async (args: readonly string[], input?: string) =>
      (await answer(["call", ...args, ...server], input)).result;
    expect(await result(["echo", "message=5"])).toBe("Echo: 5");
    expect(await result(["echo", 'message:="five"'])).toBe("Echo: five");
    expect(await result(["echo", "message=@message.txt"])).toBe("Echo: from a file");
    expect(await result(["echo", "-"], '{"message":"from input"}')).toBe("Echo: from input");
    expect(await result(["get-sum", "a=2", "--b", "3"])).toBe("The sum of 2 and 3 is 5.");
    const wrong = await run(["call", "every.get_sums", "a=2", "b=3", ...server]);
    expect(wrong.code).toBe(1);
    const line = wrong.stderr.trim();
    expect(line).toMatch(/^try: toolwright call every\.get_sum a=2 b=3 --stdio '/);
    const shell = `${command(LAUNCHER)} ${line.slice("try: toolwright ".length)}`;
    const again = execFileSync("sh", ["-c", shell], { cwd: folder, env: { ...process.env, ...env }, encoding: "utf8" });
    expect(JSON.parse(again)).toMatchObject({ ok: true, result: "The sum of 2 and 3 is 5." });
    for (const [args, says] of [
      [["a=1", "a=2"], /a is given twice/],
      [["a:=x"], /a:= is no JSON/],
      [["a=@nowhere"], /a=@nowhere cannot be read.*a:='"@…"'/],
      [["word"], /word is neither a flag nor its value: write NAME=VALUE/],
    ] as const) {
      const { code, stderr } = await run(["call", "get-sum", ...args, ...server]);
      expect([code, says.test(stderr)], stderr).toEqual([2, true]);
    }
  });

  test("gets variables, whose secrets are in no file and in no message", { tags: "full" }, async () => {
    const { run, projects } = place();
    const server = ["--stdio", `every=${STDIO}`, "--env", "API_TOKEN=sk-0123456789abcdef", "--env", "PASSED"];
    const { stdout } = await run(["call", "get-env", "--json", ...server], "", { PASSED: "along", LEFT_OUT: "here" });
    expect(stdout).toContain("PASSED");
    expect(stdout).not.toContain("LEFT_OUT");
    const wrong = await run(["call", "echo", ...server], "", { PASSED: "along" });
    expect(wrong.stderr).toContain("--env API_TOKEN --env PASSED");
    const texts = below(projects).flatMap(({ path, isFile }) => (isFile ? [readFileSync(path, "latin1")] : []));
    for (const text of [...texts, stdout, wrong.stdout, wrong.stderr]) expect(text).not.toContain("0123456789abcdef");
  });

  test("is refused by serve once its tool has changed in meaning, until --accept", { tags: "full" }, async () => {
    const schema = (name: string) => ({ type: "object", properties: { [name]: { type: "string" } }, required: [name] });
    const { folder, env, run } = place({ "schema.json": JSON.stringify(schema("id")), "moving.mjs": MOVING });
    const args = [LAUNCHER, "serve", "--stdio", `notes=${command("moving.mjs")}`, "--log-level", "error"];
    const served = async (args: readonly string[], given: object) => {
      const client = new Client({ name: "test", version: "1" });
      const started = { command: process.execPath, args: [...args], cwd: folder, env: { ...env, HOME: folder } };
      await client.connect(new StdioClientTransport(started));
      const call = { name: "tool_exec", arguments: { op: "notes.get_note", args: given } };
      const { structuredContent } = await client.callTool(call);
      await client.close();
      return structuredContent;
    };
    expect(await served(args, { id: "1" })).toMatchObject({ ok: true });
    writeFileSync(join(folder, "schema.json"), JSON.stringify(schema("path")));
    const error = {
      code: "CONFLICT",
      message: expect.stringContaining('start "toolwright serve" again with --accept'),
    };
    expect(await served(args, { id: "1" })).toMatchObject({ ok: false, error });
    const live = await run(["call", "get_note", "path=1", "--stdio", `notes=${command("moving.mjs")}`]);
    expect(live.code).toBe(0);
    expect(await served(args, { id: "1" })).toMatchObject({ ok: false, error: { code: "CONFLICT" } });
    expect(await served([...args, "--accept"], { path: "1" })).toMatchObject({ ok: true });
    expect(await served(args, { path: "1" })).toMatchObject({ ok: true });
  });

  test("that does not answer is given up after --timeout", { tags: "full" }, async () => {
    const silent = command("-e", "setInterval(() => {}, 1_000)");
    const { code, stderr } = await place().run(["list", "--stdio", `mute=${silent}`, "--timeout", "1"]);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/did not answer within 1 s\n.* or raise --timeout/)]);
  });

  test("that cannot be started is reported with the flag to correct, exit 1", { tags: "full" }, async () => {
    const { run } = place();
    const { code, stderr } = await run(["list", "--stdio", "none=no-such-command-anywhere"]);
    expect([code, stderr]).toEqual([
      1,
      'none  failed     there is no command "no-such-command-anywhere"\n  → install it, or correct --stdio\n',
    ]);
  });
});

describe("--timeout is the time of each call", { timeout: 120_000 }, () => {
  const SLEEP = `/** Sleeps.
 * @kind read
 */
export async function get_sleep({ ms }: { ms: number }): Promise<string> {
  return new Promise((done) => setTimeout(done, ms, "slept"));
}
`;

  test.each(["1", "1s"])("of a file of tools: %s", async (timeout) => {
    const { run } = place({ "tools.ts": SLEEP });
    const call = ["call", "get_sleep", "--tools", "tools.ts", "--json"];
    const started = performance.now();
    const { code, stdout } = await run([...call, "ms=60000", "--timeout", timeout]);
    expect([code, JSON.parse(stdout).error]).toMatchObject([1, { code: "TIMEOUT", details: { limit_ms: 1000 } }]);
    expect(performance.now() - started).toBeLessThan(60_000);
    expect(JSON.parse((await run([...call, "ms=1100"])).stdout)).toMatchObject({ ok: true, result: "slept" });
  });

  test("of an API", async () => {
    const paths = { "/pets": { get: { operationId: "listPets", responses: { 200: { description: "Pets." } } } } };
    const api = { openapi: "3.1.0", info: { title: "Pets", version: "1" }, paths };
    const { answer } = place({ "pets.json": JSON.stringify(api) });
    const { origin } = await listening(() => undefined);
    const given = ["--openapi", "pets.json", "--server", origin, "--timeout", "1"];
    expect(await answer(["call", "list_pets", ...given])).toMatchObject({
      error: { code: "TIMEOUT", details: { limit_ms: 1000 } },
    });
  });

  test("of a server, whose failure says more, and may take longer than calls do elsewhere", async () => {
    const { answer, projects } = place({ "moving.mjs": SLOW, "schema.json": "{}" });
    const given = (seconds: string) => ["--stdio", command("moving.mjs"), "--timeout", seconds];
    expect(await answer(["call", "get_note", ...given("2")])).toMatchObject({
      error: { code: "TIMEOUT", message: expect.stringContaining("did not answer within 2 s") },
    });
    await answer(["call", "get_notes", ...given("40")]);
    const limits = readdirSync(projects).map(
      (name) => parse(readFileSync(join(projects, name, "definitions/toolwright.yaml"), "utf8")).limits,
    );
    expect(limits.map((one) => one.call_timeout_ms).sort()).toEqual([30_000, 80_000]);
  });
});

describe("a file of tools", { timeout: 120_000 }, () => {
  test("is a server", async () => {
    const { folder, env } = place({ "sums.ts": TOOLS });
    const client = new Client({ name: "test", version: "1" });
    const args = [LAUNCHER, "serve", "sums.ts", "--log-level", "warn"];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: folder, env: { ...env, HOME: folder } }),
    );
    onTestFinished(() => client.close());
    const { structuredContent } = await client.callTool({
      name: "tool_exec",
      arguments: { op: "sums.get_sum", args: { a: 1, b: 2 } },
    });
    expect(structuredContent).toMatchObject({ ok: true, result: 3 });
    expect(readdirSync(folder)).toEqual(["sums.ts"]);
  });

  test("stays as it was first served until --accept; call reads it anew", { tags: "full" }, async () => {
    const { folder, run, answer } = place({ "sums.ts": TOOLS });
    const serve = (...args: readonly string[]) => run(["serve", "sums.ts", "--log-level", "error", ...args]);
    expect(await serve()).toMatchObject({ code: 0, stderr: "" });
    writeFileSync(join(folder, "sums.ts"), TOOLS.replace("return a + b", "return b + a"));
    expect(await serve()).toMatchObject({ code: 0, stderr: "" });
    writeFileSync(join(folder, "sums.ts"), TOOLS.replace("b: number }", "b: number; c: number }"));
    const refused = await serve();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(/sums\.get_sum: .*\bc\b.*\n.*sums\.ts means something else .*: add --accept/s);
    expect(await answer(["call", "get_sum", "a=1", "b=2", "c=0", "--tools", "sums.ts"])).toMatchObject({ result: 3 });
    expect((await serve()).code).toBe(1);
    expect((await serve("--accept")).code).toBe(0);
    expect((await serve()).code).toBe(0);
  });

  test("of function tools has its handlers beside them", { tags: "full" }, async () => {
    const { answer } = place({
      "chat.ts": `export const TOOLS = [{ type: "function", function: { name: "get_greeting", description: "Greet.", parameters: { type: "object", properties: { name: { type: "string" } }, required: ["name"] } } }];
export const handlers = { "chat.get_greeting": async ({ name }: { name: string }) => ({ greeting: \`Hello, \${name}!\` }) };
`,
    });
    const call = ["call", "get_greeting", "name=Bo", "--tools", "chat.ts"];
    expect(await answer(call)).toMatchObject({ ok: true, result: { greeting: "Hello, Bo!" } });
  });
});

test.each([
  [
    "throws",
    'export const tools = [];\n\nthrow new Error("no luck");\n',
    /^throws\.ts:3:1 error module-failed .*no luck/m,
  ],
  ["empty", "export {};\n", /^empty\.ts:1:1 error no-functions /],
  [
    "broken",
    "/** Hi. */\nexport function hi(a: string): string { return a };\nexport function x( {",
    /^broken\.ts:3:\d+ error syntax-error /,
  ],
] as const)("a file of tools that is no use has its own place: %s", { timeout: 60_000 }, async (name, text, says) => {
  const { run } = place({ [`${name}.ts`]: text });
  const { code, stderr } = await run(["list", "--tools", `${name}.ts`]);
  expect(stderr).toMatch(says);
  expect(stderr).not.toMatch(/function-form|the command/);
  expect(code).not.toBe(0);
});

test("--save says which API the new project does not call", { timeout: 60_000 }, async () => {
  const { run } = place({ "local.json": API("http://10.0.0.1") });
  const { code, stderr } = await run(["list", "local", "--save", "kept", "--openapi", "local.json"]);
  expect(stderr).toMatch(
    /^warning 10\.0\.0\.1 is not called, since its address is not public; name the API under `server`/m,
  );
  expect(code).toBe(0);
});

test("a path without ops is not found", { timeout: 60_000 }, async () => {
  const { run } = place({ "sums.ts": TOOLS });
  const { code, stdout, stderr } = await run(["list", "nothing", "--tools", "sums.ts"]);
  expect([code, stdout, stderr]).toEqual([1, "", expect.stringContaining("error no ops below nothing")]);
});

/** Files and keys of a project, and commands that only it has. */
const OF_A_PROJECT =
  /toolwright\.yaml|\b(?:access|servers|sources|web|ops|stats|metrics)\.\w|`(?:ops|auth|server|vocabulary|handlers)\b|toolwright (?:snapshot|generate|keys|connections|add|init)\b|definitions\//;

const WRITES = `/** Adds a note.
 * @kind write
 */
export function add_note({ text }: { text: string }): string { return text; }
`;
const BARE = JSON.stringify([
  { type: "function", function: { name: "zorb", description: "", parameters: { type: "object" } } },
]);
const API = (url: string | undefined) =>
  JSON.stringify({
    openapi: "3.1.0",
    info: { title: "An API" },
    ...(url === undefined ? {} : { servers: [{ url }] }),
    paths: { "/a": { get: { operationId: "getA", summary: "Get it.", responses: {} } } },
  });
/** A server that ends at its first call. */
const DYING = MOVING.replace(/"tools\/call": .*/, '"tools/call": () => process.exit(3),');

describe("failures name no file, key or command of a project", { timeout: 300_000 }, () => {
  const api = (file: string, ...more: readonly string[]) => ["call", "getA", "--openapi", file, ...more];
  const dying = command("moving.mjs");
  const failing: readonly (readonly [args: readonly string[], says: RegExp])[] = [
    [["run", "-c", "writes.add_note(text='a')", "--tools", "writes.ts"], /Add --allow-write to the command\./],
    [["call", "zorb", "--tools", "bare.json", "--allow-write"], /Export \\"handlers\\" from the file/],
    [["call", "get_note", "--stdio", dying], /correct --stdio/],
    [["list", "--url", "http://127.0.0.1:9"], /correct --url/],
    [api("private.json"), /name the API with --server to allow it/],
    [["call", "nothing.at_all", "--tools", "writes.ts"], /No op nothing\.at_all/],
    [["help", "nothing.at_all", "--tools", "writes.ts"], /nothing/i],
  ];
  const fail = async (args: readonly string[], says: RegExp) => {
    const { run } = place({
      "writes.ts": WRITES,
      "bare.json": BARE,
      "nowhere.json": API(undefined),
      "private.json": API("http://10.0.0.1"),
      "moving.mjs": DYING,
      "schema.json": '{"type":"object"}',
    });
    const { code, stdout, stderr } = await run(args);
    expect(code, stderr).toBe(1);
    expect(stdout + stderr).toMatch(says);
    expect(stdout + stderr).not.toMatch(OF_A_PROJECT);
  };

  test("a write without --allow-write, and an API without an address", async () => {
    await fail(["call", "add_note", "text=a", "--tools", "writes.ts"], /Add --allow-write to the command\./);
    await fail(api("nowhere.json"), /Add --server https:\/\/… to the command.*name it with --server/s);
  });

  test.each(failing)("the failure of %j", { tags: "full" }, (args, says) => fail(args, says));

  test("credentials that an API refuses", { tags: "full" }, async () => {
    const { origin } = await listening((_, response) => void response.writeHead(401).end());
    await fail(api("nowhere.json", "--server", origin, "--header", "a: b"), /credentials that --header sends/);
    await fail(["list", "--url", origin], /--header/);
  });
});

test("an API is read at its address, with its own host as base and a header", {
  timeout: 120_000,
  tags: "full",
}, async () => {
  const { run, answer, projects } = place();
  const api = await listening(({ url }, response) => {
    response.setHeader("content-type", "application/json");
    const get = {
      operationId: "getPet",
      parameters: [{ name: "id", in: "path", required: true, schema: { type: "integer" } }],
      responses: { 200: { description: "A pet." } },
    };
    const description = {
      ...{ openapi: "3.0.3", info: { title: "Pets", version: "1" }, servers: [{ url: "/v1" }] },
      paths: { "/pets/{id}": { get } },
    };
    response.end(JSON.stringify(url === "/openapi.json" ? description : { name: "Rex" }));
  });
  const flags = ["--openapi", `pets=${api.origin}/openapi.json`, "--header", "Authorization: Bearer top-secret-text"];
  expect(await answer(["call", "pets.getPet", "id=7", ...flags])).toMatchObject({ ok: true, result: { name: "Rex" } });
  expect(api.seen).toContain("GET /v1/pets/7");
  expect(api.headers.get("/v1/pets/7")?.authorization).toBe("Bearer top-secret-text");
  const texts = below(projects).flatMap(({ path, isFile }) => (isFile ? [readFileSync(path, "latin1")] : []));
  for (const text of texts) expect(text).not.toContain("top-secret-text");
  const denied = await listening((_, response) => {
    response.writeHead(401, { "www-authenticate": "Bearer" });
    response.end();
  });
  expect(await run(["list", "--url", `shut=${denied.origin}/mcp`])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(
      /run "toolwright list" with these flags on a terminal, where a browser can be opened, or set --header/,
    ),
  });
  expect(await run(["list", "--openapi", `${api.origin}/openapi.json`, "--tools", "nowhere.ts"])).toMatchObject({
    code: 2,
    stderr: expect.stringMatching(/there is no file nowhere\.ts in .*: correct the path after --tools/),
  });
});

test("a person signs in at a server once, in a browser; later calls need no terminal", {
  timeout: 240_000,
  tags: "full",
}, async ({ skip }) => {
  const { folder, env, answer, projects } = place();
  const tools = [{ name: "get_note", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }];
  const call = async () => ({ content: [{ type: "text", text: "a note" }] });
  const { origin } = await guardedServer(tools, "yes", { call });
  const args = ["call", "get_note", "--url", `notes=${origin}/mcp`, "--timeout", "60"];
  const browser = { BROWSER: `${process.execPath} ${BROWSER}` };
  const first = await onTerminal(args, { cwd: folder, env: { ...env, ...browser } });
  if (!first) return skip("python3 is not there");
  expect([first.code, first.text]).toEqual([0, expect.stringContaining("a note")]);
  expect(await answer(args)).toMatchObject({ ok: true, result: "a note" });
  expect(readdirSync(projects)).toHaveLength(1);
});

test("--save makes a project, which needs the flags no more", { timeout: 120_000, tags: "full" }, async () => {
  const { folder, run } = place({ "sums.ts": TOOLS });
  const flags = ["--stdio", `every=${STDIO}`, "--tools", "sums.ts", "--env", "API_TOKEN=sk-0123456789abcdef"];
  const first = await run(["call", "echo", "message=hi", ...flags, "--save", "shop"]);
  expect([first.code, first.stderr]).toEqual([0, expect.stringMatching(/wrote a project in .*shop: /)]);
  const shop = join(folder, "shop");
  expect(parse(readFileSync(join(shop, "definitions/toolwright.yaml"), "utf8"))).toMatchObject({
    sources: [{ mcp: "servers/*.json" }, { functions: "../../sums.ts", pack: "sums" }],
    servers: { every: { env: { API_TOKEN: `\${API_TOKEN}` }, cwd: ".." } },
  });
  expect(readFileSync(join(shop, ".onetool/secrets.yaml"), "utf8")).toContain("sk-0123456789abcdef");
  expect((await run(["check", "--root", "shop"])).code).toBe(0);
  expect((await run(["call", "sums.get_sum", "a=1", "b=2", "--root", "shop"])).code).toBe(0);
  const again = await run(["list", ...flags, "--save", "shop"]);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining("has a project already")]);
});

test("projects that were not used for 30 days are deleted, and nothing else", {
  timeout: 120_000,
  tags: "full",
}, async () => {
  const { run, projects } = place({ "sums.ts": TOOLS });
  const old = new Date(Date.now() - 31 * 86_400_000);
  for (const [name, at] of [
    ["a".repeat(24), old],
    ["b".repeat(24), new Date()],
    ["mine", old],
  ] as const) {
    mkdirSync(join(projects, name), { recursive: true });
    utimesSync(join(projects, name), at, at);
  }
  expect((await run(["list", "--tools", "sums.ts"])).code).toBe(0);
  expect(existsSync(join(projects, "a".repeat(24)))).toBe(false);
  expect(readdirSync(projects)).toEqual(expect.arrayContaining(["b".repeat(24), "mine"]));
  expect(readdirSync(projects)).toHaveLength(3);
});

test.each([
  [["list", "--header", "A: b"], "--header is for tools without a project: name them with"],
  [["list", "--stdio", "node a.js", "--root", "."], "--root names a project"],
  [["list", "--stdio", "https://example.com/mcp"], "--stdio takes a command: use --url"],
  [["list", "--url", "node a.js"], "is no http or https address; a command goes after --stdio"],
  [["list", "--url", "https://a.example/mcp", "--url", "https://a.example/other"], "two of the flags name a: put"],
  [["list", "--tools", "a.ts", "--header", "A: b"], "--header is about what --url or --openapi names: there is none"],
  [["list", "--stdio", "a", "--stdio", "b", "--env", "X=1"], "--env is for one of a and b, and does not say which"],
  [["list", "--url", "https://a.example/mcp", "--header", "A"], "--header takes NAME: VALUE"],
  [["list", "--stdio", "a", "--env", "1A=x"], "--env takes NAME=VALUE"],
  [["list", "--stdio", "a", "--timeout", "soon"], "--timeout soon is no number of seconds: write one"],
  [["list", "--stdio", "9bad=node x"], "--stdio cannot be named 9bad: a name has letters"],
  [["list", "--stdio", ""], '--stdio is empty: it takes a command, as in --stdio "node server.js"'],
  [["list"], "with --root; or name tools without one with --stdio, --url, --openapi or --tools"],
  [["serve", "a.ts"], "correct the path\n"],
  [["serve", "a.ts", "--watch"], "--watch follows the definitions of a project: make one with --save"],
] as const)("%j is refused with the remedy, exit 2", { tags: "full" }, async (args, says) => {
  const { run } = place();
  const { code, stdout, stderr } = await run(args);
  expect([code, stdout, stderr]).toEqual([2, "", expect.stringContaining(says)]);
});

describe("a file behind the wrong flag", { timeout: 120_000 }, () => {
  const API = { openapi: "3.0.0", info: { title: "w", version: "1" }, paths: {} };
  const files = {
    "weather.yaml": 'openapi: 3.0.0\ninfo: { title: w, version: "1" }\npaths: {}\n',
    "weather.json": JSON.stringify(API),
    "tools.ts": TOOLS,
    "tools.json": '[{"type":"function","function":{"name":"list_x","description":"List."}}]',
    "snapshot.json": '{"tools":[{"name":"list_x"}]}',
    "shop.graphql": "type Query { a: String }",
    "server.py": "print(1)",
    "settings.json": '{"mcpServers":{"a":{"command":"x"}}}',
    "notes.yaml": "a: 1",
  };
  test.each([
    ["--tools", "weather.yaml", "looks like an OpenAPI description: use --openapi weather.yaml"],
    ["--tools", "weather.json", "looks like an OpenAPI description: use --openapi weather.json"],
    ["--openapi", "tools.ts", "looks like code: use --tools tools.ts"],
    ["--openapi", "tools.json", "looks like definitions of tools: use --tools tools.json"],
    ["--openapi", "snapshot.json", "looks like definitions of tools: use --tools snapshot.json"],
    ["--tools", "shop.graphql", "looks like a GraphQL schema: no flag takes one: make a project"],
    [
      "--tools",
      "server.py",
      'looks like a Python file: if it is an MCP server, start it with --stdio "python server.py"',
    ],
    ["--openapi", "settings.json", "looks like a client's list of MCP servers: no flag takes one"],
    ["--tools", "notes.yaml", "is no file of tools: they are in TypeScript, JavaScript or JSON"],
    ["--stdio", "tools.ts", 'use --tools tools.ts, or start it as a server: --stdio "node tools.ts"'],
    ["--stdio", "weather.yaml", "looks like an OpenAPI description: use --openapi weather.yaml"],
    ["--tools", "https://a.example/x.yaml", "is an address: use --openapi for the description of an API"],
  ])("%s %s is told what it is", async (flag, file, says) => {
    const { code, stderr } = await place(files).run(["list", flag, file]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(`${flag} ${file} ${says.startsWith("use") ? "looks like code: " : ""}${says}`),
    ]);
  });

  test("serve is told of a file that stands alone", async () => {
    const { code, stderr } = await place(files).run(["serve", "weather.yaml"]);
    expect([code, stderr]).toEqual([
      2,
      "error weather.yaml looks like an OpenAPI description: use --openapi weather.yaml\n",
    ]);
  });
});

describe("arguments whose names are words of Python", { timeout: 120_000 }, () => {
  const files = {
    "kw.ts": `/** Gets a report. */
export function get_report(args: { from: string; class: string; import?: string; global?: { lambda: string } }): string {
  return args.from;
}
/** Frobs a thing. */
export function frob_thing({ from }: { from: string }): string { return from; }
`,
    "list.json": '[{"type":"function","function":{"name":"frob_x","description":"Frob."}}]',
  };
  const tools = ["--tools", "kw.ts"];

  test("are spelt as calls take them beside the examples, and as programs take them in signatures", async () => {
    const { run, answer } = place(files);
    const help = await answer(["help", "kw.get_report", ...tools]);
    expect(help.args.map((one: { name: string }) => one.name)).toEqual(["from", "class", "import", "global"]);
    expect(help.args[3].type).toBe("{ lambda: string }");
    expect(help.examples[0].args).toEqual({ from: "<from>", class: "<class>" });
    expect(help.usage).toBe("kw.get_report(from_, class_, import_?, global_?)");
    expect((await run(["call", "kw.get_report", "from=a", "class=b", ...tools])).code).toBe(0);
    expect((await run(["run", "-c", "kw.get_report(from_='a', class_='b')", ...tools])).stdout).toBe("a\n");
  });

  test("a refused write of an own function says how it is marked as a read", async () => {
    const { run } = place(files);
    const mark = "Add --allow-write to the command. If it only reads, say so with @kind read in its comment in kw.ts.";
    expect((await run(["call", "kw.frob_thing", "from=a", ...tools])).stdout).toContain(mark);
    expect((await run(["run", "-c", "kw.frob_thing(from_='a')", ...tools])).stdout).toContain(mark);
    expect((await run(["call", "list.frob_x", "--tools", "list.json"])).stdout).not.toContain("only reads");
  });
});
