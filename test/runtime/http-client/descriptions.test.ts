/** What descriptions of HTTP APIs hold beside the usual, as requests: fragments, Swagger 2.0, defaults. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { toolwright } from "../../support/project.js";
import { caller, rootOf, startApi } from "./api.js";

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
test("a fragment of a path is not sent, and the query after it is", async () => {
  const api = await startApi();
  const paths = { "/a/{id}#part": { get: op("part", { parameters: [query("q")] }) } };
  const call = await caller(await rootOf(paths, `server: ${api.origin}`));
  await call("api.part", { id: "x", q: "1" });
  expect(api.seen[0]?.url).toBe("/a/x?q=1");
});

test("Swagger 2.0 in several files is called", { tags: "full" }, async () => {
  const api = await startApi();
  const root = await rootOf({ "/a": { get: op("before") } }, `server: ${api.origin}`);
  const file = { in: "formData", name: "file", type: "file", required: true };
  const post = { operationId: "send", consumes: ["multipart/form-data"], parameters: [file], responses: {} };
  const description = { swagger: "2.0", info: { title: "A", version: "1" }, paths: { "/b": { $ref: "b.json" } } };
  writeFileSync(join(root, "definitions", "api.json"), JSON.stringify(description));
  writeFileSync(join(root, "definitions", "b.json"), JSON.stringify({ post }));
  expect(await toolwright(["generate", "--root", root])).toMatchObject({ code: 0 });
  const call = await caller(root);
  await call("api.send", { file: Buffer.from([0, 255]).toString("base64") });
  expect(api.seen[0]?.url).toBe("/b");
  expect(api.seen[0]?.body.includes(Buffer.from([0, 255]))).toBe(true);
});

describe("defaults", () => {
  const shape = { size: { type: "integer", default: 5 } };
  const paths = {
    "/a": {
      post: op("make", {
        parameters: [
          query("limit", { schema: { type: "integer", default: 20 } }),
          query("v", { required: true, schema: { type: "string", default: "1" } }),
        ],
        ...body({ name: { type: "string", default: "n" }, inner: { type: "object", properties: shape } }),
      }),
    },
  };
  test.each([
    ["", "/a?v=1", '{"inner":{}}'],
    ["\nsend_defaults: true", "/a?limit=20&v=1", '{"name":"n","inner":{"size":5}}'],
  ])("of optional parameters are not sent, unless the source says so: %j", async (entry, url, sent) => {
    const api = await startApi();
    const call = await caller(await rootOf(paths, `server: ${api.origin}${entry}`));
    expect((await call("api.make", { inner: {} })).ok).toBe(true);
    expect((await call("api.make", { limit: 20, v: "2" })).ok).toBe(true);
    expect([api.seen[0]?.url, api.seen[0]?.body.toString(), api.seen[1]?.url]).toEqual([url, sent, "/a?limit=20&v=2"]);
  });
});
