/** Metrics: what is recorded, its text form, who may read it, and what an SDK of OpenTelemetry receives. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { metrics } from "@opentelemetry/api";
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { silentLog } from "../../../runtime/config/log.js";
import { type HttpConfig, httpSettingsOf } from "../../../runtime/config/transport-settings.js";
import { withDefaults } from "../../../runtime/contract/settings/project-settings.js";
import { httpAddress } from "../../../runtime/serve/http/address.js";
import { raw } from "../../support/http.js";
import { temporaryFolder } from "../../support/project.js";

// Counts are of the process, and other files of this process record, too: here every module that records is loaded anew.
vi.resetModules();
const [
  { counter, gauge, histogram, keepMetrics, level, metricsText },
  { countTurn, recordOp, recordRequested, recordServed },
  { tooMany },
  { openKeys },
  { startChild },
  { openHttp },
  { openState },
  { fixture, liveOf, principal },
] = await Promise.all([
  import("../../../runtime/metrics/metrics.js"),
  import("../../../runtime/metrics/operations.js"),
  import("../../../runtime/access/callers.js"),
  import("../../../runtime/access/keys.js"),
  import("../../../runtime/run/engine/child-pool.js"),
  import("../../../runtime/serve/http/http.js"),
  import("../../../runtime/state/open.js"),
  import("../gateway/fixture.js"),
]);
afterAll(() => void vi.resetModules());

const description = "A test.";
const lines = (start: string): readonly string[] =>
  metricsText()
    .split("\n")
    .filter((line) => line.startsWith(start));

describe("the text form", () => {
  test("nothing is kept before somebody asks for metrics, except how many there are now", () => {
    const [durations, now] = [
      histogram({ name: "a.duration", unit: "s", description }),
      level({ name: "a.level", unit: "{run}", description }),
    ];
    durations(1);
    now(1);
    expect(lines("a_")).toEqual(["a_level 1"]);
    keepMetrics();
    durations(1);
    now(-1);
    expect(lines("a_level")).toEqual(["a_level 0"]);
    expect(lines("a_duration_seconds_count")).toEqual(["a_duration_seconds_count 1"]);
  });

  test("a gauge is the last value", () => {
    keepMetrics();
    const measured = gauge({ name: "g.measured", unit: "s", description });
    for (const value of [5, 2]) measured(value, { state: "due" });
    expect(lines("g_measured")).toEqual(['g_measured_seconds{state="due"} 2']);
    expect(lines("# TYPE g_")).toEqual(["# TYPE g_measured_seconds gauge"]);
  });

  test("histograms are cumulative; labels are escaped and in order; a bound belongs to its bucket", () => {
    keepMetrics();
    const record = histogram({ name: "b.duration", unit: "s", description });
    for (const value of [0.01, 0.011, 400]) record(value, { "z.b": 'a"\\\n', a: "1" });
    expect(lines("# ").filter((line) => line.includes(" b_"))).toEqual([
      "# HELP b_duration_seconds A test.",
      "# TYPE b_duration_seconds histogram",
    ]);
    const labels = 'a="1",z_b="a\\"\\\\\\n"';
    expect(lines("b_duration")).toEqual(
      expect.arrayContaining([
        `b_duration_seconds_bucket{${labels},le="0.01"} 1`,
        `b_duration_seconds_bucket{${labels},le="0.02"} 2`,
        `b_duration_seconds_bucket{${labels},le="300"} 2`,
        `b_duration_seconds_bucket{${labels},le="+Inf"} 3`,
        `b_duration_seconds_sum{${labels}} 400.021`,
        `b_duration_seconds_count{${labels}} 3`,
      ]),
    );
  });

  test("combinations of attributes are bounded", () => {
    keepMetrics();
    const count = counter({ name: "c.calls", unit: "{call}", description });
    for (let i = 0; i < 5000; i++) count(1, { one: String(i) });
    expect(lines("c_calls_total")).toHaveLength(2001);
    expect(lines("c_calls_total{otel")).toEqual(['c_calls_total{otel_metric_overflow="true"} 3000']);
  });
});

describe("what is recorded", () => {
  beforeAll(keepMetrics);
  const counts = (name: string) => lines(`${name}_duration_seconds_count`).join("\n");

  test("requests with their tool, and the kind of their error", async () => {
    await recordServed(
      "t/one",
      () => "my_tool",
      async () => ({ isError: true }),
    );
    await recordServed(
      "t/one",
      () => undefined,
      async () => ({}),
    );
    const fail = (code: number) => () => Promise.reject(Object.assign(new Error("x"), { code }));
    const paused = async () => ({ isError: true, structuredContent: { status: "paused" } });
    await recordServed("t/one", () => "run", paused);
    await recordServed("t/three", () => "my_tool", paused);
    await expect(recordServed("t/two", () => undefined, fail(-32_601))).rejects.toThrow("x");
    await expect(recordServed("t/two", () => undefined, fail(4711))).rejects.toThrow("x");
    const asked = { server: "far", method: "tools/call", tool: "look" };
    await recordRequested(asked, async () => ({}));
    expect(lines("mcp_server_operation_duration_seconds_count").filter((line) => line.includes('"t/'))).toEqual([
      'mcp_server_operation_duration_seconds_count{error_type="-32601",mcp_method_name="t/two"} 1',
      'mcp_server_operation_duration_seconds_count{error_type="_OTHER",mcp_method_name="t/two"} 1',
      'mcp_server_operation_duration_seconds_count{error_type="tool_error",gen_ai_tool_name="my_tool",mcp_method_name="t/one"} 1',
      'mcp_server_operation_duration_seconds_count{error_type="tool_error",gen_ai_tool_name="my_tool",mcp_method_name="t/three"} 1',
      'mcp_server_operation_duration_seconds_count{gen_ai_tool_name="run",mcp_method_name="t/one",toolwright_outcome="paused"} 1',
      'mcp_server_operation_duration_seconds_count{mcp_method_name="t/one"} 1',
    ]);
    expect(counts("mcp_client_operation")).toBe(
      'mcp_client_operation_duration_seconds_count{gen_ai_tool_name="look",mcp_method_name="tools/call",toolwright_server="far"} 1',
    );
  });

  test("names that callers make up are in no label", async () => {
    recordOp("run", 1, "MadeUpError");
    recordOp("run", 1, "NOT_FOUND");
    const { exec } = fixture();
    await exec("onto.no_such_op_as_this");
    const text = metricsText();
    expect(text).not.toMatch(/MadeUpError|no_such_op/);
    expect(text).toContain('{error_type="_OTHER",gen_ai_tool_name="run"} 1');
    expect(text).toContain('{error_type="NOT_FOUND",gen_ai_tool_name="tool_exec"} 1');
  });

  test("refusals of rates", () => {
    tooMany(1000);
    expect(lines("toolwright_rate_refusals_total")).toEqual(["toolwright_rate_refusals_total 1"]);
  });

  test("runs count as waiting, then as running, then no longer", async () => {
    const shown = (): string => lines("toolwright_run_active").join(" ");
    const of = (running: number, waiting: number): string =>
      `toolwright_run_active{state="running"} ${running} toolwright_run_active{state="waiting"} ${waiting}`;
    const [one, gone] = [countTurn(async () => shown()), countTurn(async () => "")];
    expect(await one.work()).toBe(of(1, 1));
    one.end();
    gone.end();
    expect(shown()).toBe(of(0, 0));
  });

  test("child processes count until they have ended", async () => {
    const program = join(temporaryFolder(), "child.mjs");
    writeFileSync(program, "setInterval(() => {}, 1000)");
    const nothing = (): void => undefined;
    const count = (): number => Number(lines("toolwright_run_processes").join().split(" ")[1] ?? 0);
    const others = count();
    const child = startChild({ program, onMessage: nothing, onGone: nothing });
    expect(count()).toBe(others + 1);
    child.kill();
    await child.gone;
    expect(count()).toBe(others);
  });
});

describe("GET /metrics", () => {
  const served = async (config: HttpConfig, makesKey = true) => {
    const root = temporaryFolder();
    const state = await openState({ url: "", root });
    const project = "prj_aaaaaaaaaaaaaaaa";
    const keys = openKeys({ root, url: "", state: async () => state, log: silentLog, projectExists: async () => true });
    const { gateway } = fixture({
      settings: { http: httpSettingsOf(withDefaults(config)) },
      options: { keys, openState: async () => state },
    });
    const key = makesKey ? (await keys.init()).key : "";
    const options = { live: liveOf(gateway), principal: () => principal(), version: "0", root, hasConsole: false };
    const { url, transport } = await openHttp({ ...options, address: httpAddress("0") });
    onTestFinished(async () => {
      transport.stop();
      await transport.close();
      await keys.close();
      await state.close();
    });
    const get = async (headers: Record<string, string> = {}) =>
      raw(url, { method: "GET", path: "/metrics", headers, body: "" });
    return { get, keys, key, project, url };
  };
  const FAR = { host: "10.2.3.4:9090" };

  test("is not there unless it is configured", async () => {
    const { get, key } = await served({});
    expect((await get({ authorization: `Bearer ${key}` })).status).toBe(404);
  });

  test("needs a key wherever MCP does; with one, any Host", async () => {
    const { get, key, url } = await served({ metrics: "keys" });
    expect((await get()).status).toBe(401);
    expect((await get({ authorization: "Bearer wrong" })).status).toBe(401);
    const body = { jsonrpc: "2.0", id: 1, method: "tools/list" };
    const accept = "application/json, text/event-stream";
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json", accept };
    await (await fetch(url, { method: "POST", headers, body: JSON.stringify(body) })).text();
    const answer = await get({ ...FAR, authorization: `Bearer ${key}` });
    expect([answer.status, answer.headers["content-type"]]).toEqual([200, "text/plain; version=0.0.4; charset=utf-8"]);
    expect(answer.text).toMatch(/^mcp_server_operation_duration_seconds_count\{mcp_method_name="tools\/list"\} \d+$/m);
    expect(answer.text).not.toContain(key.slice(4, 14));
  });

  test("the local caller needs none before there are keys, and the Host of this machine", async () => {
    const { get } = await served({ metrics: "keys" }, false);
    expect((await get()).status).toBe(200);
    expect((await get(FAR)).status).toBe(403);
    expect((await get({ origin: "https://elsewhere.example" })).status).toBe(403);
  });

  test("a key of a project may not read them; open: everyone may", async () => {
    const { get, keys, project } = await served({ metrics: "keys" });
    const made = await keys.create({ name: "one", scope: `project:${project}` }, "local");
    expect((await get({ authorization: `Bearer ${made.key}` })).status).toBe(403);
    const open = await served({ metrics: "open" });
    expect((await open.get(FAR)).status).toBe(200);
  });
});

describe("with an SDK of OpenTelemetry", () => {
  afterEach(() => metrics.disable());

  test("it receives the same values, with units and buckets, and an error of it is no error of the call", async () => {
    const received: unknown[] = [];
    const keep = (...entry: readonly [string, ...unknown[]]): void => {
      // The SDK is of the process, and other files of this process record.
      if (entry[0].startsWith("d.")) received.push(entry);
    };
    const instrument = (name: string, options?: object) => {
      keep(name, options);
      const take = (value: number, attributes?: object): void => {
        keep(name, value, attributes);
        if (value === 13) throw new Error("exporter gone");
      };
      return { record: take, add: take };
    };
    const meter = { createHistogram: instrument, createCounter: instrument, createUpDownCounter: instrument };
    metrics.setGlobalMeterProvider({ getMeter: () => meter } as never);
    const durations = histogram({ name: "d.duration", unit: "s", description });
    durations(0.5, { a: "1" });
    counter({ name: "d.calls", unit: "{call}", description })(13);
    level({ name: "d.level", unit: "{run}", description })(-1);
    durations(0.7);
    await expect.poll(() => received.length).toBe(7);
    expect(received).toMatchObject([
      [
        "d.duration",
        {
          unit: "s",
          description,
          advice: { explicitBucketBoundaries: [0.01, ...Array(13)].fill(expect.any(Number), 1) },
        },
      ],
      ["d.duration", 0.5, { a: "1" }],
      ["d.calls", { unit: "{call}" }],
      ["d.calls", 13, {}],
      ["d.level", { unit: "{run}" }],
      ["d.level", -1, {}],
      ["d.duration", 0.7, {}],
    ]);
  });
});
