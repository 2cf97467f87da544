/**
 * HTTP APIs end to end: a description, `generate`, and calls by the command line and by an MCP client to a real server.
 */

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { caller, exec, json, rootOf, startApi } from "../../../test/support/http-api.js";
import { freePort } from "../../../test/support/ports.js";
import { type Json, serve, toolwright } from "../../../test/support/project.js";

const op = (operationId: string, rest: object = {}): object => ({
  operationId,
  summary: "Do it.",
  responses: {},
  ...rest,
});
const query = (name: string, rest: object = {}): object => ({ name, in: "query", schema: {}, ...rest });
const body = (properties: object, media = "application/json"): object => ({
  requestBody: { required: true, content: { [media]: { schema: { type: "object", properties } } } },
});
const variable = (name: string): string => `$\{${name}}`;

const ORDERS = {
  "/orders/{id}": {
    parameters: [
      { name: "id", in: "path", required: true, schema: { type: "string" } },
      query("tags", { schema: { type: "array", items: {} } }),
    ],
    get: op("getOrder", { parameters: [{ name: "X-Trace", in: "header", schema: { type: "string" } }] }),
    put: op("replaceOrder", body({ id: { type: "string" }, title: { type: "string" }, __proto__: {} })),
    delete: op("removeOrder", { responses: { 204: {} } }),
  },
};

