/** Large results of `run`, its other transports, and its modules. */

import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { unwrapPython } from "../../runtime/run/languages/python/unwrap.js";
import { createToolLoader } from "../../runtime/run/tool-loader.js";
import { fixture, grant } from "../runtime/gateway/fixture.js";
import { CHECKOUT, toolwright } from "../support/project.js";
import { runDemo } from "../support/run/run-demo.js";

const { root, server, ok, bad } = runDemo();

const FOUND = '{"query":"t","count":5}';

describe("large results", () => {
  const folder = (): string => join(root(), ".onetool", "tmp");

  test("[RUN-15.1] up to the limit a result is inline", async () => {
    expect(await ok('"x" * 10000')).toBe("x".repeat(10_000));
    expect(await ok('"x" * 50000')).toBe("x".repeat(50_000));
    expect(await ok('"é" * 25000')).toBe("é".repeat(25_000));
    const list = JSON.stringify(Array.from({ length: 100 }, (_, i) => `line${i}`));
    expect(await ok('demo.big(n=100).split("\\n")')).toBe(list);
  });

  test("[RUN-15.2] above it, in bytes, it is stored, and a summary is the reply", async () => {
    for (const [code, text] of [
      ['"x" * 50001', "x".repeat(50_001)],
      ['"x" * 100000', "x".repeat(100_000)],
      ['"é" * 25001', "é".repeat(25_001)],
    ] as const) {
      const { handle, size_bytes } = JSON.parse(await ok(code));
      expect(size_bytes).toBe(Buffer.byteLength(text));
      expect(readFileSync(join(folder(), `result-${handle}.txt`), "utf8")).toBe(text);
    }
  });

  test("[RUN-15.3] the reply names its format", async () => {
    const reply = JSON.parse(await ok("demo.big(n=9000)"));
    expect(reply.handle).toMatch(/^[0-9a-f]{12}$/);
    expect(JSON.stringify(reply)).toBe(
      JSON.stringify({
        handle: reply.handle,
        total_lines: 9000,
        size_bytes: 79_889,
        summary: "9000 lines from demo.big",
        preview: Array.from({ length: 10 }, (_, i) => `line${i}`).join("\n"),
        query: `ot.result(handle='${reply.handle}', offset=1, limit=50)`,
      }),
    );
    const hint = await ok(`${reply.query}["lines"]`);
    expect(JSON.parse(hint)).toEqual(Array.from({ length: 50 }, (_, i) => `line${i}`));
    const other = JSON.parse(await ok("demo.big(n=9000)"));
    expect(other.handle).not.toBe(reply.handle);
  });

  test("[RUN-15.3] the summary of a list counts its items", async () => {
    const reply = JSON.parse(await ok('demo.big(n=9000).split("\\n")'));
    expect(reply).toMatchObject({ summary: "9000 items from demo.big", total_lines: 9000, size_bytes: 106_890 });
  });

  test("[RUN-15.4] the text is in a file of its own, in .onetool/tmp", async () => {
    const { handle } = JSON.parse(await ok("demo.big(n=9000)"));
    const text = readFileSync(join(root(), ".onetool/tmp", `result-${handle}.txt`), "utf8");
    expect(text).toBe(Array.from({ length: 9000 }, (_, i) => `line${i}`).join("\n"));
  });

  test("[RUN-15.5] the meta file says what the reply says, when it was made, and by which tool", async () => {
    const before = Date.now();
    const { handle, total_lines, size_bytes } = JSON.parse(await ok("demo.big(n=9000)"));
    const meta = JSON.parse(readFileSync(join(folder(), `result-${handle}.meta.json`), "utf8"));
    const { created_at } = meta;
    expect(meta).toEqual({ handle, total_lines, size_bytes, created_at, tool: "demo.big" });
    expect({ total_lines, size_bytes }).toEqual({ total_lines: 9000, size_bytes: 79_889 });
    expect(created_at).toBe(new Date(created_at).toISOString());
    expect(Date.parse(created_at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(created_at)).toBeLessThanOrEqual(Date.now());
    const alone = JSON.parse(await ok('"x" * 60000')).handle;
    expect(JSON.parse(readFileSync(join(folder(), `result-${alone}.meta.json`), "utf8"))).toMatchObject({
      handle: alone,
      tool: "run",
      total_lines: 1,
      size_bytes: 60_000,
    });
  });

  const aged = (name: string, seconds = 3700): void => {
    const old = Date.now() / 1000 - seconds;
    utimesSync(join(folder(), name), old, old);
  };
  const age = (handle: string, seconds: number): void => {
    for (const end of ["txt", "meta.json"]) aged(`result-${handle}.${end}`, seconds);
  };
  const left = (handle: string): readonly string[] => readdirSync(folder()).filter((name) => name.includes(handle));

  test("[RUN-16.1] [RUN-16.2] what is older than the limit goes when the next result is stored", async () => {
    const [first, second, third] = [
      JSON.parse(await ok("demo.big(n=9000)")).handle,
      JSON.parse(await ok("demo.big(n=9000)")).handle,
      JSON.parse(await ok("demo.big(n=9000)")).handle,
    ];
    age(first, 3700);
    age(second, 3500);
    await ok('"x" * 50000');
    expect(left(first).length).toBe(2);
    await ok("demo.big(n=9000)");
    expect(left(first)).toEqual([]);
    expect(left(second).length).toBe(2);
    expect(left(third).length).toBe(2);
  });

  test("[RUN-16.1] a result is expired by the time in its meta file", async () => {
    const { handle } = JSON.parse(await ok("demo.big(n=9000)"));
    const file = join(folder(), `result-${handle}.meta.json`);
    const meta = JSON.parse(readFileSync(file, "utf8"));
    const made = (seconds: number): void =>
      writeFileSync(file, JSON.stringify({ ...meta, created_at: new Date(Date.now() - seconds * 1000).toISOString() }));
    made(3500);
    expect(await ok(`ot.result(handle="${handle}", limit=1)["total_lines"]`)).toBe("9000");
    made(3700);
    const expired = `Error: Result '${handle}' has expired. Run the code again if it only reads.`;
    expect(await bad(`ot.result(handle="${handle}", limit=1)`)).toBe(expired);
  });

  test("[RUN-16.2] an orphan goes too", async () => {
    writeFileSync(join(folder(), "result-0123456789ab.txt"), "x");
    aged("result-0123456789ab.txt");
    await ok("demo.big(n=9000)");
    expect(existsSync(join(folder(), "result-0123456789ab.txt"))).toBe(false);
    rmSync(folder(), { recursive: true });
  });

  test("output printed before a failure is kept, stored where it is large", async () => {
    const text = await bad('print("x" * 60000)\n1/0');
    const handle = /^Output: ot\.result\(handle='([0-9a-f]{12})'\)\nError at line 2: ZeroDivisionError/.exec(text)?.[1];
    expect(readFileSync(join(folder(), `result-${handle}.txt`), "utf8")).toBe("x".repeat(60_000));
  });
});

describe("the command line and the limits of a transport", () => {
  test("prints the reply, exit 1 when the run failed, 2 without code", { tags: "full", timeout: 60_000 }, async () => {
    const command = (...args: readonly string[]) =>
      toolwright(["run", "--root", root(), "--log-level", "silent", ...args]);
    expect(await command("-c", 'demo.search(q="t")')).toMatchObject({ code: 0, stdout: `${FOUND}\n` });
    expect(await command("-c", 'other.store(text="x")', "--allow-write")).toMatchObject({ code: 0 });
    expect(await command("-c", "1/0")).toMatchObject({ code: 1 });
    expect(await command()).toMatchObject({ code: 2 });
    writeFileSync(join(root(), "code.py"), "# nothing\n2 + 2\n");
    const file = join(root(), "code.py");
    expect(await command(file)).toMatchObject({ code: 0, stdout: "4\n", stderr: "" });
    const stderr = "warning RUN_ENGINE_IGNORED: engine has no effect: Python runs on CPython\n";
    expect(await command(file, "--engine", "monty")).toMatchObject({ code: 0, stdout: "4\n", stderr });
  });

  test("an invalid request", async () => {
    for (const args of [{}, { command: 1 }, { command: "1", more: 1 }]) {
      const result = await server().client.callTool({ name: "run", arguments: args });
      expect(result.isError).toBe(true);
      expect(result.content[0]).toMatchObject({ text: expect.stringMatching(/^Error: TypeError: run\(\) /) });
    }
  });

  test("a client that gives up ends the run", async () => {
    const cancel = new AbortController();
    const call = server().client.callTool(
      { name: "run", arguments: { command: "while True: pass" } },
      { signal: cancel.signal },
    );
    setTimeout(() => cancel.abort(), 100);
    await expect(call).rejects.toThrow();
    expect(await ok("1+1")).toBe("2");
  });

  test("runs in parallel share nothing, and more than fit wait", async () => {
    const replies = await Promise.all(
      Array.from({ length: 20 }, (_, i) => ok(`print(${i}); x = ${i}; demo.bounce(text=str(x))`)),
    );
    expect(replies).toEqual(Array.from({ length: 20 }, (_, i) => `${i}\n${i}`));
  });
});

describe("modules", () => {
  const source = (name: string): string => readFileSync(join(CHECKOUT, "runtime", "run", `${name}.ts`), "utf8");
  const runner = source("runner");

  test.each([
    ["[RUN-10.1] fences", "fence-processor", "unwrapCommand", "languages/python/unwrap"],
    ["[RUN-10.2] tools", "tool-loader", "createToolLoader", "visible"],
    ["[RUN-10.3] packs", "pack-proxy", "createPackProxy", "kept/kept-run"],
  ])("%s have a module of their own, which one other calls", (_, name, exported, caller) => {
    expect(source(name)).toContain(`export function ${exported}(`);
    expect(source(caller)).toMatch(
      new RegExp(`import \\{[^}]*\\b${exported}\\b[^}]*\\} from "(?:\\.{1,2}/)+${name}\\.js"`),
    );
    expect(runner).not.toContain(`function ${exported}(`);
  });

  test("[RUN-10.1] what a run is made of is what the module makes of its command", async () => {
    const fenced = '  __ot\n```py\ndemo.bounce(text="a")\n```\n';
    expect(unwrapPython(fenced)).toEqual({ kind: "code", code: 'demo.bounce(text="a")', fence: "py" });
    expect(unwrapPython("\n ```py\n1\n``` ")).toEqual({ kind: "code", code: "1", fence: "py" });
    expect(await ok(fenced)).toBe("a");
  });

  test("[RUN-10.3] a path with dots is an object of its pack, which calls the op and no other", async () => {
    expect(await ok('[demo.bounce(text="a"), callable(demo.bounce), str(type(demo))[:6]]')).toMatch(
      /^\["a",true,"<class/,
    );
    expect(await bad("demo.nothing()")).toContain("AttributeError: pack 'demo' has no function 'nothing'");
  });

  test("[RUN-10.2] tools are found once for every kind of grant, and kept", () => {
    const { gateway } = fixture();
    const loader = createToolLoader(CHECKOUT, gateway.index, gateway.settings);
    const tools = loader.toolsFor(grant("write"));
    expect(tools.listed).toContain("onto.task.create");
    expect(tools.packs.get("onto")?.has("task")).toBe(true);
    expect(loader.toolsFor(grant("write"))).toBe(tools);
    const reading = loader.toolsFor(grant("read"));
    expect(reading).not.toBe(tools);
    expect(reading.listed).not.toContain("onto.task.create");
    expect(loader.toolsFor(grant("read"))).toBe(reading);
  });

  test("[RUN-10.4] the runner orchestrates: it knows neither fences nor schemas nor handlers", () => {
    for (const name of [
      "read-command",
      "visible",
      "kept/kept-run",
      "languages/language",
      "languages/table",
      "final-answer",
    ])
      expect(runner).toContain(`"./${name}.js"`);
    for (const name of ["format", "results", "sanitize"]) expect(source("final-answer")).toContain(`"./${name}.js"`);
    expect(runner).not.toMatch(/`{3}|RegExp|parameters_schema|handler\(/);
  });
});
