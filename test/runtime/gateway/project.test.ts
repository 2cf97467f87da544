/** Opening a generated project whose help index was modified. */

import { cpSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
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
