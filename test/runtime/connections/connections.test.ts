/** Tokens of connections: those of toolwright itself, and shared ones that several servers renew. */

import { decodeJwt } from "jose";
import { describe, expect, onTestFinished, test } from "vitest";
import { silentLog } from "../../../runtime/config/log.js";
import {
  leaseConnection,
  listConnections,
  RENEWAL_LEASE_MS,
  rowIdentity,
  storeConnection,
} from "../../../runtime/connections/rows.js";
import { createSeal } from "../../../runtime/connections/sealing.js";
import { nowIn } from "../../../runtime/state/job-table.js";
import type { State } from "../../../runtime/state/open.js";
import { queries } from "../../../runtime/state/schema.js";
import {
  API,
  connectionsOver,
  machineSettings,
  settingsFor,
  signedIn,
  stateFor,
  stateKey,
  TOOLS_CLIENT,
} from "../../support/servers/connections.js";
import { startIssuer } from "../../support/servers/issuer.js";
import { type Oidc, startOidc } from "../../support/servers/oidc.js";
import { NO_DATABASE, startSharedDatabase } from "../../support/shared-database.js";
import { ADMIN, ALICE } from "./sign-ins.js";

const USE = { name: "github" };
const redemptions = ({ seen }: Oidc): number => seen.filter((one) => one === "POST /token").length;

describe("client credentials", () => {
  test("callers at the same time ask once, for the resource of the server", async () => {
    const oidc = await startOidc();
    const { token } = connectionsOver(await stateFor(), machineSettings(oidc.issuer));
    const tokens = await Promise.all(Array.from({ length: 12 }, () => token(USE)));
    expect(new Set(tokens).size).toBe(1);
    expect(redemptions(oidc)).toBe(1);
    expect(decodeJwt(tokens[0] ?? "")).toMatchObject({ iss: oidc.issuer, aud: API, client_id: "machine" });
  });

  test("a refused token is not given out again, and an earlier refusal ends no newer token", async () => {
    const oidc = await startOidc();
    const { token, refused } = connectionsOver(await stateFor(), machineSettings(oidc.issuer));
    const first = await token(USE);
    refused(USE, first);
    const second = await token(USE);
    expect(second).not.toBe(first);
    refused(USE, first);
    expect(await token(USE)).toBe(second);
  });

  test("an ended token is replaced", async () => {
    const oidc = await startOidc({ lifeS: 60 });
    let now = Date.now();
    const { token } = connectionsOver(await stateFor(), machineSettings(oidc.issuer), [], () => now);
    const first = await token(USE);
    expect(await token(USE)).toBe(first);
    now += 61_000;
    expect(await token(USE)).not.toBe(first);
  });

  test.each([
    ["in a header, as long as the provider does not say otherwise", undefined, true],
    ["in a header, where the provider takes both", ["client_secret_post", "client_secret_basic"], true],
    ["in the form, where the provider takes nothing else", ["client_secret_post"], false],
  ])("the secret goes %s", async (_, methods, isInHeader) => {
    const provider = await startIssuer();
    provider.state.metadata = { token_endpoint_auth_methods_supported: methods };
    provider.state.tokens = { access_token: "a-token", token_type: "Bearer" };
    await connectionsOver(await stateFor(), machineSettings(provider.issuer)).token(USE);
    const [{ form, authorization } = { form: new URLSearchParams(), authorization: "" }] = provider.state.redeemed;
    expect(authorization).toBe(
      isInHeader ? `Basic ${Buffer.from("machine:machine-secret").toString("base64")}` : undefined,
    );
    expect([form.get("client_id"), form.get("client_secret")]).toEqual(
      isInHeader ? [null, null] : ["machine", "machine-secret"],
    );
  });

  test.each([
    ["urn:ietf:params:oauth:token-type:access_token", true],
    ["urn:ietf:params:oauth:token-type:jwt", true],
    ["urn:ietf:params:oauth:token-type:refresh_token", false],
    ["urn:ietf:params:oauth:token-type:id_token", false],
    [{}, false],
  ])("an answer with a token that is issued as %j is used: %s", async (issued_token_type, isUsed) => {
    const provider = await startIssuer();
    provider.state.tokens = { access_token: "a-token", token_type: "Bearer", issued_token_type };
    const asked = connectionsOver(await stateFor(), machineSettings(provider.issuer)).token(USE);
    if (isUsed) expect(await asked).toBe("a-token");
    else
      await expect(asked).rejects.toMatchObject({ details: { reason: expect.stringContaining("issued_token_type") } });
  });

  test("a wrong secret, a provider that is away and an unset variable are UNAVAILABLE, without a secret", async () => {
    const oidc = await startOidc();
    const settings = machineSettings(oidc.issuer);
    const failure = async (change: object) => {
      const { token } = connectionsOver(await stateFor(), { ...settings, ...change });
      return token(USE).then(String, (error: unknown) => error);
    };
    expect(await failure({ client: { id: "machine", secret: "a wrong secret" } })).toMatchObject({
      code: "UNAVAILABLE",
      message: `There is no token for github: ${oidc.issuer} refuses it with invalid_client.`,
    });
    expect(await failure({ client: { id: "machine", secret: `\${NOT_SET}` } })).toMatchObject({
      code: "UNAVAILABLE",
      message: "The connection github needs NOT_SET, which is not set.",
    });
    await oidc.stop();
    expect(await failure({})).toMatchObject({ code: "UNAVAILABLE", details: { server: "github" } });
  });
});

