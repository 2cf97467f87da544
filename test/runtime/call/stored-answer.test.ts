/** Answers in the ledger: encrypted where `state_encryption` has keys, and read again with them. */

import { randomBytes } from "node:crypto";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import type { StateKey } from "../../../runtime/config/connection-settings.js";
import { openState, type State } from "../../../runtime/state/open.js";
import { queries } from "../../../runtime/state/schema.js";
import { temporaryFolder } from "../../support/project.js";
import { errorOf, fixture, handler, okOf } from "../gateway/fixture.js";

let state: State;
let runs = 0;

beforeEach(async () => {
  runs = 0;
  state = await openState({ url: "", root: temporaryFolder() });
  onTestFinished(() => state.close());
});

const newKey = (id: string): StateKey => ({ id, key: randomBytes(32) });

/** Deletes a task under an idempotency key, at a server with these keys. */
async function remove(stateKeys: readonly StateKey[], idempotency_key = "a") {
  const run = handler(async ({ task_id }) => ({ deleted: task_id, note: `private ${++runs}` }));
  const { exec } = fixture({
    handlers: { "onto.task.delete": run },
    settings: { stateKeys },
    options: { openState: async () => state },
  });
  return exec("onto.task.delete", { task_id: "task_1" }, { idempotency_key });
}

const stored = (): Promise<readonly string[]> =>
  state.transaction("read", async (tx) =>
    (await queries(tx).selectFrom("ledger").select("envelope").orderBy("key").execute()).map((row) =>
      String(row.envelope),
    ),
  );
const store = (change: { readonly envelope?: string; readonly key?: string }): Promise<unknown> =>
  state.transaction("write", (tx) => queries(tx).updateTable("ledger").set(change).execute());

test("an answer is encrypted, and repeated with the key", async () => {
  const first = newKey("k 1");
  expect(okOf(await remove([first])).result).toEqual({ deleted: "task_1", note: "private 1" });
  const [text] = await stored();
  expect(text).toMatch(/^sealed k%201 [A-Za-z0-9+/=]+$/);
  expect(text).not.toContain("private");
  // After another key was put in front.
  const again = okOf(await remove([newKey("k2"), first]));
  expect([again.result, again.meta.replayed, runs]).toEqual([{ deleted: "task_1", note: "private 1" }, true, 1]);
});

test("an answer that was stored in clear is repeated", async () => {
  await remove([]);
  expect((await stored())[0]).toMatch(/^\{.*private 1/);
  expect(okOf(await remove([newKey("k1")])).meta.replayed).toBe(true);
  expect(runs).toBe(1);
});

test("an answer whose key is gone is not repeated, and the write is not either", async () => {
  await remove([newKey("k1")]);
  for (const keys of [[], [newKey("k2")], [newKey("k1")]]) {
    const error = errorOf(await remove(keys));
    expect(error).toMatchObject({ code: "CONFLICT", details: { reason: "answer_unreadable" } });
    expect(error.message).toContain(
      "the call was carried out. Its answer cannot be decrypted: the server needs the key k1",
    );
  }
  expect(runs).toBe(1);
});

test("an answer that was moved to another key does not open", async () => {
  const keys = [newKey("k1")];
  await remove(keys);
  await store({ key: "b" });
  expect(errorOf(await remove(keys, "b"))).toMatchObject({ code: "CONFLICT" });
  expect(runs).toBe(1);
});
