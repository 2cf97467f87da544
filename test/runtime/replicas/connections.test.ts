/**
 * Connections of three server processes on one PostgreSQL: a sign-in whose steps are at different servers, refresh tokens that
 * rotate and are redeemed once for all of them, a server that is killed while it redeems one, and two callers who are never
 * mixed up.
 */

import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { decodeJwt } from "jose";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpServed, type RawAnswer, raw, serveHttp } from "../../support/http.js";
import { freePort } from "../../support/ports.js";
import { type Json, toolwright } from "../../support/project.js";
import { TOOLS, TOOLS_CLIENT } from "../../support/servers/connections.js";
import { type Oidc, startOidc } from "../../support/servers/oidc.js";
import { type Replicas, startReplicas } from "../../support/servers/replicas.js";
import { NO_DATABASE, startSharedDatabase } from "../../support/shared-database.js";

const SLOW = 400_000;
const ROUNDS = process.env["SCALE"] === "1" ? 20 : 3;
const CALLERS = 12;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);

const CALLS = process.env["SCALE"] === "1" ? 500 : 60;

const responses = { 200: { description: "ok", content: { "application/json": { schema: { type: "object" } } } } };
const API = {
  openapi: "3.1.0",
  info: { title: "Shop", version: "1" },
  paths: {
    "/me": { get: { operationId: "me", summary: "Say who I am.", responses } },
    "/orders": { post: { operationId: "order", summary: "Order something.", responses } },
  },
};

