/** The end of connections: the row goes first, then the authorization server is told (RFC 7009). */

import { expect, onTestFinished, test } from "vitest";
import { silentLog } from "../../../runtime/config/log.js";
import { endConnections } from "../../../runtime/connections/revocation.js";
import { findConnection, rowIdentity, storeConnection } from "../../../runtime/connections/rows.js";
import { createSeal } from "../../../runtime/connections/sealing.js";
import { allowPrivateOf } from "../../../runtime/http-client/named-address.js";
import { connectionsOver, settingsFor, stateFor, stateKey } from "../../support/servers/connections.js";
import { startIssuer } from "../../support/servers/issuer.js";
import { ALICE } from "./sign-ins.js";

/** A stored connection of alice at an authorization server with this metadata. */
async function connected(
  metadata: (issuer: string) => object = (issuer) => ({ revocation_endpoint: `${issuer}/revoke` }),
) {
  const { issuer, state: provider } = await startIssuer();
  provider.metadata = metadata(issuer);
  const [state, keyed] = [await stateFor(), stateKey()];
  const seal = createSeal([keyed]);
  const key = { kind: "own", principal: ALICE.id, server: "github", issuer } as const;
  const content = { access_token: "an-access-token", refresh_token: "a-refresh-token", client: { clientId: "tools" } };
  await storeConnection(state, key, seal.close(JSON.stringify(content), rowIdentity(key)), Date.now());
  const warned: unknown[] = [];
  const log = { ...silentLog, warn: (message: string, fields?: object) => void warned.push([message, fields]) };
  const isThere = async () => (await findConnection(state, key)) !== undefined;
  return { issuer, provider, state, keyed, seal, key, log, warned, isThere };
}

test("a caller who disconnects ends the grant at the authorization server, with both tokens", async () => {
  const { issuer, provider, state, keyed, isThere } = await connected();
  const { signIns } = connectionsOver(state, settingsFor(issuer, { mode: "per_user" }), [keyed]);
  expect(await signIns.revoke("github", { kind: "own", principal: ALICE.id }, ALICE)).toBe(true);
  expect(await isThere()).toBe(false);
  expect(provider.revoked.map((form) => Object.fromEntries(form))).toEqual([
    { token: "a-refresh-token", token_type_hint: "refresh_token", client_id: "tools" },
    { token: "an-access-token", token_type_hint: "access_token", client_id: "tools" },
  ]);
});

test.each<[string, ((issuer: string) => object) | undefined, number]>([
  ["refuses", undefined, 503],
  ["names an endpoint that is less safe than itself", () => ({ revocation_endpoint: "ftp://127.0.0.1/revoke" }), 200],
])("the row is gone where the server %s, and the log says so without a token", async (_, metadata, status) => {
  const { provider, state, seal, key, log, warned, isThere } = await connected(metadata);
  provider.revokeStatus = status;
  expect(await endConnections({ state, seal, log }, [key])).toBe(1);
  expect(await isThere()).toBe(false);
  expect(warned).toMatchObject([
    ["an authorization server was not told that a connection has ended", { server: "github" }],
  ]);
  expect(JSON.stringify(warned)).not.toMatch(/a-refresh-token|an-access-token/);
});

test("a server that revokes no tokens is asked nothing, and a connection that is not there ends nothing", async () => {
  const { provider, state, seal, key, log, warned } = await connected(() => ({}));
  expect(await endConnections({ state, seal, log }, [key])).toBe(1);
  expect(await endConnections({ state, seal, log }, [key])).toBe(0);
  expect([provider.revoked, warned]).toEqual([[], []]);
});

/** A connection whose token has ended, at a server that answers a renewal after `meanwhile`. */
async function renewing(meanwhile: (at: Awaited<ReturnType<typeof connected>>) => Promise<unknown>) {
  const at = await connected();
  const { issuer, provider, state, keyed, seal, key } = at;
  const ended = { access_token: "old", refresh_token: "old-refresh", use_until: 1, client: { clientId: "tools" } };
  await storeConnection(state, key, seal.close(JSON.stringify(ended), rowIdentity(key)), Date.now());
  const renewal = { access_token: "new-access", refresh_token: "new-refresh", token_type: "Bearer" };
  provider.instead = {
    "/token": async (answer) => {
      await meanwhile(at);
      answer.setHeader("content-type", "application/json").end(JSON.stringify(renewal));
    },
  };
  const connections = connectionsOver(state, settingsFor(issuer, { mode: "per_user" }), [keyed], Date.now, at.log);
  return { ...at, answer: connections.token({ name: "github", principal: ALICE }) };
}

test("a connection that is revoked while it is renewed: the new tokens are revoked, and the call is refused", async () => {
  const { answer, provider, isThere } = await renewing(({ state, seal, log, key }) =>
    endConnections({ state, seal, log }, [key]),
  );
  await expect(answer).rejects.toMatchObject({ code: "UNAVAILABLE", details: { reason: "sign_in_required" } });
  expect(await isThere()).toBe(false);
  expect(provider.revoked.map((form) => form.get("token"))).toEqual([
    ...["old-refresh", "old"],
    ...["new-refresh", "new-access"],
  ]);
});

test("one that is revoked and made again while it is renewed keeps the tokens of the new sign-in", async () => {
  const { answer, provider } = await renewing(async ({ state, seal, log, key }) => {
    await endConnections({ state, seal, log }, [key]);
    const fresh = { access_token: "of-the-new-one", client: { clientId: "tools" } };
    await storeConnection(state, key, seal.close(JSON.stringify(fresh), rowIdentity(key)), Date.now() + 5);
  });
  expect(await answer).toBe("of-the-new-one");
  expect(provider.revoked.map((form) => form.get("token"))).toEqual(["old-refresh", "old"]);
});

test.each(["https://10.1.2.3/revoke", "https://[fd00::1]/revoke", "https://localhost:8443/revoke"])(
  "an endpoint that the metadata names at a private address is asked nothing: %s",
  async (revocation_endpoint) => {
    const { state, seal, key, log, warned } = await connected(() => ({ revocation_endpoint }));
    expect(await endConnections({ state, seal, log }, [key])).toBe(1);
    expect(JSON.stringify(warned)).toMatch(/whose address is not public .*; name the host under web\.allow_private/);
  },
);

test("one that web.allow_private names is asked", async () => {
  allowPrivateOf("/a/project", ["localhost"]);
  onTestFinished(() => allowPrivateOf("/a/project", []));
  const { state, seal, key, log, warned } = await connected(() => ({
    revocation_endpoint: "https://localhost:8443/revoke",
  }));
  expect(await endConnections({ state, seal, log }, [key])).toBe(1);
  expect(JSON.stringify(warned)).not.toMatch(/not public/);
});
