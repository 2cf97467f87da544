/** Output of the generator: only JSON on standard output, and one diagnostic per fault. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { buildProject } from "../../support/generator-host.js";
import { temporaryFolder, toolwright } from "../../support/project.js";

describe("standard output is JSON alone", () => {
  const NOISY = { VERBOSE: "1", DEBUG: "*", NODE_DEBUG: "module,http,net", DEBUG_COLORS: "1", NODE_ENV: "development" };

  test.each([["generate"], ["check"]])(
    "%s --json, whatever the environment asks of packages",
    { tags: "full", timeout: 180_000 },
    async (command) => {
      const root = temporaryFolder();
      mkdirSync(join(root, "definitions"));
      const inputSchema = {
        type: "object",
        properties: { a: { enum: ["x", "y"] }, b: { type: "string", pattern: "^(a+)+$" } },
      };
      writeFileSync(
        join(root, "definitions/p.json"),
        JSON.stringify({ tools: [{ name: "get_a", description: "Gets.", inputSchema }] }),
      );
      writeFileSync(join(root, "definitions/toolwright.yaml"), "use: []\nsources: [{ mcp: p.json }]\n");
      const { stdout } = await toolwright([command, "--json", "--root", root], { env: NOISY });
      expect(() => JSON.parse(stdout)).not.toThrow();
    },
  );
});

describe("every fault has its diagnostic", () => {
  const messages = async (tools: readonly object[], wrap: (list: object) => object): Promise<readonly string[]> => {
    const { diagnostics } = await buildProject({
      "toolwright.yaml": "use: []\nsources: [{ mcp: p.json }]\n",
      "p.json": JSON.stringify(wrap({ tools })),
    });
    return diagnostics.filter(({ code }) => code === "not-a-tool" || code === "name-invalid").map((one) => one.message);
  };
  const long = (end: string): object => ({ name: `${"x".repeat(300)}${end}`, inputSchema: { type: "object" } });
  const wraps: readonly (readonly [string, (list: object) => object])[] = [
    ["a snapshot", (list) => list],
    ["an answer as it came", (result) => ({ result })],
  ];

  test.each(wraps)("three tools without a name in %s", async (_, wrap) => {
    const found = await messages([{ name: "" }, { name: " " }, {}], wrap);
    expect(found.map((one) => /entry (\d)/.exec(one)?.[1])).toEqual(["0", "1", "2"]);
  });

  test.each(wraps)("three tools whose names are too long in %s", async (_, wrap) => {
    const found = await messages([long("a"), long("b"), long("c")], wrap);
    expect(found.length).toBe(3);
    for (const end of ["a", "b", "c"]) expect(found.some((one) => one.includes(`x${end}"`))).toBe(true);
  });
});
