/**
 * Exact numbers and key order through every transport, byte for byte.
 *
 * @module-tag full
 */

import { spawn } from "node:child_process";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { httpCall } from "toolwright/codegen";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { exactWorld, type World } from "../../support/exact/world.js";
import { type HttpServed, MODERN, raw, serveHttp } from "../../support/http.js";
import { keysOf } from "../../support/keys.js";
import { serverCommand, toolwright } from "../../support/project.js";

const SLOW = 300_000;
const AWKWARD =
  '{"id":9007199254740993,"price":10.0,"by":{"b":1,"2024":2,"10":-0.0},"list":[1e400,{"9":1,"x":0,"8":2}]}';
const SAY = `{"op":"raw.say","args":{"text":${JSON.stringify(AWKWARD)}}}`;
const WIRE = '{"value":{"b":9007199254740993,"2024":10.0,"10":[1E5]}}';
const ECHO = `{"op":"web.echo","args":${WIRE}}`;

const finished: (() => unknown)[] = [];
const later = (close: () => unknown): void => void finished.push(close);
afterAll(async () => {
  for (const close of finished.reverse()) await close();
}, SLOW);

let world: World;
let http: HttpServed;
beforeAll(async () => {
  world = await exactWorld(later, {
    expose: {
      hot: ["raw.say", "web.echo"],
      resources: { "raw://said": { op: "api.listItems" } },
      prompts: { items: { op: "api.listItems" } },
    },
  });
  world.api.answer = AWKWARD;
  http = await serveHttp(world.root, ["--allow-write"], later as never);
}, SLOW);

/** Messages of JSON-RPC, as text. */
const call = (name: string, args: string, meta = ""): string =>
  `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"${name}","arguments":${args}${meta}}}`;

/** What every answer to {@link SAY} has to hold: the text block, and the structured content. */
function expectSaid(answer: string, around: (result: string) => string = (result) => `"result":${result}`): void {
  expect(answer).toContain(JSON.stringify(around(AWKWARD)).slice(1, -1));
  expect(answer).toContain(around(AWKWARD));
}

const legacy = async (body: string): Promise<string> => (await raw(http.url, { body })).text;
const META = `,"_meta":{"io.modelcontextprotocol/protocolVersion":"${MODERN}","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}`;
const modern = async (name: string, args: string): Promise<string> =>
  (
    await raw(http.url, {
      body: call(name, args, META),
      headers: { "mcp-protocol-version": MODERN, "mcp-method": "tools/call", "mcp-name": name },
    })
  ).text;

describe("HTTP", { timeout: SLOW }, () => {
  test.each([
    ["older protocols", (name: string, args: string) => legacy(call(name, args))],
    ["2026-07-28", modern],
  ])("MCP, %s: exec, batch, and ops as tools", async (_, ask) => {
    expectSaid(await ask("tool_exec", SAY));
    expectSaid(await ask("tool_batch", `{"ops":[${SAY}]}`));
    const hot = await ask("raw_say", `{"text":${JSON.stringify(AWKWARD)}}`);
    expect(hot).toContain(`"structuredContent":${AWKWARD}`);
    expect(hot).toContain(`"text":${JSON.stringify(AWKWARD)}`);
    const sent = JSON.stringify(JSON.stringify(WIRE)).slice(1, -1);
    expect(await ask("tool_exec", ECHO)).toContain(sent);
    expect(await ask("web_echo", WIRE)).toContain(sent);
    expect(await ask("run", `{"command":"web.echo(value=raw.tell(text='10.0'))['wire']"}`)).toContain(
      '{\\"value\\":10.0}',
    );
  });

  test("resources and prompts that are ops", async () => {
    const read = await legacy('{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"raw://said"}}');
    expect(read).toContain(`"text":${JSON.stringify(AWKWARD)}`);
    const prompt =
      '{"jsonrpc":"2.0","id":1,"method":"prompts/get","params":{"name":"items","arguments":{"after":"9007199254740993"}}}';
    expect(await legacy(prompt)).toContain(`"text":${JSON.stringify(AWKWARD)}`);
    expect(world.api.url).toBe("/api/items?after=9007199254740993");
  });

  test("/api, which the console and the emitted clients call", async () => {
    const post = async (path: string, body: string): Promise<string> => (await raw(http.url, { path, body })).text;
    expect(await post("/api/exec", SAY)).toContain(`"result":${AWKWARD}`);
    expect(await post("/api/batch", `{"ops":[${SAY}]}`)).toContain(`"result":${AWKWARD}`);
    expect(await post("/api/exec", ECHO)).toContain(JSON.stringify(WIRE));
  });
});

