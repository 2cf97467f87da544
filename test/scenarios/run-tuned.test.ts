/** Results of `run` in a project without default settings of output, sanitising and limits. */

import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CHECKOUT } from "../support/project.js";
import { runDemo } from "../support/run/run-demo.js";

const { root, ok, bad } = runDemo(join(CHECKOUT, "test/support/demos/tuned-demo/definitions"));

const folder = (): string => join(root(), ".onetool", "tmp");
const stored = (handle: string): string => readFileSync(join(folder(), `result-${handle}.txt`), "utf8");
const lines = (count: number): string => Array.from({ length: count }, (_, i) => `line${i}`).join("\n");

describe("large results, as configured", () => {
  test("[RUN-15.1] up to max_inline_size a result is inline", async () => {
    expect(await ok('"x" * 600')).toBe("x".repeat(600));
    expect(await ok('"é" * 300')).toBe("é".repeat(300));
    expect(await ok("__sanitize__ = False\ntuned.lines(n=50)")).toBe(lines(50));
  });

  test("[RUN-15.2] above max_inline_size, in bytes, it is stored", async () => {
    for (const text of ["x".repeat(601), "é".repeat(301)]) {
      const { handle, size_bytes } = JSON.parse(await ok(`"${text[0]}" * ${text.length}`));
      expect(size_bytes).toBe(Buffer.byteLength(text));
      expect(stored(handle)).toBe(text);
    }
  });

  test("[RUN-15.2] the tags of a boundary count", async () => {
    const text = await ok('tuned.bounce(text="x" * 500)');
    const tags = Buffer.byteLength(text) - 500;
    expect(await ok(`tuned.bounce(text="x" * ${600 - tags})`)).toContain("x".repeat(600 - tags));
    const { handle } = JSON.parse(await ok(`tuned.bounce(text="x" * ${601 - tags})`));
    expect(stored(handle)).toBe("x".repeat(601 - tags));
  });

  test("[RUN-15.3] the preview has preview_lines", async () => {
    const reply = JSON.parse(await ok("__sanitize__ = False\ntuned.lines(n=100)"));
    expect(reply).toEqual({
      handle: reply.handle,
      total_lines: 100,
      size_bytes: 689,
      summary: "100 lines from tuned.lines",
      preview: "line0\nline1\nline2",
      query: `ot.result(handle='${reply.handle}', offset=1, limit=50)`,
    });
  });

  test("[RUN-15.3] the preview has at most preview_bytes", async () => {
    const { preview } = JSON.parse(await ok('"x" * 5000'));
    expect(preview).toBe(`${"x".repeat(37)}...`);
    expect(JSON.parse(await ok('"é" * 2500')).preview).toBe(`${"é".repeat(18)}...`);
  });

  test("[RUN-15.3] a preview of what others wrote stands between tags, redacted", async () => {
    const reply = JSON.parse(await ok('tuned.bounce(text="__ot\\n" * 300)'));
    expect(reply.preview).toMatch(
      /^<external-content-([0-9a-f]{12}) source="tuned\.bounce">\n\[REDACTED:trigger\]\n(?:\[REDACTED:trigger\]\n?)*[^\n]*\n<\/external-content-\1>$/,
    );
    expect(stored(reply.handle)).not.toContain("__ot");
  });

  test("[RUN-15.4] [RUN-15.5] both files, the format of the code in the first", async () => {
    const reply = JSON.parse(await ok('__sanitize__ = False\n__format__ = "yml_h"\n[tuned.rows()] * 20'));
    const rows = '- - id: 1\n    name: say "one"\n  - id: 2\n    name: two';
    expect(stored(reply.handle)).toBe(Array.from({ length: 20 }, () => rows).join("\n"));
    const meta = JSON.parse(readFileSync(join(folder(), `result-${reply.handle}.meta.json`), "utf8"));
    expect(meta).toEqual({
      handle: reply.handle,
      total_lines: 80,
      size_bytes: 1079,
      created_at: meta.created_at,
      tool: "tuned.rows",
    });
    expect(Math.abs(Date.parse(meta.created_at) - Date.now())).toBeLessThan(60_000);
  });

  test("[RUN-16.1] [RUN-16.2] results older than result_ttl go when the next one is stored", async () => {
    const store = async (): Promise<string> => JSON.parse(await ok('"x" * 700')).handle;
    const [old, young] = [await store(), await store()];
    const age = (handle: string, seconds: number): void => {
      const then = Date.now() / 1000 - seconds;
      for (const end of ["txt", "meta.json"]) utimesSync(join(folder(), `result-${handle}.${end}`), then, then);
    };
    age(old, 130);
    age(young, 100);
    const last = await store();
    const handles = new Set(readdirSync(folder()).map((name) => name.slice("result-".length, "result-".length + 12)));
    expect(handles.has(old)).toBe(false);
    expect(handles.has(young) && handles.has(last)).toBe(true);
  });

  test("[RUN-16.1] a result that is read after result_ttl is expired, and deleted", async () => {
    const { handle } = JSON.parse(await ok('"x" * 700'));
    const file = join(folder(), `result-${handle}.meta.json`);
    const meta = JSON.parse(readFileSync(file, "utf8"));
    const made = (seconds: number): void =>
      writeFileSync(file, JSON.stringify({ ...meta, created_at: new Date(Date.now() - seconds * 1000).toISOString() }));
    made(100);
    expect(await ok(`ot.result(handle="${handle}")["total_lines"]`)).toBe("1");
    made(130);
    expect(await bad(`ot.result(handle="${handle}")`)).toBe(
      `Error: Result '${handle}' has expired. Run the code again if it only reads.`,
    );
    expect(existsSync(file)).toBe(false);
  });
});

