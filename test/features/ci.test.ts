/** The files of `init --ci`, which a feature has. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Feature } from "../../core/feature.js";
import { type InitSetting, init } from "../../generator/cli/init/init.js";
import { temporaryFolder } from "../support/project.js";

/** Runs `init --ci github` in a project that exists. */
function initCi(features: readonly Feature[]) {
  const root = temporaryFolder();
  mkdirSync(join(root, "definitions"));
  writeFileSync(join(root, "definitions/toolwright.yaml"), "sources: []\n");
  const setting: Pick<InitSetting, "root" | "features"> = { root, features };
  return init(setting as InitSetting, { ci: "github" });
}

test("the first feature that writes them is asked for the system, and its exit code counts", async () => {
  const asked: string[] = [];
  const writing = (name: string, code: number): Feature => ({
    name,
    ci: async () => async (_, system) => {
      asked.push(`${name} ${system}`);
      return async () => code;
    },
  });
  expect(await initCi([{ name: "none" }, writing("first", 3), writing("second", 4)])).toBe(3);
  expect(asked).toEqual(["first github"]);
});

test("without such a feature, the flag is refused", async () => {
  await expect(initCi([{ name: "none" }])).rejects.toThrow("--ci: there is no feature that writes what CI runs");
});
