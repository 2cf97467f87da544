/** `toolwright doctor` names servers that cannot be used, and starts none. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { generatedRoot, type Json, temporaryFolder, toolwright } from "../../support/project.js";

test("doctor says whether types of programs are checked", { timeout: 180_000 }, async () => {
  const definitions = temporaryFolder();
  writeFileSync(join(definitions, "toolwright.yaml"), "sources: []\n");
  const { stdout } = await toolwright(["doctor", "--root", await generatedRoot(definitions)]);
  expect(stdout).toContain("ok   type check   installed\n");
});

test("doctor names servers that cannot be used, or have no snapshot, and starts none", {
  timeout: 180_000,
}, async () => {
  const definitions = temporaryFolder();
  mkdirSync(join(definitions, "servers"));
  const tools = [{ name: "look", description: "Looks.", inputSchema: { type: "object" } }];
  writeFileSync(join(definitions, "servers", "sound.json"), JSON.stringify({ serverInfo: { name: "sound" }, tools }));
  writeFileSync(
    join(definitions, "toolwright.yaml"),
    `sources: [{ mcp: servers/*.json }]
servers:
  sound: { command: node }
  bare: { command: node }
  poor: { type: http, url: "https://example.com/mcp", headers: { Authorization: "Bearer \${DOCTOR_HAS_NONE}" } }
  asleep: { command: node, enabled: false }
`,
  );
  const root = await generatedRoot(definitions);
  const { code, stdout } = await toolwright(["doctor", "--json", "--root", root]);
  const found = JSON.parse(stdout).findings.filter(({ what }: Json) => what === "servers");
  expect([code, found]).toEqual([
    1,
    [
      { what: "servers", ok: true, found: "1 of 3 can be used" },
      {
        what: "servers",
        ok: false,
        found: "bare: there is no definitions/servers/bare.json",
        remedy: "toolwright snapshot bare",
      },
      {
        what: "servers",
        ok: false,
        found: "poor: DOCTOR_HAS_NONE is not set",
        remedy: "set DOCTOR_HAS_NONE in the environment or in .onetool/secrets.yaml",
      },
    ],
  ]);
});
