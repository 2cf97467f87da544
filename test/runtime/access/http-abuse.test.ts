/** Abuse of the HTTP transport with keys: odd headers, many wrong keys, slow senders. An honest caller is served meanwhile. */

import { readFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import LibsqlDatabase from "libsql";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newKey } from "../../../runtime/access/key-text.js";
import { type HttpServed, LIST, type RawAnswer, raw } from "../../support/http.js";
import type { Json } from "../../support/project.js";
import { SCALE } from "../../support/random.js";
import { type ServedKeys, serveKeys } from "../../support/servers/served-keys.js";

const SLOW = 300_000;
const MANY = Math.max(500, Math.round(20_000 * SCALE));
/** In which an honest caller must be served while others misbehave, on a busy machine. */
const HONEST_MS = 20_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
let root: string;
let server: HttpServed;
let known: ServedKeys["known"];
let port: number;

beforeAll(async () => {
  ({ root, known, server } = await serveKeys(
    later,
    [
      "access: { rate: { burst: 10, per_second: 2 } }",
      "limits: { http: { header_ms: 3000, body_ms: 3000 } }",
      "log: { level: trace, file: all.log }",
    ],
    ["--log-level", "trace"],
  ));
  port = Number(new URL(server.url).port);
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const send = (key: string, body: object = LIST): Promise<RawAnswer> => raw(server.url, { headers: bearer(key), body });

/** What a bare connection is answered with until it is closed. */
function bare(text: string | Buffer, more = ""): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    let timer: NodeJS.Timeout | undefined;
    const socket = createConnection({ host: "127.0.0.1", port }, () => {
      socket.write(text);
      if (more !== "") timer = setInterval(() => socket.writable && socket.write(more), 100);
    });
    socket.setEncoding("latin1").on("data", (chunk: string) => (answer += chunk));
    socket.on("error", () => {});
    socket.once("close", () => {
      clearInterval(timer);
      resolve(answer);
    });
  });
}

/** A request with the given lines of headers, as bytes. */
function lines(...headers: readonly string[]): Buffer {
  const body = JSON.stringify(LIST);
  const fixed = ["Host: localhost", "Content-Type: application/json", "Accept: application/json, text/event-stream"];
  const all = [...fixed, "Connection: close", `Content-Length: ${body.length}`, ...headers];
  return Buffer.from(`POST /mcp HTTP/1.1\r\n${all.join("\r\n")}\r\n\r\n${body}`, "latin1");
}

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);

test("forms of the header: one key in the scheme Bearer, whatever its letter case, and nothing else", {
  timeout: SLOW,
}, async () => {
  const { key } = known.admin;
  const other = known.read.key;
  const good = [[`Authorization: Bearer ${key}`], [`AUTHORIZATION: bearer ${key}`], [`authorization: BEARER ${key}`]];
  for (const headers of good) expect(statusOf(await bare(lines(...headers))), headers[0]?.slice(0, 22)).toBe(200);
  const bad = [
    [`Authorization: Bearer ${key}`, `Authorization: Bearer ${other}`],
    [`Authorization: Bearer ${newKey().text}`, `Authorization: Bearer ${key}`],
    [`Authorization: Bearer ${other}, Bearer ${key}`],
    [`Authorization: Bearer ${key} ${other}`],
    [`Authorization: Bearer${key}`],
    [`Authorization: Bearer "${key}"`],
    [`Authorization: Bearer ${key}\u00e9`],
    [`Authorization: Bearer \u00ff\u00fe${key}`],
    [`Authorization: Bearer ${encodeURIComponent(`${key} `)}`],
    [`Authorization: Bearer ${key.toUpperCase()}`],
    [`Authorization: ${key}`],
    [`Authorization: Basic ${Buffer.from(`${key}:`).toString("base64")}`],
    [`Authorization: Basic ${key}`],
    [`Authorization: Token ${key}`],
    ["Authorization:"],
    ["Authorization: Bearer __proto__"],
    [`Authorization: Bearer ${"x".repeat(8000)}`],
    [`X-Authorization: Bearer ${key}`],
    [`Proxy-Authorization: Bearer ${key}`],
    [`Cookie: authorization=Bearer ${key}`],
  ];
  for (const headers of bad) {
    const answer = await bare(lines(...headers));
    expect(statusOf(answer), headers.join().replaceAll(key, "KEY").slice(0, 60)).toBe(401);
    expect(answer).not.toContain(key.slice(15));
  }
  expect(statusOf(await bare(lines(`Authorization: Bearer ${"x".repeat(20_000)}`)))).toBe(431);
  expect(statusOf(await bare(lines(`Authorization: Bearer ${key}\0`)))).toBe(400);
});

