/** The file lock: one holder across all processes, and released when its process ends. */

import { spawn } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { withFileLock } from "../../../runtime/state/file-lock.js";
import { CHECKOUT, generatedRoot, temporaryFolder, toolwright } from "../../support/project.js";
import { SCALE } from "../../support/random.js";

const SLOW = 300_000;
const PROCESSES = 6;
/** Additions of each process. */
const TIMES = 2 * Math.max(20, Math.round(500 * SCALE));

const SCRIPT = fileURLToPath(new URL("./lock-holder.ts", import.meta.url));

/** Runs a process that adds; how it ended. */
function holder(...args: readonly (string | number)[]): Promise<number | string> {
  const flags = ["--import", "tsx", "-C", "toolwright-source", SCRIPT, ...args.map(String)];
  return new Promise((resolve) => {
    spawn(process.execPath, flags, { cwd: CHECKOUT, stdio: "inherit" }).once("exit", (code, signal) =>
      resolve(code ?? signal ?? ""),
    );
  });
}

test(`${PROCESSES} processes, each with two callers, lose none of their additions`, {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const folder = temporaryFolder();
  const [lock, file] = [join(folder, "a.lock"), join(folder, "number")];
  writeFileSync(file, "0");
  const ends = await Promise.all(Array.from({ length: PROCESSES }, () => holder(lock, file, TIMES)));
  expect(ends).toEqual(ends.map(() => 0));
  expect(readFileSync(file, "utf8")).toBe(String(PROCESSES * TIMES));
});

test("a process that dies with the lock releases it", { timeout: SLOW }, async () => {
  const folder = temporaryFolder();
  const [lock, file] = [join(folder, "a.lock"), join(folder, "number")];
  writeFileSync(file, "0");
  expect(await holder(lock, file, 10, 4)).toBe("SIGKILL");
  const began = performance.now();
  expect(await withFileLock(lock, async () => readFileSync(file, "utf8"))).toBe("4");
  expect(performance.now() - began).toBeLessThan(1000);
});

test("a wait longer than 5 s fails, and the work is not done later", { tags: "full", timeout: SLOW }, async () => {
  const lock = join(temporaryFolder(), "a.lock");
  let release = (): void => undefined;
  const held = withFileLock(lock, () => new Promise<void>((resolve) => (release = resolve)));
  let isDone = false;
  const late = withFileLock(lock, async () => {
    isDone = true;
  });
  await expect(late).rejects.toMatchObject({ code: "UNAVAILABLE", details: { reason: "locked" } });
  release();
  await held;
  await withFileLock(lock, async () => undefined);
  expect(isDone).toBe(false);
});

test("what is no regular file is no lock", async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, "somebody's"), "");
  symlinkSync(join(folder, "somebody's"), join(folder, "a.lock"));
  mkdirSync(join(folder, "b.lock"));
  for (const name of ["a.lock", "b.lock"])
    await expect(withFileLock(join(folder, name), async () => 1)).rejects.toThrow("no regular file");
});

test("ot.notify of several processes at once loses no message, and stale locks of older versions are not looked at", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const definitions = join(temporaryFolder(), "definitions");
  mkdirSync(definitions);
  const config = ["use: [ot]", "sources: []", "topics: [{ pattern: 'a', file: notes.yaml }]", ""];
  writeFileSync(join(definitions, "toolwright.yaml"), config.join("\n"));
  const root = await generatedRoot(definitions);
  writeFileSync(join(root, "notes.yaml.lock"), "");
  const code = (name: number) => `for i in range(10): ot.notify(topic="a", message=f"${name}.{i}")`;
  const ran = await Promise.all(
    Array.from({ length: 3 }, (_, name) =>
      toolwright(["run", "-c", code(name), "--allow-write", "--json", "--root", root]),
    ),
  );
  for (const { code: exit, stderr, stdout } of ran)
    expect([exit, stderr, JSON.parse(stdout)]).toEqual([0, "", { ok: true, text: expect.any(String) }]);
  const messages = readFileSync(join(root, "notes.yaml"), "utf8").match(/^message: .*$/gm) ?? [];
  expect(new Set(messages).size).toBe(30);
  expect(messages.length).toBe(30);
});
