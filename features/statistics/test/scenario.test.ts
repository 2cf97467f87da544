/** `ot.stats` over real calls of a server. */

import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { parseHTML } from "linkedom";
import { describe, expect, test } from "vitest";
import { generatedRoot, type Json, serve, temporaryFolder, toolwright } from "../../../test/support/project.js";
import { RUN_DEMO, runDemo, SLOW } from "../../../test/support/run/run-demo.js";

const { root, server, ok, bad } = runDemo();

/** What ops need. */
const ARGS: Readonly<Record<string, object>> = { "demo.search": { query: "a" }, "demo.bounce": { text: "b" } };

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
    // Four runs say nothing of their mean.
    expect(all.time_saved_ms).toBeNull();
    await ok("demo.none(); demo.none(); demo.none()");
    const later = (await server().call<Json>("tool_exec", { op: "ot.stats" })).value.result;
    const mean = later.runs.duration_ms / 5;
    expect(later.runs.total).toBe(5);
    expect(later.time_saved_ms).toEqual(expect.any(Number));
    // Two calls beyond the first in the first run, and two in the last.
    expect(Math.abs(later.time_saved_ms - 4 * mean)).toBeLessThanOrEqual(2);
    expect(later.time_saved_ms).toBeGreaterThan(0);
    expect(Object.keys(later)).toEqual(
      expect.arrayContaining(["total_calls", "success_rate", "context_saved", "tools"]),
    );
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

  test("[OT-6.2] a period: what was called before it does not count; without one, everything", {
    timeout: SLOW,
  }, async () => {
    const aged = await generatedRoot(RUN_DEMO);
    const first = await serve(aged);
    const DAYS: Readonly<Record<string, number>> = {
      "demo.none": 0,
      "demo.search": 3,
      "demo.bounce": 20,
      "demo.boom": 60,
    };
    for (const [at, op] of Object.keys(DAYS).entries())
      for (let n = 0; n <= at; n++) await first.call("tool_exec", { op, args: ARGS[op] ?? {} });
    await first.close();
    const db = new Database(join(aged, ".onetool", "state.db"));
    for (const [op, days] of Object.entries(DAYS)) {
      const hour = new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 13);
      db.prepare("UPDATE stat_hours SET hour = ? WHERE op = ?").run(hour, op);
    }
    db.close();
    const second = await serve(aged);
    const figures = async (args: object): Promise<Json> => {
      const { result } = (await second.call<Json>("tool_exec", { op: "ot.stats", args })).value;
      const tools = result.tools.filter(({ tool }: Json) => tool in DAYS);
      return [result.period, Object.fromEntries(tools.map(({ tool, total_calls }: Json) => [tool, total_calls]))];
    };
    const [none, search, bounce, boom] = [
      { "demo.none": 1 },
      { "demo.search": 2 },
      { "demo.bounce": 3 },
      { "demo.boom": 4 },
    ];
    expect(await figures({ period: "day" })).toEqual(["day", none]);
    expect(await figures({ period: "week" })).toEqual(["week", { ...none, ...search }]);
    expect(await figures({ period: "month" })).toEqual(["month", { ...none, ...search, ...bounce }]);
    for (const args of [{}, { period: "all" }])
      expect(await figures(args)).toEqual(["all", { ...none, ...search, ...bounce, ...boom }]);
    await second.close();
  });

  test("[OT-6.3] one tool: its figures and totals alone, those of connections null", async () => {
    await ok("demo.search('a'); demo.bounce('c')");
    await server().call("tool_exec", { op: "demo.search", args: { query: 5 } });
    const all = JSON.parse(await ok('__format__ = "json"\not.stats()'));
    const told = JSON.parse(await ok('__format__ = "json"\not.stats(tool="demo.search")'));
    const [own] = all.tools.filter(({ tool }: Json) => tool === "demo.search");
    const { total_calls, success_count, error_count, success_rate } = own;
    expect(told.tools).toEqual([own]);
    expect(told).toMatchObject({ total_calls, success_count, error_count, success_rate });
    expect(error_count).toBeGreaterThan(0);
    expect(all.total_calls).toBeGreaterThan(total_calls);
    expect(
      (await server().call<Json>("tool_exec", { op: "ot.stats", args: { tool: "no.such" } })).value.result,
    ).toMatchObject({
      tools: [],
      total_calls: 0,
    });
    expect(told).toMatchObject({ runs: null, context_saved: null, definitions: null, time_saved_ms: null });
  });

  test("[OT-6.4] a report: one HTML file, its path in the answer, the same over every transport", {
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
    const failure = { ok: false, error: { code: "UNAVAILABLE", message: told.slice("Error: ".length) } };
    expect((await server().call<Json>("tool_exec", { op: "ot.stats", args })).value).toMatchObject(failure);
    const byCommand = await toolwright(["exec", "ot.stats", "--output", "mine.html", "--root", root(), "--json"]);
    expect([byCommand.code, JSON.parse(byCommand.stdout)]).toMatchObject([1, failure]);
    expect(readFileSync(join(root(), "mine.html"), "utf8")).toBe("<p>Mine");
    expect(await bad("ot.stats(output='../stats.html')")).toBe(
      "Error: Cannot write to '../stats.html': it is outside the working directory",
    );
    mkdirSync(join(root(), "folder.html"));
    expect(await bad("ot.stats(output='folder.html')")).toBe(
      "Error: Cannot write to 'folder.html': something that is no file has this name",
    );
    // A name of 300 characters, which the file system refuses even for root.
    const long = `${"n".repeat(300)}.html`;
    expect(await bad(`ot.stats(output='${long}')`)).toBe(
      `Error: Cannot write to '${long.slice(0, 200)}': ENAMETOOLONG`,
    );
  });

  test("a caller with read access gets figures, and no report", { timeout: SLOW, tags: "slow" }, async () => {
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

  test("[OT-6.7] an invalid period lists the valid ones, and is a call that failed", async () => {
    const text = "Error: Invalid period 'invalid'. Valid: day, week, month, all. Example: ot.stats(period='day')";
    const counts = async (): Promise<readonly number[]> => {
      const { value } = await server().call<Json>("tool_exec", { op: "ot.stats", args: { tool: "ot.stats" } });
      return [value.result.total_calls, value.result.error_count];
    };
    const [calls = 0, errors = 0] = await counts();
    expect(await bad("ot.stats(period='invalid')")).toBe(text);
    const { value } = await server().call<Json>("tool_exec", { op: "ot.stats", args: { period: "invalid" } });
    expect(value).toMatchObject({
      ok: false,
      error: { code: "VALIDATION_ERROR", message: text.slice("Error: ".length) },
    });
    // The counting is a call too.
    expect(await counts()).toEqual([calls + 3, errors + 2]);
  });

  test("what ot answers as the text of an error counts as a failed call", async () => {
    const errors = async (tool: string): Promise<number> =>
      (await server().call<Json>("tool_exec", { op: "ot.stats", args: { tool } })).value.result.error_count;
    const failing = [
      ["ot.result", { handle: "nope" }],
      ["ot.stats", { output: "../x.html" }],
    ] as const;
    for (const [op, args] of failing) {
      const before = await errors(op);
      expect((await server().call<Json>("tool_exec", { op, args })).value).toMatchObject({ ok: false });
      expect(await errors(op)).toBe(before + 1);
    }
  });

  test("[OT-6.5] switched off: an error message, and nothing is recorded", { timeout: SLOW }, async () => {
    const definitions = join(temporaryFolder(), "definitions");
    cpSync(RUN_DEMO, definitions, { recursive: true });
    const file = join(definitions, "toolwright.yaml");
    writeFileSync(file, `stats: { enabled: false }\n${readFileSync(file, "utf8")}`);
    const folder = await generatedRoot(definitions);
    const off = await serve(folder);
    const { content, isError } = await off.client.callTool({ name: "run", arguments: { command: "ot.stats()" } });
    await off.call("tool_exec", { op: "demo.none" });
    await off.close();
    writeFileSync(
      join(folder, "definitions", "toolwright.yaml"),
      readFileSync(join(RUN_DEMO, "toolwright.yaml"), "utf8"),
    );
    const told = await toolwright(["exec", "ot.stats", "--root", folder, "--json"]);
    expect(JSON.parse(told.stdout).result).toMatchObject({ total_calls: 0, tools: [], runs: { total: 0 } });
    expect([content, isError]).toEqual([
      [{ type: "text", text: "Error: Statistics are disabled. Set stats.enabled: true in toolwright.yaml." }],
      true,
    ]);
  });
});
