/** `/api/help`, `/api/exec`, `/api/batch`: who is let in, what is answered, and that it is what the gateway tools answer (`surfaces.md` 1). */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HttpServed, type Raw, type RawAnswer, raw, serveHttp } from "../../support/http.js";
import { keysOf } from "../../support/keys.js";
import { CHECKOUT, generatedRoot, type Json } from "../../support/project.js";

const SLOW = 120_000;
const DEMO = join(CHECKOUT, "test/support/http-demo/definitions");
const BODY_BYTES = 20_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
let open: HttpServed;
let keyed: HttpServed;
let key: string;
let root: string;

beforeAll(async () => {
  root = await generatedRoot(DEMO, later);
  const settings = `sources: [{ functions: demo.ts }]\nlimits: { http: { body_bytes: ${BODY_BYTES} } }\n`;
  writeFileSync(join(root, "definitions", "toolwright.yaml"), settings);
  open = await serveHttp(root, [], async (clean) => later(clean));
  const keyedRoot = await generatedRoot(DEMO, later);
  const keys = keysOf(keyedRoot);
  later(() => keys.close());
  ({ key } = await keys.create({ name: "reader", scope: "read" }, "local"));
  keyed = await serveHttp(keyedRoot, [], async (clean) => later(clean));
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

const parsed = ({ status, text }: RawAnswer): Json => ({ status, ...JSON.parse(text) });
const post = async (tool: string, body: Raw["body"], request: Raw = {}, server = open): Promise<Json> =>
  parsed(await raw(server.url, { path: `/api/${tool}`, body: body as object, ...request }));
const echo = { op: "demo.echo", args: { text: "hé" } };

describe("answers", () => {
  test("exec gives the envelope", async () => {
    expect(await post("exec", echo)).toMatchObject({ status: 200, op: "demo.echo", ok: true, result: "hé" });
  });

  test("a call that is refused is 200 with its envelope", async () => {
    expect(await post("exec", { op: "demo.echo", args: {} })).toMatchObject({
      status: 200,
      ok: false,
      error: { code: "VALIDATION_ERROR", help_path: "demo.echo" },
    });
    expect(await post("exec", { op: "demo.nothing" })).toMatchObject({ status: 200, error: { code: "NOT_FOUND" } });
    expect(await post("exec", [])).toMatchObject({ status: 200, error: { code: "VALIDATION_ERROR" } });
  });

  test("help gives the payload", async () => {
    expect(await post("help", { path: "demo.echo" })).toMatchObject({ status: 200, type: "op", path: "demo.echo" });
  });

  test("batch gives one result an entry", async () => {
    const answer = await post("batch", {
      ops: [
        { type: "exec", ...echo },
        { type: "help", path: "demo" },
      ],
    });
    expect(answer).toMatchObject({ status: 200, ok: true, summary: { total: 2, succeeded: 2 } });
  });

  test("a caller that goes away cancels its call", { timeout: SLOW }, async () => {
    const file = join(root, "held.txt");
    const cancel = new AbortController();
    const asked = fetch(new URL("/api/exec", open.url), {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ op: "demo.hold", args: { file, until: join(root, "never") } }),
      signal: cancel.signal,
    });
    const written = (): string => (existsSync(file) ? readFileSync(file, "utf8") : "");
    await expect.poll(written, { timeout: SLOW }).toBe("started\n");
    cancel.abort();
    await expect(asked).rejects.toThrow();
    await expect.poll(written, { timeout: SLOW }).toBe("started\naborted\n");
  });
});

describe("refusals, as envelopes", () => {
  test.each([
    ["another method", { method: "GET" }, 405, "VALIDATION_ERROR"],
    ["a form", { headers: { "content-type": "text/plain" } }, 415, "VALIDATION_ERROR"],
    ["no JSON", { body: "{" }, 400, "VALIDATION_ERROR"],
    ["what nests deep", { body: `${"[".repeat(100)}${"]".repeat(100)}` }, 400, "VALIDATION_ERROR"],
    ["what is large", { body: " ".repeat(BODY_BYTES + 1) }, 413, "VALIDATION_ERROR"],
    ["a page of another port", { headers: { origin: "http://localhost:1" } }, 403, "PERMISSION_DENIED"],
    ["a cookie without an origin", { headers: { cookie: "a=b" } }, 403, "PERMISSION_DENIED"],
  ] as const)("%s", async (_what, request, status, code) => {
    const answer = parsed(await raw(open.url, { path: "/api/exec", body: echo, ...request }));
    expect(answer).toMatchObject({ status, op: "", ok: false, error: { code, help_path: "root" }, meta: {} });
  });

  test("a page elsewhere, and a name that was made to point here", async () => {
    for (const headers of [{ origin: "http://evil.example" }, { host: "evil.example" }])
      expect((await raw(open.url, { path: "/api/exec", body: echo, headers })).status).toBe(403);
  });

  test("our own page is let in", async () => {
    const { origin } = new URL(open.url);
    expect(await post("exec", echo, { headers: { origin } })).toMatchObject({ status: 200, ok: true });
  });
});

describe("keys", () => {
  const bearer = (text: string): Raw => ({ headers: { authorization: `Bearer ${text}` } });

  test("one that is live is let in", async () => {
    expect(await post("exec", echo, bearer(key), keyed)).toMatchObject({ status: 200, ok: true });
  });

  test("none, and one that is no key, are 401 with a challenge", async () => {
    for (const request of [{}, bearer("oub_nothing")]) {
      const answer = await raw(keyed.url, { path: "/api/exec", body: echo, ...request });
      expect(parsed(answer)).toMatchObject({ status: 401, ok: false, error: { code: "UNAUTHENTICATED" } });
      expect(answer.headers["www-authenticate"]).toMatch(/^Bearer /);
      expect(answer.headers["content-type"]).toBe("application/json");
    }
  });

  test("one that calls too often is told when to call again", async () => {
    const ops = Array.from({ length: 20 }, () => ({ type: "exec", ...echo }));
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => raw(keyed.url, { path: "/api/batch", body: { ops }, ...bearer(key) })),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const answer of refused) {
      expect(parsed(answer).error).toMatchObject({
        code: "RATE_LIMITED",
        details: { retry_after_ms: expect.any(Number) },
      });
      expect(Number(answer.headers["retry-after"])).toBeGreaterThan(0);
    }
  });
});
