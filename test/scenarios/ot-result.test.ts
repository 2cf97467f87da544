/** `ot.result` and `ot.notify` (`tool-ot.md` 4 and 13). */

import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { CHECKOUT, type Json, temporaryFolder, toolwright } from "../support/project.js";
import { runDemo, SLOW } from "../support/run-demo.js";

const { root, server, ok, bad } = runDemo(join(CHECKOUT, "test/support/ot-demo/definitions"));

/** Puts a text into the store as a run would, by hand where it is small. */
function stored(text: string, handle: string, age = 0): string {
  const folder = join(root(), ".onetool", "tmp");
  mkdirSync(folder, { recursive: true });
  const meta = {
    handle,
    total_lines: text.split("\n").length,
    size_bytes: Buffer.byteLength(text),
    created_at: new Date(Date.now() - age * 1000).toISOString(),
    tool: "demo.big",
  };
  writeFileSync(join(folder, `result-${handle}.txt`), text);
  writeFileSync(join(folder, `result-${handle}.meta.json`), JSON.stringify(meta));
  return handle;
}

const big = async (): Promise<string> => JSON.parse(await ok("demo.big(n=9000)")).handle;

/** The page as a value. */
const page = async (args: string): Promise<Json> => JSON.parse(await ok(`x = ot.result(${args})\nx`));

const lines = (from: number, to: number): readonly string[] =>
  Array.from({ length: to - from + 1 }, (_, i) => `line${from + i}`);

