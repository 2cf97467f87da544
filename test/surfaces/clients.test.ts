/** The emitted clients against a server that wants a key, one that is not there, and what is no server of ours. */

import { execFile } from "node:child_process";
import { appendFileSync, cpSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { type Call, clientOf, httpCall } from "toolwright/codegen";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpServed, serveHttp } from "../support/http.js";
import { keysOf } from "../support/keys.js";
import { CHECKOUT, generatedRoot, type Json, temporaryFolder } from "../support/project.js";

const SLOW = 120_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
let root: string;
let server: HttpServed;
let key: string;
let strange: string;
const met: (string | undefined)[] = [];

beforeAll(async () => {
  const definitions = join(temporaryFolder(later), "definitions");
  cpSync(join(CHECKOUT, "test/support/http-demo/definitions"), definitions, { recursive: true });
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
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  later(() => other.close());
  strange = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

/** What Python says to an expression in which `call(url, key)` echoes a text: the result, or code and message of the error. */
async function python(url: string, given?: string): Promise<Json> {
  const program = `
import json, sys
from client import Client, ToolError, http_call
try:
    answer = {"result": Client(http_call(*json.loads(sys.argv[1]))).demo.echo(text="hé\\u2028")}
except ToolError as error:
    answer = {"code": error.code, "message": error.message, "details": error.details}
print(json.dumps(answer))
`;
  const env = { ...process.env, PYTHONPATH: join(root, "generated", "surfaces"), PYTHONDONTWRITEBYTECODE: "1" };
  const target = JSON.stringify(given === undefined ? [url] : [url, given]);
  const { stdout } = await promisify(execFile)("python3", ["-c", program, target], { env });
  return JSON.parse(stdout);
}

async function typescript(url: string, given?: string): Promise<Json> {
  const { createClient } = (await import(/* @vite-ignore */ join(root, "generated", "surfaces", "client.ts"))) as {
    createClient(call: Call): Json;
  };
  const client = createClient(httpCall({ url, ...(given === undefined ? {} : { key: given }) }));
  const { ok, result, error } = await client.demo.echo({ text: "hé\u2028" });
  return ok ? { result } : { code: error.code, message: error.message, details: error.details ?? {} };
}

describe.each([
  ["Python", python],
  ["TypeScript", typescript],
] as const)("the %s client", (_name, echo) => {
  test("shows its key", async () => {
    expect(await echo(server.url, key)).toEqual({ result: "hé\u2028" });
  });

  test("tells of a key that is none, and of none", async () => {
    for (const given of ["oub_nothing", undefined])
      expect(await echo(server.url, given)).toMatchObject({ code: "UNAUTHENTICATED" });
  });

  test("tells of a server that is not there", async () => {
    expect(await echo("http://127.0.0.1:9")).toMatchObject({ code: "UNAVAILABLE" });
  });

  test("takes nothing for an answer that is none, and follows no redirect with its key", async () => {
    met.length = 0;
    expect(await echo(strange, key)).toMatchObject({ code: "UNAVAILABLE" });
    expect(met).toEqual([`Bearer ${key}`]);
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
