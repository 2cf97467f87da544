/**
 * Abuse of the socket: the server keeps running with bounded memory, and an honest client is served. `SCALE=1` sends
 * 100,000 malformed lines.
 */

import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Json } from "../../../test/support/project.js";
import { randomOf, SCALE } from "../../../test/support/random.js";
import { caller, connect, type RawClient, until } from "../../../test/support/servers/socket-connection.js";
import { calling, type ServedSocket, serveSocket } from "./served.js";

const SLOW = 300_000;
const MANY = Math.round(100_000 * Math.min(1, SCALE));
const MB = 1_000_000;
/** In which an honest client must be served while others misbehave, on a busy machine. */
const HONEST_MS = 20_000;

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const used = (): number => process.memoryUsage().heapUsed + process.memoryUsage().arrayBuffers;

/** Serves an honest client from connecting to its answer; fails where that takes too long. */
async function honest({ path }: ServedSocket, key: string): Promise<void> {
  const started = performance.now();
  const client = await connect(path);
  const { result } = await caller(client, key)("task_search", { search: "x" });
  expect(result.isError).toBe(false);
  client.close();
  expect(performance.now() - started).toBeLessThan(HONEST_MS);
}

/** Where a line is malformed is drawn: bytes of any kind, cut or changed messages, JSON of the wrong kind. */
function malformed(random: () => number): Buffer {
  const at = (n: number): number => Math.floor(random() * n);
  const kinds = [
    () => Buffer.from(Array.from({ length: 1 + at(40) }, () => at(256)).filter((byte) => byte !== 10 && byte !== 13)),
    () => Buffer.from(PING.slice(0, 1 + at(PING.length - 1))),
    () => Buffer.from(PING).fill(at(128) || 1, at(PING.length)),
    () => Buffer.from(["[]", "7", '"x"', "null", "{}x", `[${PING}]`, "{", "\\", "}{"][at(9)] ?? ""),
    () => Buffer.from(`{"jsonrpc":"2.0","id":${["null", "{}", "[]", "true"][at(4)]},"method":"ping"}`),
    () => Buffer.from(`${"[".repeat(1 + at(200))}`),
  ];
  return kinds[at(kinds.length)]?.() ?? Buffer.alloc(0);
}

test(
  `${MANY} malformed lines: each answered or passed over, and memory does not grow with them`,
  async () => {
    const served = await serveSocket();
    const key = await served.key("read");
    const random = randomOf(8);
    const client = await connect(served.path);
    client.socket.removeAllListeners("data");
    let answers = 0;
    let tail = "";
    client.socket.on("data", (chunk: Buffer) => {
      tail = (tail + chunk.toString("latin1")).slice(-10_000);
      for (const byte of chunk) if (byte === 10) answers++;
    });
    const before = used();
    for (let sent = 0; sent < MANY; sent += 500) {
      const lines = Array.from({ length: 500 }, () => Buffer.concat([malformed(random), Buffer.from("\n")]));
      if (!client.socket.write(Buffer.concat(lines)))
        await new Promise((resolve) => client.socket.once("drain", resolve));
      if (sent % 20_000 === 0) await honest(served, key);
    }
    client.send(`{"jsonrpc":"2.0","id":"last","method":"ping"}\n`);
    await until(() => tail.endsWith('"id":"last","result":{}}\n'));
    expect(answers).toBeGreaterThan(MANY / 2);
    expect(used() - before).toBeLessThan(200 * MB);
    await honest(served, key);
  },
  SLOW,
);

test(
  "a frame that is cut at any byte and followed by another client's silence does not affect other clients",
  async () => {
    const served = await serveSocket({ limits: { strangers: 256 } });
    const key = await served.key("read");
    const frame = `{"jsonrpc":"2.0","id":1,"method":"oubliette_call_tool","params":{"api_key":"${key}","tool":"task_list"}}\n`;
    for (let at = 0; at < frame.length; at++) {
      const client = await connect(served.path);
      client.send(frame.slice(0, at));
      client.socket.end();
      await client.closed;
      expect(client.text()).toBe("");
    }
    expect(served.fixture.calls).toEqual([]);
    await honest(served, key);
  },
  SLOW,
);

test(
  "a line without an end is refused at the limit and its connection closed, before memory is spent on it",
  async () => {
    const served = await serveSocket();
    const key = await served.key("read");
    const before = used();
    const clients = await Promise.all(Array.from({ length: 8 }, () => connect(served.path)));
    const chunk = Buffer.alloc(65_536, 0x61);
    await Promise.all(
      clients.map(async (client) => {
        for (let sent = 0; sent < 20 * MB && client.socket.writable; sent += chunk.length)
          if (!client.socket.write(chunk))
            await Promise.race([new Promise((resolve) => client.socket.once("drain", resolve)), client.closed]);
        await client.closed;
        expect(client.text()).toContain(
          '"id":null,"error":{"code":-32600,"message":"A line may have 65536 bytes at most before a valid key was shown."}',
        );
      }),
    );
    expect(used() - before).toBeLessThan(150 * MB);
    await honest(served, key);
  },
  SLOW,
);

test(
  "who is silent, or sends a byte at a time without end of line, is closed without a byte; who is quick is not",
  async () => {
    const served = await serveSocket({ limits: { firstLineMs: 1000 } });
    const quick = await connect(served.path);
    expect(await quick.ask("ping")).toMatchObject({ result: {} });
    const [silent, slow] = [await connect(served.path), await connect(served.path)];
    const dripping = setInterval(() => slow.socket.writable && slow.send("{"), 20);
    await Promise.all([silent.closed, slow.closed]);
    clearInterval(dripping);
    expect(silent.text() + slow.text()).toBe("");
    expect(await quick.ask("ping")).toMatchObject({ result: {} });
  },
  SLOW,
);