describe("pages of a stored result", () => {
  test("[OT-13.1] the first hundred lines", async () => {
    const found = await page(`handle="${await big()}"`);
    expect(Object.keys(found)).toEqual(["lines", "total_lines", "returned", "offset", "has_more"]);
    expect(found).toEqual({ lines: lines(0, 99), total_lines: 9000, returned: 100, offset: 1, has_more: true });
  });

  test("[OT-13.7] a page as it prints: lines, total_lines, returned, offset, has_more", async () => {
    expect(await ok(`ot.result(handle="${await big()}", offset=1, limit=2)`)).toBe(
      "lines: [line0, line1]\ntotal_lines: 9000\nreturned: 2\noffset: 1\nhas_more: true",
    );
  });

  test.each([
    ["[OT-13.2] in the middle", "offset=101, limit=50", { lines: lines(100, 149), returned: 50, has_more: true }],
    ["[OT-13.8] the first line", "offset=1, limit=1", { lines: ["line0"], offset: 1 }],
    ["[OT-13.2] up to the end", "offset=8999", { lines: lines(8998, 8999), returned: 2, has_more: false }],
    ["[OT-13.2] behind the end", "offset=9500", { lines: [], returned: 0, offset: 9500, has_more: false }],
    [
      "[OT-13.3] a search",
      'search="LINE99\\\\d$"',
      { lines: lines(990, 999), total_lines: 9000, matched_lines: 10, has_more: false },
    ],
    [
      "[OT-13.3] a page of what was found",
      'search="line99\\\\d$", offset=3, limit=2',
      { lines: lines(992, 993), matched_lines: 10, returned: 2, offset: 3, has_more: true },
    ],
    ["[OT-13.3] nothing found", 'search="absent"', { lines: [], total_lines: 9000, matched_lines: 0, has_more: false }],
  ])("%s", async (_, args, expected) => {
    expect(await page(`handle="${await big()}", ${args}`)).toMatchObject(expected);
  });

  test(
    "equal values through tool_exec and the command line",
    async () => {
      const handle = await big();
      const value = await page(`handle="${handle}", offset=5, limit=3`);
      const args = { handle, offset: 5, limit: 3 };
      expect((await server().call("tool_exec", { op: "ot.result", args })).value.result).toEqual(value);
      const flags = ["--root", root(), "--json", "--args", JSON.stringify(args)];
      const { stdout } = await toolwright(["exec", "ot.result", ...flags]);
      expect(JSON.parse(stdout).result).toEqual(value);
    },
    SLOW,
  );

  test("[OT-13.4] words that are near, the best first", async () => {
    const handle = stored(
      ["other", "configuration", "the config is here", "confgi", "nothing at all"].join("\n"),
      "0123456789ab",
    );
    const found = await page(`handle="${handle}", search="config", fuzzy=True`);
    expect(found.lines.slice(0, 2)).toEqual(["configuration", "the config is here"]);
    expect(found.lines).toContain("confgi");
    expect(found.lines).not.toContain("nothing at all");
    expect(found).toMatchObject({ total_lines: 5, matched_lines: found.lines.length });
    expect(await bad(`ot.result(handle="${handle}", fuzzy=True)`)).toContain("ValueError: fuzzy needs search");
  });

  test("[OT-13.5] a handle that is unknown", async () => {
    expect(await bad('ot.result(handle="nope")')).toBe(
      "Error: Result 'nope' not found. Results are kept 3600 s; run the code again.",
    );
    expect(await bad('x = ot.result(handle="../../secrets")\nx')).toContain("Error: Result '../../secrets' not found.");
    const { value } = await server().call("tool_exec", { op: "ot.result", args: { handle: "nope" } });
    expect(value).toMatchObject({ ok: true, result: expect.stringMatching(/^Error: Result 'nope' not found/) });
  });

  test("[OT-13.6] a handle that has expired", async () => {
    const handle = stored("old", "abcdefabcdef", 3700);
    const left = (): readonly string[] =>
      readdirSync(join(root(), ".onetool", "tmp")).filter((name) => name.includes(handle));
    expect(left()).toHaveLength(2);
    expect(await bad(`ot.result(handle="${handle}")`)).toBe(
      `Error: Result '${handle}' has expired. Run the code again.`,
    );
    expect(left()).toEqual([]);
  });

  test.each([
    ["[OT-13.9]", "offset=0", "ValueError: offset must be >= 1 (1-indexed), got 0"],
    ["[OT-13.10]", "limit=0", "ValueError: limit must be >= 1, got 0"],
    [
      "a pattern that is none:",
      'search="[bad"',
      "ValueError: invalid search pattern '[bad': Unterminated character class",
    ],
  ])("%s %s", async (_, args, text) => {
    const handle = await big();
    expect(await bad(`ot.result(handle="${handle}", ${args})`)).toContain(`Error at line 1: ${text}\n`);
    expect(await ok(`try:\n  ot.result(handle="${handle}", ${args})\nexcept ValueError as e:\n  print(e)`)).toBe(
      text.replace("ValueError: ", ""),
    );
  });

  test(
    "a pattern that takes too long is ended, and others go on",
    async () => {
      const handle = stored(`${"a".repeat(60)}!`, "0a0a0a0a0a0a");
      const [slow, quick] = await Promise.all([
        bad(`ot.result(handle="${handle}", search="(a+)+$")`),
        ok(`ot.result(handle="${handle}", search="!")["returned"]`),
      ]);
      expect(slow).toContain("TimeoutError: search pattern took longer than 1 s");
      expect(quick).toBe("1");
    },
    SLOW,
  );

  test("long lines are cut, and a reply is never stored itself", async () => {
    const long = stored(`${"x".repeat(50_001)}\nshort`, "1a1a1a1a1a1a");
    const { lines: cut } = await page(`handle="${long}"`);
    expect(cut).toEqual([`${"x".repeat(2000)}... (+48001 characters)`, "short"]);
    const many = stored(
      Array.from({ length: 500 }, (_, i) => `${i} ${`'"é\u0001`.repeat(100)}`).join("\n"),
      "2b2b2b2b2b2b",
    );
    for (const format of ["", '__format__ = "json_h"\n', '__format__ = "yml_h"\n']) {
      const text = await ok(`${format}ot.result(handle="${many}", limit=500)`);
      expect(text).not.toContain("preview");
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(50_000);
    }
    const first = await page(`handle="${many}", limit=500`);
    expect(first).toMatchObject({ returned: first.lines.length, has_more: true });
    expect(first.returned).toBeGreaterThan(10);
    const next = await page(`handle="${many}", offset=${first.returned + 1}, limit=1`);
    expect(next.lines[0].split(" ")[0]).toBe(String(first.returned));
  });
});

describe("a sanitised result", () => {
  const tagged = (source: string, lines: string): RegExp =>
    new RegExp(`^<external-content-([0-9a-f]{12})${source}>\\n${lines}[^]*</external-content-\\1>$`);

  test("stays so, page by page", async () => {
    const handleOf = async (code: string): Promise<string> => JSON.parse(await ok(code)).handle;
    const fetched = await handleOf('web.fetch(url="__ot x\\n" * 9000)');
    const marked = await handleOf("__sanitize__ = True\ndemo.big(n=9000)");
    const plain = await handleOf("demo.big(n=9000)");
    const web = ' source="web\\.fetch"';
    expect(await ok(`ot.result(handle="${fetched}", limit=2)`)).toMatch(tagged(web, "lines: \\["));
    expect(await ok(`ot.batch([("ot.result", {"handle": "${fetched}"})])`)).toMatch(tagged(web, "- "));
    expect(await ok(`ot.result(handle="${marked}", limit=1)`)).toMatch(
      tagged(' source="demo\\.big"', "lines: \\[line0"),
    );
    expect(await ok(`ot.result(handle="${plain}", limit=1)`)).toMatch(/^lines: /);
  });
});

describe("notify", () => {
  const send = (topic: string, message = "m"): string =>
    `ot.notify(topic=${JSON.stringify(topic)}, message=${JSON.stringify(message)})`;
  const documents = (file: string): readonly Json[] =>
    parseAllDocuments(readFileSync(join(root(), file), "utf8"), { schema: "core" }).map((one) => one.toJS());

  test("[OT-4.1] appends documents to the file of the topic", async () => {
    expect(await ok(send("status:scan", "Remember to review PR #123"))).toBe("OK: status:scan -> notes/status.yaml");
    await ok(send("status:scan", "two\nlines: of text\n"));
    const text = readFileSync(join(root(), "notes/status.yaml"), "utf8");
    expect(text).toMatch(
      /^---\nts: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\ntopic: status:scan\nmessage: "?Remember to review PR #123"?\n---\n/,
    );
    expect(text).toContain("message: |\n  two\n  lines: of text\n");
    expect(documents("notes/status.yaml").map(({ message }) => message)).toEqual([
      "Remember to review PR #123",
      "two\nlines: of text\n",
    ]);
  });

  test("[OT-4.2] a topic that no pattern fits; one star stops at a colon, two do not", async () => {
    expect(await ok(send("unknown:topic"))).toBe("SKIP: no matching topic");
    expect(await ok(send("status:a:b"))).toBe("SKIP: no matching topic");
    expect(await ok(send("log:a:b"))).toBe("OK: log:a:b -> notes/log.yaml");
  });

  test(
    "messages sent at once are whole",
    async () => {
      const many = Array.from({ length: 20 }, (_, i) => send("log:many", `${i}\n${"x".repeat(5000)}`));
      await Promise.all(many.map((code) => ok(code)));
      const found = documents("notes/log.yaml").filter(({ topic }) => topic === "log:many");
      expect(found.map(({ message }) => Number.parseInt(message, 10)).sort((a, b) => a - b)).toEqual(
        many.map((_, i) => i),
      );
      expect(readdirSync(join(root(), "notes")).filter((name) => name.endsWith(".lock"))).toEqual([]);
    },
    SLOW,
  );

  test("[OT-4.1] what cannot be written is an error, in the run too", async () => {
    expect(await bad(send("out"))).toBe("Error: Cannot write to '../out.yaml': it is outside the working directory");
    expect(existsSync(join(root(), "..", "out.yaml"))).toBe(false);
    writeFileSync(join(root(), "blocked"), "a file");
    expect(await bad(send("blocked"))).toMatch(/^Error: Cannot write to 'blocked\/x\.yaml': [A-Z]+$/);
  });

  test("a link does not lead out of the working directory", async () => {
    const elsewhere = temporaryFolder();
    const { rmSync } = await import("node:fs");
    rmSync(join(root(), "blocked"), { force: true });
    symlinkSync(elsewhere, join(root(), "blocked"));
    expect(await bad(send("blocked"))).toBe(
      "Error: Cannot write to 'blocked/x.yaml': it is outside the working directory",
    );
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});
