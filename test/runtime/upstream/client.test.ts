/** Clients to upstream servers, over stdio and HTTP: what they read, and how failures are reported. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { authorizationOf } from "../../../runtime/upstream/authorization.js";
import { connectUpstream } from "../../../runtime/upstream/client.js";
import { temporaryFolder } from "../../support/project.js";
import { listening, mcpRoute } from "../../support/upstream/http.js";
import { behaving, failureOf, namesIn, ready, sdkServer, snapshotOf } from "../../support/upstream/servers.js";

const SORTED = ["alpha", "bravo", "charlie", "delta", "echo"];
const tool = (name: string): object => ({ name, description: `Does ${name}.`, inputSchema: { type: "object" } });

/** Whether a process is there; one that has ended and waits for its parent is not. */
function lives(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}

describe("over stdio", () => {
  test("the official SDK's server: every page, sorted, as it was sent", async () => {
    const found = await snapshotOf(ready(sdkServer("legacy")));
    expect(namesIn(found)).toEqual(SORTED);
    expect(found).toMatchObject({
      serverInfo: { name: "sdk", version: "9.9.9" },
      protocolVersion: "2025-11-25",
      instructions: "Five letters.",
    });
    expect(found.tools[0]).toEqual({
      name: "alpha",
      title: "The alpha",
      description: "Does alpha.",
      inputSchema: { type: "object", properties: { text: { type: "string" } }, required: ["text"] },
      annotations: { readOnlyHint: true },
      _meta: { "example.com/order": 5 },
    });
  });

  test("a server that speaks the newer protocol only", { tags: "full" }, async () => {
    const found = await snapshotOf(ready(sdkServer("modern")));
    expect([found.protocolVersion, namesIn(found)]).toEqual(["2026-07-28", SORTED]);
  });

  test("gets the SDK's default environment and its own, nothing else", async () => {
    process.env["TOOLWRIGHT_TEST_OTHER"] = "of another server";
    process.env["OUBLIETTE_API_KEY"] = "oub_abcdefghij_secretsecret";
    try {
      const found = await snapshotOf(ready(behaving("environment", undefined, { env: { MINE: "yes" } })));
      const environment = JSON.parse((found.tools[0] as { description: string }).description);
      expect(environment).toMatchObject({ MINE: "yes", PATH: process.env["PATH"] });
      expect(Object.keys(environment)).not.toContain("TOOLWRIGHT_TEST_OTHER");
      expect(Object.keys(environment)).not.toContain("OUBLIETTE_API_KEY");
    } finally {
      delete process.env["TOOLWRIGHT_TEST_OTHER"];
      delete process.env["OUBLIETTE_API_KEY"];
    }
  });

  test("a server that dies: how, its last words without secrets, and what to do", async () => {
    const entry = behaving("dies", undefined, { env: { TOKEN: `\${TOKEN}` } });
    const { code, message, remedy, stderr } = await failureOf(ready(entry, { TOKEN: "very-secret-value" }));
    expect({ code, message, stderr }).toEqual({
      code: "UNAVAILABLE",
      message: "it ended with exit code 3 before it had answered",
      stderr: ["starting", "no key ***"],
    });
    expect(remedy).toContain("servers.tested");
  });

  test("a server that dies while this process is busy: its last words", async () => {
    const busy = setInterval(() => {
      for (const until = performance.now() + 150; performance.now() < until; );
    }, 0);
    try {
      const { stderr } = await failureOf(ready(behaving("dies", undefined, { env: { TOKEN: "t" } })));
      expect(stderr[0]).toBe("starting");
    } finally {
      clearInterval(busy);
    }
  });

  test("of a long complaint the end is shown, and no half of a secret", async () => {
    const token = "abcdefghijklmnopqrstuvwxyz".repeat(5);
    const { stderr } = await failureOf(ready(behaving("wails", undefined, { env: { TOKEN: token } })));
    expect(stderr).toHaveLength(8);
    expect(stderr.at(-1)).toBe("the end");
    for (const line of stderr.slice(0, -1)) expect(line).toMatch(/^(\*{3} ?)+$/);
  });

  test("of a crash with a long stack the complaint is shown above the end", async () => {
    const frames =
      "const f = (n) => n === 0 ? require('./no-such-module-here') : f(n - 1); Error.stackTraceLimit = 30; f(20)";
    const { stderr } = await failureOf(ready({ command: process.execPath, args: ["-e", frames] }));
    expect(stderr).toHaveLength(8);
    expect(stderr[0]).toBe("Error: Cannot find module './no-such-module-here'");
    expect(stderr.at(-1)).toMatch(/^Node\.js v/);
  });

  test("a command that is not there, a server that says nothing, one that babbles", { tags: "full" }, async () => {
    expect(await failureOf(ready({ command: "no-such-command-here" }))).toMatchObject({
      code: "UNAVAILABLE",
      message: 'there is no command "no-such-command-here"',
    });
    expect(await failureOf(ready(behaving("silent", undefined, { timeout: 0.5 })))).toMatchObject({
      code: "TIMEOUT",
      message: "it did not answer within 0.5 s",
    });
    expect((await failureOf(ready(behaving("babbles", undefined, { timeout: 3 })))).message).toBe(
      'it did not answer within 3 s; its standard output contains something other than messages: "I am no message"',
    );
  });

  test("an answer whose id is the text of the number of a request is its answer", async () => {
    const server = ready(behaving("text-ids", undefined, { timeout: 5 }));
    expect(await snapshotOf(server)).toMatchObject({ tools: [] });
  });

  test.runIf(process.platform === "linux")(
    "a server and its child that ignore SIGTERM are gone afterwards",
    { tags: "full" },
    async () => {
      const file = join(temporaryFolder(), "pids");
      const failure = await failureOf(ready(behaving("stubborn", file, { timeout: 5 })));
      expect(failure.code).toBe("TIMEOUT");
      const pids = readFileSync(file, "utf8").split(" ").map(Number);
      expect(pids).toHaveLength(2);
      // The kill was sent; how soon the kernel carries it out is not ours.
      await expect.poll(() => pids.filter(lives)).toEqual([]);
    },
  );

  test("a message that is too long ends it", async () => {
    const failure = await failureOf(ready(behaving("giant")));
    expect(failure.message).toBe("it sent an answer of more than 4194304 bytes");
  });

  test("an abort ends the attempt", async () => {
    const controller = new AbortController();
    const failing = failureOf(ready(behaving("silent")), { signal: controller.signal });
    controller.abort();
    expect(await failing).toMatchObject({ code: "CANCELLED" });
  });

  test("an open connection can call tools, and leaves nothing behind", async () => {
    const upstream = await connectUpstream(ready(sdkServer("legacy")), { root: ".", version: "0" });
    expect((await upstream.client.listTools()).tools).toHaveLength(5);
    await upstream.close();
    await expect(upstream.request("tools/list")).rejects.toThrow();
  });
});

