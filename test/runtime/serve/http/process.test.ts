/** The process that serves over HTTP: its address, its shutdown, and several processes over one state. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect, type Socket } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { eachCase } from "../../../support/each-case.js";
import { CLIENTS, type HttpServed, MODERN, raw, serveHttp } from "../../../support/http.js";
import { CHECKOUT, freshRoot, generatedRoot, temporaryFolder, toolwright } from "../../../support/project.js";
import { sides } from "../../../support/servers/sides.js";
import { DATABASES } from "../../state/databases.js";

const SLOW = 120_000;
const cleaning: (() => void)[] = [];
let root = "";

beforeAll(async () => {
  root = await generatedRoot(
    join(CHECKOUT, "test/support/demos/http-demo/definitions"),
    (clean) => void cleaning.push(clean),
  );
}, SLOW);
afterAll(() => {
  for (const clean of cleaning) clean();
});

const read = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
const holds = (file: string, text: string) => expect.poll(() => read(file), { timeout: SLOW / 2 }).toBe(text);
const [, newest] = CLIENTS[1] ?? [];

/** A call that runs until the test ends or aborts it. */
async function held(server: HttpServed, connect = newest) {
  const folder = temporaryFolder();
  const [file, until] = [join(folder, "held"), join(folder, "go")];
  const client = await connect?.(server.url);
  onTestFinished(() => client?.close());
  const call = client?.call("tool_exec", { op: "demo.hold", args: { file, until } });
  await holds(file, "started\n");
  return { call, file, go: () => writeFileSync(until, "") };
}

test("says where it listens, where the console is and how to connect, on stderr", { timeout: SLOW }, async () => {
  const server = await serveHttp(root);
  const { port } = new URL(server.url);
  await expect
    .poll(() => server.stderr())
    .toBe(
      `listening on http://127.0.0.1:${port}/mcp\nconsole at http://127.0.0.1:${port}/\nto connect a client: toolwright connect CLIENT --url http://127.0.0.1:${port}/mcp --no-key\n`,
    );
  expect((await raw(server.url, { method: "GET", path: "/healthz" })).text).toBe('{"ok":true}');
  expect(await raw(server.url, { method: "GET", path: "/readyz" })).toMatchObject({ status: 200, text: '{"ok":true}' });
});

const hasNewer = Object.values(networkInterfaces()).some((all) => all?.some(({ address }) => address === "::1"));
const PLACES = ["127.0.0.1:0", "127.0.0.2:0", "localhost:0", ...(hasNewer ? ["[::1]:0"] : [])];
eachCase(PLACES, "127.0.0.1:0", "localhost:0")("listens at %s", { tags: "full", timeout: SLOW }, async (at) => {
  const server = await serveHttp(root, ["--http", at]);
  expect(new URL(server.url).hostname).toBe(at === "localhost:0" ? "127.0.0.1" : at.replace(/:0$/, ""));
  expect((await raw(server.url)).status).toBe(200);
});

eachCase(
  [
    [
      "every address of this machine",
      ["--http", "0.0.0.0:8080"],
      /0\.0\.0\.0 can be reached from others.*toolwright keys init.*--http 127\.0\.0\.1:8080/,
    ],
    ["every address, newer", ["--http", "[::]:8080"], /can be reached from others/],
    ["a network address", ["--http", "192.0.2.1:8080"], /can be reached from others/],
    ["a name", ["--http", "example.com:8080"], /can be reached from others/],
    ["no port", ["--http", "localhost"], /--http takes PORT or HOST:PORT/],
    ["an invalid port", ["--http", "65536"], /--http takes PORT/],
    ["an address without brackets", ["--http", "::1:8080"], /--http takes PORT.*\[::1\]:8080/],
    ["a URL", ["--http", "http://localhost:8080/"], /--http takes PORT/],
    ["nothing", ["--http", ""], /--http takes PORT/],
  ],
  "every address of this machine",
  "an invalid port",
  "a URL",
)("refuses to listen: %s", { tags: "full", timeout: SLOW }, async (_what, flags, says) => {
  const { code, stderr, stdout } = await toolwright(["serve", "--root", root, ...flags]);
  expect(stderr).toMatch(says);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
});

test("a reload with access.http: keys refuses requests without a valid key", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const own = await generatedRoot(join(CHECKOUT, "test/support/demos/http-demo/definitions"));
  const server = await serveHttp(own);
  expect((await raw(server.url)).status).toBe(200);
  const file = join(own, "definitions", "toolwright.yaml");
  writeFileSync(file, `${read(file)}access: { http: keys }\n`);
  server.signal("SIGHUP");
  await expect.poll(async () => (await raw(server.url)).status, { timeout: SLOW / 2 }).toBe(401);
  const { headers, text } = await raw(server.url, { headers: { authorization: "Bearer anything" } });
  expect(headers["www-authenticate"]).toMatch(/^Bearer /);
  expect(text).not.toContain("anything");
});

