/** The argument `preview` of `run`: offered where the project has it, answered with a text and the plan. */

import { expect, test } from "vitest";
import { runSettingsOf } from "../../../../runtime/config/run-settings.js";
import { fixture } from "../../gateway/fixture.js";
import { connected } from "./connected.js";

const SLOW = 60_000;

test("run takes preview where expose.run_preview says so, and answers with the plan", { timeout: SLOW }, async () => {
  const propertiesOf = async (made: ReturnType<typeof fixture>) => {
    const client = await connected(made);
    const run = (await client.listTools()).tools.find(({ name }) => name === "run");
    return { client, names: Object.keys(run?.inputSchema.properties ?? {}) };
  };
  expect((await propertiesOf(fixture())).names).toEqual(["command", "after"]);
  const run = runSettingsOf({ expose: { run_preview: "writes" }, limits: { wall_ms: SLOW } });
  const made = fixture({ settings: { run } });
  const { client, names } = await propertiesOf(made);
  expect(names).toEqual(["command", "after", "preview"]);
  const command = 'onto.task.delete(task_id="task_1")';
  const answer = await client.callTool({ name: "run", arguments: { command, preview: true } });
  expect(answer).toMatchObject({
    content: [{ type: "text", text: expect.stringMatching(/^Plan: 1 write and 0 reads, assumed/) }],
    structuredContent: { plan: { entries: [{ op: "onto.task.delete", args: { task_id: "task_1" } }] } },
  });
  expect(made.calls).toEqual([]);
  await client.close();
});
