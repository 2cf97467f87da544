/** The key file: its permissions, concurrent and dying writers, and a file that cannot be read. */

import { execFile } from "node:child_process";
import { chmod, chown, mkdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterEach, beforeEach, expect, test } from "vitest";
import { isKeysUnreadable, type KeysUnreadable } from "../../../runtime/access/key-store.js";
import type { IssuedKey, Keys } from "../../../runtime/access/keys.js";
import { filePlace, type KeyPlace } from "./stores.js";

const SLOW = 120_000;
let place: KeyPlace;
let keys: Keys;
let made: IssuedKey;
let path: string;
beforeEach(async () => {
  place = await filePlace();
  keys = place.open();
  made = await keys.create({ name: "a", scope: "write" }, "local");
  path = join(place.root, ".onetool", "keys");
});
afterEach(() => place.remove());

const modeOf = async (at: string): Promise<string> => ((await stat(at)).mode & 0o777).toString(8);

test("the file is its owner's alone, in a folder of the owner's alone, and holds a digest in place of the secret", async () => {
  expect([await modeOf(path), await modeOf(join(place.root, ".onetool"))]).toEqual(["600", "700"]);
  expect(await modeOf(`${path}.lock`)).toBe("600");
  const text = await readFile(path, "utf8");
  for (let at = 15; at + 8 <= made.key.length; at++) expect(text).not.toContain(made.key.slice(at, at + 8));
  expect(JSON.parse(text)).toEqual({ version: 1, keys: [made.record] });
  expect(made.record.digest).toMatch(/^[0-9a-f]{64}$/);
});

test("an edit by hand counts at the next question, also one that leaves the size as it is", async () => {
  expect(await keys.verify(made.key)).toMatchObject({ grant: { level: "write" } });
  const text = await readFile(path, "utf8");
  await writeFile(path, text.replace('"level": "write"', '"level":  "read"'));
  expect(await keys.verify(made.key)).toMatchObject({ grant: { level: "read" } });
});

/** What every question answers where the store is out of reach. */
async function expectOutage(message: RegExp, remedy: RegExp, of = keys): Promise<void> {
  const id = made.record.key_id;
  const questions = {
    verify: () => of.verify(made.key),
    still: () => of.still(id),
    anyLive: () => of.anyLive(),
    list: () => of.list(),
    create: () => of.create({ name: "n", scope: "read" }, "local"),
    revoke: () => of.revoke(id),
    rotate: () => of.rotate(id),
    init: () => of.init(),
  };
  for (const [name, ask] of Object.entries(questions)) {
    const error = await ask().then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expect(isKeysUnreadable(error), `${name}: ${String(error)}`).toBe(true);
    expect((error as KeysUnreadable).message).toMatch(message);
    expect((error as KeysUnreadable).remedy).toMatch(remedy);
    expect((error as KeysUnreadable).message).not.toContain(made.record.digest);
  }
}

test.each([0o640, 0o604, 0o660, 0o601])("a file of mode %o is an outage that says what to do", async (mode) => {
  await keys.verify(made.key);
  await chmod(path, mode);
  await expectOutage(new RegExp(`mode 0${mode.toString(8)}`), /chmod 600 \.onetool\/keys/);
  await chmod(path, 0o600);
  expect(await keys.verify(made.key)).toBeDefined();
});

test.skipIf(process.getuid?.() !== 0)("a file of another user is an outage", async () => {
  await chown(path, 12345, 12345);
  await expectOutage(/another user/, /chown 0/);
});

const record = (change: object): string => JSON.stringify({ version: 1, keys: [{ ...made.record, ...change }] });

