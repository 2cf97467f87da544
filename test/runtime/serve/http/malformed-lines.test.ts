/** Malformed lines on stdio: the first are logged, the others counted in one line. */

import { join } from "node:path";
import { expect, test } from "vitest";
import { serveHttp } from "../../../support/http.js";
import { CHECKOUT, generatedRoot } from "../../../support/project.js";

const LINES = 5000;

test(`${LINES} malformed lines are told of in a few lines, the last with their number`, {
  timeout: 120_000,
}, async () => {
  const root = await generatedRoot(join(CHECKOUT, "test/support/demos/http-demo/definitions"));
  const server = await serveHttp(root, ["--stdio"]);
  const before = server.stderr().split("\n").length;
  let answers = "";
  server.child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    answers += text;
  });
  const { stdin } = server.child;
  const hello = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "t", version: "1" } };
  stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: hello })}\n`);
  for (let i = 0; i < LINES; i++) stdin?.write(i % 2 === 0 ? "{no json\n" : '{"jsonrpc":"2.0","id":{},"method":7}\n');
  stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", id: "last", method: "ping" })}\n`);
  await expect.poll(() => answers.includes('"id":"last"'), { timeout: 60_000 }).toBe(true);
  stdin?.end();
  await server.exit;
  const told = server
    .stderr()
    .split("\n")
    .slice(before - 1)
    .filter((line) => line.includes("mcp connection"));
  const summaries = told.filter((line) => line.includes("not logged one by one"));
  expect(told.length).toBeLessThanOrEqual(6);
  expect(summaries).toHaveLength(1);
  const { count, total } = JSON.parse(summaries[0] ?? "{}");
  expect([count, total]).toEqual([LINES - 5, LINES]);
});