describe("formats, as deep as configured", () => {
  test.each([
    ["json", '{"a":{"b":{"c":"..."}}}'],
    ["json_h", '{\n  "a": {\n    "b": {\n      "c": "..."\n    }\n  }\n}'],
    ["yml", "{a: {b: {c: ...}}}"],
    ["yml_h", "a:\n  b:\n    c: ..."],
  ])("[RUN-13.1] %s ends at result_depth", async (format, text) => {
    expect(await ok(`__format__ = "${format}"\n{"a": {"b": {"c": {"d": 1}}}}`)).toBe(text);
  });
});

describe("sanitising that is on unless switched off", () => {
  test("[RUN-14.1] every op that is not excepted asks for it", async () => {
    expect(await ok('tuned.bounce(text="__ot")')).toMatch(
      /^<external-content-([0-9a-f]{12}) source="tuned\.bounce">\n\[REDACTED:trigger\]\n<\/external-content-\1>$/,
    );
    expect(await ok('tuned.trusted(text="__ot")')).toBe("__ot");
    expect(await ok('"__" + "ot"')).toBe("__ot");
  });

  test("[RUN-14.2] the code switches it off", async () => {
    expect(await ok('__sanitize__ = False\ntuned.bounce(text="__ot")')).toBe("__ot");
  });
});

describe("snippets", () => {
  test.each([
    ["a loop, a filter and a default", "$shout words=hi", '["HI","!"]'],
    ["a condition", '$shout words="a b" twice=yes end=?', '["A B","?","a b"]'],
  ])("[RUN-8.1] Jinja2: %s", async (_, command, text) => expect(await ok(command)).toBe(text));
});

describe("limits, as configured", () => {
  test.each([
    ["host_calls", "[tuned.trusted(text='a') for _ in range(4)]", "OutputError: more than 3 tool calls in one run"],
    ["print_bytes", "print('x' * 4000)", "OutputError: printed more than 3000 bytes"],
    ["result_bytes", "'x' * 30000", "OutputError: result larger than 20000 bytes"],
    ["code_bytes", `#${"y".repeat(2500)}`, "ValueError: the code is larger than 2500 bytes (limits.code_bytes)"],
    ["recursion", "def f(n): return f(n + 1)\nf(0)", "RecursionError: maximum recursion depth exceeded"],
    ["cpu_ms", "while True: pass", "TimeoutError: the code used its 1.5 s of CPU time"],
    ["call_timeout_ms", "tuned.hang()", "TimeoutError: tuned.hang gave no answer in 0.4 s"],
  ])("%s ends a program that goes beyond it", async (_, code, message) => expect(await bad(code)).toContain(message));

  test("three calls are not too many", async () => {
    expect(await ok("[tuned.trusted(text='a') for _ in range(3)]")).toBe('["a","a","a"]');
  });
});