describe.skipIf(NO_DATABASE !== "")(`three servers on one PostgreSQL${NO_DATABASE}`, () => {
  let oidc: Oidc;
  let replicas: Replicas;
  let origin: string;
  let database: string;
  /** Tokens that the API takes no more. */
  const ended = new Set<string>();
  const taken = new Set<string>();
  let orders = 0;

  beforeAll(async () => {
    origin = `http://127.0.0.1:${await freePort()}`;
    oidc = await startOidc(
      { clients: [{ ...TOOLS_CLIENT, redirect_uris: [`${origin}/connections/callback`] }] },
      later,
    );
    const api = createServer((request, response) => {
      const [, token = ""] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
      const isTaken = token !== "" && !ended.has(token);
      if (isTaken) taken.add(token);
      response.writeHead(isTaken ? 200 : 401, { "content-type": "application/json" });
      const order = request.method === "POST" ? { order: ++orders } : {};
      response.end(JSON.stringify(isTaken ? { me: decodeJwt(token).sub, ...order } : {}));
    });
    await new Promise<void>((resolve) => void api.listen(0, "127.0.0.1", resolve));
    later(() => api.close().closeAllConnections());
    const server = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
    database = (await startSharedDatabase(later)).href;
    const auth = {
      ...{ mode: "per_user", issuer: oidc.issuer, client: { id: TOOLS.client_id, secret: TOOLS.client_secret } },
      ...{ scope: "openid offline_access mcp:read", resource: "https://api.example.com/mcp" },
      authorize_params: { prompt: "consent" },
    };
    replicas = await startReplicas({
      url: database,
      files: { "api.json": JSON.stringify(API) },
      config: {
        ...{ use: ["oubliette"], servers: {}, ops: {}, public_url: origin },
        sources: [{ openapi: "api.json", pack: "shop", server, auth }],
        state_encryption: { keys: [{ id: "k1", from: randomBytes(32).toString("base64") }] },
      },
      later,
    });
  }, SLOW);
  afterAll(async () => {
    for (const clean of cleaning.reverse()) await clean();
  });

  const authorized = (key = replicas.key) => ({ authorization: `Bearer ${key}` });
  /** What a call at a server answers: the data, or the failure. */
  async function call({ url }: HttpServed, key?: string, given: object = { op: "shop.me", args: {} }): Promise<Json> {
    const body = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "tool_exec", arguments: given } };
    const { text } = await raw(url, { body, headers: authorized(key) });
    const [answer = ""] = /(?<=^(?:data: )?)\{(?:"jsonrpc":"2.0","id":1,)?"result".*$/m.exec(text) ?? [];
    const { result, error } = JSON.parse(JSON.parse(answer).result.content[0].text);
    return result ?? error;
  }
  const callers = (servers: readonly HttpServed[]) =>
    Promise.all(Array.from({ length: CALLERS }, (_, i) => call(servers[i % servers.length] as HttpServed)));
  const endToken = (): void => {
    for (const token of taken) ended.add(token);
    oidc.seen.length = 0;
  };
  const redemptions = (): number => oidc.seen.filter((one) => one === "POST /token").length;
  const statement = async (text: string): Promise<void> => {
    const client = new pg.Client(database);
    await client.connect();
    await client.query(text);
    await client.end();
  };

  /** Begins at a server; the answer of the provider, and the cookie of the browser. */
  async function answered({ url }: HttpServed, key?: string) {
    const begun = await raw(url, {
      ...{ path: "/api/connections/start", body: { name: "shop" } },
      headers: { ...authorized(key), origin },
    });
    const back = await oidc.browse(new URL(JSON.parse(begun.text).url), `${origin}/connections/callback`);
    const cookie = [begun.headers["set-cookie"] ?? []].flat()[0]?.split(";")[0] ?? "";
    return { path: `${back.pathname}${back.search}`, cookie };
  }
  const bring = ({ url }: HttpServed, path: string, cookie: string): Promise<RawAnswer> =>
    raw(url, { method: "GET", path, headers: { cookie } });
  const connect = async (from: HttpServed, to: HttpServed, key?: string): Promise<void> => {
    const { path, cookie } = await answered(from, key);
    expect((await bring(to, path, cookie)).headers["location"]).toBe("/#/connections?name=shop&outcome=connected");
  };
  const three = () => replicas.servers as [HttpServed, HttpServed, HttpServed];

  test("a sign-in begun at one and ended at another serves a third; replayed, or in another browser, it is refused", {
    timeout: SLOW,
  }, async () => {
    const [one, two, last] = three();
    expect(await call(last)).toMatchObject({ code: "UNAVAILABLE", details: { reason: "sign_in_required" } });
    const own = await answered(one);
    const other = await answered(one);
    for (const cookie of ["", other.cookie, "toolwright_connect=x"])
      expect((await bring(two, own.path, cookie)).status).toBe(400);
    expect((await bring(two, own.path, own.cookie)).status).toBe(303);
    for (const server of [one, two, last]) expect((await bring(server, own.path, own.cookie)).status).toBe(400);
    expect(await callers(three())).toEqual(Array(CALLERS).fill({ me: "alice" }));
  });

  test(`${CALLERS} callers at once, ${ROUNDS} times over: each refresh token is redeemed once, and no call fails`, {
    timeout: SLOW,
  }, async () => {
    await connect(three()[0], three()[1]);
    await callers(three());
    for (let round = 0; round < ROUNDS; round++) {
      endToken();
      expect(await callers(three())).toEqual(Array(CALLERS).fill({ me: "alice" }));
      expect(redemptions()).toBe(1);
    }
  });

  test(`two callers, ${CALLS} interleaved calls with the same idempotency keys: never the other's token, result or row`, {
    timeout: SLOW,
  }, async () => {
    const people = await Promise.all(
      ["anna", "ben"].map(async (name) => {
        const flags = ["--name", name, "--scope", "write", "--root", replicas.roots[0] ?? "", "--state", database];
        return { name, key: (await toolwright(["keys", "create", ...flags])).stdout.trim() };
      }),
    );
    for (const [i, { name, key }] of people.entries()) {
      oidc.user = name;
      await connect(three()[i] as HttpServed, three()[2], key);
    }
    oidc.user = "alice";
    const before = orders;
    const asked = Array.from({ length: CALLS }, (_, i) => {
      const { name, key } = people[i % 3 === 0 ? 0 : 1] as (typeof people)[number];
      // The same keys for both callers, each used again and again at all servers.
      const order = { op: "shop.order", args: {}, idempotency_key: `order-${i % 10}` };
      return { name, key, server: three()[(i >> 1) % 3] as HttpServed, given: i % 2 === 0 ? order : undefined };
    });
    const found: { readonly name: string; readonly key: string | undefined; readonly answer: Json }[] = [];
    // As many at once as servers take.
    for (let i = 0; i < CALLS; i += CALLERS)
      found.push(
        ...(await Promise.all(
          asked.slice(i, i + CALLERS).map(async ({ name, key, server, given }) => ({
            ...{ name, key: given?.idempotency_key },
            answer: await call(server, key, given),
          })),
        )),
      );
    expect(found.filter(({ name, answer }) => answer.me !== name)).toEqual([]);
    const rows = new Map<string, unknown>();
    for (const { name, key, answer } of found.filter((one) => one.key !== undefined)) {
      const place = `${name} ${key}`;
      expect(rows.get(place) ?? answer.order).toBe(answer.order);
      rows.set(place, answer.order);
    }
    // Each caller has rows of its own, and each order was made once.
    expect(new Set(rows.values()).size).toBe(rows.size);
    expect(orders - before).toBe(rows.size);
  });

  describe.each([
    ["before the provider has seen its request: the next one recovers", "before", { me: "alice" }, 2],
    [
      "before it has stored the answer: the next one asks for a sign-in, once",
      "after",
      { code: "UNAVAILABLE", details: { reason: "sign_in_required" } },
      2,
    ],
  ] as const)("a server that is killed while it renews the token", (title, at, outcome, redeemed) => {
    test(title, { timeout: SLOW }, async () => {
      const [one, two, last] = three();
      await connect(two, last);
      await callers([two, last]);
      const dying = await serveHttp(replicas.roots[0] ?? "", ["--allow-write"], later);
      expect(await call(dying)).toEqual({ me: "alice" });
      endToken();
      const held = oidc.holdToken(at);
      const lost = call(dying).catch(() => "lost");
      await held.reached;
      dying.signal("SIGKILL");
      expect([await lost, await dying.exit]).toEqual(["lost", "SIGKILL"]);
      held.release();
      // As if the time of its lease had passed.
      await statement("update connections set lease_until = 0 where lease_until is not null");
      const found = await callers([one, two, last]);
      for (const one of found) expect(one).toMatchObject(outcome);
      expect(redemptions()).toBe(redeemed);
      await callers([one, two, last]);
      expect(redemptions()).toBe(redeemed);
    });
  });
});