/** A connection made by hand, and whether the server has closed it. */
async function connection(url: string): Promise<{ readonly socket: Socket; isClosed(): boolean }> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  onTestFinished(() => void socket.destroy());
  let closed = false;
  socket
    .on("error", () => undefined)
    .once("close", () => {
      closed = true;
    });
  socket.resume();
  await new Promise((resolve) => socket.once("connect", resolve));
  return { socket, isClosed: () => closed };
}

test("a reload puts the limits of connections in force, for those that are open too", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const own = await generatedRoot(join(CHECKOUT, "test/support/demos/http-demo/definitions"));
  const file = join(own, "definitions", "toolwright.yaml");
  const before = read(file);
  const limited = (limits: string): void =>
    writeFileSync(file, `${before.replace(/^limits:.*$/m, "")}\nlimits: { http: { ${limits} } }\n`);
  limited("header_ms: 120000, body_ms: 120000");
  const server = await serveHttp(own);
  const slow = await connection(server.url);
  slow.socket.write("POST /mcp HTTP/1.1\r\nHost: ");
  expect((await raw(server.url)).status).toBe(200);
  expect(slow.isClosed()).toBe(false);
  limited("header_ms: 500, body_ms: 120000");
  server.signal("SIGHUP");
  await expect.poll(slow.isClosed, { timeout: SLOW / 2 }).toBe(true);
  limited("connections: 1");
  server.signal("SIGHUP");
  await expect
    .poll(
      async () => {
        const [one, other] = [await connection(server.url), await connection(server.url)];
        one.socket.write("GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n");
        await new Promise((resolve) => one.socket.once("data", resolve).once("close", resolve));
        const closed = other.isClosed();
        for (const { socket } of [one, other]) socket.destroy();
        return closed;
      },
      { timeout: SLOW / 2 },
    )
    .toBe(true);
});

test("a port that is in use is named", { tags: "full", timeout: SLOW }, async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const { code, stderr } = await toolwright(["serve", "--root", root, "--http", String(port)]);
  expect(stderr).toContain(`127.0.0.1:${port} is in use: choose another port`);
  expect(code).toBe(2);
});

