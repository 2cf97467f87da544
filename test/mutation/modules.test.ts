/** What mutation runs rely on: files that exist, a job for each module, and equivalent changes that still match code. */

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { MODULES } from "./modules.mjs";

const pathOf = (file: string) => fileURLToPath(new URL(`../../${file}`, import.meta.url));
const textOf = (file: string) => readFileSync(pathOf(file), "utf8");

interface Equivalent {
  readonly file: string;
  readonly code: string;
  readonly reason: string;
}

describe("modules of mutation runs", () => {
  it.each(Object.entries(MODULES))("%s changes files that exist, and runs tests that exist", (_, { mutate, tests }) => {
    expect([mutate.length > 0, tests.length > 0]).toEqual([true, true]);
    expect([...mutate, ...tests].filter((file) => !existsSync(pathOf(file)))).toEqual([]);
  });

  it("run every night, each in its own job", () => {
    expect(/module: \[(.*)\]/.exec(textOf(".github/workflows/mutation.yml"))?.[1]?.split(", ")).toEqual(
      Object.keys(MODULES),
    );
  });
});

describe("equivalent changes", () => {
  it("name lines that exist in files of a module, and give a reason", () => {
    const equivalent = JSON.parse(textOf("test/mutation/equivalent.json")) as readonly Equivalent[];
    const files = new Set(Object.values(MODULES).flatMap(({ mutate }) => mutate));
    const stale = equivalent.filter(({ file, code, reason }) => {
      const lines = files.has(file) ? textOf(file).split("\n") : [];
      return reason === "" || !lines.some((line) => line.trim() === code);
    });
    expect(stale).toEqual([]);
  });
});
