/** Spans of calls and runs, as lines of the log and through OpenTelemetry. */

import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { writeTools } from "../support/open-root.js";
import { CHECKOUT, generatedRoot, type Json, type Served, serve, toolwright } from "../support/project.js";
import { SLOW } from "../support/run/run-demo.js";

vi.setConfig({ testTimeout: SLOW, hookTimeout: SLOW });

const KEY = `oub_abcdefghij_${"aB3_-".repeat(8)}xyz`;
const HANDLE = "0123456789ab";
const cleaning: (() => void)[] = [];
let root = "";

const configuration = (): string => join(root, "definitions", "toolwright.yaml");
const logged = (): string => readFileSync(join(root, ".onetool", "log"), "utf8");

beforeAll(async () => {
  root = await generatedRoot(
    join(CHECKOUT, "test/support/demos/ot-demo/definitions"),
    (one) => void cleaning.push(one),
  );
  const mine = 'readonly = True\ndef twice(q: str) -> dict:\n  "Twice."\n  return demo.search(query=q + q)\n';
  writeTools(root, { "mine.py": mine });
  // Starting Python takes its time on a busy machine.
  appendFileSync(configuration(), "limits: { call_timeout_ms: 110000, wall_ms: 110000 }\n");
  const folder = join(root, ".onetool", "tmp");
  mkdirSync(folder, { recursive: true });
  const meta = {
    handle: HANDLE,
    total_lines: 2,
    size_bytes: 9,
    created_at: new Date().toISOString(),
    tool: "demo.big",
  };
  writeFileSync(join(folder, `result-${HANDLE}.txt`), "one\ntwo\n");
  writeFileSync(join(folder, `result-${HANDLE}.meta.json`), JSON.stringify(meta));
});

afterAll(() => {
  for (const one of cleaning) one();
});

const linesOf = (text: string): readonly Json[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("{"))
    .map((line) => JSON.parse(line));

const importing = (file: string): string => `--import ${pathToFileURL(join(CHECKOUT, "test", "scenarios", file)).href}`;

const run = async ({ client }: Served, command: string): Promise<string> => {
  const { content } = await client.callTool({ name: "run", arguments: { command } }, { timeout: SLOW });
  const [block] = content;
  return block?.type === "text" ? block.text : "";
};

/** A server for the tests of a group, and its spans of each piece of work. */
function serving(flags: readonly string[], env: () => Record<string, string>, written: (served: Served) => string) {
  let served: Served;
  beforeAll(async () => {
    served = await serve(root, flags, env());
  });
  afterAll(() => served.close());
  return {
    served: () => served,
    /** What was written since the work began. */
    told: async (work: (served: Served) => Promise<unknown>): Promise<readonly Json[]> => {
      const before = written(served).length;
      await work(served);
      // A server that cannot be connected is reported in between, at each attempt.
      return linesOf(written(served).slice(before)).filter(({ msg = "span" }) => msg === "span");
    },
  };
}

/** Calls of every function of the pack that can be made at any time. */
const FUNCTIONS: Readonly<Record<string, string>> = {
  tools: "",
  packs: 'pattern="demo"',
  aliases: "",
  snippets: 'info="list"',
  help: 'query="search"',
  config: "",
  health: "",
  stats: "",
  version: "",
  result: `handle="${HANDLE}"`,
  notify: 'topic="none", message="not shown"',
  batch: 'calls=[("ot.version",)]',
  reload: "",
};

