/** `ot.query` under load: a caller with endless queries keeps no other one waiting. */

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { raw, serveHttp } from "../../../support/http.js";
import { CHECKOUT, generatedRoot, type Json } from "../../../support/project.js";
import { wallBound } from "../../../support/used.js";

const SLOW = 200_000;
/** Two run, four wait, and the rest is refused. */
const QUERIES = 10;
const LIMITS = "limits: { runs: 2, queue: 4 }\n";
const ENDLESS = "with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c";

test(`${QUERIES} endless queries at once end, some are refused, and the server answers meanwhile`, {
  tags: "slow",
  timeout: SLOW,
}, async () => {
  const root = await generatedRoot(join(CHECKOUT, "test/support/demos/ot-demo/definitions"));
  appendFileSync(join(root, "definitions", "toolwright.yaml"), LIMITS);
  const server = await serveHttp(root);
  const call = async (name: string, args: object): Promise<Json> => {
    const headers = { "content-type": "application/json", accept: "application/json, text/event-stream" };
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } });
    const { text } = await raw(server.url, { method: "POST", path: "/mcp", headers, body });
    const [, line = "{}"] = /(?:^|\n)(?:data: )?(\{.*"result".*\})/.exec(text) ?? [];
    return JSON.parse(line).result;
  };
  const kept = await call("run", { command: '__format__ = "json"\not.keep([{"a": 1}])' });
  const { handle } = JSON.parse(kept.content[0].text);
  let isOver = false;
  const queries = Promise.all(
    Array.from({ length: QUERIES }, () => call("tool_exec", { op: "ot.query", args: { handle, sql: ENDLESS } })),
  ).finally(() => {
    isOver = true;
  });
  let longest = 0;
  while (!isOver) {
    const asked = performance.now();
    expect((await raw(server.url, { method: "GET", path: "/healthz" })).status).toBe(200);
    longest = Math.max(longest, performance.now() - asked);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const codes = (await queries).map((one) => JSON.parse(one.content[0].text).error?.code);
  console.log(`/healthz answered within ${longest.toFixed(0)} ms`);
  expect(codes.filter((one) => one === "RATE_LIMITED")).toHaveLength(4);
  expect(codes.filter((one) => one === "VALIDATION_ERROR")).toHaveLength(6);
  expect(longest).toBeLessThan(wallBound(2000, 10_000));
});
