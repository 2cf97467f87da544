/** The sample of `toolwright features` in docs/extending.md is what a project with the files of that page prints. */

import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { FEATURES } from "../../../features/list.js";
import { pageText } from "../../support/doc-pages.js";
import { CHECKOUT, temporaryFolder, toolwright } from "../../support/project.js";

const blocks = [...pageText("docs/extending.md").matchAll(/^`([^`\n]+)`:\n\n```\w+\n((?:.*\n)*?)```$/gm)];
const rowsOf = (table: string): readonly (readonly string[])[] =>
  table
    .trim()
    .split("\n")
    .map((line) => line.split(/\s{2,}/));

test("every feature of the package and that of the page are in it", { timeout: 60_000 }, async () => {
  const root = temporaryFolder();
  for (const [, path = "", text = ""] of blocks) {
    if (!path.startsWith("definitions/")) continue;
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  mkdirSync(join(root, "node_modules"));
  symlinkSync(CHECKOUT, join(root, "node_modules", "toolwright"));
  expect((await toolwright(["generate", "--root", root])).code).toBe(0);
  const { stdout } = await toolwright(["features", "--root", root]);
  const [, , sample = ""] = blocks.find(([, path]) => path === "features") ?? [];
  // A copy of the checkout may lack a feature: npm run removal.
  const there = new Set(["NAME", "quota", ...FEATURES.map(({ name }) => name)]);
  expect(rowsOf(stdout)).toEqual(rowsOf(sample).filter(([name = ""]) => there.has(name)));
  expect(rowsOf(sample).length).toBeGreaterThan(FEATURES.length + 1);
});
