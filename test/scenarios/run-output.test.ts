/** Large results of `run`, its other doors, and its modules (`serve-run-tool.md`). */

import { existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CHECKOUT, toolwright } from "../support/project.js";
import { runDemo } from "../support/run-demo.js";

const { root, server, ok, bad } = runDemo();

const FOUND = '{"query":"t","count":5}';

describe("large results", () => {
  const folder = (): string => join(root(), ".onetool", "tmp");

  test("[RUN-15.1] up to the limit a result is inline", async () => {
    expect(await ok('"x" * 50000')).toBe("x".repeat(50_000));
  });

  test("[RUN-15.2] above it is stored", async () => {
    const { handle, size_bytes } = JSON.parse(await ok('"x" * 50001'));
    expect(size_bytes).toBe(50_001);
    expect(readFileSync(join(folder(), `result-${handle}.txt`), "utf8")).toBe("x".repeat(50_001));
  });

  test("[RUN-15.3] the reply says what it is", async () => {
    const reply = JSON.parse(await ok("demo.big(n=9000)"));
    expect(Object.keys(reply)).toEqual(["handle", "total_lines", "size_bytes", "summary", "preview", "query"]);
    expect(reply).toMatchObject({
      total_lines: 9000,
      size_bytes: 79_889,
      summary: "9000 lines from demo.big",
      preview: Array.from({ length: 10 }, (_, i) => `line${i}`).join("\n"),
      query: `ot.result(handle='${reply.handle}', offset=1, limit=50)`,
    });
  });

  test("[RUN-15.4] [RUN-15.5] the files", async () => {
    const { handle } = JSON.parse(await ok("demo.big(n=9000)"));
    expect(handle).toMatch(/^[0-9a-f]{12}$/);
    expect(readFileSync(join(folder(), `result-${handle}.txt`), "utf8").split("\n").length).toBe(9000);
  });

  test("[RUN-15.5] the meta file", async () => {
    const { handle } = JSON.parse(await ok("demo.big(n=9000)"));
    const meta = JSON.parse(readFileSync(join(folder(), `result-${handle}.meta.json`), "utf8"));
    expect(Object.keys(meta).sort()).toEqual(["created_at", "handle", "size_bytes", "tool", "total_lines"]);
    expect(meta).toMatchObject({ handle, tool: "demo.big", total_lines: 9000 });
  });

  const aged = (name: string): void => {
    const old = Date.now() / 1000 - 3700;
    utimesSync(join(folder(), name), old, old);
  };

  test("[RUN-16.1] [RUN-16.2] what is older than the limit goes when the next result is stored", async () => {
    const first = JSON.parse(await ok("demo.big(n=9000)")).handle;
    const second = JSON.parse(await ok("demo.big(n=9000)")).handle;
    for (const end of ["txt", "meta.json"]) aged(`result-${first}.${end}`);
    await ok("demo.big(n=9000)");
    const names = readdirSync(folder());
    expect(names.filter((name) => name.includes(first))).toEqual([]);
    expect(names.filter((name) => name.includes(second)).length).toBe(2);
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

describe("the command line and the limits of a door", () => {
  test("prints the reply, exit 1 when the run failed, 2 without code", async () => {
    const command = (...args: readonly string[]) =>
      toolwright(["run", "--root", root(), "--log-level", "silent", ...args]);
    expect(await command("-c", 'demo.search(q="t")')).toMatchObject({ code: 0, stdout: `${FOUND}\n` });
    expect(await command("-c", 'other.store(text="x")', "--allow-write")).toMatchObject({ code: 0 });
    expect(await command("-c", "1/0")).toMatchObject({ code: 1 });
    expect(await command()).toMatchObject({ code: 2 });
    writeFileSync(join(root(), "code.py"), "# nothing\n2 + 2\n");
    expect(await command(join(root(), "code.py"), "--engine", "monty")).toMatchObject({ code: 0, stdout: "4\n" });
  }, 60_000);

  test("a request that is none", async () => {
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
    ["[RUN-10.1] fences", "fence-processor", "unwrapCommand"],
    ["[RUN-10.2] tools", "tool-loader", "createToolLoader"],
    ["[RUN-10.3] packs", "pack-proxy", "createPackProxy"],
  ])("%s have a module of their own, which the runner calls", (_, name, exported) => {
    expect(source(name)).toContain(`export function ${exported}(`);
    expect(runner).toMatch(new RegExp(`import \\{[^}]*\\b${exported}\\b[^}]*\\} from "\\./${name}\\.js"`));
    expect(runner).not.toContain(`function ${exported}(`);
  });

  test("[RUN-10.4] the runner orchestrates: it knows neither fences nor schemas nor handlers", () => {
    for (const name of ["fence-processor", "tool-loader", "pack-proxy", "format", "results", "rewrite", "sanitize"])
      expect(runner).toContain(`"./${name}.js"`);
    expect(runner).not.toMatch(/`{3}|RegExp|parameters_schema|handler\(/);
  });
});
