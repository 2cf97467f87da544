/** `ot.stats` over what a server really did. */

import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseHTML } from "linkedom";
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

  test("[OT-6.4] a report: one HTML file, its path in the answer, the same from every door", {
    timeout: SLOW,
  }, async () => {
    await ok("demo.bounce(text='d'); demo.bounce(text='e')");
    const args = { tool: "demo.bounce", output: "reports/stats.html" };
    const file = join(root(), args.output);
    const byRun = JSON.parse(await ok(`__format__ = "json"\not.stats(tool="${args.tool}", output="${args.output}")`));
    expect(byRun).toMatchObject({ html_report: args.output, total_calls: expect.any(Number) });
    expect(Object.keys(byRun).at(-1)).toBe("html_report");
    const report = readFileSync(file, "utf8");
    const { document } = parseHTML(report);
    expect(document.title).toBe("Statistics of demo.bounce, all that is kept");
    expect(document.querySelector(".figure")?.textContent).toBe(String(byRun.total_calls));
    const clients = [...document.querySelectorAll("section[aria-labelledby=clients] tbody tr")];
    expect(clients.map((row) => [...row.children].slice(0, 2).map(({ textContent }) => textContent))).toEqual([
      ["test", String(byRun.total_calls)],
    ]);
    const byExec = await server().call<Json>("tool_exec", { op: "ot.stats", args });
    const words = Object.entries(args).flatMap(([name, value]) => [`--${name}`, value]);
    const byCommand = await toolwright(["exec", "ot.stats", ...words, "--root", root(), "--json"]);
    expect([byExec.value.result, JSON.parse(byCommand.stdout).result]).toEqual([byRun, byRun]);
    expect(await ok("ot.stats(output='stats.html')")).toMatch(/\nhtml_report: stats\.html$/);
  });

  test("[OT-6.6] a report that cannot be written: an error that names the path", { timeout: SLOW }, async () => {
    writeFileSync(join(root(), "mine.html"), "<p>Mine");
    const args = { output: "mine.html" };
    const told = "Error: Cannot write to 'mine.html': a file that is no report of ot.stats has this name";
    expect(await bad("ot.stats(output='mine.html')")).toBe(told);
    expect((await server().call<Json>("tool_exec", { op: "ot.stats", args })).value.result).toBe(told);
    const byCommand = await toolwright(["exec", "ot.stats", "--output", "mine.html", "--root", root(), "--json"]);
    expect(JSON.parse(byCommand.stdout).result).toBe(told);
    expect(readFileSync(join(root(), "mine.html"), "utf8")).toBe("<p>Mine");
    expect(await bad("ot.stats(output='../stats.html')")).toBe(
      "Error: Cannot write to '../stats.html': it is outside the working directory",
    );
  });

  test("a caller who may only read gets figures, and no report", { timeout: SLOW }, async () => {
    const definitions = join(temporaryFolder(), "definitions");
    cpSync(RUN_DEMO, definitions, { recursive: true });
    const file = join(definitions, "toolwright.yaml");
    writeFileSync(file, `access: { local: read }\n${readFileSync(file, "utf8")}`);
    const folder = await generatedRoot(definitions);
    const reader = await serve(folder);
    const exec = (args: object) => reader.call<Json>("tool_exec", { op: "ot.stats", args });
    const run = await reader.client.callTool({ name: "run", arguments: { command: "ot.stats(output='x.html')" } });
    const [figures, report] = [await exec({}), await exec({ output: "x.html" })];
    await reader.close();
    expect(figures.value).toMatchObject({ ok: true, result: { period: "all" } });
    expect(report.value.error).toMatchObject({
      code: "PERMISSION_DENIED",
      message: "A report is written only for a caller of level write over all projects. Leave `output` out.",
      details: { granted: "read", required: "write" },
    });
    expect(run).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining("PermissionError: ot.stats failed: A report is written only") }],
    });
    expect(existsSync(join(folder, "x.html"))).toBe(false);
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
