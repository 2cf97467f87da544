/** Results that differ from the learned type of their op are a figure of the op, also once nothing is learned any more. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createGateway } from "../../../generator/entry/index.js";
import { openState } from "../../../runtime/state/open.js";
import { hourOf } from "../../../runtime/state/schema.js";
import { type Json, temporaryFolder, toolwright } from "../../../test/support/project.js";
import { insertRecorded } from "../../../test/support/recorded-rows.js";

const HANDLERS = 'export const handlers = { "demo.list": async () => ["a"] };\n';
const TOOL = { type: "function", function: { name: "list", description: "Lists.", parameters: { type: "object" } } };

test.each(["on", "off"])("with learn: %s", async (learn) => {
  const root = temporaryFolder(onTestFinished);
  const files = {
    "demo.json": JSON.stringify([TOOL]),
    "demo-handlers.ts": HANDLERS,
    "toolwright.yaml": `use: [ot]\nlearn: ${learn}\nsources: [{ chat-tools: demo.json, kind: read, handlers: demo-handlers.ts }]\n`,
  };
  mkdirSync(join(root, "definitions"));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, "definitions", name), text);
  const generated = await toolwright(["generate", "--root", root]);
  expect(generated.code, generated.stderr).toBe(0);
  const gateway = await createGateway({ root, logLevel: "silent" });
  onTestFinished(() => gateway.close());
  const op = gateway.registry.tools.find(({ tool_name }) => tool_name === "list")?.op ?? "";
  expect(await gateway.exec(op)).toMatchObject({ ok: true });
  const state = await openState({ url: "", root });
  const sum = { hour: hourOf(Date.now()), name: `drift ${op}`, value: 2 };
  await state.transaction("write", (tx) => insertRecorded(tx, "stat_counters", [sum]));
  await state.close();
  const { result }: Json = await gateway.exec("ot.stats", { period: "day", tool: op });
  expect(result.tools.map(({ tool, drifted }: Json) => [tool, drifted])).toEqual([[op, 2]]);
});
