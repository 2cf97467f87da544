/** `toolwright learn` for words: the file that a person reviews, what it changes, and how words leave it. */

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { learnedWords, wordWeight } from "../../../runtime/contract/learned-words.js";
import { openState } from "../../../runtime/state/open.js";
import { serverSecret } from "../../../runtime/state/sealing-key.js";
import { keysOf } from "../../../test/support/keys.js";
import { type Json, temporaryFolder, toolwright } from "../../../test/support/project.js";
import { hashingWith } from "../hashing.js";
import { callerKey } from "../words/own-words.js";
import { addWords, deleteCallerWords } from "../words/word-rows.js";

const tool = (name: string, description: string) => ({
  type: "function",
  function: { name, description, parameters: { type: "object", properties: { page: { type: "integer" } } } },
});
const TOOLS = [
  tool("list_pulls", "List pull requests."),
  tool("list_merges", "List pull requests."),
  tool("get_book", "Get a book to review."),
];
const OPS =
  "ops: { list_pulls: { op: shop.pulls.list }, list_merges: { op: shop.merges.list }, get_book: { op: shop.book.get } }";
const SOURCE = "{ chat-tools: shop.json, pack: shop, kind: read }";
const FILE = "definitions/learned/shop.words.json";
const PULLS = "shop.pulls.list";
const TODAY = new Date().toISOString().slice(0, 10);

function project(learn = "learn: { words: on }"): string {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  writeFileSync(join(root, "definitions/shop.json"), JSON.stringify(TOOLS));
  writeFileSync(join(root, "definitions/toolwright.yaml"), `sources:\n  - ${SOURCE}\n${OPS}\n${learn}\n`);
  return root;
}

const run = (root: string, ...words: readonly string[]) => toolwright([...words, "--root", root]);
const fileOf = (root: string): Json => JSON.parse(readFileSync(join(root, FILE), "utf8"));

/** The state of a root, and the hashes of its callers. */
async function stateOf(root: string) {
  const state = await openState({ url: "", root });
  const hashing = hashingWith(await serverSecret(state, "learning"));
  const caller = (id: string): string => callerKey(hashing, id);
  return { state, caller, key: (stem: string) => hashing.hash(`word ${stem}`) };
}

/** Queries of a caller that led to an op. */
async function asked(root: string, id: string, op: string, stems: readonly string[], times = 1): Promise<void> {
  const { state, caller, key } = await stateOf(root);
  const words = new Map(stems.map((stem) => [key(stem), stem]));
  for (let i = 0; i < times; i++)
    await state.transaction("write", (tx) => addWords(tx, { op, caller: caller(id), words, day: TODAY }));
  await state.close();
}

async function forget(root: string, ids: readonly string[]): Promise<void> {
  const { state, caller } = await stateOf(root);
  for (const id of ids) await state.transaction("write", (tx) => deleteCallerWords(tx, caller(id)));
  await state.close();
}

/** So many words. */
const many = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`w${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}`, "3+"]),
  );

