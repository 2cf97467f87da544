/**
 * The CI check of a schema change: the steps of `.github/workflows/toolwright.yml`, run by bash in a real repository with
 * one commit on the base branch and one that proposes a change.
 */

import { execFileSync } from "node:child_process";
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { checkedRepository, checkWorkflow, serverTool, workflowStep } from "../support/check-workflow.js";
import { CHECKOUT, type Json } from "../support/project.js";

describe("a change of schema in CI", () => {
  test("[GEN-3.2] unchanged passes; not regenerated is drift; regenerated and breaking is named where it stands; compatible passes", {
    timeout: 120_000,
  }, async () => {
    const { run, change, generate } = await checkedRepository();
    expect([run(workflowStep("Drift")).status, run(workflowStep("breaks callers")).status]).toEqual([0, 0]);

    change([
      serverTool("list_orders", { state: { type: "string" } }),
      serverTool("get_order", { id: { type: "string" }, region: { type: "string" } }, ["id", "region"]),
    ]);
    const drifted = run(workflowStep("Drift"));
    expect(drifted.status).toBe(1);
    expect(drifted.stdout).toMatch(/stale\s+generated\/registry\.json/);
    expect(drifted.stdout).toContain("::error title=generated-drift::run");

    await generate();
    expect(run(workflowStep("Drift")).status).toBe(0);
    const broken = run(workflowStep("breaks callers"));
    expect(broken.status).toBe(1);
    expect(broken.stdout).toMatch(
      /^::error file=definitions\/servers\/shop\.json,line=[1-9]\d*,col=[1-9]\d*,.*title=arg-required-added::shop\.get_order: .*region/m,
    );
    const sarif = run(`${workflowStep("code scanning")} && cat breaking.sarif`);
    expect(sarif.status).toBe(0);
    expect(JSON.parse(sarif.stdout).runs[0].results.map((one: Json) => one.ruleId)).toContain("arg-required-added");

    change([
      serverTool("list_orders", { state: { type: "string" }, limit: { type: "integer" } }),
      serverTool("get_order", { id: { type: "string" } }, ["id"]),
    ]);
    await generate();
    const compatible = run(workflowStep("breaks callers"));
    expect([compatible.status, compatible.stdout.includes("::error")]).toEqual([0, false]);
  });

  test("[GEN-3.2] a file that is missing or left over is drift, an own warning fails, one of a server is counted, and a removed tool is named as breaking", {
    timeout: 120_000,
    tags: "slow",
  }, async () => {
    const { root, run, change, generate } = await checkedRepository();
    rmSync(join(root, "generated/stubs.pyi"));
    const missing = run(workflowStep("Drift"));
    expect([missing.status, missing.stdout]).toEqual([1, expect.stringMatching(/missing\s+generated\/stubs\.pyi/)]);

    await generate();
    cpSync(join(root, "generated/types.ts"), join(root, "generated/old.ts"));
    const orphaned = run(workflowStep("Drift"));
    expect([orphaned.status, orphaned.stdout]).toEqual([1, expect.stringMatching(/orphaned\s+generated\/old\.ts/)]);
    rmSync(join(root, "generated/old.ts"));

    const listed = serverTool("list_orders", { state: { type: "string" } });
    change([listed]);
    await generate();
    const removed = run(workflowStep("breaks callers"));
    expect([removed.status, removed.stdout]).toEqual([
      1,
      expect.stringMatching(/^::error .*title=tool-removed::shop\.get_order: /m),
    ]);

    change([listed, { name: "broken", inputSchema: { type: "dict" } }]);
    await generate();
    const foreign = run(workflowStep("Drift"));
    expect([foreign.status, foreign.stderr]).toEqual([
      0,
      expect.stringMatching(
        /warning schema-invalid[\s\S]*\n1 warning about definitions that this project does not write is not counted by --strict \(schema-invalid 1\); /,
      ),
    ]);
    const own = { type: "function", function: { name: "list_things", description: "" } };
    writeFileSync(join(root, "definitions/own.json"), JSON.stringify([own]));
    const sources = "sources: [{ mcp: servers/*.json }, { chat-tools: own.json }]\n";
    writeFileSync(join(root, "definitions/toolwright.yaml"), `${sources}learn: { words: on }\n`);
    await generate();
    const warned = run(workflowStep("Drift"));
    expect([warned.status, warned.stderr]).toEqual([2, expect.stringContaining("warning description-missing")]);
    writeFileSync(
      join(root, "definitions/toolwright.yaml"),
      `${sources}learn: { words: on }\ndiagnostics: { description-missing: off, schema-invalid: error }\n`,
    );
    const raised = run(workflowStep("Drift"));
    expect([raised.status, raised.stderr]).toEqual([2, expect.stringMatching(/^\S+ error schema-invalid /)]);
  });

  test("every command of the workflow is one that the command line knows", () => {
    const commands = JSON.stringify(checkWorkflow).matchAll(/toolwright -- ([a-z]+)/g);
    const help = execFileSync("node", [join(CHECKOUT, "generator/launch.mjs"), "--help"], { encoding: "utf8" });
    const known = [...commands].map(([, command]) => command);
    expect(known.length).toBeGreaterThan(5);
    for (const command of known) expect(help).toMatch(new RegExp(`^ {2}${command}\\b`, "m"));
  });

  test("nothing that a stranger may write is put into a command", () => {
    const commands = Object.values(checkWorkflow.jobs).flatMap((job: Json) =>
      job.steps.flatMap((one: Json) => one.run ?? []),
    );
    for (const command of commands) expect(command).not.toContain("${{");
  });
});
