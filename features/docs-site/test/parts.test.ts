/** The parts of a page: foreign text, and one call in three forms. */

import { execFileSync } from "node:child_process";
import { posix } from "node:path";
import fc from "fast-check";
import { parseDocument } from "htmlparser2";
import type { JsonObject } from "toolwright/codegen";
import { describe, expect, test } from "vitest";
import registry from "../../../generated/registry.json" with { type: "json" };
import { parsedArguments } from "../../../runtime/cli/arguments.js";
import type { Tool } from "../../../runtime/contract/registry.js";
import { runs } from "../../../test/support/random.js";
import { addressesOf, linkTo } from "../addresses.js";
import { waysOf } from "../examples.js";
import { createRenderer, withVisibleMarks } from "../text.js";

const tools = registry.tools as unknown as readonly Tool[];
const { block, inline, code } = createRenderer();

/** Names of the elements that a piece of HTML holds. */
function elementsOf(html: string): readonly string[] {
  const names: string[] = [];
  const walk = (nodes: readonly object[]): void => {
    for (const node of nodes) {
      if ("name" in node) names.push(String(node.name));
      if ("children" in node) walk(node.children as readonly object[]);
    }
  };
  walk(parseDocument(html).children);
  return names;
}

describe("text of other people", () => {
  test.each([
    ["a script", "<script>alert(1)</script>", ["p"]],
    ["an image that fails", '<img src=x onerror="alert(1)">', ["p"]],
    ["a component", "<Component :x='1'> {{ 7*7 }} {% include 'base' %}", ["p"]],
    [
      "a link that runs",
      "[a](javascript:alert(1)) [b](data:text/html,x) [c](vbscript:x) [d](/local) [e](//host)",
      ["p"],
    ],
    ["an image in Markdown", "![x](https://example.com/a.png)", ["p", "a"]],
    ["a link of the web", "[a](https://example.com/)", ["p", "a"]],
    ["a bare address", "https://example.com/", ["p"]],
    ["headings", "# One\n\nTwo\n===", ["p", "p"]],
    ["a comment that stays open", "<!-- x", ["p"]],
    ["a block of HTML", "<div onclick=x>\n\n<style>*{}</style>\n", ["p", "p"]],
  ])("%s makes no element but what Markdown has", (_what, text, expected) => {
    expect(elementsOf(String(block(text)))).toEqual(expected);
  });

  test("what looks like a template or a tag is shown as it was written", () => {
    expect(String(inline("<b> {{ x }} & `<i>`"))).toBe("&lt;b&gt; {{ x }} &amp; <code>&lt;i&gt;</code>");
    expect(String(code("</code><script>", "python"))).not.toContain("<script");
  });

  test("a table has no inline style, and a link sends no referrer", () => {
    const html = String(block("| a | b |\n|:-:|--:|\n| 1 | [x](https://example.com/) |"));
    expect(html).not.toContain("style=");
    expect(html).toContain('rel="nofollow noopener noreferrer"');
  });

  test.each(["[", "![", "*", "`", "> ", "- ", "((", "<", "_*", "&#", "\\", "a|", "[a](", "~"])(
    "what follows 34,000 characters of %j is there",
    (mark) => {
      expect(String(block(`${mark.repeat(34_000 / mark.length)}\n\nthe end`))).toContain("the end");
    },
  );
});

describe("code of other people", () => {
  test("what takes the colours time that grows with its square stays in one colour", () => {
    expect(String(code("const a = 1", "typescript"))).toContain("hljs-");
    for (const text of [`const a = ${"e".repeat(19_000)}`, "const a = 1;\n".repeat(2_000)])
      expect(String(code(text, "typescript"))).toBe(`<pre><code>${text}</code></pre>`);
  });

  const marked = (text: string, language: "json" | "signature" = "json") =>
    [...String(code(text, language)).matchAll(/<span class="hljs-(\w+)[^"]*">([^<]*)<\/span>/g)].map(
      ([, scope, inner = ""]) => `${scope} ${inner.replaceAll("&quot;", '"')}`,
    );

  test("types and calls in TypeScript have colours", () => {
    expect(marked('a.list(args: { id?: string; "x-y": 1 | null }): Promise<"b">', "signature")).toEqual([
      ...["title list", "attr args", "attr id", "built_in string", 'attr "x-y"', "number 1", "literal null"],
      ...["title Promise", 'string "b"'],
    ]);
    expect(marked('const a = await b.c({ "d": "e: f" });', "signature")).toEqual([
      ...["keyword const", "keyword await", "title c", 'attr "d"', 'string "e: f"'],
    ]);
  });

  test("JSON has colours for members, values and comments, and none for brackets", () => {
    expect(marked('{"a:\\"b" : ["x: 1", -1.5e-7, true, null]} // "no": 1\n/* 2 */')).toEqual([
      ...['attr "a:\\"b"', 'string "x: 1"', "number -1.5e-7", "literal true", "literal null"],
      ...['comment // "no": 1', "comment /* 2 */"],
    ]);
    // Each quote of a string without an end would be tried as the beginning of one: time that grows with the square.
    const endless = `"${'\\"'.repeat(9_000)}`;
    expect(marked(`${endless}\n1`)).toEqual([`string ${endless}`, "number 1"]);
  });

  test("what turns or hides text is shown by its number; what languages need stays", () => {
    expect(withVisibleMarks("a\u202eb\u200b\u0000\u{e0041}\ufeff")).toBe("a⟨U+202E⟩b⟨U+200B⟩⟨U+0000⟩⟨U+E0041⟩⟨U+FEFF⟩");
    const fine = "\t\n می\u200cخواهم 👩\u200d💻 \u200f\u0600 é 漢字";
    expect(withVisibleMarks(fine)).toBe(fine);
    // So for every code point.
    const isInvisible = (point: number): boolean =>
      /[\p{Cc}\p{Cf}]/u.test(String.fromCodePoint(point)) &&
      !/[\t\n\r\u0600-\u0605\u06dd\u200c-\u200f]/.test(String.fromCodePoint(point));
    const points = Array.from({ length: 0x110000 }, (_, point) => point);
    const shown = points.filter((point) => withVisibleMarks(String.fromCodePoint(point)).startsWith("⟨U+"));
    expect(shown).toEqual(points.filter(isInvisible));
  });
});