describe("requests", () => {
  test("arguments go where the description says, through an MCP client", async () => {
    const api = await startApi({ "/v1/orders/gone": (_, response) => void response.writeHead(204).end() });
    const root = await rootOf(ORDERS, `server: ${api.origin}/v1/`);
    const served = await serve(root, ["--allow-write"]);
    try {
      const call = async (name: string, args: object) => (await served.call("tool_exec", { op: name, args })).value;
      expect((await call("api.getOrder", { id: "a/b?c#d", tags: ["x y", "&"], "X-Trace": "t" })).result).toMatchObject({
        url: "/v1/orders/a%2Fb%3Fc%23d?tags=x%20y&tags=%26",
      });
      expect(api.seen[0]?.headers).toMatchObject({ "x-trace": "t", "user-agent": "toolwright" });
      expect((await call("api.replaceOrder", { path_id: "7", body_id: "8", title: "é" })).result).toEqual({
        method: "PUT",
        url: "/v1/orders/7",
        body: '{"id":"8","title":"é"}',
      });
      expect(api.seen[1]?.headers["content-type"]).toBe("application/json");
      expect((await call("api.removeOrder", { id: "gone" })).result).toBeNull();
      expect(await call("api.removeOrder", { id: "x", dry_run: true })).toMatchObject({
        ok: false,
        error: { code: "VALIDATION_ERROR" },
      });
      const help = await served.call("tool_help", { path: "api.replaceOrder" });
      expect(JSON.stringify(help.value)).toContain("api.replaceOrder(path_id, tags?, body_id?, title?)");
    } finally {
      await served.close();
    }
  });

  test("a path cannot be left: dots and nothing are refused before anything is sent", { tags: "full" }, async () => {
    const api = await startApi();
    const call = await caller(await rootOf(ORDERS, `server: ${api.origin}/v1`));
    for (const id of ["..", "."]) {
      const { error } = await call("api.removeOrder", { id });
      expect(error).toMatchObject({
        code: "VALIDATION_ERROR",
        details: { field_errors: [{ path: "id", keyword: "path" }] },
      });
    }
    expect((await call("api.removeOrder", { id: "" })).error.code).toBe("VALIDATION_ERROR");
    expect((await call("api.getOrder", { id: "a", "X-Trace": "a\r\nx: y" })).error).toMatchObject({
      details: { field_errors: [{ keyword: "header" }] },
    });
    expect(api.seen).toHaveLength(0);
  });

  test("writes need leave", { tags: "full" }, async () => {
    const api = await startApi();
    const root = await rootOf(ORDERS, `server: ${api.origin}`);
    const served = await serve(root);
    const { value } = await served.call("tool_exec", { op: "api.removeOrder", args: { id: "1" } });
    await served.close();
    expect(value.error.code).toBe("PERMISSION_DENIED");
    expect(api.seen).toHaveLength(0);
  });

  test("forms, files, text and bytes", { tags: "full" }, async () => {
    const api = await startApi();
    const paths = {
      "/form": {
        post: op("form", body({ a: {}, b: { type: "array", items: {} } }, "application/x-www-form-urlencoded")),
      },
      "/files": {
        post: op("files", body({ file: { type: "string", format: "binary" }, name: {} }, "multipart/form-data")),
      },
      "/encoded": {
        post: op("encoded", body({ file: { type: "string", contentEncoding: "binary" } }, "multipart/form-data")),
      },
      "/whole": {
        post: op("whole", {
          requestBody: { content: { "multipart/form-data": { schema: { type: "object", additionalProperties: {} } } } },
        }),
      },
      "/text": { post: op("text", { requestBody: { content: { "text/plain": {} } } }) },
      "/bytes": { post: op("bytes", { requestBody: { content: { "image/png": {} } } }) },
    };
    const call = await caller(await rootOf(paths, `server: ${api.origin}`));
    await call("api.form", { a: "x&y", b: [1, "ü"] });
    await call("api.files", { file: Buffer.from([0, 255]).toString("base64"), name: "n" });
    await call("api.text", { body: "hé" });
    await call("api.bytes", { body: Buffer.from([1, 254]).toString("base64") });
    await call("api.encoded", { file: Buffer.from([0, 254]).toString("base64") });
    await call("api.whole", { body: { a: "b" } });
    const [form, files, text, bytes, encoded, whole] = api.seen;
    expect(encoded?.body.includes(Buffer.from([0, 254]))).toBe(true);
    expect(encoded?.body.toString("latin1")).toContain('name="file"; filename="file"');
    expect(whole?.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
    expect(whole?.body.toString()).toContain('name="a"\r\n\r\nb');
    expect([form?.headers["content-type"], form?.body.toString()]).toEqual([
      "application/x-www-form-urlencoded",
      "a=x%26y&b=1&b=%C3%BC",
    ]);
    expect(files?.headers["content-type"]).toMatch(/^multipart\/form-data; boundary=/);
    expect(files?.body.includes(Buffer.from([0, 255]))).toBe(true);
    expect(files?.body.toString("latin1")).toContain('name="file"; filename="file"');
    expect(text?.body.toString()).toBe("hé");
    expect([...(bytes?.body ?? [])]).toEqual([1, 254]);
  });
});

describe("credentials", () => {
  const PATHS = { "/me": { get: op("me") }, "/open": { get: op("open", { security: [] }) } };

  test("come from the environment, else from the secrets, and appear nowhere else", { tags: "full" }, async () => {
    const api = await startApi({ "/me": json(401, { message: "token-0123456789 is not known" }) });
    const root = await rootOf(
      PATHS,
      `server: ${api.origin}\nauth: { bearer: "${variable("API_TOKEN")}", headers: { X-Tenant: "${variable("TENANT:-main")}" }, query: { key: "${variable("API_KEY")}" } }`,
    );
    mkdirSync(join(root, ".onetool"), { recursive: true });
    writeFileSync(join(root, ".onetool", "secrets.yaml"), "API_KEY: from file\n");
    chmodSync(join(root, ".onetool", "secrets.yaml"), 0o600);
    const { error } = await exec(root, "api.me", {}, { API_TOKEN: "token-0123456789" });
    expect(api.seen[0]).toMatchObject({
      url: "/me?key=from%20file",
      headers: { authorization: "Bearer token-0123456789", "x-tenant": "main" },
    });
    expect(error).toMatchObject({ code: "UNAVAILABLE", details: { status: 401, answer: "*** is not known" } });
    expect(error.message).toContain("`auth` in toolwright.yaml");
    expect(JSON.stringify(error)).not.toContain("0123456789");
    for (const file of ["registry.json", "http/api.json"])
      expect(readFileSync(join(root, "generated", file), "utf8")).not.toMatch(/TOKEN|TENANT/);
  });

  test("a secret that no header can hold is named, and nothing is sent; a line end after it is not part of it", {
    tags: "full",
  }, async () => {
    const api = await startApi();
    const auth = `auth: { bearer: "${variable("API_TOKEN")}", headers: { X-Tenant: "a ${variable("TENANT:-main")}" } }`;
    const root = await rootOf({ "/me": { get: op("me") } }, `server: ${api.origin}\n${auth}`);
    for (const [secret, env] of [
      ["API_TOKEN", { API_TOKEN: "token-01\nsecond-line" }],
      ["TENANT", { API_TOKEN: "token-01", TENANT: "snow \u2603 man" }],
    ] as const) {
      const { error } = await exec(root, "api.me", {}, env);
      expect(error).toMatchObject({ code: "UNAVAILABLE", details: { secret } });
      expect(error.message).toMatch(new RegExp(`^The secret ${secret} holds characters that no header can`));
      expect(JSON.stringify(error)).not.toMatch(/second-line|snow/);
    }
    expect(api.seen).toEqual([]);
    expect((await exec(root, "api.me", {}, { API_TOKEN: "token-0123456789\n" })).ok).toBe(true);
    expect(api.seen[0]?.headers.authorization).toBe("Bearer token-0123456789");
  });

  test("one that is not set is named, and costs only the calls that need it", { tags: "full" }, async () => {
    const api = await startApi();
    const root = await rootOf(PATHS, `server: ${api.origin}\nauth: { basic: "me:${variable("API_PASSWORD")}" }`);
    expect((await exec(root, "api.me")).error).toMatchObject({
      code: "UNAVAILABLE",
      details: { secret: "API_PASSWORD" },
    });
    const doctor = await toolwright(["doctor", "--root", root]);
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining("1 HTTP API; not set: API_PASSWORD")]);
    expect((await exec(root, "api.open")).ok).toBe(true);
    expect(api.seen.map((one) => one.headers.authorization)).toEqual([undefined]);
    await exec(root, "api.me", {}, { API_PASSWORD: "pw" });
    expect(api.seen[1]?.headers.authorization).toBe(`Basic ${Buffer.from("me:pw").toString("base64")}`);
  });
});

