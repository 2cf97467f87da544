/** Where the baseline may come from, and the errors for one that cannot be read. */

import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { GET, LIST, repository } from "../../../test/support/breaking-repository.js";
import { temporaryFolder, toolwright } from "../../../test/support/project.js";

describe("baselines", () => {
  const shop = repository();
  beforeAll(async () => {
    await shop.define([GET, LIST]);
    shop.commit();
    cpSync(join(shop.root, "generated"), join(shop.root, "release", "generated"), { recursive: true });
  });
  const file = (name: string, text: string): string => {
    const path = join(shop.root, name);
    writeFileSync(path, text);
    return path;
  };

  test("a folder, its generated/, and its registry.json", async () => {
    for (const path of ["release", "release/generated", "release/generated/registry.json"]) {
      const { code, stdout, stderr } = await shop.breaking("--against", join(shop.root, path));
      expect({ code, stderr }, path).toEqual({ code: 0, stderr: "" });
      expect(stdout).toContain("no change");
    }
  });

  test("a lone file: aliases and snippets are not compared, which is reported", { tags: "full" }, async () => {
    const lone = file("old.json", readFileSync(join(shop.root, "generated/registry.json"), "utf8"));
    const { code, stderr } = await shop.breaking("--against", lone);
    expect(code).toBe(0);
    expect(stderr).toContain("old.json has no help/index.json beside it: aliases and snippets were not compared");
  });

  test.each([
    ["git:nowhere", "this repository has no commit nowhere; fetch it first"],
    ["git:", '"" is no git ref'],
    ["git:--output=x", '"--output=x" is no git ref'],
    ["git:main:generated", "this repository has no commit main:generated"],
    ["absent.json", "there is no such file"],
  ])("--against %s: exit 2", { tags: "full" }, async (against, says) => {
    const { code, stdout, stderr } = await shop.breaking("--against", against);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(says);
    expect(stderr.split("\n")).toHaveLength(2);
  });

  test.each([
    ["no JSON", "{", "registry.json is no JSON"],
    ["no registry", "[1]", "is no registry"],
    ["another version", '{"ir_version":2,"tools":[]}', "has ir_version 2, this toolwright reads 1"],
    ["no tools", '{"ir_version":1}', "has no list of tools"],
    ["a broken tool", '{"ir_version":1,"tools":[{"op":"a.b"}]}', "tool_name of tools[0] is missing or wrong"],
  ])("a file that is %s: exit 2", { tags: "full" }, async (_, text, says) => {
    const { code, stderr } = await shop.breaking("--against", file("broken.json", text));
    expect(code).toBe(2);
    expect(stderr).toContain(says);
  });

  test("a folder without a registry: exit 2", { tags: "full" }, async () => {
    const { code, stderr } = await shop.breaking("--against", join(shop.root, "definitions"));
    expect(code).toBe(2);
    expect(stderr).toContain("neither it nor its folder generated/ holds a registry.json");
  });

  test("a commit from before generated/ was committed: exit 2", { tags: "full" }, async () => {
    const young = repository();
    young.commit();
    await young.define([GET]);
    const { code, stderr } = await young.breaking("--against", "git:main");
    expect(code).toBe(2);
    expect(stderr).toContain("generated/registry.json was not there at main");
  });

  test("no git repository: exit 2; nothing generated: exit 2; no --against: exit 2", { tags: "full" }, async () => {
    const bare = temporaryFolder();
    cpSync(join(shop.root, "definitions"), join(bare, "definitions"), { recursive: true });
    const against = ["--root", bare, "--against"];
    const env = { GIT_CEILING_DIRECTORIES: join(bare, "..") };
    const missing = await toolwright(["breaking", ...against, join(shop.root, "release")], { env });
    expect([missing.code, missing.stderr.includes('run "toolwright generate"')]).toEqual([2, true]);
    cpSync(join(shop.root, "generated"), join(bare, "generated"), { recursive: true });
    const none = await toolwright(["breaking", ...against, "git:main"], { env });
    expect([none.code, none.stderr.includes("is in no git repository")]).toEqual([2, true]);
    const unnamed = await shop.breaking();
    expect([unnamed.code, unnamed.stderr.includes("--against")]).toEqual([2, true]);
  });

  test("without git a file can be compared, and a ref cannot", { tags: "full" }, async () => {
    const env = { PATH: temporaryFolder() };
    const args = ["breaking", "--root", shop.root, "--against"];
    expect((await toolwright([...args, join(shop.root, "release")], { env })).code).toBe(0);
    const { code, stderr } = await toolwright([...args, "git:main"], { env });
    expect([code, stderr]).toEqual([
      2,
      "error --against git:main: git is not installed: install it, or name a registry.json\n",
    ]);
  });

  test("a project in a folder of its repository finds its own registry at the ref", { tags: "full" }, async () => {
    const outer = repository();
    const inner = join(outer.root, "projects", "shop");
    cpSync(join(shop.root, "definitions"), join(inner, "definitions"), { recursive: true });
    cpSync(join(shop.root, "generated"), join(inner, "generated"), { recursive: true });
    outer.commit();
    rmSync(join(outer.root, "definitions"), { recursive: true });
    const { code, stdout } = await toolwright(["breaking", "--root", inner, "--against", "git:main"]);
    expect(code).toBe(0);
    expect(stdout).toContain("(2 ops");
  });
});
