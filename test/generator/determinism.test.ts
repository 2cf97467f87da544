/** The same input gives the same bytes on any machine, and a change of one tool changes only that tool. */

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { diffLines } from "diff";
import { describe, expect, test } from "vitest";
import { openDisk } from "../../generator/cli/files.js";
import { caseFolder, caseNames, treeOf } from "../support/generator-cases.js";
import { buildProject, countTokens, jsonProject, type Outcome, tool } from "../support/generator-host.js";
import { packageBuild } from "../support/package-build.js";
import { CHECKOUT, temporaryFolder, toolwright } from "../support/project.js";

/** A copy of this repository's definitions. */
function copiedRoot(folder: string): string {
  const root = join(temporaryFolder(), folder);
  cpSync(join(CHECKOUT, "definitions"), join(root, "definitions"), { recursive: true });
  return root;
}

async function generated(root: string, options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {}) {
  const { code, stderr } = await toolwright(["generate", "--root", root], options);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining("error")]);
  return treeOf(join(root, "generated"));
}

describe("this repository's definitions", () => {
  test("another folder, time zone, locale, working directory and home: the same bytes", { tags: "full" }, async () => {
    const here = await generated(copiedRoot("one"), { env: { TZ: "UTC", LANG: "C" } });
    const root = copiedRoot("a folder/with spaces ü");
    const there = await generated(root, {
      cwd: tmpdir(),
      env: {
        TZ: "Pacific/Chatham",
        LANG: "tr_TR.UTF-8",
        LC_ALL: "tr_TR.UTF-8",
        HOME: root,
        USER: "somebody",
      },
    });
    expect(there).toEqual(here);
    expect(Object.keys(here).length).toBeGreaterThan(60);
  });

  test("sources and files listed in reverse: the same bytes", { tags: "full" }, async () => {
    const root = copiedRoot("reversed");
    const config = join(root, "definitions/toolwright.yaml");
    const forwards = await inMemory(root, false);
    const before = readFileSync(config, "utf8");
    const after = before.replace(/(?<=^sources:\n)(?: {2}.*\n)+/m, reversedEntries);
    expect(after).not.toBe(before);
    writeFileSync(config, after);
    expect(await inMemory(root, true)).toEqual(forwards);
  });
});

/** The entries of a YAML list, last first. */
const reversedEntries = (list: string): string =>
  list
    .split(/(?=^ {2}- )/m)
    .reverse()
    .join("");

async function inMemory(root: string, reversed: boolean): Promise<Outcome["files"]> {
  const disk = openDisk(root);
  const list = (pattern: string): readonly string[] =>
    reversed ? [...disk.list(pattern)].reverse() : disk.list(pattern);
  return (await packageBuild({ ...disk, list, countTokens, gatewayTools: [], version: "0.0.0-test" })).files;
}

describe("one more tool", () => {
  const base = [
    tool("list_a", { n: { type: "integer", default: 3 } }),
    tool("add_c", { t: { type: "string", format: "date" } }, { required: ["t"] }),
  ];
  const added = tool(
    "get_b",
    { id: { type: "string", maxLength: 9 }, when: { $ref: "#/$defs/when" } },
    { $defs: { when: { type: "string", format: "date" } } },
  );

  /** Lines that a file of the build with the tool no longer has. */
  const removed = (before: Outcome, after: Outcome, path: string): readonly string[] => {
    const text = (from: Outcome): string => from.files.find((one) => one.path === path)?.text ?? "";
    return diffLines(text(before), text(after)).flatMap((part) =>
      part.removed ? part.value.trimEnd().split("\n") : [],
    );
  };

  test("takes away only the registry's version, the sums of the budget, the index of the search, and the digests of the files that it is added to", async () => {
    const [before, after] = [
      await buildProject(jsonProject(base)),
      await buildProject(jsonProject([base[0] as object, added, base[1] as object])),
    ];
    const lines = Object.fromEntries(
      before.files
        .map(({ path }) => [path, removed(before, after, path)])
        .filter(([, list]) => (list ?? []).length > 0),
    );
    const version = before.registry?.registry_version;
    const { "toolwright.lock": lock, ...others } = lines;
    expect(others).toEqual({
      "budget.json": [expect.stringMatching(/^ {2}"exposed": /), expect.stringMatching(/^ {2}"help_short": /)],
      "help/index.json": [`  "registry_version": "${version}",`],
      "help/search.json": ["registry_version", "stems", "sizes", "postings", "titles"].map((key) =>
        expect.stringMatching(`^ {2}"${key}": `),
      ),
      "registry-index.json": [expect.stringMatching(/^\{"sha256"/), expect.stringMatching(/^"index_version"/)],
      "registry.json": [`  "registry_version": "${version}",`],
      "registry.ts": [`  registry_version: "${version}",`],
    });
    const changed = [
      "budget.json",
      "handlers.ts",
      "help/index.json",
      "help/search.json",
      "ops.ts",
      "registry-index.json",
      "registry.json",
      "registry.ts",
      "stubs.pyi",
      "types.ts",
      "validators/p.d.ts",
      "validators/p.js",
    ];
    expect((lock ?? []).map((line: string) => line.trim().split(":")[0])).toEqual([
      '"registry_version"',
      ...changed.map((path) => `"${path}"`),
    ]);
  });

  test("a comment in a definition changes nothing at all", async () => {
    const project = (comment: string) => ({
      "toolwright.yaml": "sources: [{ chat-tools: t.ts, pack: p }]\n",
      "t.ts": `${comment}export const T = [${JSON.stringify(base[0])}];`,
    });
    expect((await buildProject(project("// A remark.\n\n"))).files).toEqual((await buildProject(project(""))).files);
  });
});

test("half a character in a description is no drift", async () => {
  const { files } = await buildProject(jsonProject([tool("get_a", {}, {}, "Half \ud83d of one.")]));
  for (const { text } of files) expect(Buffer.from(text).toString()).toBe(text);
});

describe("everything generated", () => {
  const trees = [
    ["this repository", join(CHECKOUT, "generated")] as const,
    ...caseNames().map((name) => [name, join(caseFolder(name), "expected")] as const),
  ];

  test.each(trees)(
    "%s: LF, one newline at the end, no trailing blanks, no tab, no control character",
    (_name, folder) => {
      for (const [path, text] of Object.entries(treeOf(folder))) {
        if (path === "diagnostics.txt") continue;
        expect(text.endsWith("\n") && !text.endsWith("\n\n"), path).toBe(true);
        // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
        expect(/[ \t]$|[\u0000-\u0009\u000b-\u001f\u2028\u2029]/m.exec(text)?.[0], path).toBeUndefined();
      }
    },
  );

  test.each(trees)("%s: no absolute path, no date of today, no name of this machine's user", (_name, folder) => {
    const today = new Date().toISOString().slice(0, 10);
    for (const [path, text] of Object.entries(treeOf(folder))) {
      expect(text, path).not.toContain(CHECKOUT);
      expect(text, path).not.toMatch(/(?:^|[\s"'(])\/(?:home|root|tmp|Users|work)\//);
      expect(text.includes(today), path).toBe(false);
    }
  });
});
