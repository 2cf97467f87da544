/** The path of the program in clients' files: it stays when another version is installed. */

import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/project.js";
import { portableProgram, stableProgram } from "../entry.js";

const MAIN = "dist/generator/main.js";

/** A workspace with the package app, whose toolwright is a link into a store, as pnpm makes it. */
function workspace() {
  const root = realpathSync(temporaryFolder());
  const stored = join(root, "node_modules/.pnpm/toolwright@0.2.0/node_modules/toolwright");
  const app = join(root, "packages/app");
  mkdirSync(dirname(join(stored, MAIN)), { recursive: true });
  mkdirSync(join(app, "node_modules/.bin"), { recursive: true });
  writeFileSync(join(stored, MAIN), "");
  symlinkSync(stored, join(app, "node_modules/toolwright"));
  symlinkSync(join("../toolwright", MAIN), join(app, "node_modules/.bin/toolwright"));
  return { root, app, stored: join(stored, MAIN), linked: join(app, "node_modules/toolwright", MAIN) };
}

describe("a package manager that keeps packages by version", () => {
  test("the path is that through the link, whichever path the program was started by", async () => {
    const { app, stored, linked } = workspace();
    for (const launcher of [stored, linked, join(app, "node_modules/.bin/toolwright")]) {
      expect(await stableProgram(app, launcher)).toBe(linked);
      expect(await portableProgram(app, launcher)).toBe(`node_modules/toolwright/${MAIN}`);
    }
  });

  test("a folder above the package names the link of the package, never the store", async () => {
    const { root, linked, stored } = workspace();
    expect(await portableProgram(root, linked)).toBe(`packages/app/node_modules/toolwright/${MAIN}`);
    expect(await portableProgram(root, stored)).toBeUndefined();
  });

  test("a project that does not have the package gets the absolute path of the link", async () => {
    const { linked } = workspace();
    const elsewhere = realpathSync(temporaryFolder());
    expect(await stableProgram(elsewhere, linked)).toBe(linked);
    expect(await portableProgram(elsewhere, linked)).toBeUndefined();
  });
});