test("the TypeScript client says that its platform rounds what was sent", { timeout: SLOW }, async () => {
  const ask = httpCall({ url: http.url });
  const answer = await ask({ op: "raw.say", args: { text: AWKWARD } });
  expect(answer).toMatchObject({ ok: true, result: { id: 9007199254740992, price: 10 } });
  expect(answer.meta.warnings).toEqual([expect.stringMatching(/^number_rounded: /)]);
  const plain = await ask({ op: "raw.say", args: { text: '{"id":9007199254740991,"price":10.0}' } });
  expect(plain.meta.warnings).toEqual([]);
});

test("stdio", { timeout: SLOW }, async () => {
  const { command, args, cwd } = serverCommand(world.root, ["--allow-write"]);
  const child = spawn(command, args, { cwd, stdio: ["pipe", "pipe", "ignore"] });
  later(() => child.kill("SIGKILL"));
  let text = "";
  const arrived = (part: string): Promise<void> =>
    new Promise((resolve) => {
      const look = (): void => void (text.includes(part) && resolve());
      child.stdout.on("data", look);
      look();
    });
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  const send = (line: string): void => void child.stdin.write(`${line}\n`);
  const client = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  send(JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: client }));
  await arrived('"id":1');
  send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  for (const [id, line] of [
    call("tool_exec", SAY),
    call("raw_say", `{"text":${JSON.stringify(AWKWARD)}}`),
    call("tool_exec", ECHO),
  ].entries())
    send(line.replace('"id":7', `"id":${10 + id}`));
  for (const id of [10, 11, 12]) await arrived(`"id":${id}`);
  const lineOf = (id: number): string => text.split("\n").find((line) => line.includes(`"id":${id}`)) ?? "";
  expectSaid(lineOf(10));
  expect(lineOf(11)).toContain(`"structuredContent":${AWKWARD}`);
  expect(lineOf(12)).toContain(JSON.stringify(JSON.stringify(WIRE)).slice(1, -1));
});

async function connected(path: string): Promise<Socket> {
  for (;;) {
    const socket = createConnection(path);
    const isOpen = await new Promise((resolve) =>
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false)),
    );
    if (isOpen) return socket;
    await sleep(50);
  }
}

test("socket", { timeout: SLOW }, async () => {
  const { key } = await keysOf(world.root).create({ name: "t", scope: "admin" }, "local");
  const path = join(world.root, "s.sock");
  const { command, args, cwd } = serverCommand(world.root, ["--allow-write", "--socket", path]);
  const server = spawn(command, args, { cwd, stdio: ["pipe", "ignore", "ignore"] });
  later(() => server.kill("SIGKILL"));
  const connection = await connected(path);
  later(() => connection.destroy());
  const ask = (args: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let text = "";
      connection.removeAllListeners("data");
      connection.once("error", reject);
      connection.on("data", (chunk: Buffer) => {
        text += chunk.toString();
        if (text.endsWith("\n")) resolve(text);
      });
      connection.write(
        `{"jsonrpc":"2.0","id":1,"method":"oubliette_call_tool","params":{"api_key":"${key}","tool":"tool_exec","arguments":${args}}}\n`,
      );
    });
  expectSaid(await ask(SAY));
  expect(await ask(ECHO)).toContain(JSON.stringify(JSON.stringify(WIRE)).slice(1, -1));
});

test("the command line", { tags: "full", timeout: SLOW }, async () => {
  const exec = async (...args: string[]): Promise<string> =>
    (await toolwright(["exec", ...args, "--root", world.root])).stdout;
  expect(await exec("raw.say", "--text", AWKWARD, "--json")).toContain(`"result":${AWKWARD}`);
  expect(await exec("web.echo", "--args", WIRE, "--allow-write", "--json")).toContain(JSON.stringify(WIRE));
  expect(await exec("web.echo", "--value", "10.0", "--id", "9007199254740993", "--allow-write")).toContain(
    JSON.stringify('{"value":10.0,"id":9007199254740993}'),
  );
});
