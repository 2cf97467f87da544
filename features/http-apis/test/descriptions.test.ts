/** What descriptions of HTTP APIs hold beside the usual, as requests: fragments, Swagger 2.0, defaults. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { caller, rootOf, startApi } from "../../../test/support/http-api.js";
import { toolwright } from "../../../test/support/project.js";

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
test("a fragment of a path is not sent, and the query after it is", { tags: "full" }, async () => {
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
  expect(await toolwright(["names", "--root", root])).toMatchObject({ code: 0 });
  const call = await caller(root);
  await call("api.send", { file: Buffer.from([0, 255]).toString("base64") });
  expect(api.seen[0]?.url).toBe("/b");
  expect(api.seen[0]?.body.includes(Buffer.from([0, 255]))).toBe(true);
});

test("a file that is not base64 is refused before anything is sent", async () => {
  const api = await startApi();
  const paths = {
    "/files": {
      post: op("files", body({ file: { type: "string", format: "binary" } }, "multipart/form-data")),
    },
    "/bytes": { post: op("bytes", { requestBody: { required: true, content: { "image/png": {} } } }) },
  };
  const call = await caller(await rootOf(paths, `server: ${api.origin}`));
  const long = Buffer.alloc(100, 7).toString("base64");
  const inLines = (width: number, end: string) => long.replace(new RegExp(`.{${width}}`, "g"), `$&${end}`);
  for (const [text, fault] of [
    ["not base64!!", "it has spaces"],
    ["hello world", "it has spaces"],
    ["hello\tworld12", "it has spaces"],
    ["hello\nworld12", "its line breaks are not those of base64"],
    ["aG\nk=", "its line breaks are not those of base64"],
    [inLines(60, "\n"), "its line breaks are not those of base64"],
    [`${inLines(64, "\n")}\n\n`, "its line breaks are not those of base64"],
    ["naïve", "it has characters outside the alphabet of base64"],
    ["a+b_", "it has characters outside the alphabet of base64"],
    ["data:text/plain,hello", "it has characters outside the alphabet of base64"],
    ["data:;base64,hello", "its padding is missing or wrong"],
    ["abcde", "its padding is missing or wrong"],
    ["aGk", "its padding is missing or wrong"],
    ["aGk==", "its padding is missing or wrong"],
    ["====", "it has characters outside the alphabet of base64"],
    ["aGl=", "it ends with bits that belong to no byte"],
  ] as const)
    for (const [name, argument] of [
      ["api.files", "file"],
      ["api.bytes", "body"],
    ] as const)
      expect((await call(name, { [argument]: text })).error).toMatchObject({
        code: "VALIDATION_ERROR",
        details: {
          field_errors: [
            { path: argument, message: expect.stringContaining(`${argument} is not base64: ${fault}. Encode`) },
          ],
        },
      });
  expect((await call("api.bytes", {})).error).toMatchObject({ corrected_call: { args: { body: "<body: base64>" } } });
  expect(api.seen).toHaveLength(0);
  const bytes = Buffer.alloc(100, 7).toString("latin1");
  for (const [text, sent] of [
    ["aGk=", "hi"],
    ["aGk=\n", "hi"],
    ["_-8=", "\xff\xef"],
    ["/+8=", "\xff\xef"],
    ["", ""],
    ["data:image/png;base64,aGk=", "hi"],
    ["data:text/plain;charset=utf-8;base64,aGk=", "hi"],
    ...["\n", "\r\n"].flatMap((end) => [64, 76].map((width) => [inLines(width, end), bytes] as const)),
  ] as const) {
    expect(await call("api.bytes", { body: text })).toMatchObject({ ok: true });
    expect(api.seen.at(-1)?.body.toString("latin1")).toBe(sent);
  }
});

test("fields of a form are written as their encoding says", { tags: "full" }, async () => {
  const api = await startApi();
  const list = { type: "array", items: { type: "string" } };
  const schema = {
    type: "object",
    properties: { csv: list, pipes: list, deep: { type: "object" }, each: list, o: {} },
  };
  const encoding = {
    csv: { style: "form", explode: false },
    pipes: { style: "pipeDelimited", explode: false },
    deep: { style: "deepObject", explode: true },
  };
  const content = { "application/x-www-form-urlencoded": { schema, encoding } };
  const paths = { "/form": { post: op("form", { requestBody: { content } }) } };
  const call = await caller(await rootOf(paths, `server: ${api.origin}`));
  const two = ["a b", "c&d"];
  await call("api.form", { csv: two, pipes: two, deep: { k: "v" }, each: two, o: { k: 1 } });
  await call("api.form", { csv: [] });
  expect(api.seen.map((one) => one.body.toString())).toEqual([
    "csv=a%20b,c%26d&pipes=a%20b%7Cc%26d&deep%5Bk%5D=v&each=a+b&each=c%26d&o=%7B%22k%22%3A1%7D",
    "",
  ]);
});

test("lists in forms of Swagger 2.0 are written as collectionFormat says, commas by default", {
  tags: "full",
}, async () => {
  const api = await startApi();
  const root = await rootOf({ "/a": { get: op("before") } }, `server: ${api.origin}`);
  const list = (name: string, collectionFormat?: string) => ({
    ...{ in: "formData", name, type: "array", items: { type: "string" } },
    ...(collectionFormat === undefined ? {} : { collectionFormat }),
  });
  const operation = (operationId: string, media: string) => ({
    ...{ operationId, consumes: [media], responses: {} },
    parameters: [list("plain"), list("multi", "multi"), { $ref: "#/parameters/pipes" }],
  });
  const paths = {
    "/form": { post: operation("form", "application/x-www-form-urlencoded") },
    "/parts": { post: operation("parts", "multipart/form-data") },
  };
  const parameters = { pipes: list("pipes", "pipes") };
  const description = { swagger: "2.0", info: { title: "A", version: "1" }, parameters, paths };
  writeFileSync(join(root, "definitions", "api.json"), JSON.stringify(description));
  expect(await toolwright(["generate", "--root", root])).toMatchObject({ code: 0 });
  const call = await caller(root);
  const args = { plain: ["a", "b"], multi: ["a", "b"], pipes: ["a", "b"] };
  await call("api.form", args);
  await call("api.parts", args);
  const [form, parts] = api.seen.map((one) => one.body.toString());
  expect(form?.split("&").sort()).toEqual(["multi=a", "multi=b", "pipes=a%7Cb", "plain=a,b"]);
  const values = [...(parts ?? "").matchAll(/name="(\w+)"\r\n\r\n(.*)\r\n/g)].map(
    ([, name, value]) => `${name}=${value}`,
  );
  expect(values.sort()).toEqual(["multi=a", "multi=b", "pipes=a|b", "plain=a,b"]);
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
  ])(
    "of optional parameters are not sent, unless the source says so: %j",
    { tags: "full" },
    async (entry, url, sent) => {
      const api = await startApi();
      const call = await caller(await rootOf(paths, `server: ${api.origin}${entry}`));
      expect((await call("api.make", { inner: {} })).ok).toBe(true);
      expect((await call("api.make", { limit: 20, v: "2" })).ok).toBe(true);
      expect([api.seen[0]?.url, api.seen[0]?.body.toString(), api.seen[1]?.url]).toEqual([
        url,
        sent,
        "/a?limit=20&v=2",
      ]);
    },
  );
});
