/** Abuse of the console over HTTP: logins without a key, unlimited logins with one, and what is logged about them. */

import { createConnection, type Socket } from "node:net";
import { join } from "node:path";
import LibsqlDatabase from "libsql";
import { afterAll, beforeAll, expect, test } from "vitest";
import { newKey } from "../../../../runtime/access/key-text.js";
import { type HttpServed, type Raw, type RawAnswer, raw } from "../../../support/http.js";
import type { Json } from "../../../support/project.js";
import { type ServedKeys, serveKeys } from "../../../support/servers/served-keys.js";

const SLOW = 120_000;
/** Requests under way at once. */
const IN_FLIGHT = 4;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
let root: string;
let server: HttpServed;
let known: ServedKeys["known"];

beforeAll(async () => {
  ({ root, known, server } = await serveKeys(later, [
    "access: { rate: { burst: 50, per_second: 2 } }",
    `limits: { http: { in_flight: ${IN_FLIGHT} } }`,
    "servers: { gone: { command: toolwright-no-such-program, lazy: false } }",
  ]));
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

const origin = (): string => new URL(server.url).origin;
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const get = (path: string, headers: Raw["headers"] & object): Promise<RawAnswer> =>
  raw(server.url, { method: "GET", path, headers });
const login = (key: unknown): Promise<RawAnswer> =>
  raw(server.url, { path: "/api/login", body: { key }, headers: { origin: origin() } });
const cookieOf = ({ headers }: RawAnswer): string => String(headers["set-cookie"]).split(";")[0] ?? "";

function rowsOf(sql: string): Json[] {
  const db = new LibsqlDatabase(join(root, ".onetool", "state.db"), { readonly: true });
  try {
    return db.prepare(sql).all() as Json[];
  } finally {
    db.close();
  }
}

/** Requests whose bodies do not come. */
async function unfinished(count: number, path: string, header: string): Promise<readonly Socket[]> {
  const { port, host } = new URL(server.url);
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${host}`,
    "Content-Type: application/json",
    "Content-Length: 90",
    header,
  ];
  const opened = Array.from({ length: count }, () => {
    const socket = createConnection({ host: "127.0.0.1", port: Number(port) });
    later(() => socket.destroy());
    socket.on("error", () => {});
    return new Promise<Socket>((resolve) => socket.write(`${head.join("\r\n")}\r\n\r\n{`, () => resolve(socket)));
  });
  const sockets = await Promise.all(opened);
  await expect.poll(async () => (await raw(server.url, { method: "GET", path: "/healthz" })).status).toBe(200);
  return sockets;
}

test("slow logins without a key do not block other clients", async () => {
  const sockets = await unfinished(2 * IN_FLIGHT, "/api/login", `Origin: ${origin()}`);
  expect((await get("/api/registry", bearer(known.read.key))).status).toBe(200);
  expect((await login(known.read.key)).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

test("one key at /api leaves a part of what may be open to others", async () => {
  const sockets = await unfinished(IN_FLIGHT, "/api/exec", `Authorization: Bearer ${known.write.key}`);
  expect((await get("/api/registry", bearer(known.read.key))).status).toBe(200);
  for (const socket of sockets) socket.destroy();
});

test("what is sent to log in with is short", async () => {
  expect((await login("x".repeat(5000))).status).toBe(413);
});

test("a key has 20 logins at most, and the latest ones", { timeout: SLOW }, async () => {
  const cookies: string[] = [];
  for (let at = 0; at < 25; at++) cookies.push(cookieOf(await login(known.project.key)));
  expect(rowsOf(`select * from logins where key_id = '${known.project.id}'`)).toHaveLength(20);
  expect((await get("/api/registry", { cookie: cookies.at(-1) ?? "" })).status).toBe(200);
});

test("logging in counts as a call of the key", { timeout: SLOW }, async () => {
  let answer = await login(known.projectRead.key);
  for (let at = 0; at < 100 && answer.status === 200; at++) answer = await login(known.projectRead.key);
  expect(answer.status).toBe(429);
  expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
});

test("logins are logged; wrong keys are too, once in a while", { timeout: SLOW }, async () => {
  await login(known.admin.key);
  const dead = await known.keys.create({ name: "dead", scope: "read" }, "local");
  await known.keys.revoke(dead.record.key_id);
  for (let at = 0; at < 10; at++) {
    expect((await login(newKey().text)).status).toBe(401);
    expect((await login(dead.key)).status).toBe(401);
    expect((await get("/api/registry", bearer(newKey().text))).status).toBe(401);
  }
  const audited = (where: string) => rowsOf(`select * from audit where ${where}`);
  await expect.poll(() => audited(`key_id = '${known.admin.id}'`)).toMatchObject([{ op: "console.login", code: "" }]);
  const refused = { op: "key", code: "UNAUTHENTICATED" };
  await expect.poll(() => audited("code <> '' and key_id = ''")).toMatchObject([refused]);
  await expect.poll(() => audited(`key_id = '${dead.record.key_id}'`)).toMatchObject([refused]);
});

test("nothing that was asked for with a key is kept by anybody but its caller", async () => {
  const answers = [
    ...["/api/stats", "/api/calls", "/api/servers", "/api/nothing"].map((path) => get(path, bearer(known.read.key))),
    get("/api/registry", {}),
    get("/api/login", {}),
    login("wrong"),
    raw(server.url, { path: "/api/exec", body: { op: "vault.list_notes", args: {} }, headers: bearer(known.read.key) }),
  ];
  for (const { headers } of await Promise.all(answers)) expect(headers["cache-control"]).toBe("no-store");
});

test("two servers of one machine do not take each other's logins away", { timeout: SLOW }, async () => {
  const [name] = cookieOf(await login(known.read.key)).split("=");
  expect(name).toBe(`toolwright_login_${new URL(server.url).port}`);
});

test("the reason of a missing server is shown only to callers that may fix it", { timeout: SLOW }, async () => {
  const gone = async (key: string) => JSON.parse((await get("/api/servers", bearer(key))).text).servers[0];
  await expect.poll(() => gone(known.admin.key)).toHaveProperty("error");
  const seen = await gone(known.read.key);
  expect(seen).toMatchObject({ name: "gone", state: "disconnected" });
  expect(JSON.stringify(seen)).not.toContain("toolwright-no-such-program");
});
