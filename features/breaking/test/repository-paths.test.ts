/** `breaking` in a repository: paths from its top folder for CI, and the merge base of a branch that is behind. */

import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { GET, id, LIST, repository } from "../../../test/support/breaking-repository.js";
import { tool } from "../../../test/support/generator-host.js";
import { type Json, temporaryFolder, toolwright } from "../../../test/support/project.js";

const CI = { env: { CI: "true" } };
const NO_CI = { env: { CI: "" } };

describe("a project in a folder of a repository", () => {
  const shop = repository("services/shop tools");
  test("annotations and SARIF name files from the top of the repository; other formats from the project", async () => {
    await shop.define([GET, LIST]);
    shop.commit();
    await shop.define([LIST]);
    const run = async (format: string): Promise<string> =>
      (await shop.breaking("--against", "git:HEAD", "--format", format)).stdout;
    expect(await run("github")).toMatch(
      /^::error file=services\/shop tools\/definitions\/tools\.json,title=tool-removed/m,
    );
    const [result]: Json = JSON.parse(await run("sarif")).runs[0].results;
    expect(result.locations[0].physicalLocation.artifactLocation).toEqual({
      uri: "services/shop%20tools/definitions/tools.json",
      uriBaseId: "%SRCROOT%",
    });
    expect(JSON.parse(await run("json")).findings[0].file).toBe("definitions/tools.json");
    expect(await run("text")).toContain("  definitions/tools.json\n");
  });
});

describe("a branch that is behind", () => {
  const shop = repository();
  const NEW = tool("list_customers", { id });
  const git = (...args: readonly string[]): string =>
    execFileSync("git", ["-C", shop.root, "-c", "user.name=T", "-c", "user.email=t@e.com", ...args], {
      encoding: "utf8",
    });
  const compare = (env: object, ...flags: readonly string[]) =>
    toolwright(["breaking", "--root", shop.root, "--against", "git:main", ...flags], env);

  test("with --merge-base, and in CI, what the base branch got since is no removal", async () => {
    await shop.define([GET, LIST]);
    shop.commit();
    const base = git("rev-parse", "HEAD").slice(0, 12);
    git("branch", "behind");
    await shop.define([GET, LIST, NEW]);
    shop.commit();
    git("switch", "--quiet", "behind");
    const reversed = await compare(NO_CI);
    expect([reversed.code, reversed.stdout]).toEqual([1, expect.stringContaining("tool-removed")]);
    expect((await compare(CI, "--no-merge-base")).stdout).toBe(reversed.stdout);
    for (const ran of [await compare(NO_CI, "--merge-base"), await compare(CI)]) {
      expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining("no change")]);
      expect(ran.stdout).toContain(`git:main (merge base ${base}) (2 ops`);
    }
    await shop.define([LIST]);
    expect((await compare(CI)).stdout).toMatch(/tool-removed\s+tool get_item is gone/);
  });

  test("a file is no commit; other histories have nothing in common", async () => {
    const file = join(shop.root, "generated/registry.json");
    const given = await shop.breaking("--against", file, "--merge-base");
    expect([given.code, given.stderr]).toEqual([2, expect.stringContaining("is no commit; name git:REF")]);
    expect((await toolwright(["breaking", "--root", shop.root, "--against", file], CI)).code).toBe(0);
    git("stash", "--quiet");
    git("switch", "--quiet", "--orphan", "other");
    git("checkout", "--quiet", "main", "--", ".");
    git("commit", "--quiet", "--message", "other");
    const apart = await compare(CI);
    expect([apart.code, apart.stderr]).toEqual([
      2,
      expect.stringContaining("no commit in common with it; compare with that commit itself: --no-merge-base"),
    ]);
    git("switch", "--quiet", "main");
  });

  test("a shallow clone: the error says how to fetch the history", async () => {
    git("switch", "--quiet", "--force", "behind");
    writeFileSync(join(shop.root, "x.txt"), "x");
    shop.commit();
    const clone = temporaryFolder();
    execFileSync("git", ["clone", "--quiet", "--depth=1", "--no-single-branch", `file://${shop.root}`, clone]);
    const against = async (ref: string) =>
      (await toolwright(["breaking", "--root", clone, "--against", ref], CI)).stderr;
    expect(await against("git:origin/main")).toContain(
      "no commit in common with it; this is a shallow clone: fetch the whole history (actions/checkout: fetch-depth: 0;",
    );
    expect(await against("git:v1")).toContain("this repository has no commit v1; this is a shallow clone");
  });
});
