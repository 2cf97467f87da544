/** `toolwright learn`: from calls, and from recorded results; and what the learned types do after that. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { type Json, temporaryFolder, toolwright } from "../../../test/support/project.js";

const TOOLS = [
  ["list_books", { page: { type: "integer" } }],
  ["get_book", { id: { type: "string" } }],
].map(([name, properties]) => ({
  type: "function",
  function: { name, description: "Read books.", parameters: { type: "object", properties } },
}));

const HANDLERS = `export const handlers = {
  "shop.book.list": async () => ({ items: [{ title: "a" }], total: 1 }),
  "shop.book.get": async () => ({ title: "a" }),
};
`;

function project(): string {
  const root = temporaryFolder();
  const definitions = join(root, "definitions");
  mkdirSync(definitions);
  writeFileSync(join(definitions, "shop.json"), JSON.stringify(TOOLS));
  writeFileSync(join(definitions, "handlers.ts"), HANDLERS);
  const source = "{ chat-tools: shop.json, pack: shop, kind: read, handlers: handlers.ts }";
  const ops = "ops: { list_books: { op: shop.book.list }, get_book: { op: shop.book.get } }";
  writeFileSync(join(definitions, "toolwright.yaml"), `sources:\n  - ${source}\n${ops}\n`);
  return root;
}

/** Writes recorded results of an op: a day apart, each with other arguments. */
function record(root: string, op: string, count: number): void {
  mkdirSync(join(root, "samples"), { recursive: true });
  const line = (i: number) =>
    JSON.stringify({
      args: { page: i },
      day: `2026-11-0${1 + (i % 2)}`,
      result: { items: [{ title: "a" }], total: i, "canary@example.com": "canary-text" },
    });
  writeFileSync(join(root, `samples/${op}.ndjson`), Array.from({ length: count }, (_, i) => line(i)).join("\n"));
}

const learned = (root: string): string => readFileSync(join(root, "definitions/learned/shop.json"), "utf8");

