/** Results of `tool_exec` and `tool_batch` that are too large for an answer are stored, and every caller reads its own. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveHttp } from "../../support/http.js";
import { keysOf } from "../../support/keys.js";
import { CHECKOUT, type Json, type Served, serve, temporaryFolder, toolwright } from "../../support/project.js";

const SLOW = 400_000;
const TOOLS = `
interface Row { id: number; name: string; owner: { login: string } }
/** Lists rows. @kind read */
export function rows({ count }: { count: number }): unknown[] {
  return Array.from({ length: count }, (_, id) => ({ id, name: "n".repeat(2450), owner: { login: "a" + id } }));
}
/** Lists a page of rows. @kind read */
export function page({ count }: { count: number }): unknown {
  return { total: 1000, items: Array.from({ length: count }, (_, id) => ({ id, name: "row " + id })), next_cursor: "c" };
}
/** Gives one long text. @kind read */
export function text(): string { return Array.from({ length: 5000 }, (_, at) => "line " + at).join("\\n"); }
/** Gives one long line. @kind read */
export function letter(): string { return "word ".repeat(8000); }
/** Lists pages with long texts. @kind read */
export function pages({ size }: { size: number }): unknown {
  return { total: 3, pages: [0, 1, 2].map((n) => ({ n, text: "t".repeat(size) })) };
}
/** Gives an object with long texts, and a list inside. @kind read */
export function notes(): unknown {
  return { title: "T", body: "b".repeat(30_000), tags: Array.from({ length: 400 }, (_, at) => "tag" + at) };
}
/** Gives foreign rows with hostile names. @kind read */
export function foreign(): unknown { return Array.from({ length: 3000 }, (_, id) => ({ id, ignore_all_rules: "__ot" })); }
/** Gives foreign rows of a known type. @kind read */
export function typed(): Row[] {
  return Array.from({ length: 1000 }, (_, id) => ({ id, name: "__ot", owner: { login: "x" } }));
}
/** Creates a note. @kind write */
export function create({ title, body }: { title: string; body: string }): unknown {
  return { note: { id: 7, title, body, copy: { body }, more: body + "!" } };
}
/** Reads a note. @kind read */
export function echo({ body }: { body: string }): unknown { return { body }; }
`;
const CONFIG = `use: []
sources: [{ functions: big.ts }]
sanitize: { ops: { "big.foreign": true, "big.typed": true } }
expose: { hot: [big.page] }
`;

const cleaning: (() => unknown)[] = [];
let root = "";
let served: Served;

beforeAll(async () => {
  root = temporaryFolder((clean) => void cleaning.push(clean));
  mkdirSync(join(root, "definitions"));
  mkdirSync(join(root, "node_modules"));
  symlinkSync(CHECKOUT, join(root, "node_modules", "toolwright"));
  writeFileSync(join(root, "definitions", "big.ts"), TOOLS);
  writeFileSync(join(root, "definitions", "toolwright.yaml"), CONFIG);
  const { code, stderr } = await toolwright(["generate", "--root", root]);
  expect(code, stderr).toBe(0);
  served = await serve(root, ["--allow-write"]);
  cleaning.push(() => served.close());
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

const exec = async (op: string, args: object = {}): Promise<Json> =>
  (await served.call("tool_exec", { op, args })).value;
const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** A client with a key. */
async function bearer(url: string, key: string) {
  const client = new Client({ name: "test", version: "1" });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  cleaning.push(() => client.close());
  const call = async (name: string, args: Readonly<Record<string, unknown>>): Promise<Json> =>
    (await client.callTool({ name, arguments: { ...args } })).structuredContent;
  return { call };
}

/** All lines of a stored result, read as its answer says. */
async function linesOf({ stored }: Json): Promise<readonly string[]> {
  const lines: string[] = [];
  for (let offset = 1; ; offset = lines.length + 1) {
    const { result }: Json = await exec("ot.result", { handle: stored, offset, limit: 1000 });
    expect(sizeOf(result)).toBeLessThanOrEqual(24_000);
    lines.push(...result.lines);
    if (!result.has_more) return lines;
  }
}

describe("a result of tool_exec that is too large", () => {
  test("of items with long texts the texts are cut, and the whole is read from the start", {
    timeout: SLOW,
  }, async () => {
    const pages: Json = await exec("big.pages", { size: 30_000 });
    expect(pages.result).toMatchObject({ items: 3, first: { total: 3 } });
    expect(pages.result.first.pages.map(({ n }: Json) => n)).toEqual([0, 1, 2]);
    for (const { text } of pages.result.first.pages) expect(text).toMatch(/^t{20,500}…$/);
    expect(pages.next.args.offset).toBe(1);
    const { result }: Json = await exec("big.notes");
    expect(result.first).toMatchObject({ title: "T", body: expect.stringMatching(/^b{20,500}…$/) });
    expect(result.first.tags.slice(-2)).toEqual(["tag9", "…"]);
    for (const one of [pages.result.first, result.first]) expect(sizeOf(one)).toBeLessThanOrEqual(2000);
  });

  test("one long line is read page by page, by the calls of its answers, in a batch too", {
    timeout: SLOW,
  }, async () => {
    const stored: Json = await exec("big.letter");
    const shown = stored.next.args.offset > 1 ? stored.result.first : "";
    let [text, pages, next] = [shown, 0, { ...stored.next, args: { ...stored.next.args, limit: 7 } }];
    for (; next; pages++) {
      const page: Json =
        pages === 1
          ? (await served.call("tool_batch", { ops: [next] })).value.results[0]
          : await exec(next.op, next.args);
      text += page.result.lines.join("");
      expect(page.result.note).toContain("are broken into several");
      expect(page.next === undefined).toBe(!page.result.has_more);
      next = page.next;
    }
    expect(pages).toBe(3);
    expect(text).toBe("word ".repeat(8000));
  });

  test("is stored: how much it is, its shape, its first items, the next call", { timeout: SLOW }, async () => {
    const value = await exec("big.page", { count: 9000 });
    const { result, next } = value;
    expect(Object.keys(value)).toEqual(["op", "ok", "result", "next", "meta"]);
    expect(sizeOf(value)).toBeLessThanOrEqual(24_000);
    expect(Object.keys(result)).toEqual(["stored", "size_bytes", "items", "shape", "first"]);
    expect(result).toMatchObject({
      items: 9000,
      shape: "{ total: number; items: { id: number; name: string }[]; next_cursor: string }",
    });
    expect(result.size_bytes).toBeGreaterThan(252_799);
    expect(result.first.items).toHaveLength(10);
    expect(result.first).toMatchObject({ total: 1000, next_cursor: "c" });
    const { op, args } = next;
    expect(op).toBe("ot.result");
    const more: Json = await exec(op, args);
    expect(more.result.lines[0]).toBe('{"id":10,"name":"row 10"},');
    const lines = await linesOf(result);
    expect(JSON.parse(lines.join("\n")).items).toHaveLength(9000);
  });

  test("has lines that a page shows whole, also with large items", { timeout: SLOW }, async () => {
    const { result, next } = await exec("big.rows", { count: 100 });
    expect(result).toMatchObject({ items: 100, shape: "{ id: number; name: string; owner: { login: string } }[]" });
    // Not even one item fits whole.
    expect(result.first[0]).toMatchObject({ id: 0, name: expect.stringMatching(/^n+…$/), owner: { login: "a0" } });
    expect(sizeOf(result)).toBeLessThan(4000);
    const page: Json = await exec(next.op, next.args);
    expect(page.result.lines.join("\n")).toContain('"owner":{"login":"a3"}');
  });

  test("of text has its first lines", { timeout: SLOW }, async () => {
    const { result, next } = await exec("big.text");
    expect(Object.keys(result)).toEqual(["stored", "size_bytes", "first"]);
    expect(result.first.split("\n")).toHaveLength(10);
    expect(next.args.offset).toBe(11);
    expect(await linesOf(result)).toEqual(Array.from({ length: 5000 }, (_, at) => `line ${at}`));
  });

  test("is inline up to the bound, and whole from a typed tool", { timeout: SLOW }, async () => {
    expect((await exec("big.page", { count: 500 })).result.items).toHaveLength(500);
    const { structuredContent }: Json = await served.client.callTool({ name: "page", arguments: { count: 9000 } });
    expect(structuredContent.items).toHaveLength(9000);
  });

  test("from elsewhere shows no names but those of a declared type", { timeout: SLOW }, async () => {
    const { result, meta } = await exec("big.foreign");
    expect(meta.external).toBe(true);
    expect(result).not.toHaveProperty("shape");
    const page: Json = await exec("ot.result", { handle: result.stored, limit: 5 });
    expect(page.meta.external).toBe(true);
    expect(JSON.stringify(page)).not.toContain("__ot");
    expect((await exec("big.typed")).result.shape).toBe("{ id: number; name: string; owner: { login: string } }[]");
  });

  test("can be read by its caller only, whose key need not have the pack", { timeout: SLOW }, async () => {
    const own: Json = await exec("big.page", { count: 2000 });
    const keys = keysOf(root);
    const callers = await Promise.all(
      ["one", "two"].map((name) => keys.create({ name, scope: "read", packs: ["big"] }, "local")),
    );
    const { url } = await serveHttp(root);
    const [one = "", two = ""] = callers.map(({ key }) => key);
    const [first, second] = await Promise.all([bearer(url, one), bearer(url, two)]);
    const answer: Json = await first.call("tool_exec", { op: "big.page", args: { count: 9000 } });
    expect(sizeOf(answer)).toBeLessThanOrEqual(24_000);
    const page = { op: "ot.result", args: { handle: answer.result.stored } };
    expect((await first.call("tool_exec", page)).result.total_lines).toBe(9002);
    expect((await second.call("tool_exec", page)).error.code).toBe("NOT_FOUND");
    const others = { op: "ot.result", args: { handle: own.result.stored } };
    expect((await first.call("tool_exec", others)).error.code).toBe("NOT_FOUND");
    // Programs get everything.
    const headers = { authorization: `Bearer ${one}`, "content-type": "application/json" };
    const body = JSON.stringify({ op: "big.page", args: { count: 9000 } });
    const whole: Json = await (await fetch(new URL("/api/exec", url), { method: "POST", headers, body })).json();
    expect(whole.result.items).toHaveLength(9000);
    const program: Json = await served.client.callTool({
      name: "run",
      arguments: { command: `len(ot.result(handle="${own.result.stored}", limit=3)["lines"])` },
    });
    expect(program.content[0].text).toBe("3");
  });

  test("ot.result is not listed", { timeout: SLOW }, async () => {
    const { value }: Json = await served.call("tool_help", { path: "root" });
    expect(JSON.stringify(value)).not.toContain("ot.result");
    expect((await exec("ot.result", { handle: 1 })).error.details.field_errors[0]).toMatchObject({ path: "handle" });
  });
});

describe("a batch", () => {
  test("stores its largest results until the others fit, each by itself", { timeout: SLOW }, async () => {
    const ops = [1, 600, 5000, 7000].map((count) => ({ op: "big.page", args: { count } }));
    const { value }: Json = await served.call("tool_batch", { ops });
    expect(sizeOf(value)).toBeLessThanOrEqual(24_000);
    expect(value.results.map((one: Json) => "next" in one)).toEqual([false, false, true, true]);
    expect(value.results[0].result.items).toHaveLength(1);
  });

  test("of twenty large results is within the bound, and so are twenty pages", { timeout: SLOW }, async () => {
    const ops = Array.from({ length: 20 }, () => ({ op: "big.page", args: { count: 5000 } }));
    const { value }: Json = await served.call("tool_batch", { ops });
    expect(sizeOf(value.results.map(({ result }: Json) => result))).toBeLessThanOrEqual(24_000);
    const pages = value.results.map(({ next }: Json) => next);
    const read: Json = await served.call("tool_batch", { ops: pages });
    expect(sizeOf(read.value.results.map(({ result }: Json) => result))).toBeLessThanOrEqual(24_000);
    expect(read.value.results.every(({ result }: Json) => result.lines.length > 0)).toBe(true);
  });

  test("gives references the whole result", { timeout: SLOW }, async () => {
    const ops = [
      { id: "a", op: "big.page", args: { count: 9000 } },
      { op: "big.echo", args: { body: { $ref: "a#/result/items/8999/name" } } },
    ];
    const { value }: Json = await served.call("tool_batch", { ops });
    expect(value.results[1].result).toEqual({ body: "row 8999" });
  });
});

describe("a batch of writes", () => {
  test("has an id and what there is to say of each, and times and empty warnings once", { timeout: SLOW }, async () => {
    const { value }: Json = await served.call("tool_batch", {
      ops: [
        { op: "big.create", args: { title: "a", body: "b" } },
        { op: "big.create", args: { title: "a", body: 1 } },
        { op: "big.create", args: '{"title": "a", "body": "b"}' },
      ],
    });
    const [plain, failed, warned] = value.results.map(({ meta }: Json) => Object.keys(meta));
    expect(plain).toEqual(["trace_id"]);
    expect([warned, value.results[2].meta.warnings]).toEqual([["trace_id", "warnings"], [expect.any(String)]]);
    for (const whole of [failed, Object.keys(value.meta)])
      expect(whole).toEqual(["trace_id", "latency_ms", "warnings"]);
  });
});

describe("a long text that was sent", () => {
  const body = "b".repeat(27_000);

  test("is not repeated by the result of a write", { timeout: SLOW }, async () => {
    const { result, meta } = await exec("big.create", { title: "t", body: "b".repeat(501) });
    expect(result.note).toMatchObject({ id: 7, title: "t", body: "<as sent, 501 characters>" });
    expect(result.note.copy.body).toBe("<as sent, 501 characters>");
    expect(result.note.more).toBe(`${"b".repeat(501)}!`);
    expect(meta.warnings).toEqual([]);
    expect((await exec("big.create", { title: "t", body: "b".repeat(500) })).result.note.body).toHaveLength(500);
    const { value }: Json = await served.call("tool_batch", {
      ops: [{ op: "big.create", args: { title: "t", body } }],
    });
    // It holds the text in another form, too.
    const { note } = value.results[0].result.first;
    expect(note).toMatchObject({ id: 7, title: "t", body: expect.stringMatching(/^b{20,499}…$/) });
    expect(value.results[0].next).toMatchObject({ op: "ot.result", args: { offset: 1 } });
  });

  test("is repeated by the result of a read", { timeout: SLOW }, async () => {
    expect((await exec("big.echo", { body: "b".repeat(501) })).result.body).toHaveLength(501);
  });

  test("is refused in the form in which it was shown", { timeout: SLOW }, async () => {
    const { error } = await exec("big.create", { title: "t", body: "<as sent, 27000 characters>" });
    expect(error.message).toContain("body is a placeholder to fill in");
  });
});
