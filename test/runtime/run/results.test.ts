/** Results too large for a reply: stored, paged, searched, expired. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { OutputSettings } from "../../../runtime/config/run-settings.js";
import { pythonCall } from "../../../runtime/contract/python-types.js";
import { firstLines, readableJson, resultSentence } from "../../../runtime/run/result-text.js";
import {
  cleanResults,
  type FinalText,
  fileResults,
  RESULT_BOUNDS,
  readStoredResult,
  replyOf as replyFrom,
  resultFile,
} from "../../../runtime/run/results.js";
import { runs } from "../../support/random.js";

const OUTPUT: OutputSettings = { maxInlineSize: 50_000, previewLines: 10, previewBytes: 2000, resultTtl: 3600 };
const NOW = new Date("2026-01-02T03:04:05.678Z");

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "results-"));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const replyOf = (folder: string, final: Omit<FinalText, "call">, output: OutputSettings, now: Date) =>
  replyFrom(
    fileResults(folder, output.resultTtl, () => now),
    { ...final, call: pythonCall },
    output,
  );

const files = (): readonly string[] => {
  const folder = join(root, ".onetool", "tmp");
  return existsSync(folder) ? readdirSync(folder).sort() : [];
};

const store = async (text: string, output = OUTPUT, boundary?: { id: string; sources: readonly string[] }) => {
  const reply = await replyOf(root, { text, tool: "demo.big", ...(boundary && { boundary }) }, output, NOW);
  if (reply.kind !== "stored") throw new Error("not stored");
  return { ...reply, said: JSON.parse(reply.text) as Record<string, unknown> };
};

describe("replyOf", () => {
  it("stores strictly above the threshold, counted in bytes, and nothing at 0", async () => {
    expect(await replyOf(root, { text: "x".repeat(50_000), tool: "run" }, OUTPUT, NOW)).toMatchObject({
      kind: "inline",
    });
    expect(await replyOf(root, { text: "é".repeat(25_001), tool: "run" }, OUTPUT, NOW)).toMatchObject({
      kind: "stored",
    });
    expect((await store("x".repeat(50_001))).meta.size_bytes).toBe(50_001);
    const off = { ...OUTPUT, maxInlineSize: 0 };
    expect(await replyOf(root, { text: "x".repeat(90_000), tool: "run" }, off, NOW)).toMatchObject({ kind: "inline" });
  });

  it("stores no API key: of one that a call was answered with, the key id is left", async () => {
    const key = `oub_abcdefghij_${"S-_9".repeat(10)}abc`;
    const { meta, text } = await store(`${"x".repeat(50_000)}\n{"key": "${key}"} 'a\\n${key}'`);
    for (const name of files()) expect(readFileSync(join(root, ".onetool", "tmp", name), "utf8")).not.toContain("S-_9");
    expect(text).not.toContain("S-_9");
    const found = await readStoredResult(root, meta.handle, 3600, NOW);
    expect(found).toMatchObject({
      kind: "found",
      text: expect.stringContaining(`{"key": "oub_abcdefghij_***"} 'a\\noub_abcdefghij_***'`),
    });
  });

  it("answers with handle, figures, summary, preview and the next call", async () => {
    const text = Array.from({ length: 9000 }, (_, i) => `line${i}`).join("\n");
    const { said, meta, text: reply } = await store(text);
    expect(said).toEqual({
      handle: meta.handle,
      total_lines: 9000,
      size_bytes: 79_889,
      summary: "9000 lines from demo.big",
      preview: Array.from({ length: 10 }, (_, i) => `line${i}`).join("\n"),
      query: `ot.result(handle='${meta.handle}', offset=1, limit=50)`,
    });
    expect(Object.keys(said)).toEqual(["handle", "total_lines", "size_bytes", "summary", "preview", "query"]);
    expect(meta.handle).toMatch(/^[0-9a-f]{12}$/);
    expect(reply).not.toContain("\n");
    expect(JSON.parse(readFileSync(resultFile(root, meta.handle, "meta.json"), "utf8"))).toEqual({
      handle: meta.handle,
      total_lines: 9000,
      size_bytes: 79_889,
      created_at: "2026-01-02T03:04:05.678Z",
      tool: "demo.big",
    });
    expect(readFileSync(resultFile(root, meta.handle, "txt"), "utf8")).toBe(text);
    expect(files()).toEqual([`result-${meta.handle}.meta.json`, `result-${meta.handle}.txt`]);
  });

  it("names the tables of a result with their columns, between tags if they are foreign text", async () => {
    const text = JSON.stringify({
      data: {
        issues: [
          { id: 1, note: "x".repeat(60_000) },
          { id: 2, team: { id: 1 } },
        ],
      },
    });
    const { said, meta } = await store(text);
    const table = `rows="data.issues": r(id integer, note text, team json), 2 rows; join on id, team->>'id'`;
    expect(said).toMatchObject({ table, sql: `ot.query(handle='${meta.handle}', sql='select count(*) from r')` });
    const foreign = await store(text, OUTPUT, { id: "9f31c0a4d27e", sources: ["demo.big"] });
    expect(foreign.said["table"]).toBe(
      `<external-content-9f31c0a4d27e source="demo.big">\n${table}\n</external-content-9f31c0a4d27e>`,
    );
  });

  it("keeps the latest results of a caller within their bounds, and those of others", async () => {
    const results = fileResults(root, 3600, () => NOW);
    const keep = (handle: string, size_bytes: number, at: number, caller?: string) =>
      fileResults(root, 3600, () => new Date(NOW.getTime() + at)).keep({
        ...{ content: "x", handle, size_bytes, total_lines: 1, tool: "run" },
        ...(caller === undefined ? {} : { caller }),
      });
    const most = RESULT_BOUNDS.bytes;
    await keep("00000000000f", most, 0, "another");
    for (let at = 0; at < 5; at++) await keep(`00000000000${at}`, most, at);
    const found = await Promise.all(["0", "1", "4", "f"].map((end) => results.read(`00000000000${end}`)));
    expect(found.map(({ kind }) => kind)).toEqual(["unknown", "found", "found", "found"]);
    await expect(keep("00000000000a", most + 1, 9)).rejects.toMatchObject({ code: "VALIDATION_ERROR" });
  });

  it.skipIf(process.platform === "win32")("keeps files and folder to the owner", async () => {
    const { meta } = await store("x".repeat(60_000));
    expect(statSync(resultFile(root, meta.handle, "txt")).mode & 0o777).toBe(0o600);
    expect(statSync(resultFile(root, meta.handle, "meta.json")).mode & 0o777).toBe(0o600);
    expect(statSync(join(root, ".onetool", "tmp")).mode & 0o777).toBe(0o700);
  });

  it("puts the preview of a sanitised result between tags, and counts the tags as size", async () => {
    const boundary = { id: "9f31c0a4d27e", sources: ["demo.big"] };
    const { said, meta } = await store("x".repeat(49_990), OUTPUT, boundary);
    expect(said["preview"]).toMatch(
      /^<external-content-9f31c0a4d27e source="demo.big">\nx+\.\.\.\n<\/external-content-9f31c0a4d27e>$/,
    );
    expect(readFileSync(resultFile(root, meta.handle, "txt"), "utf8")).toBe("x".repeat(49_990));
  });

  it("names no key of a sanitised object, which is foreign text", async () => {
    const text = JSON.stringify({ secret_key: "x".repeat(60_000), b: 1 });
    expect((await store(text)).said["summary"]).toBe("object with 2 keys (secret_key, b) from demo.big");
    const boundary = { id: "9f31c0a4d27e", sources: ["demo.big"] };
    expect((await store(text, OUTPUT, boundary)).said["summary"]).toBe("object with 2 keys from demo.big");
  });

  it("gives what fits inline where it cannot be stored", async () => {
    writeFileSync(join(root, ".onetool"), "a file");
    const reply = await replyOf(root, { text: "é".repeat(60_000), tool: "run" }, OUTPUT, NOW);
    expect(reply.kind).toBe("inline");
    expect(reply.text).toMatch(
      /^é{20000,25000}\.\.\.\n\(The rest is lost: the result could not be stored, E[A-Z]+\.\)$/,
    );
    expect(reply.text).not.toContain(root);
  });
});

describe("stored results", () => {
  it("are read by their handle until they expire, and then deleted", async () => {
    const { meta } = await store("x".repeat(60_000));
    const later = (seconds: number) => new Date(NOW.getTime() + seconds * 1000);
    expect(await readStoredResult(root, meta.handle, 3600, later(3600))).toMatchObject({
      kind: "found",
      text: "x".repeat(60_000),
      meta,
    });
    expect(await readStoredResult(root, meta.handle, 0, later(1e9))).toMatchObject({ kind: "found" });
    expect(await readStoredResult(root, meta.handle, 3600, later(3601))).toEqual({ kind: "expired" });
    expect(await readStoredResult(root, meta.handle, 3600, NOW)).toEqual({ kind: "unknown" });
    expect(files()).toEqual([]);
    for (const handle of ["nope", "../../../etc/pw", "0123456789AB", "0123456789ab", ""])
      expect(await readStoredResult(root, handle, 3600, NOW)).toEqual({ kind: "unknown" });
  });

  it("are those of their caller alone, and of the owner of the machine", async () => {
    const caller = "abcdefghij";
    const reply = await replyOf(root, { text: "x".repeat(60_000), tool: "run", caller }, OUTPUT, NOW);
    if (reply.kind !== "stored") throw new Error("not stored");
    const { handle } = reply.meta;
    expect(reply.meta).toMatchObject({ caller });
    for (const reader of [caller, "local", undefined])
      expect(await readStoredResult(root, handle, 3600, NOW, reader)).toMatchObject({ kind: "found" });
    expect(await readStoredResult(root, handle, 3600, NOW, "other")).toEqual({ kind: "unknown" });
    const own = await store("x".repeat(60_000));
    expect(own.meta).not.toHaveProperty("caller");
    expect(await readStoredResult(root, own.meta.handle, 3600, NOW, caller)).toEqual({ kind: "unknown" });
  });

  it("say whether they were sanitised", async () => {
    const { meta } = await store("x".repeat(60_000), OUTPUT, { id: "9f31c0a4d27e", sources: [] });
    expect(meta).toMatchObject({ sanitized: true });
    expect((await store("x".repeat(60_000))).meta).not.toHaveProperty("sanitized");
  });

  it("are looked for by whole handles only", async () => {
    const { meta } = await store("x".repeat(60_000));
    for (const name of [`a${meta.handle}`, `${meta.handle}a`])
      for (const end of ["txt", "meta.json"] as const)
        writeFileSync(resultFile(root, name, end), readFileSync(resultFile(root, meta.handle, end), "utf8"));
    for (const name of [`a${meta.handle}`, `${meta.handle}a`])
      expect(await readStoredResult(root, name, 3600, NOW)).toEqual({ kind: "unknown" });
  });

  it("have expired although their text is gone already", async () => {
    const { meta } = await store("x".repeat(60_000));
    rmSync(resultFile(root, meta.handle, "txt"));
    expect(await readStoredResult(root, meta.handle, 1, new Date(NOW.getTime() + 2000))).toEqual({ kind: "expired" });
    expect(files()).toEqual([]);
  });

  it("need no folder to be cleaned, and files of other names stay", async () => {
    await cleanResults(root, 1, new Date());
    const folder = join(root, ".onetool", "tmp");
    mkdirSync(folder, { recursive: true });
    const names = ["my-result-0123456789ab.txt", "result-0123456789ab.txt.bak", "result-0123456789ab.txt.x.tmp"];
    for (const name of names) {
      writeFileSync(join(folder, name), "x");
      utimesSync(join(folder, name), 1, 1);
    }
    await cleanResults(root, 1, new Date());
    expect(files()).toEqual(names);
  });

  it("are cleaned with their orphans on every store; other files stay", async () => {
    const folder = join(root, ".onetool", "tmp");
    mkdirSync(folder, { recursive: true });
    const old = [
      "result-0123456789ab.txt",
      "result-0123456789ab.meta.json",
      "result-1123456789ab.txt",
      "result-2123456789ab.meta.json",
      "result-3123456789ab.txt.17.tmp",
      "other.txt",
      "result-x.txt",
    ];
    for (const name of [...old, "result-4123456789ab.txt"]) writeFileSync(join(folder, name), "x");
    for (const name of old) utimesSync(join(folder, name), 1, 1);
    await cleanResults(root, 0, new Date());
    expect(files()).toHaveLength(8);
    await replyOf(root, { text: "x".repeat(60_000), tool: "run" }, OUTPUT, new Date());
    expect(files().filter((name) => old.includes(name))).toEqual(["other.txt", "result-x.txt"]);
    expect(files()).toContain("result-4123456789ab.txt");
    expect(files()).toHaveLength(5);
  });

  it.skipIf(process.platform === "win32" || process.getuid?.() === 0)("that cannot be read are unknown", async () => {
    const { meta } = await store("x".repeat(60_000));
    chmodSync(resultFile(root, meta.handle, "txt"), 0o000);
    expect(await readStoredResult(root, meta.handle, 3600, NOW)).toEqual({ kind: "unknown" });
  });
});

describe("text of a result", () => {
  it.each([
    ['[{"a":"],[,"},[1,2],"\\",",3.0]', '[{"a":"],[,"},\n[1,2],\n"\\",",\n3.0]'],
    ['{"b":[1,2],"10":{"c":1,"d":2},"2":1}', '{"b":[1,2],\n"10":{"c":1,"d":2},\n"2":1}'],
    ["[1]", "[1]"],
    ["[1, 2]", "[1,\n2]"],
    ["[]", "[]"],
    ["[1,2", "[1,2"],
    ["[\n  1,\n  2\n]", "[\n  1,\n  2\n]"],
    ["a,b", "a,b"],
  ])("%j is laid out as %j", (text, lines) => {
    expect(readableJson(text)).toBe(lines);
  });

  it("stays the same JSON, one element a line", () => {
    fc.assert(
      fc.property(fc.array(fc.jsonValue(), { minLength: 1 }), (items) => {
        const text = readableJson(JSON.stringify(items));
        expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(items)));
        expect(text.split("\n")).toHaveLength(items.length);
      }),
      runs(5_000),
    );
  });

  it("is previewed within lines and bytes, and never cut inside a character", () => {
    expect(firstLines("a\nb\nc", 2, 100)).toBe("a\nb");
    expect(firstLines("abcdefghij", 5, 8)).toBe("abcde...");
    expect(firstLines("abc", 1, 3)).toBe("abc");
    expect(firstLines("日本語", 1, 8)).toBe("日...");
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom("a", "é", "😀", "\n", "日") }), fc.nat(20), (text, bytes) => {
        const start = firstLines(text, 3, bytes + 3);
        expect(Buffer.byteLength(start)).toBeLessThanOrEqual(bytes + 3);
        expect(start).not.toContain("\ufffd");
        expect(text.startsWith(start.replace(/\.\.\.$/, ""))).toBe(true);
      }),
      runs(5_000),
    );
  });

  it.each([
    [JSON.stringify(Array.from({ length: 1200 }, () => 1)), "1200 items from brave.search"],
    ['{"a":1,"b":2,"c":3,"d":4}', "object with 4 keys (a, b, c, d) from brave.search"],
    ["src/a.ts:1:x\nsrc/a.ts:22:y\nb.ts:3:z\n", "3 matches in 2 files"],
    ["a\nb", "2 lines from brave.search"],
    ["\n\n", "3 lines from brave.search"],
    ["{}", "1 lines from brave.search"],
    ["[]", "1 lines from brave.search"],
    ["[1", "1 lines from brave.search"],
    ['"[x]"', "1 lines from brave.search"],
    [
      JSON.stringify(Object.fromEntries([..."abcdefgh"].map((key) => [key, 1]))),
      "object with 8 keys (a, b, c, d, e, f, g, h) from brave.search",
    ],
    [
      JSON.stringify(Object.fromEntries([..."abcdefghi"].map((key) => [key, 1]))),
      "object with 9 keys (a, b, c, d, e, f, g, h, ...) from brave.search",
    ],
    [
      JSON.stringify({ ["k".repeat(40)]: 1, ["l".repeat(41)]: 2 }),
      `object with 2 keys (${"k".repeat(40)}, ${"l".repeat(37)}...) from brave.search`,
    ],
    ["10:20:30\nnoon", "2 lines from brave.search"],
  ])("row %# has its sentence", (text, summary) => {
    expect(resultSentence({ text, lines: text.split("\n").length, tool: "brave.search", foreign: false })).toBe(
      summary,
    );
  });
});