describe("toolwright learn", { timeout: 600_000 }, () => {
  test("a locked type checks programs before they run, a hint does not", { tags: "slow" }, async () => {
    const root = project();
    const run = (...words: readonly string[]) => toolwright([...words, "--root", root]);
    record(root, "shop.book.list", 40);
    record(root, "shop.book.get", 8);
    const { stdout, code } = await run("learn", "--from", "samples");
    expect(stdout).toBe(
      [
        "shop.book.get   hint    from 3+ calls  new",
        "  to be locked: 22 more calls with other arguments, or in other hours if it takes none (8 of 30)",
        "shop.book.list  locked  from 30+ calls  new",
        '1 file written: definitions/learned/shop.json. Review the change, and run "toolwright generate".\n',
      ].join("\n"),
    );
    expect(code).toBe(0);
    const text = learned(root);
    expect(text.split("\n")).toHaveLength(5);
    expect((await run("learn", "--from", "samples")).stdout).toContain("locked  from 30+ calls  unchanged");
    expect(learned(root)).toBe(text);

    await run("generate");
    const wrong = await run("run", "--check", "--json", "-c", "shop.book.list()['itms']\nshop.book.get()['itms']");
    // Nobody has promised the type: it is advice.
    expect(wrong.code).toBe(0);
    expect((JSON.parse(wrong.stdout) as Json).findings).toMatchObject([
      {
        line: 1,
        message: "results of shop.book.list() have no known key 'itms' (30+ calls seen so far); did you mean 'items'?",
        is_learned: true,
      },
    ]);
    const right = [
      "r = shop.book.list(page=1)",
      'shop.book.list(page=r["total"])',
      'shop.book.get(id=r["items"][0]["title"])',
      'r["extra"] = 5',
      'r["extra"] + 1',
      'if "rare" in r: print(r["rare"])',
      'r["sha256"]',
    ];
    expect((await run("run", "--check", "-c", right.join("\n"))).stdout).toBe("nothing found\n");
    expect(readFileSync(join(root, "generated/types.ts"), "utf8")).toContain(
      "Result of shop.book.list, learned from 30+ calls.",
    );
    expect((await run("help", "shop.book.get", "--full")).stdout).toContain("learned from 3+ calls, not certain");
    const short = (await run("help", "shop.book.list")).stdout;
    expect(short).toMatch(/Returns\n {2}- \{ items: .*\} \(learned from 30\+ calls\)\n/);
    const explained = (await run("explain", "shop.book.list")).stdout;
    expect(explained).toContain(
      "  returns: learned from 30+ calls (new in ≤1% of them): programs are checked against it\n",
    );
    expect(explained).toMatch(/typescript: .*: Promise<\{ items: \{ title: string \}\[\]; total: number \}>\n/);
    const hint = (await run("explain", "shop.book.get")).stdout;
    expect(hint).toMatch(/returns: .* a hint: .*; so far \{ items\?: /);
    expect(hint).toContain("Promise<unknown>");
    for (const file of [
      "generated/types.ts",
      "generated/registry.json",
      "generated/stubs.pyi",
      "definitions/learned/shop.json",
    ])
      expect(readFileSync(join(root, file), "utf8")).not.toContain("canary");
    // What was seen is not promised.
    const { tools } = JSON.parse(readFileSync(join(root, "generated/registry.json"), "utf8")) as { tools: Json[] };
    const own = tools.filter(({ op }) => String(op).startsWith("shop."));
    expect(own.map((tool) => [tool["op"], "result_schema" in tool, "learned_result" in tool])).toEqual([
      ["shop.book.get", false, true],
      ["shop.book.list", false, true],
    ]);
  });

  test("a changed definition makes a type stale, which --check reports; a pinned one stays", {
    tags: "full",
  }, async () => {
    const root = project();
    const run = (...words: readonly string[]) => toolwright([...words, "--root", root]);
    record(root, "shop.book.list", 40);
    await run("learn", "--from", "samples");
    expect(await run("learn", "--check")).toMatchObject({
      code: 0,
      stdout: "1 learned type, 1 locked, 0 out of date\n",
    });
    const file = join(root, "definitions/shop.json");
    writeFileSync(file, readFileSync(file, "utf8").replace('"integer"', '"number"'));
    const { code, stdout } = await run("learn", "--check");
    expect([code, stdout]).toEqual([1, expect.stringContaining("the input of shop.book.list has changed")]);
    const stale = readFileSync(join(root, "samples/shop.book.list.ndjson"), "utf8");
    writeFileSync(join(root, "samples/shop.book.list.ndjson"), "");
    expect((await run("learn", "--from", "samples")).stdout).toContain(
      "shop.book.list  stale   from 30+ calls  kept\n  to be locked: calls of the op as it is now: its input has changed since",
    );
    writeFileSync(join(root, "samples/shop.book.list.ndjson"), stale);
    const pinned = learned(root).replace('"rules":', '"pinned":true,"rules":').replace('"total"', '"sum"');
    writeFileSync(join(root, "definitions/learned/shop.json"), pinned);
    expect((await run("learn", "--check")).code).toBe(0);
    expect((await run("learn", "--from", "samples")).stdout).toContain("pinned");
    expect((await run("explain", "shop.book.list")).stdout).toContain(
      'returns: written by a person in definitions/learned ("pinned"): programs are checked against it',
    );
    expect(learned(root)).toContain('"sum"');
  });

  test("calls that contradict a type end it, also if they are fewer; calls of many kinds are named", {
    tags: "full",
  }, async () => {
    const root = project();
    const run = (...words: readonly string[]) => toolwright([...words, "--root", root]);
    record(root, "shop.book.list", 40);
    await run("learn", "--from", "samples");
    const results = (count: number, result: (i: number) => unknown): void =>
      writeFileSync(
        join(root, "samples/shop.book.list.ndjson"),
        Array.from({ length: count }, (_, i) => JSON.stringify({ args: { page: i }, result: result(i) })).join("\n"),
      );
    results(12, (i) => ({ items: [{ title: "a" }], total: i }));
    expect((await run("learn", "--from", "samples")).stdout).toContain(
      "locked  from 30+ calls  kept, since fewer calls were found\n",
    );
    results(12, (i) => ({ items: [{ title: "a" }], total: `${i}` }));
    const { stdout } = await run("learn", "--from", "samples");
    expect(stdout).toContain("hint    from 10+ calls  changed\n");
    expect(stdout).toContain("against the type before: 'total' is string, not number\n");
    results(12, (i) => (i % 2 ? { other: [1] } : "none"));
    expect((await run("learn", "--from", "samples")).stdout.split("\n").slice(0, 3)).toEqual([
      "shop.book.list  none    from 10+ calls  removed",
      "  against the type before: the result is string, not object or null",
      "  to be learned: results that are always data: some calls answered with text",
    ]);
    expect(existsSync(join(root, "definitions/learned/shop.json"))).toBe(false);
  });

  test("the values of a map have a type, in help, types and the check of programs", { tags: "full" }, async () => {
    const root = project();
    const run = (...words: readonly string[]) => toolwright([...words, "--root", root]);
    const line = (i: number) => {
      const scores = { [`a${i}@example.com`]: { score: i }, [`b${i}@example.com`]: { score: i } };
      return JSON.stringify({ args: { page: i }, day: `2026-11-0${1 + (i % 2)}`, result: { scores } });
    };
    mkdirSync(join(root, "samples"));
    writeFileSync(
      join(root, "samples/shop.book.list.ndjson"),
      Array.from({ length: 40 }, (_, i) => line(i)).join("\n"),
    );
    await run("learn", "--from", "samples");
    await run("generate");
    const type = "{ scores: Record<string, { score: number }> }";
    expect((await run("help", "shop.book.list", "--full")).stdout).toContain(type);
    expect((await run("explain", "shop.book.list")).stdout).toContain(`Promise<${type}>`);
    const code =
      'r = shop.book.list(page=1)\nfor who in r["scores"]: r["scores"][who]["scor"]\nr["scores"]["x"]["score"] + 1';
    const { stdout } = await run("run", "--check", "-c", code);
    expect(stdout).toContain("code:2 results of shop.book.list() have no known key 'scor'");
    expect(stdout).toContain("1 found, advice only");
  });

  test("calls are learned from, unless `learn: off` says otherwise", { tags: "full" }, async () => {
    const root = project();
    const run = (...words: readonly string[]) => toolwright([...words, "--root", root]);
    await run("generate");
    const config = join(root, "definitions/toolwright.yaml");
    const learn = async (): Promise<readonly Json[]> => JSON.parse((await run("learn", "--json")).stdout).ops;
    writeFileSync(config, `${readFileSync(config, "utf8")}learn: off\n`);
    const calls = "for i in range(6): shop.book.list(page=i)";
    await run("run", "-c", calls);
    expect(await learn()).toEqual([]);
    const on = readFileSync(config, "utf8").replace("learn: off\n", "");
    writeFileSync(config, on);
    expect((await run("run", "-c", calls)).code).toBe(0);
    expect(await learn()).toMatchObject([{ op: "shop.book.list", level: "hint", calls: "3+", change: "new" }]);
    expect(learned(root)).toContain('"title"');
    const explained = (await run("explain", "shop.book.list")).stdout;
    expect(explained).toContain("    it lacks: 24 more calls with other arguments");
    expect(explained).toContain("    it lacks: calls on a second day\n");
    // Nothing of an op that is switched off stays in a file either.
    writeFileSync(config, on.replace("op: shop.book.list", "op: shop.book.list, learn: off"));
    expect(await learn()).toEqual([]);
    expect(existsSync(join(root, "definitions/learned/shop.json"))).toBe(false);
  });

  test("results that contradict a type remove it; fewer results do not, and both are said", {
    tags: "full",
  }, async () => {
    const root = project();
    const run = async () => (await toolwright(["learn", "--from", "samples", "--root", root])).stdout;
    record(root, "shop.book.list", 40);
    expect(await run()).toContain("locked");
    record(root, "shop.book.list", 8);
    expect(await run()).toContain("shop.book.list  locked  from 30+ calls  kept, since fewer calls were found\n");
    const mixed = (i: number) => JSON.stringify({ args: { page: i }, result: i % 2 ? { other: 1 } : "none today" });
    writeFileSync(
      join(root, "samples/shop.book.list.ndjson"),
      Array.from({ length: 60 }, (_, i) => mixed(i)).join("\n"),
    );
    expect((await run()).split("\n").slice(0, 3)).toEqual([
      "shop.book.list  none    from 30+ calls  removed",
      "  against the type before: the result is string, not object",
      "  to be learned: results that are always data: some calls answered with text",
    ]);
    expect(existsSync(join(root, "definitions/learned/shop.json"))).toBe(false);
  });

  test("what cannot be used is named", { tags: "full" }, async () => {
    const root = project();
    const run = async (...words: readonly string[]) => {
      const { code, stderr } = await toolwright([...words, "--root", root]);
      return [code, stderr.trim()];
    };
    expect(await run("learn")).toEqual([2, expect.stringContaining("there is no .onetool/state.db under")]);
    expect(await run("learn", "--from", "gone")).toEqual([2, expect.stringContaining("gone cannot be read")]);
    record(root, "shop.book.lst", 1);
    expect(await run("learn", "--from", "samples")).toEqual([
      2,
      expect.stringContaining("there is no op shop.book.lst"),
    ]);
    writeFileSync(join(root, "samples/shop.book.lst.ndjson"), "");
    expect(existsSync(join(root, "definitions/learned"))).toBe(false);
  });
});
