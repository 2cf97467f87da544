/**
 * Hostile frames on every transport of one server: it keeps running and answers the pings of another client. `SCALE=1`
 * sends 100,000 frames on each.
 */

import { Agent, request } from "node:http";
import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eachCase } from "../../support/each-case.js";
import { raw, type ServedEverywhere, serveEverywhere } from "../../support/http.js";
import { CHECKOUT, generatedRoot } from "../../support/project.js";
import { randomOf, runs, SCALE } from "../../support/random.js";
import { hostileFrames, LARGE_BODIES } from "../../support/servers/hostile-frames.js";
import { expectAlive, type PingTarget, pingsDuring } from "../../support/servers/liveness.js";

const SLOW = 1_200_000;
const { seed } = runs(0);
const FRAMES = Math.round(100_000 * Math.min(1, SCALE) ** 2);
const TOGETHER = 50;
const ANSWER_MS = 60_000;
/** Of the few pings beside a small number of frames, the 99th percentile is the slowest one, which a busy machine delays. */
const BOUNDS = { p99: FRAMES < 10_000 ? 300 : 100 };
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
let server: ServedEverywhere;

beforeAll(async () => {
  const root = await generatedRoot(join(CHECKOUT, "test/support/demos/http-demo/definitions"), later);
  server = await serveEverywhere(root, [], async (clean) => later(clean));
  server.child.stdout?.on("data", (chunk: Buffer) => {
    const text = stdout + chunk.toString("latin1");
    stdout = text.slice(-200);
    for (const [, id = ""] of text.matchAll(/"id":"([^"]{1,100})"/g)) answered.add(id);
  });
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

let stdout = "";
/** Ids of what was answered on stdout. A long answer may follow on the one that is looked for. */
const answered = new Set<string>();
const target = (over: "url" | "socket"): PingTarget => ({ [over]: server[over], pid: server.child.pid });

/** Sends one frame in stdin as a line. */
async function toStdin(frame: Buffer): Promise<void> {
  const { stdin } = server.child;
  if (stdin?.write(Buffer.concat([frame, Buffer.from("\n")])) === false)
    await new Promise((resolve) => stdin.once("drain", resolve));
}

/** Sends frames over a connection that is opened again where the server has closed it. */
function overSocket(): { send(frame: Buffer): Promise<void>; end(): void } {
  let socket: Socket | undefined;
  const open = async (): Promise<Socket> => {
    const opened = createConnection(server.socket).resume();
    opened.on("error", () => undefined);
    await new Promise((resolve) => opened.once("connect", resolve).once("close", resolve));
    return opened;
  };
  return {
    async send(frame) {
      while (!socket?.writable) socket = await open();
      const isFull = !socket.write(Buffer.concat([frame, Buffer.from("\n")]));
      if (isFull) await new Promise((resolve) => socket?.once("drain", resolve).once("close", resolve));
    },
    end: () => void socket?.destroy(),
  };
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 });
later(() => agent.destroy());

function overHttp(body: Buffer): Promise<number> {
  const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
  return new Promise((resolve) => {
    const sent = request(server.url, { method: "POST", headers, agent }, (response) => {
      response.resume().once("close", () => resolve(response.statusCode ?? 0));
      // A stream of changes stays open.
      if (response.headers["content-type"] === "text/event-stream") setTimeout(() => response.destroy(), 200);
    });
    sent.once("error", () => resolve(0)).end(body);
  });
}

async function isServed(): Promise<void> {
  expect(server.child.exitCode ?? server.child.signalCode).toBeNull();
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
  expect((await raw(server.url, { body: ping })).text).toContain('"result":{}');
}

test(`${FRAMES} frames on stdin`, { timeout: SLOW, tags: "slow" }, async () => {
  const next = hostileFrames(randomOf(seed));
  let sent = 0;
  const seen = await pingsDuring(
    target("socket"),
    async () => {
      for (let i = 0; i < TOGETHER && sent < FRAMES; i++, sent++) await toStdin(next());
      await sleep(1);
    },
    { tries: 1, until: () => sent >= FRAMES },
  );
  await toStdin(Buffer.from('{"jsonrpc":"2.0","id":"the last one","method":"ping"}'));
  await expect.poll(() => answered.has("the last one"), { timeout: ANSWER_MS }).toBe(true);
  expectAlive(seen, BOUNDS);
  await isServed();
  expect(server.stderr().split("\n").length).toBeLessThan(60);
});

test(`${FRAMES} frames on the socket`, { timeout: SLOW, tags: "slow" }, async () => {
  const next = hostileFrames(randomOf(seed + 1));
  const line = overSocket();
  let sent = 0;
  const seen = await pingsDuring(
    target("url"),
    async () => {
      for (let i = 0; i < TOGETHER && sent < FRAMES; i++, sent++) await line.send(next());
      await sleep(1);
    },
    { tries: 1, until: () => sent >= FRAMES },
  );
  line.end();
  expectAlive(seen, BOUNDS);
  await isServed();
});

test(`${FRAMES} frames over HTTP`, { timeout: SLOW }, async () => {
  const next = hostileFrames(randomOf(seed + 2));
  let sent = 0;
  const statuses = new Set<number>();
  const seen = await pingsDuring(
    target("socket"),
    async () => {
      const some = Array.from({ length: Math.min(TOGETHER, FRAMES - sent) }, next);
      for (const status of await Promise.all(some.map(overHttp))) statuses.add(status);
      sent += some.length;
    },
    { tries: 1, until: () => sent >= FRAMES },
  );
  expectAlive(seen, BOUNDS);
  await isServed();
  expect([...statuses].filter((one) => one >= 500 && one !== 503)).toEqual([]);
});

test("any id twice at once harms no other call", { timeout: SLOW }, async () => {
  const line = overSocket();
  for (const id of ["1e999", "-1e999", "1", '"x"', "9007199254740993", "1e-400", "null", "{}"]) {
    const two = `{"jsonrpc":"2.0","id":${id},"method":"oubliette_tools","params":{"api_key":"x"}}`;
    await line.send(Buffer.from(`${two}\n${two}`));
  }
  await sleep(200);
  line.end();
  await isServed();
});

eachCase(
  LARGE_BODIES,
  ...["closed lists in lists", "keys", "one string", "unknown arguments of an op", "a batch of as many ops"],
  "a long search",
)("4 MB of JSON over HTTP: %s", { tags: "full", timeout: SLOW }, async (_what, body) => {
  expectAlive(await pingsDuring(target("socket"), () => overHttp(Buffer.from(body)), { atLeastMs: 700 }), BOUNDS);
});

eachCase(LARGE_BODIES, "lists in lists", "unknown arguments of a tool")(
  "4 MB of JSON on stdin: %s",
  { tags: "full", timeout: SLOW },
  async (_what, body) => {
    let round = 0;
    const attack = async (): Promise<void> => {
      await toStdin(Buffer.from(body));
      await toStdin(Buffer.from(`{"jsonrpc":"2.0","id":"${_what} ${++round}","method":"ping"}`));
      await expect.poll(() => answered.has(`${_what} ${round}`), { timeout: ANSWER_MS, interval: 5 }).toBe(true);
    };
    expectAlive(await pingsDuring(target("socket"), attack, { atLeastMs: 700 }), BOUNDS);
  },
);

/** Lines of which a chunk has thousands. */
const SHORT_LINES = [
  ["calls", '{"jsonrpc":"2.0","id":"1","method":"oubliette_tools","params":{}}'],
  ["lines that are no JSON", "garbage {"],
  ["pings", '{"jsonrpc":"2.0","id":1,"method":"ping"}'],
] as const;
const LINES = 20_000;

eachCase(
  SHORT_LINES.flatMap(([what, line]) => ["socket", "stdin"].map((over) => [`${what} on ${over}`, line, over] as const)),
  ...["calls on socket", "pings on stdin"],
)(
  `${LINES} %s at once: another client is answered meanwhile`,
  { timeout: SLOW, tags: "slow" },
  async (_what, line, over) => {
    const lines = Buffer.from(`${line}\n`.repeat(LINES));
    const socket = overSocket();
    const attack = async (): Promise<void> => {
      if (over === "stdin") await toStdin(lines.subarray(0, -1));
      else await Promise.race([socket.send(lines), sleep(1000)]);
      await sleep(300);
    };
    expectAlive(await pingsDuring(target("url"), attack, { atLeastMs: 500 }));
    socket.end();
    await isServed();
  },
);

test("4 MB on the socket before a key was shown are cut off after 64 kB", { tags: "full", timeout: SLOW }, async () => {
  const chunk = Buffer.from("[".repeat(65_536));
  const seen = await pingsDuring(target("url"), async () => {
    const line = overSocket();
    await Promise.race([line.send(Buffer.concat(Array.from({ length: 64 }, () => chunk))), sleep(2000)]);
    line.end();
  });
  expectAlive(seen, BOUNDS);
  await isServed();
});
