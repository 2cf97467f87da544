/** What mutation runs rely on: files that exist, a job for each module, and equivalent changes that still match code. */

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it, vi } from "vitest";
import { MODULES } from "./modules.mjs";
import { strykerPlugins } from "./sample.mjs";

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

describe("a sample", () => {
  const mutants = Array.from({ length: 1000 }, (_, i) => ({
    id: String(i),
    fileName: pathOf("runtime/dispatch.ts"),
    location: { start: { line: i, column: 0 }, end: { line: i, column: 9 } },
    mutatorName: "BooleanLiteral",
    replacement: "false",
  }));

  async function sampled(share: string, seed: string, from = mutants): Promise<readonly string[]> {
    vi.stubEnv("MUTATION_SHARE", share);
    vi.stubEnv("MUTATION_SEED", seed);
    const checker = new strykerPlugins[0].injectableClass();
    vi.unstubAllEnvs();
    await checker.init();
    expect((await checker.group(from)).flat()).toEqual(from.map(({ id }) => id));
    const results = await checker.check(from);
    expect(Object.keys(results).length).toBe(from.length);
    return from.map(({ id }) => id).filter((id) => results[id]?.status === "passed");
  }

  it("is about the share of the mutants, the same for a seed whatever else is there, and another for another seed", async () => {
    const some = await sampled("0.2", "1");
    expect(some.length).toBeGreaterThan(150);
    expect(some.length).toBeLessThan(250);
    expect(await sampled("0.2", "1", mutants.slice(500))).toEqual(some.filter((id) => Number(id) >= 500));
    expect(await sampled("0.2", "2")).not.toEqual(some);
    expect([(await sampled("1", "1")).length, (await sampled("0", "1")).length]).toEqual([1000, 0]);
  });
});