describe("lines of the log", () => {
  beforeAll(() => appendFileSync(configuration(), "log: { file: .onetool/log }\n"));
  const { told, served } = serving(
    ["--log-level", "info"],
    () => ({ NODE_OPTIONS: importing("loaded-to-file.mjs"), LOADED_FILE: join(root, "loaded.json") }),
    logged,
  );
  afterAll(async () => {
    await served().close();
    const loaded: readonly string[] = JSON.parse(readFileSync(join(root, "loaded.json"), "utf8"));
    const ofPackage = (name: string) => loaded.filter((file) => file.includes(`/node_modules/${name}/`));
    expect(ofPackage("libsql")).not.toEqual([]);
    expect(ofPackage("@opentelemetry")).toEqual([]);
  });

  test.each(Object.entries(FUNCTIONS))("[OT-8.1] ot.%s leaves one line, below that of its run", async (name, args) => {
    const lines = await told((one) => run(one, `ot.${name}(${args})`));
    const whole = lines.find(({ span }) => span === "run");
    expect(whole).toMatchObject({ ok: true, engine: expect.any(String), trace_id: expect.stringMatching(/^tr_/) });
    expect(lines.filter(({ span }) => span === `ot.${name}`)).toMatchObject([
      { ok: true, ms: expect.any(Number), run: whole.trace_id, trace_id: expect.stringMatching(/^tr_/), level: 30 },
    ]);
    expect(lines.filter(({ span }) => span === "run")).toHaveLength(1);
  });

  test("[OT-8.1] the name is that of the function, however the call spells it", async () => {
    const lines = await told((one) => one.call("tool_exec", { op: "OT.Version" }));
    expect(lines).toMatchObject([{ span: "ot.version", ok: true }]);
  });

  test("[OT-8.1] a list has its pattern and its info, a default too; an empty pattern counts as no pattern", async () => {
    const lines = await told((one) => run(one, '[ot.tools(pattern="demo"), ot.packs(i="list")][0][:0]'));
    expect(lines).toMatchObject([
      { span: "ot.tools", pattern: "demo", info: "min" },
      { span: "ot.packs", info: "list" },
      { span: "run", ok: true, ops: ["ot.tools", "ot.packs"], calls: 2 },
    ]);
    expect(lines[1]).not.toHaveProperty("pattern");
  });

  test("[OT-14.1] ot.result has handle, offset, limit, and search if there is one", async () => {
    const lines = await told(async (one) => {
      await run(one, `ot.result(handle="${HANDLE}")`);
      await one.call("tool_exec", { op: "ot.result", args: { handle: HANDLE, offset: 2, limit: 7, search: "T.O" } });
    });
    const [plain, found] = lines.filter(({ span }) => span === "ot.result");
    expect(plain).toMatchObject({ ok: true, handle: HANDLE, offset: 1, limit: 100 });
    expect(plain).not.toHaveProperty("search");
    expect(found).toMatchObject({ ok: true, handle: HANDLE, offset: 2, limit: 7, search: "T.O" });
    expect(found).not.toHaveProperty("run");
  });

  test("[OT-14.1] ot.result that is refused has them too, and the error", async () => {
    const lines = await told((one) => run(one, `ot.result(handle="${HANDLE}", offset=0)`));
    expect(lines).toMatchObject([
      {
        span: "ot.result",
        ok: false,
        level: 30,
        handle: HANDLE,
        offset: 0,
        error_type: "VALIDATION_ERROR",
        error: "offset must be >= 1 (1-indexed), got 0",
      },
      { span: "run", ok: false, error_type: "ValueError" },
    ]);
  });

  test("a refused call has a line: an op that is not there, one that is hidden, missing arguments, no object", async () => {
    const lines = await told(async (one) => {
      await one.call("tool_exec", { op: "demo.nothing" });
      await one.call("tool_exec", { op: "custom.secret" });
      await one.call("tool_exec", { op: "demo.search" });
      await one.call("tool_exec", { op: 7 });
      await one.call("tool_exec", { op: "demo.store", args: { text: "x" } });
    });
    expect(lines.map(({ span, ok, error_type }) => [span, ok, error_type])).toEqual([
      ["tool_exec", false, "NOT_FOUND"],
      ["tool_exec", false, "NOT_FOUND"],
      ["demo.search", false, "VALIDATION_ERROR"],
      ["tool_exec", false, "VALIDATION_ERROR"],
      ["demo.store", false, "PERMISSION_DENIED"],
    ]);
  });

  test("calls in batches belong to their batch, and all of them to the run", async () => {
    const ops = [{ op: "ot.version" }, { op: "demo.boom" }];
    const outside = await told((one) => one.call("tool_batch", { ops }));
    const batch = outside.at(-1);
    expect(batch).toMatchObject({ span: "tool_batch", ok: true, total: 2, succeeded: 1, failed: 1, skipped: 0 });
    expect(outside.slice(0, -1)).toMatchObject([
      { span: "ot.version", ok: true, parent: batch.trace_id },
      { span: "demo.boom", ok: false, error_type: "NOT_FOUND", error: "kaput", parent: batch.trace_id },
    ]);
    const inside = await told((one) => run(one, 'ot.batch(calls=[("ot.version",), ("demo.search", {"q": "a"})])'));
    const whole = inside.at(-1);
    const above = inside.find(({ span }) => span === "ot.batch");
    expect(above).toMatchObject({ ok: true, run: whole.trace_id });
    expect(above).not.toHaveProperty("parent");
    const below = inside.filter(({ parent }) => parent === above.trace_id);
    expect(below.map(({ span }) => span).sort()).toEqual(["demo.search", "ot.version"]);
    for (const one of below) expect(one.run).toBe(whole.trace_id);
  });

  test("neither code nor messages nor arguments of other ops are in it", async () => {
    const lines = await told(async (one) => {
      await run(one, '# hippopotamus\nx = "rhinoceros"\ndemo.search(query="zebra", count=424242424242)["query"] + x');
      await run(one, 'ot.notify(topic="status:scan", message="giraffe")');
      await run(one, 'raise ValueError("antelope")');
      await run(one, 'ot.help(query="aardvark")');
    });
    expect(lines.filter(({ span }) => span === "run").map(({ ok }) => ok)).toEqual([true, true, false, true]);
    expect(JSON.stringify(lines)).not.toMatch(/hippo|rhino|zebra|424242424242|giraffe|antelope|aardvark/);
  });

  test("nothing that has the shape of a secret is in it, wherever it came in", async () => {
    const lines = await told(async (one) => {
      await run(one, `ot.tools(pattern="${KEY}")`);
      await one.call("tool_exec", { op: `demo.${KEY}` });
      await one.call("tool_exec", { op: "ot.result", args: { handle: "https://user:hunter22@db/x", search: KEY } });
      await one.call("tool_exec", { op: "ot.tools", args: { info: "password=hunter22" } });
    });
    expect(lines.map(({ span }) => span)).toEqual(["ot.tools", "run", "tool_exec", "ot.result", "ot.tools"]);
    expect(JSON.stringify(lines)).not.toMatch(/aB3_|hunter22/);
    expect(JSON.stringify(lines)).toContain("oub_abcdefghij_***");
  });
});