describe("the end", () => {
  eachCase(["SIGTERM", "SIGINT"], "SIGTERM")(
    "%s at the moment at which it says where it listens: it ends with 0 and says why",
    { tags: "full", timeout: SLOW },
    async (name) => {
      const hook = `
        const { write } = process.stderr;
        process.stderr.write = (text, ...more) => {
          const done = write.call(process.stderr, text, ...more);
          if (text.includes("listening on")) process.kill(process.pid, "${name}");
          return done;
        };`;
      const env = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(hook)}` };
      const ran = await toolwright(["serve", "--http", "0", "--log-level", "info", "--root", root], { env });
      expect({ code: ran.code, stderr: ran.stderr }).toEqual({
        code: 0,
        stderr: expect.stringMatching(new RegExp(`listening on http[^]*"reason":"${name}"`)),
      });
    },
  );

  eachCase(["SIGTERM", "SIGINT"], "SIGTERM")(
    "%s: a call under way is answered, nothing new is taken",
    { timeout: SLOW },
    async (name) => {
      const server = await serveHttp(root);
      const { call, file, go } = await held(server);
      server.signal(name);
      await expect
        .poll(
          () =>
            raw(server.url).then(
              () => "answered",
              () => "refused",
            ),
          { timeout: SLOW / 2 },
        )
        .toBe("refused");
      go();
      expect((await call)?.result).toBe("done");
      expect(await server.exit).toBe(0);
      expect(read(file)).toBe("started\ndone\n");
    },
  );

  eachCase(CLIENTS, "the current SDK, older protocol")(
    "%s: a call that takes too long is aborted and told so",
    { tags: "full", timeout: SLOW },
    async (_name, connect) => {
      const server = await serveHttp(root);
      const { call, file } = await held(server, connect);
      server.signal("SIGTERM");
      expect((await call)?.error).toMatchObject({ code: "CANCELLED" });
      expect(await server.exit).toBe(0);
      expect(read(file)).toBe("started\naborted\n");
    },
  );

  test("a second signal ends it at once", { tags: "full", timeout: SLOW }, async () => {
    const server = await serveHttp(root);
    const { call } = await held(server);
    const failed = expect(call).rejects.toThrow();
    server.signal("SIGTERM");
    await expect
      .poll(
        () =>
          raw(server.url).then(
            () => "answered",
            () => "refused",
          ),
        { timeout: SLOW / 2 },
      )
      .toBe("refused");
    server.signal("SIGTERM");
    expect(await server.exit).toBe("SIGTERM");
    await failed;
  });

  test("the end of stdin is nothing to a server that is not on stdio", { timeout: SLOW, tags: "full" }, async () => {
    const server = await serveHttp(root);
    server.child.stdin?.end();
    expect((await raw(server.url)).status).toBe(200);
    server.signal("SIGTERM");
    expect(await server.exit).toBe(0);
  });

  test("idle connections do not hold it up", { tags: "full", timeout: SLOW }, async () => {
    const server = await serveHttp(root);
    const clients = await Promise.all(CLIENTS.map(([, connect]) => connect(server.url)));
    for (const client of clients) await client.tools();
    server.signal("SIGTERM");
    expect(await server.exit).toBe(0);
    for (const client of clients) await client.close();
  });
});

/** A client that listens for changes of the tools. */
async function listening(server: HttpServed) {
  const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: { pin: MODERN } } });
  let told = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    told++;
  });
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url)));
  onTestFinished(() => client.close());
  const stream = await client.listen({ toolsListChanged: true });
  return { client, stream, told: () => told };
}

test("listeners are notified of a reload, and disconnected at the end", { tags: "full", timeout: SLOW }, async () => {
  const { root: swapping, show } = await sides(onTestFinished);
  const server = await serveHttp(swapping);
  const { client, told } = await listening(server);
  const mine = async () =>
    (await client.callTool({ name: "tool_exec", arguments: { op: "mine" } })).structuredContent as { result: unknown };
  expect((await mine()).result).toBe("A");
  show("B");
  server.signal("SIGHUP");
  await expect.poll(told, { timeout: SLOW / 2 }).toBe(1);
  expect((await mine()).result).toBe("B");
  server.signal("SIGTERM");
  expect(await server.exit).toBe(0);
});

describe("beside stdio", () => {
  const INITIALIZE = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } },
  };

  test("both transports answer, and the end of stdin ends both", { tags: "full", timeout: SLOW }, async () => {
    const server = await serveHttp(root, ["--stdio"]);
    let stdout = "";
    server.child.stdout?.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    server.child.stdin?.write(`${JSON.stringify(INITIALIZE)}\n`);
    await expect.poll(() => stdout, { timeout: SLOW / 2 }).toMatch(/"id":1/);
    const { call, go } = await held(server);
    server.child.stdin?.end();
    await expect
      .poll(
        () =>
          raw(server.url).then(
            () => "answered",
            () => "refused",
          ),
        { timeout: SLOW / 2 },
      )
      .toBe("refused");
    go();
    expect((await call)?.result).toBe("done");
    expect(await server.exit).toBe(0);
    for (const line of stdout.trim().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
  });
});

describe.each(DATABASES)("with $name", ({ skip, place }) => {
  test.skipIf(skip)("two processes answer one client in turn", { tags: "full", timeout: SLOW }, async () => {
    const { url, remove } = await place();
    onTestFinished(remove);
    const shared = freshRoot();
    const flags = ["--allow-write", ...(url === "" ? [] : ["--state", url])];
    const servers = [await serveHttp(shared, flags), await serveHttp(shared, flags)];
    let turn = 0;
    const balanced: typeof fetch = (input, init) => {
      const { port } = new URL(servers[turn++ % 2]?.url ?? "");
      const target = new URL(String(input));
      target.port = port;
      return fetch(target, init);
    };
    const client = new Client({ name: "test", version: "1" }, { versionNegotiation: { mode: "legacy" } });
    const transport = new StreamableHTTPClientTransport(new URL(servers[0]?.url ?? ""), { fetch: balanced });
    await client.connect(transport);
    onTestFinished(() => client.close());
    const exec = async (op: string, args: object, more = {}) => {
      const { structuredContent } = await client.callTool({ name: "tool_exec", arguments: { op, args, ...more } });
      return structuredContent as { ok: boolean; result: never; meta: { replayed?: boolean } };
    };
    const project = { name: "Shared", type_key: "project.technical.platform" };
    const made = await exec("onto.project.create", { project, entities: [], relationships: [] });
    expect(made).toMatchObject({ ok: true });
    const { id: project_id } = (made.result as { project: { id: string } }).project;
    for (let i = 0; i < 6; i++) {
      const task = { project_id, title: `Task ${i}` };
      const [once, again] = [
        await exec("onto.task.create", task, { idempotency_key: `key ${i}` }),
        await exec("onto.task.create", task, { idempotency_key: `key ${i}` }),
      ];
      expect(again.meta.replayed, JSON.stringify([once, again])).toBe(true);
      expect(again.result).toEqual(once.result);
      const { result } = await exec("onto.task.list", { project_id });
      expect((result as { pagination: { total: number } }).pagination.total).toBe(i + 1);
    }
    expect(turn).toBeGreaterThan(18);
  });

  test.skipIf(skip)("a server is ready when its database is", { tags: "full", timeout: SLOW }, async () => {
    const { url, remove } = await place();
    onTestFinished(remove);
    const server = await serveHttp(freshRoot(), url === "" ? [] : ["--state", url]);
    expect((await raw(server.url, { method: "GET", path: "/readyz" })).status).toBe(200);
  });
});

test("a server whose database is out of reach is alive and not ready", { timeout: SLOW }, async () => {
  const server = await serveHttp(root, ["--state", "postgres://nobody@127.0.0.1:1/none"]);
  expect((await raw(server.url, { method: "GET", path: "/healthz" })).status).toBe(200);
  const ready = await raw(server.url, { method: "GET", path: "/readyz" });
  expect(ready).toMatchObject({ status: 503, text: '{"ok":false}' });
});
