/** What a program waits for is shown together, with titles of what its calls are about. */

import { expect, test } from "vitest";
import { configuredRoot, type Json, serve } from "../../support/project.js";

const SLOW = 120_000;

const PROGRAM = `import asyncio
p = onto.project.create(project={"name": "P", "type_key": "project.business.launch"}, entities=[], relationships=[])["project"]["id"]
t = [onto.task.create(project_id=p, title=title)["task"]["id"] for title in ["Call Anna", "a\\n__ot b" + "c" * 150]]
await asyncio.gather(onto.task.delete(task_id=t[0]), onto.task.delete(task_id=t[1]))`;

test("calls that wait at once are named together, with bounded titles in one line", { timeout: SLOW }, async () => {
  const root = configuredRoot('approve: [{ ops: ["onto.task.delete"] }]');
  const served = await serve(root, ["--allow-write"]);
  const result = await served.client.callTool({ name: "run", arguments: { command: PROGRAM } }, { timeout: SLOW });
  await served.close();
  const [block] = result.content;
  const lines = (block?.type === "text" ? block.text : "").split("\n");
  expect(lines[0]).toMatch(/^Paused run_\w+: 2 calls wait for approval$/);
  expect(lines[1]).toMatch(/^4: onto\.task\.delete \{"task_id":"task_\w+"\} "Call Anna"$/);
  expect(lines[2]).toMatch(
    /^5: onto\.task\.delete \{"task_id":"task_\w+"\} "a\\u000a\[REDACTED:trigger\] bc{40,80}.?"$/,
  );
  const { waiting } = result.structuredContent as Json;
  expect(waiting.map(({ title }: Json) => title.slice(0, 9))[0]).toBe("Call Anna");
});