describe("words of toolwright learn", { timeout: 600_000 }, () => {
  test("words of two callers are proposed, with what a reviewer must know, and traffic alone changes nothing", async () => {
    const root = project();
    await asked(root, "anna", PULLS, ["mailbag", "review"], 2);
    await asked(root, "ben", PULLS, ["mailbag", "review", "inbox"]);
    await asked(root, "anna", PULLS, ["secretproject"], 3);
    const first = await run(root, "learn");
    expect(first.stdout).toBe(
      [
        "shop.pulls.list  words  new: mailbag (3+), review (3+)",
        "  mailbag: found no op so far",
        "  mailbag: LOOK: moves the op above shop.merges.list, which has the same title",
        "  review: found shop.book.get first so far",
        "  review: LOOK: moves the op above shop.merges.list, which has the same title",
        `1 file written: ${FILE}. Review the change, and run "toolwright generate".\n`,
      ].join("\n"),
    );
    const text = readFileSync(join(root, FILE), "utf8");
    expect(text).toMatch(
      /^\{"version":1,"ops":\{\n {2}"shop\.pulls\.list": \{"digest":"[^"]+","words":\{"mailbag":"3\+","review":"3\+"\}\}\n\}\}\n$/,
    );
    expect((await run(root, "learn")).stdout).toBe("");
    for (const caller of ["anna", "ben"]) await asked(root, caller, PULLS, ["mailbag", "review"], 3);
    expect((await run(root, "learn")).stdout).toBe("");
    expect(readFileSync(join(root, FILE), "utf8")).toBe(text);

    expect((await run(root, "generate")).code).toBe(0);
    const registry: Json = JSON.parse(readFileSync(join(root, "generated/registry.json"), "utf8"));
    const pulls = registry.tools.find(({ op }: Json) => op === PULLS);
    expect(pulls.learned_words).toEqual({ words: { mailbag: "3+", review: "3+" } });
    expect(learnedWords(pulls).get("mailbag")).toBe(wordWeight(3, 2));
    expect(learnedWords(registry.tools[0]).size).toBe(0);
    expect((await run(root, "explain", PULLS)).stdout).toContain(
      "  words: mailbag (3+), review (3+); 2 words wait for a second caller\n",
    );
  });

  test("a word leaves after two runs without it; not and pinned are kept; a changed input makes words stale", async () => {
    const root = project();
    for (const caller of ["anna", "ben"]) await asked(root, caller, PULLS, ["pr", "open"], 2);
    await run(root, "learn");
    const entry = fileOf(root).ops[PULLS];
    const pinned = { digest: "", pinned: true, words: { reviews: "100+" } };
    const ops = { [PULLS]: { ...entry, not: ["open"] }, "shop.book.get": pinned };
    const lines = Object.entries(ops).map(([op, one]) => `  ${JSON.stringify(op)}: ${JSON.stringify(one)}`);
    writeFileSync(join(root, FILE), `{"version":1,"ops":{\n${lines.join(",\n")}\n}}\n`);
    expect((await run(root, "learn")).stdout).toContain("shop.pulls.list  words  removed: open\n");
    const kept = fileOf(root).ops;
    expect(kept[PULLS]).toEqual({ digest: entry.digest, not: ["open"], words: { pr: "3+" } });
    expect(kept["shop.book.get"]).toEqual(pinned);

    const held = JSON.parse((await run(root, "learn", "--export", "anna")).stdout);
    const word = { op: PULLS, day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/), queries: 2 };
    expect(held).toEqual({ caller: "anna", words: expect.arrayContaining([{ ...word, word: "pr" }]) });
    expect(held.words).toHaveLength(2);
    expect(JSON.parse((await run(root, "learn", "--export", "nobody")).stdout).words).toEqual([]);
    expect((await run(root, "learn", "--forget", "anna")).stdout).toBe("2 rows of words of anna deleted\n");
    expect((await run(root, "learn", "--forget", "ben", "--json")).stdout).toBe('{"ok":true,"deleted":2}\n');
    await asked(root, "eve", PULLS, ["else"]);
    expect((await run(root, "learn")).stdout).toContain("shop.pulls.list  words  not found any more: pr\n");
    expect(fileOf(root).ops[PULLS]).toMatchObject({ missing: ["pr"], words: { pr: "3+" } });
    const definitions = join(root, "definitions/shop.json");
    writeFileSync(definitions, readFileSync(definitions, "utf8").replaceAll('"integer"', '"number"'));
    const checked = await run(root, "learn", "--check");
    expect([checked.code, checked.stdout]).toEqual([
      1,
      expect.stringContaining(
        "the input of shop.pulls.list has changed since words were learned for it: they count half",
      ),
    ]);
    await run(root, "generate");
    const registry: Json = JSON.parse(readFileSync(join(root, "generated/registry.json"), "utf8"));
    const [book, , pulls] = registry.tools.filter(({ group }: Json) => group === "shop");
    expect(pulls.learned_words).toEqual({ words: { pr: "3+" }, stale: true });
    expect(learnedWords(pulls).get("pr")).toBe(wordWeight(1.5, 1));
    expect(learnedWords(book).get("review")).toBe(wordWeight(100, 1));
    expect((await run(root, "learn")).stdout).toContain("removed: pr");
    expect(fileOf(root).ops[PULLS]).toEqual({ digest: entry.digest, not: ["open"], words: {} });
  });

  test("keys that made one another are one caller; calls without a key alone need no other", async () => {
    const root = project();
    const keys = keysOf(root);
    const mother = (await keys.create({ name: "mother", scope: "admin" }, "local")).record.key_id;
    const child = (await keys.create({ name: "child", scope: "read" }, { keyId: mother })).record.key_id;
    await asked(root, mother, PULLS, ["pr"], 3);
    await asked(root, child, PULLS, ["pr"], 3);
    expect((await run(root, "learn")).stdout).not.toContain("new:");
    await forget(root, [mother, child]);
    await asked(root, "local", PULLS, ["mine"], 3);
    expect((await run(root, "learn")).stdout).toContain("new: mine (3+)");
  });

  test("nothing of words is read or written where they are off, or from recorded results", async () => {
    const root = project("learn: on\nservers: {}");
    for (const caller of ["anna", "ben"]) await asked(root, caller, PULLS, ["pr"], 2);
    await run(root, "learn");
    const text = readFileSync(join(root, FILE), "utf8");
    mkdirSync(join(root, "samples"));
    writeFileSync(join(root, "samples/shop.book.get.ndjson"), "");
    await run(root, "learn", "--from", "samples");
    expect(readFileSync(join(root, FILE), "utf8")).toBe(text);
    const config = join(root, "definitions/toolwright.yaml");
    writeFileSync(config, readFileSync(config, "utf8").replace("learn: on", "learn: { types: on }"));
    await run(root, "learn");
    expect(existsSync(join(root, FILE))).toBe(false);
  });

  test.each([
    [
      "a long word",
      { words: { abcdefghijklmnopqrstu: "3+" } },
      '"words" must be an object of words of at most 20 letters',
    ],
    ["another character", { words: { "pr 1": "3+" } }, '"words" must be an object of words of at most 20 letters'],
    ["no band", { words: { pr: 3 } }, 'each with a band of queries such as "30+"'],
    ["too many", { words: many(401) }, "has 401 words: keep 400 of them at most"],
    ["another field", { words: {}, note: "x" }, 'has an unknown field "note"'],
  ])("a file with %s is refused at its line", async (_, entry, reason) => {
    const root = project();
    mkdirSync(join(root, "definitions/learned"));
    const line = `  ${JSON.stringify(PULLS)}: ${JSON.stringify({ digest: "d", ...entry })}`;
    writeFileSync(join(root, FILE), `{"version":1,"ops":{\n${line}\n}}\n`);
    const { code, stderr } = await run(root, "learn");
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${FILE}:2:1 error learned-invalid`)]);
    expect(stderr).toContain(reason);
  });

  test("learn takes on, off or a map, and says so", async () => {
    const { code, stderr } = await run(project("learn: maybe"), "check");
    expect([code, stderr]).toEqual([2, expect.stringContaining("learn must be on or off or a map")]);
    const unknown = await run(project("learn: { word: on }"), "check");
    expect(unknown.stderr).toContain("words");
  });
});