/** A provider whose user has signed in for all callers, and the rows of one or several servers. */
async function shared(states: readonly State[], lifeS = 300, keys = [stateKey()]) {
  const oidc = await startOidc({ lifeS, clients: [TOOLS_CLIENT] });
  const settings = settingsFor(oidc.issuer);
  const clock = { ahead: 0 };
  const servers = states.map((state) => connectionsOver(state, settings, keys, () => Date.now() + clock.ahead));
  const { tokens, client } = await signedIn(oidc, settings);
  await servers[0]?.store("github", tokens, { client });
  oidc.seen.length = 0;
  return { oidc, settings, clock, servers, tokens, keys };
}

describe("shared connections", () => {
  test("every caller has the token that was signed in, until it ends", async () => {
    const { servers, tokens, oidc, clock } = await shared([await stateFor()], 60);
    const [server] = servers;
    expect(await server?.token(USE)).toBe(tokens.access_token);
    clock.ahead = 61_000;
    const next = await server?.token(USE);
    expect(next).not.toBe(tokens.access_token);
    expect(decodeJwt(next ?? "")).toMatchObject({ sub: "alice", aud: API });
    expect(redemptions(oidc)).toBe(1);
  });

  test("without a sign-in, a call says how to make one", async () => {
    const oidc = await startOidc();
    const { token } = connectionsOver(await stateFor(), settingsFor(oidc.issuer));
    await expect(token(USE)).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message:
        'github is not connected. To do: run "toolwright connections login github", or open https://tools.example.com/#/connections?name=github as an admin.',
      details: { server: "github", reason: "sign_in_required" },
    });
  });

  test("a grant that the provider has ended is forgotten after one redemption", async () => {
    const state = await stateFor();
    const { servers, oidc, tokens, clock } = await shared([state], 60);
    const basic = Buffer.from("tools:tools-secret").toString("base64");
    await fetch(`${oidc.issuer}/token/revocation`, {
      method: "POST",
      headers: { authorization: `Basic ${basic}` },
      body: new URLSearchParams({ token: tokens.refresh_token ?? "" }),
    });
    clock.ahead = 61_000;
    for (let i = 0; i < 3; i++)
      await expect(servers[0]?.token(USE)).rejects.toMatchObject({ details: { reason: "sign_in_required" } });
    expect(redemptions(oidc)).toBe(1);
    expect(await listConnections(state)).toEqual([]);
  });

  test("the log says of which connection a renewal failed, and whether it is gone", async () => {
    const { issuer, state: provider } = await startIssuer();
    const said: unknown[] = [];
    const log = { ...silentLog, warn: (message: string, fields?: object) => void said.push([message, fields]) };
    const state = await stateFor();
    const keys = [stateKey()];
    const settings = settingsFor(issuer, { mode: "per_user" });
    const server = connectionsOver(state, settings, keys, Date.now, log);
    const key = { kind: "own", principal: "alice", server: "github", issuer } as const;
    const content = { access_token: "a", refresh_token: "r", use_until: 1, client: { clientId: "tools" } };
    const row = createSeal(keys).close(JSON.stringify(content), rowIdentity(key));
    await storeConnection(state, key, row, Date.now());
    const use = { ...USE, principal: ALICE };
    for (const error of ["temporarily_unavailable", "invalid_grant"]) {
      Object.assign(provider, { tokenStatus: 400, tokens: { error } });
      await expect(server.token(use)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    }
    const fields = (error: string) => ({
      ...{ server: "github", issuer, principal: "alice", error: `it answers ${error} (HTTP 400)` },
      deleted: error === "invalid_grant",
    });
    expect(said).toEqual([
      ["a connection was not renewed", fields("temporarily_unavailable")],
      ["a connection was not renewed", fields("invalid_grant")],
    ]);
    provider.isDown = true;
    await expect(server.signIns.begin("github", ALICE)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(said.at(-1)).toEqual([
      "a sign-in at a server cannot begin",
      { server: "github", issuer, by: "alice", error: expect.stringContaining("status 502") },
    ]);
  });

  test("a provider that is away ends nothing: the token is renewed once it answers", async () => {
    const state = await stateFor();
    const { servers, oidc, clock } = await shared([state], 60);
    clock.ahead = 61_000;
    oidc.isAway = true;
    await expect(servers[0]?.token(USE)).rejects.toMatchObject({ code: "UNAVAILABLE" });
    oidc.isAway = false;
    expect(await servers[0]?.token(USE)).toMatch(/^eyJ/);
  });

  test("the database holds no token, and a row of another place gives none", async () => {
    const state = await stateFor();
    const { servers, tokens } = await shared([state]);
    const rows = await state.transaction("read", (tx) => queries(tx).selectFrom("connections").selectAll().execute());
    const dump = JSON.stringify(rows);
    for (const secret of [tokens.access_token, tokens.refresh_token ?? "", "tools-secret"]) {
      expect(dump).not.toContain(secret);
      expect(dump).not.toContain(Buffer.from(secret).toString("base64").slice(0, 20));
    }
    await state.transaction("write", (tx) =>
      queries(tx).updateTable("connections").set({ issuer: "https://other.example.com" }).execute(),
    );
    await expect(servers[0]?.token(USE)).rejects.toMatchObject({ details: { reason: "sign_in_required" } });
  });

  test("with a new first key, a row is encrypted again at its next use, without a new sign-in", async () => {
    const state = await stateFor();
    const old = stateKey("k1");
    const { settings, tokens } = await shared([state], 300, [old]);
    const next = stateKey("k2");
    expect(await connectionsOver(state, settings, [next, old]).token(USE)).toBe(tokens.access_token);
    expect(await connectionsOver(state, settings, [next]).token(USE)).toBe(tokens.access_token);
    await expect(connectionsOver(state, settings, [old]).token(USE)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  test("with a wrong value of its key, a row stays, and no caller is told to sign in", async () => {
    const state = await stateFor();
    const right = stateKey("k1");
    const { settings, tokens } = await shared([state], 300, [right]);
    const said: unknown[] = [];
    const log = { ...silentLog, warn: (message: string, fields?: object) => void said.push([message, fields]) };
    const wrong = connectionsOver(state, settings, [stateKey("k1"), stateKey("k2")], Date.now, log);
    const failure = {
      code: "UNAVAILABLE",
      message: expect.stringMatching(/^What is stored for github cannot be opened: state_encryption.keys has another/),
      details: { server: "github", reason: "wrong_encryption_key" },
    };
    await expect(wrong.token(USE)).rejects.toMatchObject(failure);
    expect(said).toEqual([
      [
        "a connection cannot be decrypted",
        {
          ...{ server: "github", issuer: settings.issuer, key: "k1" },
          to_do: expect.stringContaining("put the value of k1 back"),
        },
      ],
    ]);
    await expect(wrong.signIns.begin("github", ADMIN)).rejects.toMatchObject(failure);
    await expect(wrong.wanted("github")).rejects.toMatchObject(failure);
    expect(await wrong.signIns.shown(ADMIN)).toMatchObject([{ name: "github", may_connect: false, lacks: "key" }]);
    expect(await connectionsOver(state, settings, [right]).token(USE)).toBe(tokens.access_token);
  });

  test("with a wrong value of its key, a registered client is not registered again over the first one", async () => {
    const state = await stateFor();
    const oidc = await startOidc();
    const settings = settingsFor(oidc.issuer, { client: { register: true } });
    const right = stateKey("k1");
    await connectionsOver(state, settings, [right]).signIns.begin("github", ADMIN);
    await expect(
      connectionsOver(state, settings, [stateKey("k1")]).signIns.begin("github", ADMIN),
    ).rejects.toMatchObject({ details: { reason: "wrong_encryption_key" } });
    await connectionsOver(state, settings, [right]).signIns.begin("github", ADMIN);
    expect(oidc.seen.filter((one) => one === "POST /reg")).toHaveLength(1);
  });

  test("a server that dies while it renews holds the others up only until its lease ends", async () => {
    const state = await stateFor();
    const { servers, clock, settings, oidc } = await shared([state], 60);
    clock.ahead = 61_000;
    const key = { kind: "shared", principal: "", server: "github", issuer: settings.issuer } as const;
    expect(await leaseConnection(state, { key, owner: "dead", version: 1 })).toBe(true);
    expect(await leaseConnection(state, { key, owner: "other", version: 1 })).toBe(false);
    const waiting = servers[0]?.token(USE);
    // As if the time of the lease had passed.
    await state.transaction("write", (tx) =>
      queries(tx)
        .updateTable("connections")
        .set({ lease_until: nowIn(state) })
        .execute(),
    );
    expect(await waiting).toMatch(/^eyJ/);
    expect(redemptions(oidc)).toBe(1);
    expect(RENEWAL_LEASE_MS).toBeGreaterThan(5000);
  });
});

const ROUNDS = process.env["SCALE"] === "1" ? 20 : 4;

describe.each([
  ["SQLite", false],
  ["PostgreSQL", true],
])("renewal on %s", (_, isShared) => {
  test.skipIf(isShared && NO_DATABASE !== "")(
    `12 callers of 3 servers redeem each refresh token once, ${ROUNDS} times over`,
    { timeout: 120_000, tags: "slow" },
    async () => {
      const url = isShared ? (await startSharedDatabase(onTestFinished)).href : "";
      const first = await stateFor(url);
      const states = isShared ? [first, await stateFor(url), await stateFor(url)] : [first, first, first];
      const { servers, oidc, clock } = await shared(states, 60);
      for (let round = 1; round <= ROUNDS; round++) {
        clock.ahead += 61_000;
        const callers = Array.from({ length: 12 }, (__, i) => servers[i % 3]?.token(USE));
        const found = await Promise.all(callers);
        expect(new Set(found).size).toBe(1);
        expect(redemptions(oidc)).toBe(round);
      }
    },
  );
});
