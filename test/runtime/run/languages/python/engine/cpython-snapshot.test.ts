/** The cache folder of the Python engine: its loss or damage costs only time. */

import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import type { PooledEngine } from "../../../../../../runtime/run/engine/pooled-engine.js";
import { createCPython } from "../../../../../../runtime/run/languages/python/engine/cpython.js";
import { runWith } from "../../../../../support/run/python.js";

const SLOW = 240_000;
const SNAPSHOT = /^cpython-[\d.]+-[0-9a-f]{16}\.snapshot$/;

let made = "";
beforeAll(async () => {
  made = mkdtempSync(join(tmpdir(), "cpython-"));
  await using(made, (engine) => engine.warm());
  return () => rmSync(made, { recursive: true, force: true });
}, SLOW);

async function using<T>(cacheDir: string, work: (engine: PooledEngine) => Promise<T>): Promise<T> {
  const engine = createCPython({ cacheDir });
  try {
    return await work(engine);
  } finally {
    await engine.dispose();
  }
}

const works = (cacheDir: string) =>
  using(cacheDir, async (engine) => expect(await runWith(engine, "__ret(1 + 1)")).toMatchObject({ json: "2" }));

const snapshotIn = (folder: string) => join(folder, readdirSync(folder).find((name) => SNAPSHOT.test(name)) as string);

it("a snapshot cut short, or with one byte changed, is made again", { tags: "full", timeout: SLOW }, async () => {
  const file = snapshotIn(made);
  const { length } = readFileSync(file);
  truncateSync(file, Math.floor(length / 2));
  await works(made);
  const whole = readFileSync(file);
  expect(whole.length).toBeGreaterThan(length / 2 + 1_000_000);
  const at = Math.floor(whole.length / 3);
  whole[at] = (whole[at] ?? 0) ^ 1;
  writeFileSync(file, whole);
  await works(made);
  expect(readFileSync(file).equals(whole)).toBe(false);
});

it("a snapshot that is deleted while the engine runs is made again", { timeout: SLOW, tags: "full" }, async () => {
  await using(made, async (engine) => {
    await engine.warm();
    rmSync(snapshotIn(made));
    // Each owner has a process of its own, which starts from it.
    for (const owner of ["1", "2"])
      expect(await runWith(engine, `__ret(${owner})`, { owner })).toMatchObject({ json: owner });
  });
  expect(readdirSync(made).filter((name) => SNAPSHOT.test(name))).toHaveLength(1);
});

it("a folder that cannot be made does not stop it", { timeout: SLOW, tags: "full" }, async () => {
  const folder = mkdtempSync(join(tmpdir(), "cpython-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, "file"), "");
  await works(join(folder, "file", "cache"));
});

it("old snapshots of other versions and half-written ones are deleted, all else stays", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  rmSync(snapshotIn(made));
  const names = ["cpython-1.0.0-0123456789abcdef.snapshot", "cpython-1.0.0-0123456789abcdef.snapshot.12.beside"];
  const stay = ["cpython-2.0.0-0123456789abcdef.snapshot", "notes.snapshot", "cpython.txt"];
  for (const name of [...names, ...stay]) writeFileSync(join(made, name), "x");
  const before = new Date(Date.now() - 2 * 3_600_000);
  for (const name of [...names, ...stay.slice(1)]) utimesSync(join(made, name), before, before);
  writeFileSync(join(made, stay[0] as string), "x");
  await works(made);
  const left = readdirSync(made);
  expect(left).toEqual(expect.arrayContaining(stay));
  expect(left.filter((name) => names.includes(name))).toEqual([]);
});
