/** What a server does at its start: warns of settings that work only in part, and masks the secrets that it knows. */

import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { OVERVIEW } from "../../../definitions/onto/backend/guide.js";
import { rowIdentity, storeConnection } from "../../../runtime/connections/rows.js";
import { createSeal } from "../../../runtime/connections/sealing.js";
import { openState } from "../../../runtime/state/open.js";
import { configuredRoot, serve } from "../../support/project.js";

const SLOW = 180_000;

test("it names a key of state_encryption that opens nothing, and masks secrets in the first answer", {
  timeout: SLOW,
}, async () => {
  const issuer = "https://auth.example.com";
  const root = configuredRoot(`
servers:
  per:
    url: https://api.example.com/mcp
    auth: { mode: per_user, issuer: "${issuer}", client: { id: tools, secret: "\${UNSET_AT_START}" } }
public_url: https://tools.example.com
state_encryption: { keys: [{ id: k1, from: ${randomBytes(32).toString("hex")} }] }`);
  mkdirSync(join(root, ".onetool"), { mode: 0o700 });
  const state = await openState({ url: "", root });
  const key = { kind: "own", principal: "alice", server: "per", issuer } as const;
  const seal = createSeal([{ id: "k1", key: randomBytes(32) }]);
  await storeConnection(state, key, seal.close("{}", rowIdentity(key)), Date.now());
  await state.close();
  // A part of what an op answers that looks up no secret.
  const secret = JSON.stringify(OVERVIEW).match(/\w{4,} \w{4,} \w{4,}/)?.[0] ?? "";
  writeFileSync(join(root, ".onetool", "secrets.yaml"), `SOME_NAME: ${secret}\n`, { mode: 0o600 });
  const served = await serve(root);
  const { value } = await served.call("tool_exec", { op: "util.buildos.overview" });
  expect(value).toMatchObject({ ok: true });
  expect(JSON.stringify(value)).toContain("***");
  expect(JSON.stringify(value)).not.toContain(secret);
  const text = "the key k1 does not open the 1 stored connection that it encrypted: its value is another one";
  await vi.waitFor(() => expect(served.stderr()).toContain(text), { timeout: 60_000, interval: 100 });
  expect(served.stderr()).toContain(
    "servers.per.auth.client.secret names UNSET_AT_START, which is not set: calls fail",
  );
  await served.close();
});