describe("where requests may go", () => {
  const PATHS = { "/a": { get: op("getA"), post: op("postA", body({ x: {} })) }, "/b": { get: op("getB") } };

  test("a redirect within the host is followed; to another one it is not, and nothing is sent there", {
    tags: "full",
  }, async () => {
    const other = await startApi();
    const api = await startApi({
      "/a": ({ method }, response) =>
        void response.writeHead(method === "GET" ? 302 : 303, { location: "/landed?x=1" }).end(),
      "/b": (_, response) => void response.writeHead(302, { location: `${other.origin}/stolen` }).end(),
    });
    const call = await caller(await rootOf(PATHS, `server: ${api.origin}\nauth: { bearer: secret-value-1 }`));
    expect((await call("api.getA")).result).toMatchObject({ method: "GET", url: "/landed?x=1" });
    expect((await call("api.postA", { x: 1 })).result).toEqual({ method: "GET", url: "/landed?x=1", body: "" });
    expect((await call("api.getB")).error).toMatchObject({
      code: "UNAVAILABLE",
      details: { status: 302, location: other.origin },
    });
    expect(other.seen).toHaveLength(0);
    expect(api.seen.every((one) => one.headers.authorization === "Bearer secret-value-1")).toBe(true);
  });

  test("307 sends the same again; a circle ends", { tags: "full" }, async () => {
    const api = await startApi({
      "/a": (_, response) => void response.writeHead(307, { location: "/again" }).end(),
      "/b": (_, response) => void response.writeHead(301, { location: "/b" }).end(),
    });
    const call = await caller(await rootOf(PATHS, `server: ${api.origin}`));
    expect((await call("api.postA", { x: 1 })).result).toEqual({
      method: "POST",
      url: "/again",
      body: '{"x":1}',
    });
    expect((await call("api.getB")).error.message).toContain("more than 5 times");
  });

  test("a private address that only the description names is refused, unless web.allow_private names it", {
    tags: "full",
  }, async () => {
    const api = await startApi();
    const paths = { "/a": { get: { ...op("getA"), servers: [{ url: api.origin }] } } };
    const { error } = await exec(await rootOf(paths, "pack: api"), "api.getA");
    expect(error).toMatchObject({ code: "UNAVAILABLE" });
    expect(error.message).toContain("not public");
    expect(api.seen).toHaveLength(0);
    const allowed = await rootOf(paths, "pack: api", "web: { allow_private: [127.0.0.1] }\n");
    expect((await exec(allowed, "api.getA")).ok).toBe(true);
  });

  test("a description without an address says what to set", { tags: "full" }, async () => {
    const { error } = await exec(await rootOf(PATHS, "pack: api"), "api.getA");
    expect(error).toMatchObject({ code: "UNAVAILABLE" });
    expect(error.message).toContain("Set `server: https://…`");
  });

  test("a server that is not there", { tags: "full" }, async () => {
    const { error } = await exec(await rootOf(PATHS, `server: http://127.0.0.1:${await freePort()}`), "api.getA");
    expect(error).toMatchObject({ code: "UNAVAILABLE", details: { reason: "ECONNREFUSED" } });
  });
});

