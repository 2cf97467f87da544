/** Words of a caller change what this caller finds, at once; words of a merged file change what everybody finds. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { raw, serveHttp } from "../../../test/support/http.js";
import { keysOf } from "../../../test/support/keys.js";
import { type Json, serve, temporaryFolder, toolwright } from "../../../test/support/project.js";

const tool = (name: string, description: string) => ({
  type: "function",
  function: { name, description, parameters: { type: "object", properties: {} } },
});
const TOOLS = [
  tool("list_pulls", "List pull requests."),
  tool("get_inbox", "Get the inbox."),
  tool("count_inbox", "Count what the inbox holds."),
];
const HANDLERS = `export const handlers = {
  "shop.pulls.list": async () => [],
  "shop.inbox.get": async () => [],
  "shop.inbox.count": async () => 1,
};
`;

async function project(): Promise<string> {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  writeFileSync(join(root, "definitions/shop.json"), JSON.stringify(TOOLS));
  writeFileSync(join(root, "definitions/handlers.ts"), HANDLERS);
  const ops =
    "ops: { list_pulls: { op: shop.pulls.list }, get_inbox: { op: shop.inbox.get }, count_inbox: { op: shop.inbox.count } }";
  writeFileSync(
    join(root, "definitions/toolwright.yaml"),
    `sources:\n  - { chat-tools: shop.json, pack: shop, kind: read, handlers: handlers.ts }\n${ops}\nuse: [ot]\nlearn: { words: on }\naccess: { rate: { burst: 1000, per_second: 1000 } }\n`,
  );
  const made = await toolwright(["generate", "--root", root]);
  expect(made.code, made.stderr).toBe(0);
  return root;
}

test("a caller's own words change what this caller finds, and no other", { timeout: 300_000 }, async () => {
  const root = await project();
  const keys = keysOf(root);
  const make = async (name: string) => (await keys.create({ name, scope: "read" }, "local")).key;
  const [anna, ben] = [await make("anna"), await make("ben")];
  await keys.close();
  const server = await serveHttp(root);
  const call = async (key: string, op: string, args: object = {}): Promise<Json> => {
    const headers = { authorization: `Bearer ${key}` };
    const { status, text } = await raw(server.url, { path: "/api/exec", body: { op, args }, headers });
    expect(status, text).toBe(200);
    return JSON.parse(text).result;
  };
  const page = async (key: string, query = "review inbox"): Promise<string> =>
    call(key, "ot.help", { query, info: "list" });
  const before = await page(ben);
  expect(before).toMatch(/Tools\n- shop\.inbox/);
  expect(before).not.toContain("shop.pulls.list");
  expect(await page(ben, "reviews")).not.toContain("shop.pulls.list");
  await call(anna, "ot.help", { query: "review inbox" });
  await call(anna, "shop.pulls.list");
  await expect.poll(() => page(anna)).toContain("shop.pulls.list");
  expect(await page(anna, "reviews")).toMatch(/Tools\n- shop\.pulls\.list/);
  await expect.poll(() => page(ben)).toBe(before);
  const post = async (key: string, path: string, body: object): Promise<Json> => {
    const headers = { authorization: `Bearer ${key}` };
    return JSON.parse((await raw(server.url, { path, body, headers })).text);
  };
  const found = await post(anna, "/api/help", { path: "review" });
  expect(found.items[0]).toMatch(/^shop\.pulls\.list/);
  expect(found).not.toHaveProperty("no_op_has");
  for (const op of ["review", "shop.reviews"]) {
    expect((await post(anna, "/api/exec", { op })).error.details.suggestions, op).toContain("shop.pulls.list");
    expect((await post(ben, "/api/exec", { op })).error.details.suggestions, op).not.toContain("shop.pulls.list");
  }
  for (let i = 0; i < 20; i++) {
    await call(anna, "ot.help", { query: "review inbox" });
    await call(anna, "shop.pulls.list");
  }
  expect(await page(ben)).toBe(before);
});

test("words of a merged file change what everybody finds, by tool_help too", { timeout: 300_000 }, async () => {
  const root = await project();
  mkdirSync(join(root, "definitions/learned"));
  const entry = { pinned: true, words: { reviews: "100+", inbox: "100+" } };
  writeFileSync(
    join(root, "definitions/learned/shop.words.json"),
    `{"version":1,"ops":{\n  "shop.pulls.list": ${JSON.stringify(entry)}\n}}\n`,
  );
  expect((await toolwright(["generate", "--root", root])).code).toBe(0);
  expect(readFileSync(join(root, "generated/help/search.json"), "utf8")).toContain("review");
  const served = await serve(root);
  const { value } = await served.call("tool_help", { path: "review inbox" });
  expect(value.items[0]).toMatch(/^shop\.pulls\.list/);
  await served.close();
});
