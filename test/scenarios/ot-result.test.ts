/** `ot.result` and `ot.notify`. */

import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { CHECKOUT, generatedRoot, type Json, serve, temporaryFolder, toolwright } from "../support/project.js";
import { runDemo, SLOW } from "../support/run/run-demo.js";

const { root, server, ok, bad } = runDemo(join(CHECKOUT, "test/support/demos/ot-demo/definitions"));

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
    expect(await page(`handle="${await big()}", offset=1, limit=100`)).toEqual(found);
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
    ["[OT-13.2] up to the last line but one", "offset=8951, limit=49", { returned: 49, has_more: true }],
    ["[OT-13.2] behind the end", "offset=9500", { lines: [], returned: 0, offset: 9500, has_more: false }],
    [
      "[OT-13.3] a search",
      'search="LINE99\\\\d$"',
      { lines: lines(990, 999), total_lines: 9000, matched_lines: 10, has_more: false },
    ],
    [
      "[OT-13.3] a page of what was found",
      'search="line99\\\\d$", offset=3, limit=2',
      { lines: lines(992, 993), line_numbers: [993, 994], matched_lines: 10, returned: 2, offset: 3, has_more: true },
    ],
    ["[OT-13.3] nothing found", 'search="absent"', { lines: [], total_lines: 9000, matched_lines: 0, has_more: false }],
  ])("%s: the page has the lines that were asked for", async (_, args, expected) => {
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

  test("[OT-13.4] the best first, wherever it is stored; offset and limit count in that order", async () => {
    const handle = stored(["other", "confgi", "configured by hand", "unrelated", "config"].join("\n"), "0123456789ac");
    const search = `handle="${handle}", search="confgi", fuzzy=True`;
    expect((await page(search)).lines[0]).toBe("confgi");
    const near = stored(["cnfiguration", "nothing", "my configuration", "configuration"].join("\n"), "0123456789ad");
    const ordered = await page(`handle="${near}", search="my configuration", fuzzy=True`);
    expect(ordered).toMatchObject({ lines: ["my configuration", "configuration", "cnfiguration"], matched_lines: 3 });
    expect(await page(`handle="${near}", search="my configuration", fuzzy=True, offset=2, limit=1`)).toMatchObject({
      lines: ["configuration"],
      offset: 2,
      returned: 1,
      has_more: true,
    });
  });

  test("[OT-13.5] a handle that is unknown", async () => {
    expect(await bad('ot.result(handle="nope")')).toBe(
      "Error: Result 'nope' not found. Results are kept 3600 s. Run the code again if it only reads.",
    );
    expect(await bad('ot.result(handle="00112233aabb")')).toMatch(/^Error: Result '00112233aabb' not found\./);
    expect(await bad('x = ot.result(handle="../../secrets")\nx')).toContain("Error: Result '../../secrets' not found.");
    const { value } = await server().call("tool_exec", { op: "ot.result", args: { handle: "nope" } });
    const error = { code: "NOT_FOUND", message: expect.stringMatching(/^Result 'nope' not found/) };
    expect(value).toMatchObject({ ok: false, error });
    const { value: batch } = await server().call("tool_batch", {
      ops: [{ op: "ot.result", args: { handle: "nope" } }],
    });
    expect(batch).toMatchObject({ results: [{ ok: false, error }] });
    // A program gets the text, unless it asks for failures in their place.
    expect(await ok('x = ot.result(handle="nope")\nlen(x)')).toMatch(/^\d+$/);
    expect(JSON.parse(await ok('x = ot.batch([("ot.result", {"handle": "nope"})])\nx'))).toEqual([
      { error: expect.stringMatching(/^LookupError: .*Result 'nope' not found/) },
    ]);
  });

  test("[OT-13.6] a handle that has expired", async () => {
    const handle = stored("old", "abcdefabcdef", 3700);
    const left = (): readonly string[] =>
      readdirSync(join(root(), ".onetool", "tmp")).filter((name) => name.includes(handle));
    expect(left()).toHaveLength(2);
    expect(await bad(`ot.result(handle="${handle}")`)).toBe(
      `Error: Result '${handle}' has expired. Run the code again if it only reads.`,
    );
    expect(left()).toEqual([]);
  });

  test.each([
    ["[OT-13.9]", "offset=0", "ValueError: offset must be >= 1 (1-indexed), got 0"],
    ["[OT-13.10]", "limit=0", "ValueError: limit must be >= 1, got 0"],
    ["an invalid pattern:", 'search="[bad"', "ValueError: invalid search pattern '[bad': Unterminated character class"],
  ])("%s %s is refused", async (_, args, text) => {
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

  test("[OT-13.1] a reply that is cut to output.max_inline_size says so, and what to ask next; it is never stored itself", async () => {
    const line = (i: number): string => `${i} ${`'"é\u0001`.repeat(100)}`;
    const many = stored(Array.from({ length: 500 }, (_, i) => line(i)).join("\n"), "2b2b2b2b2b2b");
    for (const format of ["", '__format__ = "json_h"\n', '__format__ = "yml_h"\n', '__format__ = "raw"\n']) {
      const text = await ok(`${format}ot.result(handle="${many}", limit=500)`);
      expect(text).not.toContain("preview");
      expect(text).toContain("Cut to output.max_inline_size (50000 bytes): ");
      expect(Buffer.byteLength(text)).toBeLessThanOrEqual(50_000);
    }
    let [seen, next] = [0, `ot.result(handle="${many}", limit=500)`];
    for (; next !== ""; ) {
      const found: Json = JSON.parse(await ok(`x = ${next}\nx`));
      expect(found).toMatchObject({ offset: seen + 1, returned: found.lines.length, total_lines: 500 });
      expect(found.lines).toEqual(Array.from({ length: found.returned }, (_, i) => line(seen + i)));
      const asked = Math.min(500, 500 - seen);
      seen += found.returned;
      next = seen < 500 ? `ot.result(handle="${many}", offset=${seen + 1}, limit=500)` : "";
      expect([found.has_more, found.note]).toEqual(
        seen < 500
          ? [true, `Cut to output.max_inline_size (50000 bytes): ${found.returned} of ${asked} lines. Next: ${next}`]
          : [false, undefined],
      );
    }
    expect(seen).toBe(500);
  });

  test("[OT-13.1] the note of a reply that is cut keeps what was searched for", async () => {
    const wide = stored(Array.from({ length: 300 }, (_, i) => `no${i} ${"x".repeat(900)}`).join("\n"), "3c3c3c3c3c3c");
    const found = await page(`handle="${wide}", search="NO\\d", limit=90`);
    expect(found).toMatchObject({ matched_lines: 300, has_more: true });
    const next = `ot.result(handle="${wide}", offset=${found.returned + 1}, limit=90, search="NO\\\\d")`;
    expect(found.note).toBe(
      `Cut to output.max_inline_size (50000 bytes): ${found.returned} of 90 lines. Next: ${next}`,
    );
    const after: Json = JSON.parse(await ok(`x = ${next}\nx`));
    expect(after.lines[0].split(" ")[0]).toBe(`no${found.returned}`);
    const [long, fuzzy] = [`no[${"0123456789".repeat(1500)}]`, "no1 no2 no3 no4"];
    expect((await page(`handle="${wide}", search="${long}"`)).note).toMatch(/ Next: the same with offset=\d+$/);
    const near = await page(`handle="${wide}", search="${fuzzy}", fuzzy=True`);
    expect(near.note).toContain(`, search="${fuzzy}", fuzzy=True)`);
  });

  test("[OT-13.1] with little room some lines come whole, and the note says the rest", { timeout: SLOW }, async () => {
    const small = await generatedRoot(join(CHECKOUT, "test/support/demos/ot-demo/definitions"));
    const file = join(small, "definitions", "toolwright.yaml");
    writeFileSync(file, `output: { max_inline_size: 800 }\n${readFileSync(file, "utf8")}`);
    const served = await serve(small);
    const run = async (command: string): Promise<string> => {
      const { content } = await served.client.callTool({ name: "run", arguments: { command } });
      const [block] = content;
      return block?.type === "text" ? block.text : "";
    };
    const { handle } = JSON.parse(await run("demo.big(n=900)"));
    const reply = await run(`ot.result(handle="${handle}")`);
    const found = parse(reply);
    expect(Buffer.byteLength(reply)).toBeLessThanOrEqual(800);
    expect(found.returned).toBeGreaterThan(5);
    expect(found.lines).toEqual(lines(0, found.returned - 1));
    expect(found.note).toBe(
      `Cut to output.max_inline_size (800 bytes): ${found.returned} of 100 lines. Next: ot.result(handle="${handle}", offset=${found.returned + 1})`,
    );
    await served.close();
  });

  test("long lines are broken into pieces that pages hold, which a note says; a match in one is cut", async () => {
    const long = stored(`${"x".repeat(50_001)}\nshort`, "1a1a1a1a1a1a");
    const first = await page(`handle="${long}", limit=20`);
    expect(first).toMatchObject({ total_lines: 27, returned: 20, has_more: true });
    expect(first.note).toBe(
      "Lines over 2000 characters are broken into several, to be joined without a line break: 1-20, 20 goes on in 21.",
    );
    const rest = await page(`handle="${long}", offset=21`);
    expect(rest.note).toMatch(/: 21-26, 21 goes on from 20\.$/);
    expect([...first.lines, ...rest.lines.slice(0, 6)].join("")).toBe("x".repeat(50_001));
    expect(rest.lines[6]).toBe("short");
    const text = "word ".repeat(3000);
    const words = await page(`handle="${stored(text, "2a2a2a2a2a2a")}"`);
    expect(words.lines.join("")).toBe(text);
    for (const line of words.lines) expect(line).toMatch(/^(?:word ){1,400}$/);
    expect(await page(`handle="${long}", search="x"`)).toMatchObject({
      lines: [`${"x".repeat(2000)}... (+48001 characters)`],
      note: "Long lines are cut; pages without search have the rest, and ot.load(handle) gives a program all of it.",
    });
    expect(await page(`handle="${long}", offset=27`)).not.toHaveProperty("note");
    expect(await page(`handle="${await big()}", limit=2`)).not.toHaveProperty("note");
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

  test("[OT-4.1] what the file holds already stays, and the document begins on a line of its own", async () => {
    mkdirSync(join(root(), "notes"), { recursive: true });
    writeFileSync(join(root(), "notes/log.yaml"), "kept: true");
    expect(await ok(send("log:x", "one"))).toBe("OK: log:x -> notes/log.yaml");
    const [kept, added, ...more] = documents("notes/log.yaml");
    expect([kept, more]).toEqual([{ kept: true }, []]);
    expect(Object.keys(added)).toEqual(["ts", "topic", "message"]);
    expect(added).toMatchObject({ topic: "log:x", message: "one" });
    expect(Math.abs(Date.now() - Date.parse(added.ts))).toBeLessThan(SLOW);
  });

  test("[OT-4.1] of several patterns the first decides", async () => {
    expect(await ok(send("log:late"))).toBe("OK: log:late -> notes/log.yaml");
    expect(existsSync(join(root(), "notes/late.yaml"))).toBe(false);
  });

  test("[OT-4.2] a topic that no pattern fits writes nothing; one star stops at a colon, two do not", async () => {
    const below = (path: string): readonly string[] =>
      statSync(path).isDirectory()
        ? readdirSync(path, { recursive: true }).map((name) => join(path, String(name)))
        : [];
    const files = (): readonly string[] =>
      readdirSync(root())
        // A link in it leads to all files of the checkout.
        .filter((name) => name !== "node_modules")
        .flatMap((name) => [name, ...below(join(root(), name))])
        .filter((name) => name.endsWith(".yaml"));
    const before = files();
    expect(await ok('ot.notify(topic="unknown:topic", message="test")')).toBe("SKIP: no matching topic");
    expect(files()).toEqual(before);
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
