/** `ot.batch`, and the ops that errors name. */

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CHECKOUT, generatedRoot, toolwright } from "../support/project.js";
import { RUN_DEMO, runDemo, SLOW } from "../support/run/run-demo.js";

const { server, ok, bad } = runDemo(join(CHECKOUT, "test/support/demos/ot-demo/definitions"));

describe("batch", () => {
  test(
    "values in order, with aliases and shortened names; a failure in its place",
    async () => {
      const code =
        'x = ot.batch([("demo.search", {"q": "a"}), ("demo.boom",), ("ws", {"query": "b"}), ["nope", {}]])\nx';
      for (const engine of ["", "import collections\n"])
        expect(JSON.parse(await ok(engine + code))).toEqual([
          { query: "a", count: 5 },
          { error: "KeyError: 'kaput'" },
          "5 b",
          { error: "NameError: name 'nope' is not defined" },
        ]);
    },
    SLOW,
  );

  test("calls may be entries of tool_batch, under any of their names", async () => {
    const entries = [
      '{"op": "demo.search", "args": {"query": "a"}}',
      '{"tool": "demo.search", "arguments": {"query": "a"}}',
      '{"name": "demo.search", "input": {"query": "a"}}',
      '{"op": "demo.search", "query": "a"}',
      '{"op": "demo.boom"}',
    ];
    const answers = Array.from({ length: 4 }, () => ({ query: "a", count: 5 }));
    expect(JSON.parse(await ok(`x = ot.batch([${entries.join(", ")}])\nx`))).toEqual([
      ...answers,
      { error: "KeyError: 'kaput'" },
    ]);
    for (const one of ['{"op": "ot.version", "dry_run": True}', '{"tool": "demo.search", "name": "demo.boom"}', "{}"])
      expect(await bad(`ot.batch([${one}])`)).toContain("ValueError: calls[0] must be (op, args), as");
  });

  test("calls run together, at most limits.parallel_calls", async () => {
    const calls = Array.from({ length: 12 }, () => ["demo.wait", { ms: 100 }]);
    const { value } = await server().call("tool_exec", { op: "ot.batch", args: { calls } });
    const spans: readonly (readonly [number, number])[] = value.result;
    const together = spans.map(([at]) => spans.filter(([began, ended]) => began <= at && at < ended).length);
    expect(Math.max(...together)).toBeGreaterThan(1);
    expect(Math.max(...together)).toBeLessThanOrEqual(8);
  });

  test("each call has its own check, and the batch cannot hold itself", async () => {
    expect(JSON.parse(await ok('x = ot.batch([("demo.store", {"text": "t"}), ("custom.secret",)])\nx'))).toEqual([
      { error: "PermissionError: demo.store changes data and writes are not allowed here" },
      { error: "NameError: name 'custom' is not defined" },
    ]);
    expect(await bad('ot.batch([("ot.batch", {"calls": []})])')).toContain("ValueError: ot.batch cannot call itself");
    for (const one of ['"demo.search"', "()", "(1, {})", '("demo.search", "a")', '("demo.search", {}, 1)'])
      expect(await bad(`ot.batch([("ot.version",), ${one}])`)).toContain("ValueError: calls[1] must be (op, args), as");
  });

  test("what was called in it is sanitised as if it were called directly", async () => {
    expect(await ok('ot.batch([("web.fetch", {"url": "__ot x"})])')).toMatch(
      /^<external-content-[0-9a-f]{12} source="web\.fetch">\n- \[REDACTED:trigger\] x\n<\/external-content-[0-9a-f]{12}>$/,
    );
  });

  test("what was called in it counts as called", async () => {
    expect(await bad('ot.batch([("demo.search", {"query": "a"}), ("demo.boom",)])\n1/0')).toContain(
      "Calls already made: ot.batch (1), demo.search (1)",
    );
  });
});

describe("errors name ops of ot where the caller has them", () => {
  test("an unknown pack", async () => {
    expect(await bad("unknown.x()")).toContain(
      'Packs: brave, demo, firecrawl, github, ot, proj, scaffold, web\nNext: ot.packs() lists packs, ot.help(query="unknown") searches',
    );
  });

  test("else tool_help", { tags: "full", timeout: SLOW }, async () => {
    const without = await generatedRoot(RUN_DEMO);
    const file = join(without, "definitions", "toolwright.yaml");
    appendFileSync(file, "use: []\n");
    await toolwright(["generate", "--root", without]);
    const { stdout } = await toolwright(["run", "--root", without, "--log-level", "silent", "-c", "unknown.x()"]);
    expect(stdout).toContain('Next: tool_help(path="root") lists packs and their ops');
  });
});
