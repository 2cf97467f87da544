/**
 * How a build of the site changes a folder: foreign files stay, and a good site stays until the next one is complete.
 */

import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { CHECKOUT, temporaryFolder, toolwright } from "../../../test/support/project.js";
import { siteFiles } from "../site.js";
import { writeSite } from "../write.js";
import { siteFilesIn } from "./sites.js";

let folder = "";
const write = (files: Readonly<Record<string, string | (() => string)>>) =>
  writeSite(
    folder,
    "site",
    Object.entries(files).map(([path, text]) => ({ path, text: typeof text === "string" ? () => text : text })),
    () => undefined,
  );
const read = (path: string): string => readFileSync(join(folder, path), "utf8");

beforeEach(() => {
  folder = join(temporaryFolder(), "site");
});

describe("a build that does not end", () => {
  test("leaves the site that was there, and nothing else", () => {
    write({ "index.html": "old", "a/index.html": "old" });
    const before = siteFilesIn(folder);
    const fail = (): string => {
      throw new Error("no such page");
    };
    expect(() => write({ "index.html": "new", "b/index.html": "new", "c/index.html": fail })).toThrow("no such page");
    expect(siteFilesIn(folder)).toEqual(before);
    expect([read("index.html"), read("a/index.html")]).toEqual(["old", "old"]);
  });

  test("what one that was killed left is gone with the next", () => {
    mkdirSync(join(folder, ".toolwright-docs.part/x"), { recursive: true });
    writeFileSync(join(folder, ".toolwright-docs.part/x/index.html"), "half");
    expect(write({ "index.html": "new" })).toEqual({ written: 1, unchanged: 0, deleted: 0 });
    expect(readdirSync(folder).sort()).toEqual([".toolwright-docs.json", "index.html"]);
  });
});

describe("what is in the way of a second build", () => {
  test("a folder where a file is to go is refused before anything is written", () => {
    write({ "index.html": "old" });
    mkdirSync(join(folder, "llms.txt"));
    expect(() => write({ "index.html": "new", "llms.txt": "x" })).toThrow(
      /site\/llms\.txt is a folder.*nothing was written/,
    );
    expect(read("index.html")).toBe("old");
  });

  test("a folder that took the place of a file that is no longer wanted stays with what it holds", () => {
    write({ "index.html": "old" });
    writeFileSync(join(folder, ".toolwright-docs.json"), JSON.stringify({ files: ["index.html", "mine"] }));
    mkdirSync(join(folder, "mine"));
    writeFileSync(join(folder, "mine/note.txt"), "mine");
    write({ "index.html": "new" });
    expect([read("index.html"), read("mine/note.txt")]).toEqual(["new", "mine"]);
  });

  test("a link in place of a folder leads nowhere", () => {
    const outside = temporaryFolder();
    mkdirSync(folder);
    symlinkSync(outside, join(folder, "a"));
    expect(() => write({ "a/index.html": "x" })).toThrow(/site\/a is in the way/);
    expect(readdirSync(outside)).toEqual([]);
  });
});

test.each(["definitions", "generated/help", ".onetool/site", "docs/site"])(
  "a site in %s is refused",
  { tags: "full" },
  async (path) => {
    const root = temporaryFolder();
    for (const name of ["definitions", "docs", "generated"])
      cpSync(join(CHECKOUT, name), join(root, name), { recursive: true });
    const before = siteFilesIn(root);
    const { code, stderr } = await toolwright(["docs", "build", "--root", root, "--out", join(root, path)]);
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(`is in ${path.split("/")[0]}(?:/, which is no place for a site|, which holds the guides)`),
    ]);
    expect(siteFilesIn(root)).toEqual(before);
  },
);

describe("what does not fit", () => {
  const build = async (root: string) => {
    const { code, stderr } = await toolwright(["docs", "build", "--root", root, "--out", folder]);
    return [code, stderr];
  };
  const edit = (root: string, change: (index: { ops: Record<string, unknown>; snippets: unknown[] }) => void): void => {
    const path = join(root, "generated/help/index.json");
    const index = JSON.parse(readFileSync(path, "utf8"));
    change(index);
    writeFileSync(path, JSON.stringify(index));
  };

  test("an index without an op, and one of an earlier version, are refused with the remedy", {
    tags: "full",
    timeout: 60_000,
  }, async () => {
    const root = temporaryFolder();
    for (const name of ["definitions", "docs", "generated"])
      cpSync(join(CHECKOUT, name), join(root, name), { recursive: true });
    edit(root, ({ snippets }) => snippets.push({ name: "a", description: "", params: ["b"] }));
    expect(await build(root)).toEqual([2, expect.stringMatching(/index\.json is no help index.*toolwright generate/)]);
    edit(root, (index) => {
      index.snippets.pop();
      delete index.ops["onto.task.list"];
    });
    expect(await build(root)).toEqual([
      2,
      expect.stringMatching(/does not hold onto\.task\.list.*toolwright generate/),
    ]);
  });

  test("an address that is a file of the site is refused", () => {
    const pack = { name: "web", summary: "", source: "local" as const, entities: {}, topics: [] };
    const registry = { ir_version: 1 as const, registry_version: "0", tools: [], packs: [pack], reserved: [] };
    const index = { registry_version: "0", ops: {}, packs: {}, aliases: [], snippets: [] };
    const guides = { name: "docs", guides: [], files: new Set<string>() };
    const own = {
      page: () => "",
      base: "",
      title: "x",
      languages: [],
      guides,
      templates: {} as never,
      assets: new Map(),
    };
    const shared = { registry, index, ...own };
    for (const slug of ["llms.txt", "index.html", "index.md/x"])
      expect(() => siteFiles({ ...shared, slugs: new Map([["web", slug]]) }), slug).toThrow(
        /is a file of the site and would be the folder of/,
      );
  });
});