describe("answers", () => {
  const paths = (...names: readonly string[]): object =>
    Object.fromEntries(
      names.map((name) => [`/${name}`, { get: op(name), post: op(`${name}Post`), head: op(`${name}Head`) }]),
    );

  test("a status means what the table says", { tags: "full" }, async () => {
    const table = {
      400: "VALIDATION_ERROR",
      401: "UNAVAILABLE",
      403: "UNAVAILABLE",
      404: "NOT_FOUND",
      409: "CONFLICT",
      412: "CONFLICT",
      418: "UNAVAILABLE",
      422: "VALIDATION_ERROR",
      429: "RATE_LIMITED",
      500: "UNAVAILABLE",
      503: "UNAVAILABLE",
    };
    const codes = Object.keys(table);
    const api = await startApi(
      Object.fromEntries(
        codes.map((code) => [`/s${code}`, json(Number(code), { error: { message: "why" } }, { "retry-after": "2" })]),
      ),
    );
    const root = await rootOf(paths(...codes.map((code) => `s${code}`)), `server: ${api.origin}`);
    const served = await serve(root, ["--allow-write"]);
    try {
      for (const [code, meaning] of Object.entries(table)) {
        const { value } = await served.call("tool_exec", { op: `api.s${code}`, args: {} });
        expect([code, value.error.code]).toEqual([code, meaning]);
        expect(value.error.details).toMatchObject({
          status: Number(code),
          answer: '{"message":"why"}',
          retry_after_ms: 2000,
        });
      }
      const write = await served.call("tool_exec", { op: "api.s500Post", args: {}, idempotency_key: "k" });
      expect(write.value.error.details).toMatchObject({ status: 500, outcome: "unknown" });
      const again = await served.call("tool_exec", { op: "api.s500Post", args: {}, idempotency_key: "k" });
      expect(again.value.error).toMatchObject({ code: "CONFLICT", details: { reason: "outcome_unknown" } });
    } finally {
      await served.close();
    }
  });

  test("data, text, bytes, nothing, and what cannot be read", { tags: "full" }, async () => {
    const api = await startApi({
      "/data": json(200, { a: [1], ["__proto__"]: { b: 1 } }),
      "/problem": (_, response) =>
        void response.writeHead(200, { "content-type": "application/problem+json" }).end('{"a":1}'),
      "/text": (_, response) =>
        void response.writeHead(200, { "content-type": "text/csv; charset=iso-8859-1" }).end(Buffer.from([0xe9])),
      "/image": (_, response) =>
        void response.writeHead(200, { "content-type": "image/png" }).end(Buffer.from([137, 80])),
      "/none": (_, response) => void response.writeHead(200).end(),
      "/untyped": (_, response) => void response.writeHead(200).end('{"a":2}'),
      "/broken": (_, response) => void response.writeHead(200, { "content-type": "application/json" }).end('{"a":'),
      "/deep": (_, response) =>
        void response
          .writeHead(200, { "content-type": "application/json" })
          .end("[".repeat(200_000) + "]".repeat(200_000)),
    });
    const names = ["data", "problem", "text", "image", "none", "untyped", "broken", "deep"];
    const root = await rootOf(paths(...names), `server: ${api.origin}`);
    const served = await serve(root);
    try {
      const answers = new Map<string, unknown>();
      for (const name of [...names, "dataHead"]) {
        const { structuredContent: value, content } = (await served.client.callTool({
          ...{ name: "tool_exec", arguments: { op: `api.${name}`, args: {} } },
        })) as Json;
        if (name === "image") expect(content[1]).toEqual({ type: "image", mimeType: "image/png", data: "iVA=" });
        answers.set(name, value.ok ? value.result : value.error.message);
      }
      expect(JSON.stringify(answers.get("data"))).toBe('{"a":[1],"__proto__":{"b":1}}');
      expect(Object.fromEntries(answers)).toMatchObject({
        problem: { a: 1 },
        text: "é",
        image: { type: "image", mime: "image/png", size: 2, block: 1 },
        none: null,
        untyped: { a: 2 },
        broken: expect.stringContaining("JSON that cannot be read"),
        deep: expect.stringContaining("nests too deep"),
        dataHead: { status: 200 },
      });
    } finally {
      await served.close();
    }
  });

  test("a huge answer is left at 5 MB, and a slow one at the deadline", { tags: "full" }, async () => {
    let sent = 0;
    const api = await startApi({
      "/huge": (_, response) => {
        response.writeHead(200, { "content-type": "application/json" });
        const more = (): void => {
          while (!response.destroyed && response.write(" ".repeat(65_536))) sent += 65_536;
        };
        response.on("drain", more);
        more();
      },
      "/slow": (_, response) => void response.writeHead(200, { "content-type": "application/json" }).write("["),
    });
    const limits = "limits: { call_timeout_ms: 1500 }\n";
    const call = await caller(await rootOf(paths("huge", "slow"), `server: ${api.origin}`, limits));
    expect((await call("api.huge")).error).toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringContaining("more than 5 MB"),
    });
    expect(sent).toBeLessThan(40_000_000);
    expect((await call("api.slow")).error).toMatchObject({ code: "TIMEOUT" });
    expect((await call("api.slowPost")).error).toMatchObject({
      code: "TIMEOUT",
      details: { outcome: "unknown" },
    });
  });

  test("a server that hangs up during a write leaves it open whether it was done", { tags: "full" }, async () => {
    const api = await startApi({ "/cut": (_, response) => void response.socket?.destroy() });
    const call = await caller(await rootOf(paths("cut"), `server: ${api.origin}`));
    expect((await call("api.cutPost")).error).toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringMatching(/ broke the connection before it had answered \(\w+\)/),
      details: { outcome: "unknown" },
    });
    expect((await call("api.cut")).error.details.outcome).toBeUndefined();
  });
});