describe("over HTTP", () => {
  test.each([undefined, "reject"] as const)("the official SDK's handler, older requests: %s", async (legacy) => {
    const { origin, headers } = await listening(mcpRoute([tool("b"), tool("a")], legacy ? { legacy } : {}));
    const entry = { url: `${origin}/mcp`, headers: { "X-Key": `\${KEY}`, Authorization: `Bearer \${KEY}` } };
    const found = await snapshotOf(ready(entry, { KEY: "k-12345678" }));
    expect(namesIn(found)).toEqual(["a", "b"]);
    expect(found.protocolVersion).toBe(legacy ? "2026-07-28" : "2025-11-25");
    expect(headers.get("/mcp")).toMatchObject({ "x-key": "k-12345678", authorization: "Bearer k-12345678" });
  });

  test.each([-32_022, -32_020])("one that refuses older requests with HTTP 400 and %i is asked anew", async (code) => {
    const route = mcpRoute([tool("a")], { legacy: "reject" });
    const { origin } = await listening((request, response, body, own) => {
      if (request.headers["mcp-protocol-version"] === "2026-07-28") return route(request, response, body, own);
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id: 0, error: { code, message: "Missing header" } }));
    });
    expect((await snapshotOf(ready({ url: `${origin}/mcp` }))).protocolVersion).toBe("2026-07-28");
  });

  test("a redirect to another origin is not followed, and no header goes there", async () => {
    const thief = await listening((_, response) => void response.end());
    const { origin } = await listening((_, response) => {
      response.writeHead(307, { location: `${thief.origin}/mcp` });
      response.end();
    });
    const failure = await failureOf(ready({ url: `${origin}/mcp`, headers: { "X-Key": "secret-header" } }));
    expect(failure.message).toMatch(/Redirect to .* not followed/);
    expect(thief.seen).toEqual([]);
  });

  test("an authorization server that it names on a private network gets no request", async () => {
    const inside = await listening((_, response) => void response.end("{}"));
    const address = `http://localhost:${new URL(inside.origin).port}`;
    const web = await listening((request, response, _, origin) => {
      const isMetadata = request.url?.startsWith("/.well-known/oauth-protected-resource") ?? false;
      response.writeHead(isMetadata ? 200 : 401, {
        "content-type": "application/json",
        "www-authenticate": `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource"`,
      });
      response.end(JSON.stringify({ resource: `${origin}/mcp`, authorization_servers: [address] }));
    });
    const authorization = authorizationOf({ root: temporaryFolder(), open: () => undefined, waitMs: 1000 });
    const failure = await failureOf(ready({ url: `${web.origin}/mcp` }), { authorization });
    expect(inside.seen).toEqual([]);
    expect(failure.message).toMatch(/localhost.* not public.*web\.allow_private/);
  });

  const answers: readonly (readonly [string, number, string, string, RegExp])[] = [
    ["an error page", 500, "text/html", "<h1>secret-header failed</h1>", /HTTP 500: <h1>\*\*\* failed/],
    ["a page", 200, "text/html", "<h1>Hello</h1>", /Unexpected content type/],
    ["no JSON", 200, "application/json", "{", /JSON/],
    ["too much", 200, "application/json", `{"a":"${"x".repeat(1_000_000)}`, /more than 100000 bytes/],
  ];
  test.each(answers)("a server that answers %s", async (_, status, type, body, says) => {
    const { origin } = await listening((__, response) => {
      response.writeHead(status, { "content-type": type });
      response.end(body);
    });
    const entry = { url: `${origin}/mcp`, headers: { "X-Key": "secret-header" } };
    const failure = await failureOf(ready(entry), { messageBytes: 100_000 });
    expect(failure.message).toMatch(says);
    expect(JSON.stringify(failure)).not.toContain("secret-header");
  });

  test("one that takes the handshake and then no notification; one with sessions, which are ended", async () => {
    const result = {
      protocolVersion: "2025-06-18",
      capabilities: { tools: {} },
      serverInfo: { name: "n", version: "1" },
    };
    const half = await listening((_, response, body) => {
      const { id } = body === "" ? {} : JSON.parse(body);
      if (id === undefined) return;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ jsonrpc: "2.0", id, result }));
    });
    expect(await failureOf(ready({ url: `${half.origin}/mcp`, timeout: 0.5 }))).toMatchObject({ code: "TIMEOUT" });
    const whole = await listening((request, response, body) => {
      const { id, method } = JSON.parse(body || "{}");
      const statuses: Record<string, number> = { GET: 405, POST: id === undefined ? 202 : 200 };
      response.writeHead(statuses[request.method ?? ""] ?? 200, {
        "content-type": "application/json",
        "mcp-session-id": "one",
      });
      response.end(
        JSON.stringify({ jsonrpc: "2.0", id, result: method === "initialize" ? result : { tools: [tool("a")] } }),
      );
    });
    expect(namesIn(await snapshotOf(ready({ url: `${whole.origin}/mcp` })))).toEqual(["a"]);
    expect(whole.seen.at(-1)).toBe("DELETE /mcp");
  });

  test("an unreachable server, refused credentials, a server that never answers", async () => {
    const gone = await listening(() => undefined);
    expect(await failureOf(ready({ url: `${gone.origin}/mcp`, timeout: 0.3 }))).toMatchObject({ code: "TIMEOUT" });
    expect((await failureOf(ready({ url: "http://127.0.0.1:1/mcp" }))).message).toMatch(/fetch failed/);
    const { origin } = await listening((_, response) => {
      response.writeHead(401);
      response.end();
    });
    const refused = await failureOf(ready({ url: `${origin}/mcp`, headers: { Authorization: "Bearer x" } }));
    expect(refused).toMatchObject({ code: "UNAUTHENTICATED", message: expect.stringContaining("credentials") });
    const asks = await failureOf(ready({ url: `${origin}/mcp` }));
    expect(asks.remedy).toContain('run "toolwright snapshot tested" on a terminal');
  });
});
