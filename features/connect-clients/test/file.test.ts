/** Writing a client's file: unchanged if it changed meanwhile; its mode is kept; errors are reported. */

import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { temporaryFolder } from "../../../test/support/project.js";
import { readState, writeState } from "../file.js";

const there = (text: string) => {
  const path = join(temporaryFolder(), "mcp.json");
  writeFileSync(path, text);
  return path;
};

test("a file that changed, came or went since it was read is left as it is", async () => {
  const changed = there("{}");
  const before = await readState(changed);
  writeFileSync(changed, '{"a":1}');
  await expect(writeState(before, "ours")).rejects.toThrow(/changed meanwhile.*run the command again/);
  expect(readFileSync(changed, "utf8")).toBe('{"a":1}');
  const came = join(temporaryFolder(), "mcp.json");
  const none = await readState(came);
  writeFileSync(came, "theirs");
  await expect(writeState(none, "ours")).rejects.toThrow(/changed meanwhile/);
  expect(readFileSync(came, "utf8")).toBe("theirs");
});

test("a mode that the process's mask forbids is kept, and so is a byte-order mark; nothing else is left behind", async () => {
  const path = there("\uFEFFold");
  chmodSync(path, 0o666);
  const state = await readState(path);
  expect(state.text).toBe("old");
  expect(String(await writeState(state, "new"))).toBe("\uFEFFnew");
  expect([readFileSync(path, "utf8"), statSync(path).mode & 0o777]).toEqual(["\uFEFFnew", 0o666]);
  expect(readdirSync(join(path, ".."))).toEqual(["mcp.json"]);
  await writeState(await readState(path), undefined);
  expect(existsSync(path)).toBe(false);
});

test("a write error is reported, and leaves no temporary file", async () => {
  const path = join(there("a file"), "below", "mcp.json");
  await expect(readState(path)).rejects.toThrow(/cannot be read: ENOTDIR/);
  await expect(writeState({ target: path, text: "" }, "x")).rejects.toThrow(/cannot be written: ENOTDIR/);
});
