/** A corrected program over MCP, of calls within a batch, and on the command line. */

import { expect, test } from "vitest";
import { toolwright } from "../../support/project.js";
import { DESK_DEMO, runDemo, SLOW } from "../../support/run/run-demo.js";

const { bad, root, server } = runDemo(DESK_DEMO, ["--allow-write"]);
const batchOf = (titles: readonly string[]): string =>
  `ot.batch(calls=[("desk.create", {"title": t}) for t in ${JSON.stringify(titles)}])`;
const idIn = (text: string): string => /after="(run_\w+)"/.exec(text)?.[1] ?? text;

test(
  "of a batch that is sent again, only new calls are made",
  async () => {
    const id = idIn(await bad(`${batchOf(["a", "b"])}\n1/0`));
    const args = { command: `${batchOf(["a", "c", "b"])}\n"end"`, after: id };
    const result = await server().client.callTool({ name: "run", arguments: args });
    expect(result).toMatchObject({ content: [{ text: "end" }] });
    const again = await server().client.callTool({ name: "run", arguments: args });
    expect(again).toMatchObject({ isError: true, content: [{ text: expect.stringContaining("NOT_FOUND") }] });
    const [{ text = "" } = {}] = again.content as { text?: string }[];
    expect(text).toContain(`Already written by ${id}: desk.create -> task_a; desk.create -> task_b\n`);
  },
  3 * SLOW,
);

test(
  "toolwright run --after",
  async () => {
    const { tools } = await server().client.listTools();
    expect(tools.find(({ name }) => name === "run")?.inputSchema.properties).toHaveProperty("after");
    const run = (...more: readonly string[]) => toolwright(["run", ...more, "--allow-write", "--root", root()], {});
    const write = 'made = desk.create(title="a")';
    const first = await run("-c", `${write}\n1/0`);
    expect(first.code).toBe(1);
    const id = idIn(first.stdout);
    const second = await run("-c", `${write}\nmade["nope"]`, "--after", id);
    expect(second).toMatchObject({ code: 1, stdout: expect.stringContaining(`with after="${id}"`) });
    expect(await run("-c", `${write}\nmade["task"]["id"]`, "--after", id)).toMatchObject({
      code: 0,
      stdout: "task_a\n",
    });
    expect(await run("-c", write, "--after", id)).toMatchObject({
      code: 1,
      stdout: expect.stringContaining("NOT_FOUND: no program can go on after"),
    });
    expect(await run("-c", "1", "--check", "--after", id)).toMatchObject({ code: 2 });
  },
  6 * SLOW,
);
