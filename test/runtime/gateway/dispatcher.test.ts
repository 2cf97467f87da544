/** One function for all tools: the default export of a handlers file. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, toolwright } from "../../support/project.js";

const TOOLS = ["get_note", "get_tag", "get_user"].map((name) => ({
  type: "function",
  function: {
    name,
    description: "Gets it.",
    parameters: { type: "object", properties: { limit: { type: "integer", default: 5 } } },
  },
}));

function projectOf(executor: string): string {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  writeFileSync(join(root, "definitions/shop.json"), JSON.stringify(TOOLS));
  writeFileSync(join(root, "definitions/executor.ts"), executor);
  const config = "use: []\nsources: [{ chat-tools: shop.json, handlers: executor.ts }]\n";
  writeFileSync(join(root, "definitions/toolwright.yaml"), config);
  return root;
}

const exec = async (root: string, op: string) =>
  JSON.parse((await toolwright(["exec", op, "--json", "--root", root])).stdout);

test("gets the tool's name, complete arguments and the context; an exported handler wins", {
  timeout: 120_000,
}, async () => {
  const root = projectOf(`
    export const handlers = { "shop.get_tag": async () => "own" };
    export default async (tool: string, args: object, ctx: { signal: AbortSignal }) => ({ tool, args, aborted: ctx.signal.aborted });
  `);
  expect((await toolwright(["generate", "--root", root])).code).toBe(0);
  expect(await exec(root, "shop.get_note")).toMatchObject({
    ok: true,
    result: { tool: "get_note", args: { limit: 5 }, aborted: false },
  });
  expect(await exec(root, "shop.get_tag")).toMatchObject({ ok: true, result: "own" });
});

test("a file without either is named where it is generated, and does not load", {
  tags: "full",
  timeout: 120_000,
}, async () => {
  const root = projectOf("export default () => 1;\n");
  await toolwright(["generate", "--root", root]);
  writeFileSync(join(root, "definitions/executor.ts"), "export const nothing = 1;\n");
  const { code, stdout, stderr } = await toolwright(["exec", "shop.get_note", "--json", "--root", root]);
  expect([code === 0, `${stdout}${stderr}`]).toEqual([false, expect.stringContaining("INTERNAL")]);
  const again = await toolwright(["generate", "--root", root]);
  expect([again.code, again.stderr]).toEqual([
    2,
    expect.stringContaining("definitions/executor.ts:1:1 error handlers-unexported"),
  ]);
});
