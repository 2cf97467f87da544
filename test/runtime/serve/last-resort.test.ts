/** A throwing timer or an unhandled rejection of a handler does not end the server. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { raw, serveHttp } from "../../support/http.js";
import { generatedRoot, temporaryFolder } from "../../support/project.js";

const SLOW = 120_000;
const DEMO = `export const pack = { summary: "Leaves faults behind." };

/**
 * Throws later, in a timer and in a promise.
 *
 * @kind read
 */
export function fault(): string {
  setTimeout(() => {
    throw new Error("thrown later");
  }, 1);
  void Promise.reject(new Error("rejected later"));
  return "done";
}
`;

test("the server logs it and keeps running; many of them within a minute end it with 70", {
  timeout: SLOW,
  tags: "slow",
}, async () => {
  const definitions = join(temporaryFolder(), "definitions");
  mkdirSync(definitions);
  writeFileSync(join(definitions, "demo.ts"), DEMO);
  writeFileSync(join(definitions, "toolwright.yaml"), "sources: [{ functions: demo.ts }]\n");
  const server = await serveHttp(await generatedRoot(definitions));
  const params = { name: "tool_exec", arguments: { op: "demo.fault", args: {} } };
  const call = () => raw(server.url, { body: { jsonrpc: "2.0", id: 1, method: "tools/call", params } });
  expect((await call()).text).toContain("done");
  await expect.poll(server.stderr).toContain("thrown later");
  expect(server.stderr()).toContain("rejected later");
  expect((await call()).status).toBe(200);
  for (let i = 0; i < 10; i++) await call().catch(() => undefined);
  expect(await server.exit).toBe(70);
});
