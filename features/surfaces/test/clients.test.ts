/** The emitted clients against a server that requires a key, a server that is down, and a foreign server. */

import { execFile } from "node:child_process";
import { appendFileSync, cpSync, existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, createServer as createSocketServer, type Server } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { runInNewContext } from "node:vm";
import { build } from "esbuild";
import { type Call, clientOf, type HttpCallOptions, httpCall } from "toolwright/codegen";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { type HttpServed, serveHttp } from "../../../test/support/http.js";
import { keysOf } from "../../../test/support/keys.js";
import { CHECKOUT, generatedRoot, type Json, temporaryFolder } from "../../../test/support/project.js";

const SLOW = 120_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
let root: string;
let server: HttpServed;
let key: string;
let strange: string;
let mute: string;
const met: (string | undefined)[] = [];

/** Address of a server that ends with the tests. */
async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  later(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  const definitions = join(temporaryFolder(later), "definitions");
  cpSync(join(CHECKOUT, "test/support/demos/http-demo/definitions"), definitions, { recursive: true });
  appendFileSync(join(definitions, "toolwright.yaml"), "surfaces: [typescript, python]\n");
  root = await generatedRoot(definitions, later);
  const keys = keysOf(root);
  later(() => keys.close());
  ({ key } = await keys.create({ name: "reader", scope: "read" }, "local"));
  server = await serveHttp(root, [], async (clean) => later(clean));
  const other = createServer((request, response) => {
    met.push(request.headers.authorization);
    const [status, headers] = request.url === "/api/exec" ? [302, { location: "/elsewhere" }] : [200, {}];
    response.writeHead(status as number, headers as Record<string, string>).end("<p>Not ours</p>");
  });
  // As a proxy is asked to let TLS through.
  other.on("connect", (request, socket) => {
    met.push(request.headers.authorization);
    socket.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
  });
  strange = await listening(other);
  mute = await listening(createSocketServer((socket) => later(() => socket.destroy())));
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

/** What Python prints, as JSON, with the emitted client at hand as `client`. */
async function python(lines: string, given: object = {}, environment: object = {}): Promise<Json> {
  const program = `import json, pickle, sys\nimport client\ngiven = json.loads(sys.argv[1])\n${lines}`;
  const path = { PYTHONPATH: join(root, "generated", "surfaces"), PYTHONDONTWRITEBYTECODE: "1" };
  const env = { ...process.env, ...path, ...environment };
  const { stdout } = await promisify(execFile)("python3", ["-c", program, JSON.stringify(given)], { env });
  return JSON.parse(stdout);
}

/** A way to a server, and what is sent there. */
type Target = Pick<HttpCallOptions, "url" | "key"> & { readonly seconds?: number; readonly noJson?: true };

/** The result of an echo, or code and message of the error; `refused` if the client makes no call. */
const pythonEcho = (target: Target, environment?: object): Promise<Json> =>
  python(
    `
text = float("nan") if given.get("noJson") else "hé\\u2028"
try:
    call = client.http_call(given["url"], given.get("key"), given.get("seconds", 60))
    answer = {"result": client.Client(call).demo.echo(text=text)}
except client.ToolError as error:
    answer = {"code": error.code, "message": error.message, "details": error.details}
except ValueError as error:
    answer = {"refused": str(error)}
print(json.dumps(answer))
`,
    target,
    environment,
  );

const created = async (call: Call): Promise<Json> =>
  (await import(/* @vite-ignore */ join(root, "generated", "surfaces", "client.ts"))).createClient(call);

async function typescriptEcho({ seconds, noJson, ...way }: Target): Promise<Json> {
  let call: Call;
  try {
    call = httpCall({ ...way, ...(seconds === undefined ? {} : { timeoutMs: seconds * 1000 }) });
  } catch (error) {
    return { refused: String(error) };
  }
  const { ok, result, error } = await (await created(call)).demo.echo({ text: noJson ? 1n : "hé\u2028" });
  return ok ? { result } : { code: error.code, message: error.message, details: error.details ?? {} };
}

describe.each([
  ["Python", pythonEcho],
  ["TypeScript", typescriptEcho],
] as const)("the %s client", (_name, echo) => {
  test("shows its key, as it was read from a file, too", { tags: "full" }, async () => {
    expect(await echo({ url: server.url, key })).toEqual({ result: "hé\u2028" });
    expect(await echo({ url: server.url, key: `${key}\n` })).toEqual({ result: "hé\u2028" });
  });

  test("reports an invalid key and a missing key", async () => {
    for (const given of [{ key: "oub_nothing" }, {}])
      expect(await echo({ url: server.url, ...given })).toMatchObject({ code: "UNAUTHENTICATED" });
  });

  test("repeats no secret of a key or an address that can be none", { tags: "full" }, async () => {
    const wrong: readonly Target[] = [
      { url: server.url, key: "" },
      { url: server.url, key: "oub_secret\nx: y" },
      { url: server.url, key: "oub_secret\u2026x" },
      { url: "http://me:secret@127.0.0.1:9" },
      { url: "127.0.0.1:9/secret" },
      { url: "file:///secret" },
    ];
    for (const target of wrong) {
      const { refused } = await echo(target);
      expect(refused, JSON.stringify(target)).toMatch(/^(TypeError: )?(url|key) is /);
      expect(refused).not.toContain("secret");
    }
  });

  test("tells of a server that is not there", { tags: "full" }, async () => {
    const { code, message } = await echo({ url: "http://127.0.0.1:4" });
    expect(code).toBe("UNAVAILABLE");
    expect(message).toMatch(/^The server was not reached: .*(ECONNREFUSED|Connection refused)/);
  });

  test("waits for an answer so long and no longer", { tags: "full" }, async () => {
    const { code, message } = await echo({ url: mute, seconds: 0.2 });
    expect(code).toBe("TIMEOUT");
    expect(message).toMatch(/^No answer within (0\.2 s|200 ms)\. The call may have been done/);
  });

  test("sends nothing that is no JSON", { tags: "full" }, async () => {
    const { code, message } = await echo({ url: server.url, key, noJson: true });
    expect([code, message.slice(0, 20)]).toEqual(["VALIDATION_ERROR", "The call is no JSON:"]);
  });

  test("rejects an invalid answer, and follows no redirect with its key", async () => {
    met.length = 0;
    const { code, message } = await echo({ url: strange, key });
    expect([code, message]).toEqual(["UNAVAILABLE", "The server answered with status 302 and no envelope."]);
    expect(met).toEqual([`Bearer ${key}`]);
  });
});

describe("the Python client", () => {
  test("shows its key to no proxy of its environment", { tags: "slow" }, async () => {
    met.length = 0;
    const proxies = { http_proxy: strange, HTTP_PROXY: strange, ALL_PROXY: strange, no_proxy: "", NO_PROXY: "" };
    expect(await pythonEcho({ url: server.url, key }, proxies)).toEqual({ result: "hé\u2028" });
    expect(met).toEqual([]);
    // TLS goes through one, and it reads nothing of it.
    const secure = { https_proxy: strange, HTTPS_PROXY: strange, no_proxy: "", NO_PROXY: "" };
    expect(await pythonEcho({ url: "https://127.0.0.1:9", key }, secure)).toMatchObject({ code: "UNAVAILABLE" });
    expect(met).toEqual([undefined]);
  });

  test("sends no integer that would be another one at the server, at any depth", { tags: "slow" }, async () => {
    const answers = await python(
      `
call = client.http_call(given["url"], given["key"])
wide = {"a": [2**53]}
print(json.dumps([call({"op": "demo.echo", "args": {"text": text}})["error"]["message"] for text in [2**53 - 1, wide, -2**63]]))
`,
      { url: server.url, key },
    );
    expect(answers[0]).toContain("1 argument needs attention");
    expect(answers[1]).toBe(
      "The call is no JSON: 9007199254740992 is an integer beyond 2**53, which JSON changes: send it as text",
    );
    expect(answers[2]).toContain("-9223372036854775808 is an integer beyond");
  });

  test("has errors that go from one process to another whole", { tags: "full" }, async () => {
    const lines = `
error = pickle.loads(pickle.dumps(client.ToolError("NOT_FOUND", "None.", {"x": 1}, {"ok": False})))
print(json.dumps([str(error), error.code, error.message, error.details, error.envelope]))
`;
    expect(await python(lines)).toEqual(["NOT_FOUND: None.", "NOT_FOUND", "None.", { x: 1 }, { ok: false }]);
  });
});

describe("the TypeScript client", () => {
  test("gives a call up when its signal aborts, and so does the server", async () => {
    const file = join(root, "held");
    const controller = new AbortController();
    const { demo } = await created(httpCall({ url: server.url, key }));
    const { signal } = controller;
    const held = demo.hold({ file, until: join(root, "never") }, { signal });
    await vi.waitFor(() => expect(existsSync(file)).toBe(true), { timeout: SLOW });
    controller.abort();
    expect(await held).toMatchObject({ op: "demo.hold", ok: false, error: { code: "CANCELLED" } });
    await vi.waitFor(() => expect(readFileSync(file, "utf8")).toBe("started\naborted\n"), { timeout: SLOW });
    expect(await demo.echo({ text: "x" }, { signal })).toMatchObject({ error: { code: "CANCELLED" } });
  });

  test("is bundled for browsers, without Node modules", { tags: "full" }, async () => {
    const lines = `
import { createClient, httpCall } from ${JSON.stringify(join(root, "generated", "surfaces", "client.ts"))};
globalThis.answer = createClient(httpCall({ url: ${JSON.stringify(server.url)}, key: ${JSON.stringify(key)} })).demo.echo({ text: "x" });
`;
    const { outputFiles } = await build({
      stdin: { contents: lines, resolveDir: CHECKOUT },
      bundle: true,
      write: false,
      minify: true,
      platform: "browser",
      conditions: ["toolwright-source"],
    });
    const [{ text } = { text: "" }] = outputFiles;
    // The seam is more than a client; the rest of it stays behind.
    expect(text.length).toBeLessThan(8000);
    const page: Json = { fetch, URL, AbortSignal };
    runInNewContext(text, page);
    expect(await page.answer).toMatchObject({ ok: true, result: "x" });
  });
});

test("options of a call reach the server", async () => {
  const sent: object[] = [];
  const call: Call = async (request) => {
    sent.push(request);
    return { op: request.op, ok: true, result: null, meta: { trace_id: "", latency_ms: 0, warnings: [] } };
  };
  const client = clientOf<Json>(["p.a", "p.constructor.__proto__"], call);
  await client.p.a();
  await client.p.a({ x: 1 }, { dryRun: true, idempotencyKey: "k" });
  await Reflect.get(client.p.constructor, "__proto__")({});
  expect(sent).toEqual([
    { op: "p.a", args: {} },
    { op: "p.a", args: { x: 1 }, dry_run: true, idempotency_key: "k" },
    { op: "p.constructor.__proto__", args: {} },
  ]);
});