test("who has been silent for long is closed, but not who waits for an answer", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const { client, call, connect, waits } = await calling("read", { limits: { idleMs: 700 } });
  const idle = await connect();
  await idle.ask("ping");
  const waiting = call("wait_get", {}, { timeout_ms: 2500 });
  await until(() => waits.length === 1);
  await idle.closed;
  expect((await waiting).error.data.code).toBe("TIMEOUT");
  await client.closed;
});

test("connections over the limit are told so and closed; known ones do not count as strangers", {
  timeout: SLOW,
  tags: "slow",
}, async () => {
  const served = await serveSocket();
  const key = await served.key("read");
  const strangers = await Promise.all(Array.from({ length: 32 }, () => connect(served.path)));
  for (const one of strangers) await one.ask("ping");
  const refused = await connect(served.path);
  expect(await refused.next()).toMatchObject({
    id: null,
    error: { code: -32_000, data: { code: "RATE_LIMITED", retry_after_ms: 1000 } },
  });
  await refused.closed;
  for (const one of strangers) expect(await one.ask("oubliette_tools", { api_key: key })).toHaveProperty("result");
  const known: RawClient[] = [...strangers];
  while (known.length < 256) {
    const one = await connect(served.path);
    expect(await one.ask("oubliette_tools", { api_key: key })).toHaveProperty("result");
    known.push(one);
  }
  const over = await connect(served.path);
  expect(await over.next()).toMatchObject({ id: null, error: { data: { code: "RATE_LIMITED" } } });
  await over.closed;
  known.pop()?.close();
  await sleep(50);
  await honest(served, key);
});

test(
  "more requests at once than a connection may have are told to wait; the others are answered",
  async () => {
    const { client, api_key, waits, call } = await calling("read", { limits: { inFlight: 8 } });
    for (let id = 0; id < 8; id++)
      client.send({ jsonrpc: "2.0", id, method: "oubliette_call_tool", params: { api_key, tool: "wait_get" } });
    await until(() => waits.length === 8);
    expect((await call("task_list")).error).toMatchObject({ code: -32_000, data: { code: "RATE_LIMITED" } });
    client.send({ jsonrpc: "2.0", method: "oubliette_cancel", params: { id: 3 } });
    expect(await client.next()).toMatchObject({ id: 3, error: { data: { code: "CANCELLED" } } });
    expect(await call("task_list")).toMatchObject({ result: { isError: false } });
  },
  SLOW,
);

/** Requests for answers of half a megabyte each, numbered from 0. */
const large = (api_key: string, count: number): string =>
  Array.from({ length: count }, (_, id) => {
    const params = { api_key, tool: "text_get", arguments: { bytes: MB / 2 } };
    return `${JSON.stringify({ jsonrpc: "2.0", id, method: "oubliette_call_tool", params })}\n`;
  }).join("");

test(
  "a client that asks for more at once than may wait for it, and does not read, is cut off",
  async () => {
    const served = await serveSocket({ limits: { responseBytes: 2 * MB } });
    const key = await served.key("read");
    const client = await connect(served.path);
    client.socket.pause();
    const before = used();
    client.send(large(key, 60));
    const dripping = setInterval(() => client.socket.writable && client.send("\n"), 20);
    await until(() => !client.socket.writable);
    clearInterval(dripping);
    expect(used() - before).toBeLessThan(150 * MB);
    await honest(served, key);
  },
  SLOW,
);

test("a client that does not read is not read from, and after a time cut off", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const served = await serveSocket({ limits: { stalledMs: 1500, inFlight: 2 } });
  const key = await served.key("read");
  const client = await connect(served.path);
  client.socket.pause();
  const before = used();
  let sent = 0;
  let peak = 0;
  for (; sent < 3000 && client.socket.writable; sent++) {
    client.send(large(key, 1).padEnd(10_000, "\n"));
    await sleep(1);
    peak = Math.max(peak, used() - before);
  }
  await until(() => !client.socket.writable);
  expect(peak).toBeLessThan(150 * MB);
  await honest(served, key);
});

test(
  "the tenth bad key on a connection is answered, then it is closed; keys at speed do not lock an honest client out",
  async () => {
    const served = await serveSocket();
    const key = await served.key("read");
    const wrong = `${key.slice(0, -4)}AAAA`;
    let codes = new Set<number>();
    for (let round = 0; round < Math.max(5, Math.round(100 * Math.min(1, SCALE))); round++) {
      const client = await connect(served.path);
      const requests = Array.from({ length: 30 }, (_, id) => ({
        jsonrpc: "2.0",
        id,
        method: "oubliette_tools",
        params: { api_key: round % 2 ? wrong : `x${id}` },
      }));
      client.send(requests.map((one) => `${JSON.stringify(one)}\n`).join(""));
      await client.closed;
      const answers = client
        .text()
        .trim()
        .split("\n")
        .map((one): Json => JSON.parse(one));
      expect(answers).toHaveLength(10);
      codes = new Set([...codes, ...answers.map(({ error }) => error.code)]);
      if (round % 5 === 0) await honest(served, key);
    }
    expect([...codes]).toEqual([-32_001]);
    await honest(served, key);
  },
  SLOW,
);
