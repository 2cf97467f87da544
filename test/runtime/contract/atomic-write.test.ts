/** Atomic writes of files. */

import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { writeAtomically } from "../../../runtime/contract/atomic-write.js";
import { temporaryFolder } from "../../support/project.js";

test("many writers at once: one of the texts is there whole, with its mode, and nothing beside it", async () => {
  const folder = temporaryFolder();
  const path = join(folder, "tokens.json");
  writeFileSync(path, "before", { mode: 0o644 });
  const texts = Array.from({ length: 20 }, (_, i) => String(i).repeat(100_000));
  await Promise.all(texts.map((text) => writeAtomically(path, text, { mode: 0o600, isDurable: true })));
  expect(texts).toContain(readFileSync(path, "utf8"));
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder)).toEqual(["tokens.json"]);
});

test("where it cannot take its place, what was there stays, and nothing is left beside it", async () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "taken"));
  await expect(writeAtomically(join(folder, "taken"), "text")).rejects.toMatchObject({ code: "EISDIR" });
  expect(readdirSync(folder)).toEqual(["taken"]);
});
