/** A server's new tool that would take the op of another one: `generate` refuses, says the line that pins it, and writes nothing. */

import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder, toolwright } from "../../support/project.js";

test("an op stays with its tool until a line of the configuration moves it", async () => {
  const root = temporaryFolder();
  const path = (name: string): string => join(root, name);
  const offer = (...names: readonly string[]): void =>
    writeFileSync(
      path("definitions/servers/s.json"),
      JSON.stringify({
        tools: names.map((name) => ({ name, description: "Get it.", inputSchema: { type: "object" } })),
      }),
    );
  const run = (...args: readonly string[]) => toolwright([...args, "--root", root]);
  const ops = (): unknown => {
    const { tools } = JSON.parse(readFileSync(path("generated/registry.json"), "utf8"));
    return tools.map((one: Record<string, string>) => [one["op"], one["tool_name"]]);
  };
  mkdirSync(path("definitions/servers"), { recursive: true });
  writeFileSync(path("definitions/toolwright.yaml"), "use: []\nsources: [{ mcp: servers/*.json }]\n");
  offer("get-user");
  expect((await run("generate")).code).toBe(0);

  offer("get-user", "get_user");
  const refused = await run("generate");
  expect([refused.code, (await run("check")).code, ops()]).toEqual([2, 2, [["s.get_user", "get-user"]]]);
  const [pin = ""] = /"s\/get-user": \{ op: s\.get_user \}/.exec(refused.stderr) ?? [];
  appendFileSync(path("definitions/toolwright.yaml"), `ops:\n  ${pin}\n`);
  expect((await run("generate")).code).toBe(0);
  const settled = [
    ["s.get_user", "get-user"],
    ["s.get_user_2", "get_user"],
  ];
  expect([ops(), (await run("check")).code]).toEqual([settled, 0]);
  // By its exact name, each is itself.
  for (const [op, name] of settled)
    expect((await run("help", name ?? "")).stdout).toMatch(new RegExp(`\\b${op}\\b(?!_)`));
});
