/** What asks for nothing is counted, and said once. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, toolwright } from "../../support/project.js";
import { behaving } from "../../support/upstream/servers.js";

const CHECK = '"toolwright check --verbose" lists all';

/** A project with the snapshot of a server that has a number of tools, each with a remark and an info that asks for something. */
function project(count: number) {
  const root = temporaryFolder();
  const tools = Array.from({ length: count }, (_, i) => ({
    name: `get_${i}`,
    description: "Get it.",
    inputSchema: { type: "object", properties: { "a-b": {}, c: { type: "string", format: "odd" } } },
  }));
  mkdirSync(join(root, "definitions/servers"), { recursive: true });
  writeFileSync(join(root, "definitions/toolwright.yaml"), "use: []\nsources: [{ mcp: servers/*.json }]\n");
  writeFileSync(join(root, "definitions/servers/s.json"), JSON.stringify({ tools }));
  const run = (first: string, ...args: readonly string[]) => toolwright([first, "--root", root, ...args]);
  return { root, run };
}

test("many are counted by code, a few are printed, and --verbose prints all", async () => {
  const few = project(2);
  const said = (await few.run("generate")).stderr;
  expect(said.match(/ info format-unknown /g)).toHaveLength(2);
  expect(said).toContain(`\n… 2 more: parameter-renamed 2; ${CHECK}\n`);
  expect((await few.run("check", "--verbose")).stderr.match(/ info /g)).toHaveLength(4);
  const many = project(21);
  expect((await many.run("generate")).stderr).toBe(`42 remarks: parameter-renamed 21, format-unknown 21; ${CHECK}\n`);
  expect((await many.run("generate", "--verbose")).stderr.match(/ info /g)).toHaveLength(42);
});

test("add says what is new, not what was said of other servers", { tags: "slow", timeout: 120_000 }, async () => {
  const { run } = project(2);
  await run("generate");
  const inputSchema = { type: "object", properties: { c: { type: "string", format: "strange" } } };
  const { command = "", args = [] } = behaving("tools", [{ name: "list_notes", description: "List.", inputSchema }]);
  const { code, stderr } = await run("add", "--yes", "notes", "--", command, ...args);
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(/^definitions\/servers\/notes\.json:\S+ info format-unknown .*\n$/);
});