describe("log.level and log.file", () => {
  /** The spans of a run that fails. */
  const failing = async (flags: readonly string[]): Promise<string> => {
    const served = await serve(root, flags);
    await run(served, 'raise ValueError("antelope")');
    await served.close();
    await vi.waitFor(() => expect(flags.includes("warn") || served.stderr().includes('"ending"')).toBe(true));
    return served.stderr();
  };
  const runIn = (text: string): Json => linesOf(text).find(({ span }) => span === "run");

  beforeAll(() => {
    const text = readFileSync(configuration(), "utf8");
    writeFileSync(configuration(), text.replace(/^log:.*\n/m, "log: { level: info }\n"));
  });

  test("lines go to stderr without a file; the message of an exception only at debug", { tags: "full" }, async () => {
    expect(runIn(await failing(["--log-level", "debug"]))).toMatchObject({
      error_type: "ValueError",
      error: "antelope",
    });
    expect(runIn(await failing(["--log-level", "info"]))).not.toHaveProperty("error");
  });

  test("warn drops them, and one command on the command line has none", { tags: "full" }, async () => {
    expect(await failing(["--log-level", "warn"])).not.toContain("span");
    const once = await toolwright(["exec", "ot.version", "--root", root]);
    expect(once.code).toBe(0);
    expect(once.stderr).not.toContain("span");
  });
});

describe("OpenTelemetry", () => {
  const spans = (): string => join(root, "spans.jsonl");
  const { told } = serving(
    ["--log-level", "warn"],
    () => ({ NODE_OPTIONS: importing("spans-to-file.mjs"), SPANS_FILE: spans() }),
    () => (existsSync(spans()) ? readFileSync(spans(), "utf8") : ""),
  );

  test("[OT-8.1] [OT-14.1] names, parents and attributes", async () => {
    const [first, second, whole, ...more] = await told((one) =>
      run(one, `ot.tools(info="list")\not.result(handle="${HANDLE}", search="one")`),
    );
    expect(more).toEqual([]);
    expect(whole).toMatchObject({ name: "run", attributes: { ok: true, ops: ["ot.tools", "ot.result"], calls: 2 } });
    expect(whole).not.toHaveProperty("parent");
    expect(first).toMatchObject({
      name: "ot.tools",
      parent: whole.id,
      attributes: { info: "list", ok: true, run: whole.attributes.trace_id },
      status: { code: 1 },
      events: [],
    });
    expect(second).toMatchObject({ name: "ot.result", parent: whole.id });
    expect(second.attributes).toEqual({
      handle: HANDLE,
      offset: 1,
      limit: 100,
      search: "one",
      ok: true,
      run: whole.attributes.trace_id,
      trace_id: expect.stringMatching(/^tr_[0-9a-f]{16}$/),
    });
  });

  test("a batch is between its calls and what is above it", async () => {
    const inside = await told((one) => run(one, 'ot.batch(calls=[("mine.twice", {"q": "a"})])'));
    expect(inside.map(({ name }) => name)).toEqual(["demo.search", "mine.twice", "ot.batch", "run"]);
    expect(inside.map(({ parent }) => parent)).toEqual([...inside.slice(1).map(({ id }) => id), undefined]);
    const outside = await told((one) => one.call("tool_batch", { ops: [{ op: "ot.version" }] }));
    expect(outside.map(({ name, parent }) => [name, parent])).toEqual([
      ["ot.version", outside[1].id],
      ["tool_batch", undefined],
    ]);
  });

  test("a failure has its status, its code and its exception, and no secret", async () => {
    const failures = await told(async (one) => {
      await one.call("tool_exec", { op: "demo.boom" });
      await one.call("tool_exec", { op: "ot.tools", args: { info: `password=hunter22 ${KEY}` } });
      await run(one, 'raise ValueError("antelope")');
    });
    expect(failures).toMatchObject([
      {
        name: "demo.boom",
        attributes: { ok: false, code: "NOT_FOUND" },
        status: { code: 2, message: "kaput" },
        events: [{ name: "exception", attributes: { "exception.type": "NOT_FOUND", "exception.message": "kaput" } }],
      },
      { name: "ot.tools", attributes: { code: "VALIDATION_ERROR" }, status: { code: 2 } },
      { name: "run", attributes: { code: "ValueError" }, status: { code: 2 } },
    ]);
    expect(JSON.stringify(failures)).not.toMatch(/hunter22|aB3_|antelope/);
  });
});