test.each([
  ["nothing", () => ""],
  ["half of itself", (text: string) => text.slice(0, text.length / 2)],
  ["a list", () => "[]"],
  ["no version", () => '{"keys":[]}'],
  ["keys that are no list", () => '{"version":1,"keys":{}}'],
  ["a record without a digest", () => record({ digest: undefined })],
  ["a short digest", () => record({ digest: "0" })],
  ["a grant of no level", () => record({ grant: { level: "root", projects: "*" } })],
  ["a grant over no projects", () => record({ grant: { level: "read" } })],
  ["an invalid time", () => record({ expires_at: "soon" })],
  ["no word on revocation", () => record({ revoked_at: undefined })],
  ["one id twice", () => JSON.stringify({ version: 1, keys: [made.record, made.record] })],
])("a file that holds %s is an outage, and is not written over", { tags: "slow" }, async (_, spoil) => {
  const spoilt = spoil(await readFile(path, "utf8"));
  await writeFile(path, spoilt);
  await expectOutage(/\.onetool\/keys (is not|has)/, /restore it/);
  expect(await readFile(path, "utf8")).toBe(spoilt);
});

test("a file of a newer toolwright is an outage", async () => {
  await writeFile(path, '{"version":4,"keys":[]}');
  await expectOutage(/newer/, /install/);
});

test("a folder in its place is an outage", async () => {
  await rm(path);
  await mkdir(path, { mode: 0o700 });
  await expectOutage(/keys is no file/, /in its place/);
});

test("a file that goes away is an outage to a server that has seen it, and no keys to one that starts", async () => {
  await keys.verify(made.key);
  await rename(path, `${path}.away`);
  await expectOutage(/is gone/, /put it back/);
  const fresh = place.open();
  expect([await fresh.verify(made.key), await fresh.anyLive()]).toEqual([undefined, false]);
  await rename(`${path}.away`, path);
  expect(await keys.verify(made.key)).toBeDefined();
});

test("an invalid lock is an outage of writing only", async () => {
  await writeFile(`${path}.lock`, "this is no lock ".repeat(100));
  await expect(keys.create({ name: "n", scope: "read" }, "local")).rejects.toMatchObject({
    name: "KeysUnreadable",
    remedy: "remove .onetool/keys.lock",
  });
  expect(await keys.verify(made.key)).toBeDefined();
});

/** Runs writers side by side; what each printed. */
const writers = (mode: string, count: number, processes: number) => {
  const script = fileURLToPath(new URL("./key-writer.ts", import.meta.url));
  const flags = ["--import", "tsx", "-C", "toolwright-source", script, place.root, mode, String(count)];
  return Promise.all(Array.from({ length: processes }, () => promisify(execFile)(process.execPath, flags)));
};

test("processes that make and revoke keys at once lose nothing", { tags: "full", timeout: SLOW }, async () => {
  const done = await writers("write", 12, 4);
  const told = done.map(({ stdout }) => JSON.parse(stdout) as { stay: string[]; gone: string[] });
  const listed = await keys.list({ all: true });
  const idsOf = (state: string) => listed.filter((one) => one.state === state).map((one) => one.key_id);
  expect(idsOf("live").sort()).toEqual([made.record.key_id, ...told.flatMap(({ stay }) => stay)].sort());
  expect(idsOf("revoked").sort()).toEqual(told.flatMap(({ gone }) => gone).sort());
  expect(listed.length).toBe(49);
});

test("a writer that dies before the new file is in place leaves the old one, and blocks no other writer", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const before = await readFile(path, "utf8");
  await expect(writers("die", 1, 1)).rejects.toMatchObject({ signal: "SIGKILL" });
  expect(JSON.parse(await readFile(`${path}.tmp`, "utf8")).keys).toHaveLength(2);
  expect(await readFile(path, "utf8")).toBe(before);
  expect(await keys.verify(made.key)).toBeDefined();
  const next = await keys.create({ name: "b", scope: "read" }, "local");
  expect((await keys.list()).map(({ key_id }) => key_id)).toEqual([made.record.key_id, next.record.key_id]);
  await expect(stat(`${path}.tmp`)).rejects.toMatchObject({ code: "ENOENT" });
});
