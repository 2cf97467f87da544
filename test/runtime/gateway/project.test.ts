/** Opening a generated project whose help index, or the index of its search, was modified. */

import { cpSync, readFileSync, renameSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { digestText } from "../../../runtime/contract/canonical.js";
import { toolFields } from "../../../runtime/contract/search/tool-words.js";
import { indexWords } from "../../../runtime/contract/search/word-index.js";
import { readProject } from "../../../runtime/gateway/project.js";
import { CHECKOUT, temporaryFolder } from "../../support/project.js";

const OP = "onto.task.list";

/** A root whose help index a test may change. */
function rootWith(change: (text: string) => string): string {
  const root = temporaryFolder();
  symlinkSync(join(CHECKOUT, "definitions"), join(root, "definitions"));
  cpSync(join(CHECKOUT, "generated"), join(root, "generated"), { recursive: true });
  const file = join(root, "generated", "help", "index.json");
  writeFileSync(file, change(readFileSync(file, "utf8")));
  return root;
}

test("as it was written: what it says of an op, and nothing of an unknown name", async () => {
  const { helpOf } = await readProject(rootWith((text) => text));
  expect(helpOf(OP)?.usage).toContain("onto.task.list(");
  expect(helpOf("toString")).toBeUndefined();
});

test("edited by hand: as it is now", async () => {
  const { helpOf } = await readProject(rootWith((text) => text.replaceAll("onto.task.list(", "edited(")));
  expect(helpOf(OP)?.usage).toMatch(/^edited\(/);
});

test("what the registry says of an op: as if the index said it", async () => {
  const { helpOf, registry } = await readProject(rootWith((text) => text));
  const tool = registry.tools.find(({ op }) => op === OP);
  expect(helpOf(OP)).toMatchObject({
    description: tool?.description,
    args: tool?.parameters.map(({ name, type }) => ({ name, type })),
    returns: expect.stringMatching(/^\{ items: \{ id: string; title: string; .*\}\[\]; pagination: /),
  });
});

test("with all of each document, as an earlier version wrote it: as it is there", async () => {
  const said = { args: [{ name: "old", type: "any" }], description: "As before.", returns: "integer" };
  const earlier = (text: string): string => {
    const index = JSON.parse(text);
    Object.assign(index.ops[OP], said);
    return `${JSON.stringify(index, null, 2)}\n`;
  };
  expect((await readProject(rootWith(earlier))).helpOf(OP)).toMatchObject(said);
});

test("without a lock: as it is", async () => {
  const root = rootWith((text) => text);
  rmSync(join(root, "generated", "toolwright.lock"));
  expect((await readProject(root)).helpOf(OP)?.usage).toContain("onto.task.list(");
});

test.each([
  ["with the marks of a merge", (text: string) => `<<<<<<< ours\n${text}`, /help\/index\.json is no JSON: run/],
  ["of another build", (text: string) => text.replace(/[0-9a-f]{64}/, "0".repeat(64)), /are of two builds: run/],
])("%s: refused at once", { tags: "full" }, async (_, change, refusal) => {
  await expect(readProject(rootWith(change))).rejects.toThrow(refusal);
});

test("whole, of another build than the registry: refused at once", async () => {
  const root = rootWith((text) => text);
  const file = join(root, "generated", "registry.json");
  writeFileSync(file, readFileSync(file, "utf8").replace(/("registry_version": ")[0-9a-f]{64}/, `$1${"0".repeat(64)}`));
  await expect(readProject(root)).rejects.toThrow(/are of two builds/);
});

/** Changes a file, and the lock with it. */
function rewritten(root: string, file: string, change: (text: string) => string): void {
  const [before, lock] = [readFileSync(file, "utf8"), join(root, "generated", "toolwright.lock")];
  writeFileSync(file, change(before));
  writeFileSync(lock, readFileSync(lock, "utf8").replace(digestText(before), digestText(change(before))));
}

describe("the index of the search", () => {
  test("as it was written, of every tool, and read once", async () => {
    const { registry, toolIndex } = await readProject(rootWith((text) => text));
    const { index, textOf } = await toolIndex();
    expect([...textOf.keys()]).toEqual(registry.tools);
    expect((await toolIndex()).index).toBe(index);
  });

  test.each<[string, (root: string, file: string) => void]>([
    ["damaged", (_, file) => truncateSync(file, 1000)],
    ["edited by hand", (_, file) => writeFileSync(file, readFileSync(file, "utf8").replace(/"stems": "\w+/, "$&x"))],
    ["without the file", (_, file) => rmSync(file)],
    ["without a lock", (root) => rmSync(join(root, "generated", "toolwright.lock"))],
    [
      "of another version",
      (root, file) => rewritten(root, file, (text) => text.replace(/(search_version": )\d/, "$19")),
    ],
    ["of another build", (root, file) => rewritten(root, file, (text) => text.replace(/[0-9a-f]{64}/, "0".repeat(64)))],
  ])("%s: made from the tools", async (_, change) => {
    const written = await (await readProject(rootWith((text) => text))).toolIndex();
    const root = rootWith((text) => text);
    change(root, join(root, "generated", "help", "search.json"));
    const { registry, toolIndex } = await readProject(root);
    const { index } = await toolIndex();
    expect(index).toEqual(indexWords(registry.tools.map(toolFields)));
    expect(index).toEqual(written.index);
  });

  test("written anew after the registry was read: made from the tools that are served", async () => {
    const root = rootWith((text) => text);
    const { toolIndex } = await readProject(root);
    const file = join(root, "generated", "help", "search.json");
    rewritten(root, file, (text) => text.replace(/"stems": "\w+/, "$&x"));
    const [{ index }, later] = [await toolIndex(), await (await readProject(root)).toolIndex()];
    expect(later.index.stems[0]).toBe(`${index.stems[0]}x`);
  });
});

describe("the help index, read at the first question", () => {
  const torn = /^generated\/help\/index\.json is no JSON: run "toolwright generate"/;

  test("with the marks of a merge in the middle: says so then", async () => {
    const { helpOf } = await readProject(rootWith((text) => text.replace(/\n {4}"onto/, "\n=======$&")));
    expect(() => helpOf(OP)).toThrow(torn);
  });

  test("torn: refused at once", async () => {
    await expect(readProject(rootWith((text) => text.slice(0, -100)))).rejects.toThrow(torn);
    await expect(readProject(rootWith((text) => text.slice(0, 3)))).rejects.toThrow(torn);
  });

  test("overwritten by that of another build before that: says so", async () => {
    const root = rootWith((text) => text);
    const { helpOf } = await readProject(root);
    const file = join(root, "generated", "help", "index.json");
    writeFileSync(file, readFileSync(file, "utf8").replace(/[0-9a-f]{64}/, "0".repeat(64)));
    expect(() => helpOf(OP)).toThrow("generated/help/index.json is of another build than the registry that is served");
  });

  test("written anew before that: as it was when the registry was read", async () => {
    const root = rootWith((text) => text);
    const { helpOf } = await readProject(root);
    const file = join(root, "generated", "help", "index.json");
    writeFileSync(`${file}.new`, "{}");
    renameSync(`${file}.new`, file);
    expect(helpOf(OP)?.usage).toContain("onto.task.list(");
  });
});

describe("registry.json", () => {
  const change = (root: string, edit: (text: string) => string): void => {
    const file = join(root, "generated", "registry.json");
    writeFileSync(file, edit(readFileSync(file, "utf8")));
  };

  test("torn: refused at once", async () => {
    const root = rootWith((text) => text);
    change(root, (text) => text.slice(0, -100));
    await expect(readProject(root)).rejects.toThrow('generated/registry.json is no JSON: run "toolwright generate"');
  });

  test("edited by hand, or generated before there was an index: as it is", async () => {
    const root = rootWith((text) => text);
    rmSync(join(root, "generated", "registry-index.json"));
    const before = (await readProject(root)).registry;
    expect(before).toEqual((await readProject(CHECKOUT)).registry);
    change(root, (text) => text.replace('"summary": "', '"summary": "Edited. '));
    expect((await readProject(root)).registry.tools[0]?.summary).toMatch(/^Edited\. /);
  });

  test("missing, with its index: says what to do", async () => {
    const root = rootWith((text) => text);
    rmSync(join(root, "generated", "registry.json"));
    await expect(readProject(root)).rejects.toThrow(/^there is no generated\/registry\.json under .*: run "toolwright/);
  });
});