test("wrong keys at speed: each is 401, an honest caller is served, and little is written of it", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const dead = await known.keys.create({ name: "dead", scope: "admin" }, "local");
  await known.keys.revoke(dead.record.key_id);
  const texts = [newKey().text, dead.key, "garbage", `${known.admin.key}x`];
  const logged = () => readFileSync(join(root, "all.log"), "utf8").length;
  const [before, memory] = [logged(), memoryOf(server)];
  let sent = 0;
  const flood = async (): Promise<void> => {
    while (sent < MANY) {
      const text = texts[sent++ % texts.length] ?? "";
      expect((await send(text)).status).toBe(401);
    }
  };
  const floods = Promise.all(Array.from({ length: 8 }, flood));
  let isOver = false;
  void floods.finally(() => {
    isOver = true;
  });
  for (let honest = 0; honest < 3 || (!isOver && honest < 8); honest++) {
    const started = performance.now();
    expect((await send(known.write.key)).status).toBe(200);
    expect(performance.now() - started).toBeLessThan(HONEST_MS);
    await sleep(600);
  }
  await floods;
  expect(logged() - before).toBeLessThan(20_000);
  expect(memoryOf(server) - memory).toBeLessThan(200_000_000);
  await sleep(1500);
  expect(rowsOf("audit")).toBeLessThan(10);
});

/** Bytes of memory that a process has. */
const memoryOf = ({ child }: HttpServed): number =>
  4096 * Number(readFileSync(`/proc/${child.pid}/statm`, "utf8").split(" ")[1]);

function rowsOf(table: string): number {
  const db = new LibsqlDatabase(join(root, ".onetool", "state.db"), { readonly: true });
  try {
    return Number((db.prepare(`select count(*) as n from ${table}`).get() as Json).n);
  } finally {
    db.close();
  }
}

test("429: a caller that waits for Retry-After is served", { tags: "full", timeout: SLOW }, async () => {
  const { key } = known.project;
  const first = await Promise.all(Array.from({ length: 14 }, () => send(key)));
  const refused = first.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(0);
  const waits = refused.map(({ headers }) => Number(headers["retry-after"]));
  expect(Math.max(...waits)).toBeLessThanOrEqual(10);
  await sleep(1000 * Math.min(...waits));
  expect((await send(key)).status).toBe(200);
  const batch = Array.from({ length: 8 }, (_one, id) => ({ ...LIST, id }));
  const many = await send(key, batch as never);
  expect(many.status).toBe(429);
  await sleep(1000 * Number(many.headers["retry-after"]));
  expect((await send(key, batch as never)).status).toBe(200);
});

test("slow senders, with a key and without, are cut off, and delay no other request", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const start = `POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n`;
  const { key } = known.projectRead;
  const slow = Array.from({ length: 60 }, (_one, i) =>
    i % 2 === 0
      ? bare(`${start}Authorization: Bearer ${key}\r\nContent-Length: 100000\r\n\r\n`, "x")
      : bare(`${start}X-Slow: `, "x"),
  );
  await sleep(500);
  const started = performance.now();
  expect((await send(known.admin.key)).status).toBe(200);
  expect(performance.now() - started).toBeLessThan(HONEST_MS);
  for (const answer of await Promise.all(slow)) expect(answer).toMatch(/^(HTTP\/1\.1 408 |$)/);
});
