/** What a server says at its start of settings that work only in part. */

import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { placeOf, storeConnection } from "../../../runtime/connections/rows.js";
import { createSeal } from "../../../runtime/connections/sealing.js";
import { openState } from "../../../runtime/state/open.js";
import { configuredRoot, serve } from "../../support/project.js";

const SLOW = 180_000;

/** Starts a server on a configuration, and waits until its log has a text. */
async function warned(root: string, text: string): Promise<void> {
  const served = await serve(root);
  await vi.waitFor(() => expect(served.stderr()).toContain(text), { timeout: 60_000, interval: 100 });
  await served.close();
}

test("a key of state_encryption that opens nothing of what it encrypted", { timeout: SLOW }, async () => {
  const issuer = "https://auth.example.com";
  const root = configuredRoot(`
servers:
  per:
    url: https://api.example.com/mcp
    auth: { mode: per_user, issuer: "${issuer}", client: { id: tools } }
public_url: https://tools.example.com
state_encryption: { keys: [{ id: k1, from: ${randomBytes(32).toString("hex")} }] }`);
  mkdirSync(join(root, ".onetool"), { mode: 0o700 });
  const state = await openState({ url: "", root });
  const key = { kind: "own", principal: "alice", server: "per", issuer } as const;
  const seal = createSeal([{ id: "k1", key: randomBytes(32) }]);
  await storeConnection(state, key, seal.close("{}", placeOf(key)), Date.now());
  await state.close();
  await warned(root, "the key k1 does not open the 1 stored connection that it encrypted: its value is another one");
});
