/** `ot.stats` over what a server really did. */

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { generatedRoot, type Json, serve, temporaryFolder, toolwright } from "../support/project.js";
import { RUN_DEMO, runDemo, SLOW } from "../support/run-demo.js";

const { root, server, ok, bad } = runDemo();

describe("statistics", () => {
  test("[OT-6.1] all-time figures: calls, success, what was saved, by tool", { timeout: SLOW }, async () => {
    await server().client.listTools();
    await ok("demo.search('a'); demo.search('b'); demo.bounce('c')");
    await ok("try: demo.boom()\nexcept KeyError: pass");
    await ok("'x' * 60000");
    await bad("(1");
    await server().call("tool_exec", { op: "demo.search", args: { query: 5 } });
    await server().call("tool_exec", { op: "no.such_op" });
    const { value } = await server().call<Json>("tool_exec", { op: "ot.stats" });
    const { tools, ...all } = value.result;
    const of = (name: string) => tools.find(({ tool }: Json) => tool === name);
    expect(of("demo.search")).toMatchObject({ total_calls: 3, success_count: 2, error_count: 1, success_rate: 66.7 });
    expect(of("demo.boom")).toMatchObject({ total_calls: 1, error_count: 1 });
    expect(of("?")).toMatchObject({ total_calls: 1, error_count: 1 });
    expect(tools.map(({ tool }: Json) => tool)).toEqual(["?", "demo.boom", "demo.bounce", "demo.search"]);
    expect(all).toMatchObject({ period: "all", total_calls: 6, error_count: 3, success_rate: 50 });
    expect(all.runs).toMatchObject({ total: 4, failed: 1 });
    expect(all.stored).toBeGreaterThan(14_000);
    expect(all.definitions).toBeGreaterThan(0);
    expect(all.context_saved).toBe(all.definitions + all.stored);
    expect(all.time_saved_ms).toBeNull();
    expect(all.method).toContain("ot.result handed out");
    expect([all.start_time, all.end_time].every((time) => Date.now() - Date.parse(time) < SLOW)).toBe(true);
  });

  test("a call is visible to the next one, and to another process when the first has ended", {
    timeout: SLOW,
  }, async () => {
    const count = async () => Number(await ok("ot.stats(tool='demo.none')['total_calls']"));
    const before = await count();
    await ok("demo.none()");
    expect(await count()).toBe(before + 1);
    const told = await toolwright(["exec", "ot.stats", "--tool", "demo.none", "--root", root(), "--json"]);
    expect(JSON.parse(told.stdout).result.total_calls).toBeGreaterThanOrEqual(before);
  });

  test("[OT-6.2] a period", async () => {
    for (const period of ["day", "week", "month", "all"])
      expect(JSON.parse(await ok(`__format__ = "json"\not.stats(period="${period}")`)).period).toBe(period);
  });

  test("[OT-6.3] one tool: its figures alone, those of connections null", async () => {
    const told = JSON.parse(await ok('__format__ = "json"\not.stats(tool="demo.search")'));
    expect(told.tools.map(({ tool }: Json) => tool)).toEqual(["demo.search"]);
    expect(told).toMatchObject({ runs: null, context_saved: null, definitions: null, time_saved_ms: null });
  });

  test("[OT-6.7] an invalid period lists the valid ones", async () => {
    expect(await bad("ot.stats(period='invalid')")).toBe(
      "Error: Invalid period 'invalid'. Valid: day, week, month, all. Example: ot.stats(period='day')",
    );
  });

  test("[OT-6.5] switched off: an error message, and nothing is recorded", { timeout: SLOW }, async () => {
    const definitions = join(temporaryFolder(), "definitions");
    cpSync(RUN_DEMO, definitions, { recursive: true });
    const file = join(definitions, "toolwright.yaml");
    writeFileSync(file, `stats: { enabled: false }\n${readFileSync(file, "utf8")}`);
    const off = await serve(await generatedRoot(definitions));
    const { content, isError } = await off.client.callTool({ name: "run", arguments: { command: "ot.stats()" } });
    await off.close();
    expect([content, isError]).toEqual([
      [{ type: "text", text: "Error: Statistics are disabled. Set stats.enabled: true in toolwright.yaml." }],
      true,
    ]);
  });
});