/** What a shell makes of a line. */
const wordsOf = (line: string): readonly string[] =>
  execFileSync("sh", ["-c", `toolwright() { printf '%s\\0' "$@"; }\n${line}`], { encoding: "utf8" })
    .split("\0")
    .slice(0, -1);

/** The arguments that the command line makes of an example. */
function readBack(line: string, tool: Tool): unknown {
  const [exec, op, ...rest] = wordsOf(line);
  expect([exec, op]).toEqual(["exec", tool.op]);
  const words = rest.filter((one) => one !== "--allow-write");
  const at = words.indexOf("--args");
  return at < 0
    ? parsedArguments(tool, words, undefined)
    : parsedArguments(tool, words.toSpliced(at, 2), words[at + 1]);
}

describe("one call in five ways", () => {
  test("the command line parses each of our examples back unchanged", { tags: "full" }, () => {
    for (const tool of tools)
      for (const example of tool.examples) expect(readBack(waysOf(example, tool).command, tool)).toEqual(example.args);
  });

  test.each<JsonObject>([
    { text: 'it\'s $HOME `x` \\ "q" !' },
    { text: "--dry-run" },
    { text: "-x" },
    { text: "" },
    { text: "line\nbreak" },
    { text: "true", flag: true, count: 3 },
    { count: 0.5 },
    { state: "x" },
    { list: ["a"], text: "b" },
    { text: null },
    { either: "12" },
  ])("%j comes back from the command line", (args) => {
    const parameters_schema = {
      type: "object",
      properties: {
        text: { type: "string" },
        flag: { type: "boolean" },
        count: { type: "integer" },
        state: { type: "string" },
        list: { type: "array" },
        either: { type: ["string", "number"] },
      },
    };
    const parameters = Object.keys(parameters_schema.properties).map((name) => ({ original: name, name, aliases: [] }));
    const tool = { op: "a.b", kind: "write", parameters, parameters_schema } as unknown as Tool;
    expect(readBack(waysOf({ op: "a.b", args }, tool).command, tool)).toEqual(args);
  });

  test("Python has the safe names, and its own words", () => {
    const tool = {
      op: "a.b",
      kind: "read",
      parameters: [{ original: "from", name: "from_" }],
      parameters_schema: {},
    } as unknown as Tool;
    const ways = waysOf({ op: "a.b", args: { from: { x: [true, null, 'say "a"'] } } }, tool);
    expect(ways.python).toBe('a.b(from_={"x": [True, None, "say \\"a\\""]})');
    const call = { op: "a.b", args: { from: { x: [true, null, 'say "a"'] } } };
    expect(JSON.parse(ways.mcp)).toEqual({ name: "tool_exec", arguments: call });
    const [, body = ""] = /-d '(.*)' \\\n/.exec(ways.curl) ?? [];
    expect(JSON.parse(body)).toEqual(call);
    expect(ways.program).toBe('await a.b({ from: { x: [true, null, "say \\"a\\""] } })');
    expect(ways.client).toContain('client.a.b({ "from": { "x": [true, null, "say \\"a\\""] } })');
  });
});

describe("addresses", () => {
  const pack = (name: string) => ({ name, summary: "", source: "local" as const, entities: {}, topics: [] });
  const of = (name: string, slug: string) =>
    addressesOf({ ...(registry as never as object), packs: [pack(name)] } as never, new Map([[name, slug]]));

  test("a slug may have folders; what would lead elsewhere is refused", () => {
    expect(of("web", "tools/web-fetch").op("web.fetch")).toBe("tools/web-fetch/web.fetch");
    for (const slug of ["..", "../x", "a//b", "", "/a", "a b", ".git", "https://x"])
      expect(() => of("web", slug), slug).toThrow(/docs\.slugs\.web/);
  });

  test("links are relative, from any depth", () => {
    expect(linkTo("", "a/index.html")).toBe("a/index.html");
    expect(linkTo("a/b", "index.html")).toBe("../../index.html");
    expect(linkTo("a", "a/index.html")).toBe("index.html");
  });

  test("links are those of node:path, for any two places", () => {
    const place = fc.array(fc.constantFrom("a", "b", "ab", "c.d"), { maxLength: 4 }).map((parts) => parts.join("/"));
    fc.assert(
      fc.property(place, place, (from, folder) => {
        const file = posix.join(folder, "index.html");
        expect(linkTo(from, file)).toBe(posix.relative(`/${from}`, `/${file}`));
      }),
      runs(2_000),
    );
  });
});
