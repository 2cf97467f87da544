/** Writes reach an API with their idempotency key, in the header that the source names. */

import { expect, test } from "vitest";
import type { Context } from "../../../runtime/contract/handler.js";
import type { HttpCall } from "../../../runtime/contract/http-call.js";
import { rootOf, startApi } from "../../../test/support/http-api.js";
import { serve } from "../../../test/support/project.js";
import { httpHandler } from "../handler.js";

const call = (method: string): HttpCall =>
  ({
    source: "api.json",
    server: "https://api.example",
    path: "/orders",
    method,
    accept: "application/json",
    arguments: [{ argument: "own", name: "idempotency-key", in: "header" }],
  }) as unknown as HttpCall;

/** The header that a request has. */
async function sent(method: string, source: object, args = {}, idempotencyKey?: string): Promise<string | null> {
  let seen: string | null = "not called";
  const fetch = async (_: unknown, init: { readonly headers: Record<string, string> }) => {
    seen = new Headers(init.headers).get("idempotency-key");
    return new Response("{}", { headers: { "content-type": "application/json" } });
  };
  const ctx = { fetch, idempotencyKey, signal: new AbortController().signal, warn: () => undefined };
  const trusting = async () => fetch as never;
  await httpHandler(call(method), source, trusting)(args, ctx as unknown as Context);
  return seen;
}

const SOURCE = { idempotency: { header: "Idempotency-Key" } };

test.each([
  ["a write", "POST", SOURCE, {}, "k", "k"],
  ["a read", "GET", SOURCE, {}, "k", null],
  ["a write without a key", "POST", SOURCE, {}, undefined, null],
  ["an API that is not configured to take it", "POST", {}, {}, "k", null],
  ["a call that names the header", "POST", SOURCE, { own: "mine" }, "k", "mine"],
])("a key is sent only with a write to an API that takes one: %s", async (_, method, source, args, key, expected) => {
  expect(await sent(method, source, args, key)).toBe(expected);
});

test("each write of a program has a key of its own, and a read has none", { timeout: 300_000 }, async () => {
  const api = await startApi();
  const paths = {
    "/orders": {
      get: { operationId: "orders", responses: {} },
      post: { operationId: "order", responses: {} },
    },
  };
  const root = await rootOf(paths, `server: ${api.origin}\nidempotency: { header: Idempotency-Key }`);
  const server = await serve(root, ["--allow-write"]);
  try {
    const command = "[api.order(), api.orders(), api.order()]\n0";
    const { content } = await server.client.callTool({ name: "run", arguments: { command } });
    expect(content).toMatchObject([{ text: "0" }]);
    const keys = api.seen.map(({ headers }) => headers["idempotency-key"]);
    const key = expect.stringMatching(/^[0-9a-f]{32}$/);
    expect(keys).toEqual([key, undefined, key]);
    expect(keys[0]).not.toBe(keys[2]);
  } finally {
    await server.close();
  }
});
