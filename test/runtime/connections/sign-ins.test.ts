/** Sign-ins of callers at a real provider: from the page to the token, and the attacks on the callback. */

import { createHash } from "node:crypto";
import { decodeJwt } from "jose";
import { describe, expect, test } from "vitest";
import { withCallerToken } from "../../../runtime/access/caller-tokens.js";
import { clientDocument } from "../../../runtime/connections/clients.js";
import { keysInUse } from "../../../runtime/connections/rows.js";
import { joinedGrants } from "../../../runtime/contract/grant.js";
import { nowIn } from "../../../runtime/state/job-table.js";
import { queries } from "../../../runtime/state/schema.js";
import { API, connectionsOver, PUBLIC, settingsFor, stateFor, stateKey } from "../../support/servers/connections.js";
import { startIssuer } from "../../support/servers/issuer.js";
import { ADMIN, ALICE, answered, BOB, CALLBACK, MISSING, READ, use, world } from "./sign-ins.js";

describe("a sign-in", () => {
  test("ends at another server, and gives its caller and nobody else a token", async () => {
    const { oidc, server, other } = await world();
    await expect(server.token(use(ALICE))).rejects.toMatchObject({
      ...MISSING,
      message: `github is not connected for you. To do: open ${PUBLIC}/#/connections?name=github in a browser, and connect github.`,
    });
    const { query, browser } = await answered(oidc, server, ALICE);
    expect(await other.signIns.finish(query, browser)).toEqual({ kind: "connected", name: "github" });
    expect(decodeJwt(await server.token(use(ALICE)))).toMatchObject({ sub: "alice", aud: API });
    await expect(server.token(use(BOB))).rejects.toMatchObject(MISSING);
    await expect(server.token({ name: "github" })).rejects.toMatchObject({ code: "UNAVAILABLE" });
    const second = await answered(oidc, server, BOB);
    await server.signIns.finish(second.query, second.browser);
    const calls = Array.from({ length: 40 }, (_, i) => [ALICE, BOB][i % 2] ?? ALICE);
    const subjects = await Promise.all(calls.map(async (one) => decodeJwt(await other.token(use(one))).sub));
    expect(subjects).toEqual(calls.map(({ id }) => id));
  });

  test("is shown and ended by its caller, and by admins, who see no content", async () => {
    const { oidc, state, settings, server } = await world();
    const { query, browser } = await answered(oidc, server, ALICE);
    await server.signIns.finish(query, browser);
    const { signIns } = server;
    expect(await signIns.shown(ALICE)).toMatchObject([
      { name: "github", may_connect: true, since: expect.any(String) },
    ]);
    expect((await signIns.shown(BOB))[0]).not.toHaveProperty("since");
    await expect(signIns.all(ALICE)).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    const all = await signIns.all(ADMIN);
    expect(all.map((one) => Object.keys(one).sort())).toEqual([
      ["created_at", "issuer", "kind", "principal", "server", "updated_at"],
    ]);
    const otherKey = connectionsOver(state, settings, [stateKey("k2")]);
    expect((await otherKey.signIns.shown(ALICE))[0]).not.toHaveProperty("since");
    const own = { kind: "own", principal: "alice" } as const;
    await expect(signIns.revoke("github", own, BOB)).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    expect(await signIns.revoke("github", own, ADMIN)).toBe(true);
    expect(await signIns.revoke("github", own, ALICE)).toBe(false);
    await expect(server.token(use(ALICE))).rejects.toMatchObject(MISSING);
  });

  test.each<[string, Parameters<typeof joinedGrants>[0], boolean]>([
    ["of everything", [{ level: "admin", projects: "*" }], true],
    ["beside the grant to read", [READ, { level: "admin", projects: "*" }], true],
    ["of one project, beside the grant to read", [READ, { level: "admin", projects: ["proj_a"] }], false],
    ["of one pack", [{ level: "admin", projects: "*", packs: ["onto"] }], false],
    ["of some ops, and to read everything", [READ, { level: "admin", projects: "*", ops: ["*.list"] }], false],
  ])("a user with the level admin %s: sees the connections of others: %j", async (_, parts, sees) => {
    const { server } = await world();
    const grant = joinedGrants(parts);
    if (!grant) throw new Error("no grant");
    const all = server.signIns.all({ kind: "user", id: "carol", grant, allowWrite: true });
    if (sees) expect(await all).toEqual([]);
    else await expect(all).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
  });

  test("of a shared connection is for admins, and serves all callers", async () => {
    const { oidc, server } = await world({ mode: "shared" });
    await expect(server.signIns.begin("github", ALICE)).rejects.toMatchObject({ code: "PERMISSION_DENIED" });
    const { query, browser } = await answered(oidc, server, ADMIN);
    await server.signIns.finish(query, browser);
    expect(decodeJwt(await server.token(use(BOB))).sub).toBe("root");
  });

  test("registers toolwright once, where it has no client", async () => {
    const { oidc, state, settings, keys, server, other } = await world({ client: { register: true } });
    for (const [one, principal] of [[server, ALICE] as const, [other, BOB] as const]) {
      const { query, browser } = await answered(oidc, one, principal);
      expect(await one.signIns.finish(query, browser)).toMatchObject({ kind: "connected" });
    }
    expect(oidc.seen.filter((one) => one === "POST /reg")).toHaveLength(1);
    expect(await server.signIns.all(ADMIN)).toHaveLength(2);
    // Under a new key after the next use, so that the earlier one can be removed.
    const rotated = connectionsOver(state, settings, [stateKey("k2"), ...keys]);
    await rotated.signIns.begin("github", ALICE);
    for (const principal of [ALICE, BOB]) await rotated.token(use(principal));
    expect(await keysInUse(state)).toEqual([{ key_id: "k2", count: 3 }]);
    expect(oidc.seen.filter((one) => one === "POST /reg")).toHaveLength(1);
  });

  test("names its document where the server takes one, before a registration, and is renewed as that client", async () => {
    const asked: string[] = [];
    const document = async (url: string) => {
      asked.push(url);
      return Response.json(clientDocument(new URL(PUBLIC)));
    };
    const client = { metadata_url: "auto", register: true };
    const { oidc, state, settings, keys, server } = await world({ client }, { document, lifeS: 60 });
    const { url, query, browser } = await answered(oidc, server, ALICE);
    expect(url.searchParams.get("client_id")).toBe(`${PUBLIC}/oauth/client.json`);
    expect(await server.signIns.finish(query, browser)).toMatchObject({ kind: "connected" });
    const first = await server.token(use(ALICE));
    expect(decodeJwt(first)).toMatchObject({ sub: "alice", aud: API, client_id: `${PUBLIC}/oauth/client.json` });
    const later = connectionsOver(state, settings, keys, () => Date.now() + 61_000);
    const second = await later.token(use(ALICE));
    expect(second).not.toBe(first);
    expect(decodeJwt(second)).toMatchObject({ sub: "alice", client_id: `${PUBLIC}/oauth/client.json` });
    expect(new Set(asked)).toEqual(new Set([`${PUBLIC}/oauth/client.json`]));
    expect(oidc.seen).not.toContain("POST /reg");
  });

  test("registers toolwright where the server takes no document, and says so where it may not", async () => {
    const { oidc, server } = await world({ client: { metadata_url: "auto", register: true } });
    const { url } = await server.signIns.begin("github", ALICE);
    expect(new URL(url).searchParams.get("client_id")).not.toContain(PUBLIC);
    expect(oidc.seen).toContain("POST /reg");
    const { server: strict } = await world({ client: { metadata_url: "auto" } });
    await expect(strict.signIns.begin("github", ALICE)).rejects.toMatchObject({
      code: "UNAVAILABLE",
      message: expect.stringMatching(/by the configuration of this server: \S+ takes no client ID metadata document/),
    });
  });

  test("cannot begin at a server that is not there, takes no sign-in, or is out of reach", async () => {
    const { oidc, server } = await world();
    await expect(server.signIns.begin("gitlab", ALICE)).rejects.toMatchObject({ code: "NOT_FOUND" });
    const machine = connectionsOver(await stateFor(), settingsFor(oidc.issuer, { mode: "client_credentials" }));
    await expect(machine.signIns.begin("github", ALICE)).rejects.toMatchObject({ code: "NOT_FOUND" });
    await oidc.stop();
    await expect(server.signIns.begin("github", ALICE)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});

interface Given {
  readonly query: URLSearchParams;
  readonly browser: string | undefined;
}

/** The same answer in a browser with another cookie. */
const inBrowser =
  (cookie: (given: Given) => string | undefined) =>
  (given: Given): Given => ({ ...given, browser: cookie(given) });

const digest = (text: string | null | undefined): string =>
  createHash("sha256")
    .update(text ?? "")
    .digest("hex");

/** What an answer is changed to, and what the person is told. */
const ATTACKS: readonly [string, (given: Given) => Given | void, "elsewhere" | "cancelled" | "refused"][] = [
  ["without a state", ({ query }) => query.delete("state"), "elsewhere"],
  ["with an empty state", ({ query }) => query.set("state", ""), "elsewhere"],
  ["with another state", ({ query }) => query.set("state", "x".repeat(43)), "elsewhere"],
  ["with two states", ({ query }) => query.append("state", "x"), "elsewhere"],
  ["without the cookie", inBrowser(() => undefined), "elsewhere"],
  ["with an empty cookie", inBrowser(() => ""), "elsewhere"],
  ["with another cookie", inBrowser(() => "x".repeat(43)), "elsewhere"],
  ["with the state as the cookie", inBrowser((given) => given.query.get("state") ?? ""), "elsewhere"],
  ["with another issuer", ({ query }) => query.set("iss", "https://evil.example.com"), "refused"],
  ["with two issuers", ({ query }) => query.append("iss", "https://evil.example.com"), "elsewhere"],
  ["without an issuer", ({ query }) => query.delete("iss"), "refused"],
  ["with another code", ({ query }) => query.set("code", "x".repeat(43)), "refused"],
  ["with two codes", ({ query }) => query.append("code", "x"), "elsewhere"],
  ["without a code", ({ query }) => query.delete("code"), "refused"],
  ["with an error", ({ query }) => query.set("error", "server_error"), "refused"],
  ["with markup as an error", ({ query }) => query.set("error", "<script>alert(1)</script>"), "refused"],
  ["with an issuer that has a slash more", ({ query }) => query.set("iss", `${query.get("iss")}/`), "refused"],
  ["with an issuer in upper case", ({ query }) => query.set("iss", query.get("iss")?.toUpperCase() ?? ""), "refused"],
  ["with an empty issuer", ({ query }) => query.set("iss", ""), "refused"],
  ["with an empty code", ({ query }) => query.set("code", ""), "refused"],
  [
    "with two errors",
    ({ query }) => {
      query.append("error", "access_denied");
      query.append("error", "x");
    },
    "elsewhere",
  ],
  ["with a state in upper case", ({ query }) => query.set("state", `${query.get("state")}`.toUpperCase()), "elsewhere"],
  ["with a state that goes on", ({ query }) => query.set("state", `${query.get("state")}x`), "elsewhere"],
  ["with the digest of the state", ({ query }) => query.set("state", digest(query.get("state"))), "elsewhere"],
  ["with the digest of the cookie", inBrowser(({ browser }) => digest(browser)), "elsewhere"],
  ["with a state that is SQL", ({ query }) => query.set("state", "' or '1'='1"), "elsewhere"],
  [
    "with the cancellation of another issuer",
    ({ query }) => {
      query.set("iss", "https://evil.example.com");
      query.set("error", "access_denied");
    },
    "refused",
  ],
  ["that was cancelled", ({ query }) => query.set("error", "access_denied"), "cancelled"],
];

test(`the list has ${ATTACKS.length} answers, of at least 25`, () => {
  expect(ATTACKS.length).toBeGreaterThanOrEqual(25);
});

describe("an answer is refused", () => {
  test.each(ATTACKS)("one %s gives no token", async (_, change, fault) => {
    const { oidc, server } = await world();
    const { query, browser } = await answered(oidc, server, ALICE);
    const given = change({ query, browser }) ?? { query, browser };
    const finished = await server.signIns.finish(given.query, given.browser);
    expect(finished).toMatchObject({ kind: "refused", fault });
    await expect(server.token(use(ALICE))).rejects.toMatchObject(MISSING);
  });

  test("that was taken before, here and at another server, at once and later", async () => {
    const { oidc, server, other } = await world();
    const { query, browser } = await answered(oidc, server, ALICE);
    const both = await Promise.all([server.signIns.finish(query, browser), other.signIns.finish(query, browser)]);
    expect(both.filter(({ kind }) => kind === "connected")).toHaveLength(1);
    expect(await other.signIns.finish(query, browser)).toEqual({ kind: "refused", fault: "elsewhere" });
  });

  test("that another person's browser brings, which does not use it up", async () => {
    const { oidc, server } = await world();
    const alice = await answered(oidc, server, ALICE);
    const bob = await answered(oidc, server, BOB);
    expect(await server.signIns.finish(alice.query, bob.browser)).toEqual({ kind: "refused", fault: "elsewhere" });
    expect(await server.signIns.finish(alice.query, alice.browser)).toMatchObject({ kind: "connected" });
    await expect(server.token(use(BOB))).rejects.toMatchObject(MISSING);
  });

  test("with the code of another sign-in, of the same person and of another one", async () => {
    const { oidc, server } = await world();
    for (const other of [ALICE, BOB]) {
      const own = await answered(oidc, server, ALICE);
      const foreign = await answered(oidc, server, other);
      own.query.set("code", foreign.query.get("code") ?? "");
      expect(await server.signIns.finish(own.query, own.browser)).toMatchObject({ kind: "refused", fault: "refused" });
    }
  });

  test("after ten minutes", async () => {
    const { oidc, server, state } = await world();
    const { query, browser } = await answered(oidc, server, ALICE);
    const end = { expires_at: nowIn(state) };
    await state.transaction("write", (tx) => queries(tx).updateTable("connection_attempts").set(end).execute());
    expect(await server.signIns.finish(query, browser)).toEqual({ kind: "refused", fault: "elsewhere" });
  });

  test("if its row was moved to another person, or the connection has another issuer now", async () => {
    const { oidc, server, state, settings, keys } = await world();
    const first = await answered(oidc, server, ALICE);
    await state.transaction("write", (tx) =>
      queries(tx).updateTable("connection_attempts").set({ principal: "bob" }).execute(),
    );
    expect(await server.signIns.finish(first.query, first.browser)).toEqual({ kind: "refused", fault: "elsewhere" });
    const second = await answered(oidc, server, ALICE);
    const moved = connectionsOver(state, { ...settings, issuer: "http://127.0.0.1:9" }, keys);
    expect(await moved.signIns.finish(second.query, second.browser)).toMatchObject({
      kind: "refused",
      fault: "refused",
    });
  });
});

test("the authorization request has PKCE with S256, a state of its own, and the callback of public_url", async () => {
  const { server } = await world();
  const urls = await Promise.all(
    [ALICE, ALICE].map(async (one) => new URL((await server.signIns.begin("github", one)).url)),
  );
  for (const { searchParams } of urls)
    expect(Object.fromEntries(searchParams)).toMatchObject({
      ...{ response_type: "code", code_challenge_method: "S256", redirect_uri: CALLBACK, resource: API },
      ...{ code_challenge: expect.stringMatching(/^[\w-]{43}$/), state: expect.stringMatching(/^[\w-]{43}$/) },
    });
  expect(new Set(urls.map(({ searchParams }) => searchParams.get("state"))).size).toBe(2);
});

test("the sign-ins of a caller are bounded: the ones that began first end", async () => {
  const { server, state } = await world();
  for (let i = 0; i < 23; i++) await server.signIns.begin("github", ALICE);
  await server.signIns.begin("github", BOB);
  const rows = await state.transaction("read", (tx) =>
    queries(tx).selectFrom("connection_attempts").select(["beginner", "body"]).execute(),
  );
  expect(rows.filter(({ beginner }) => beginner === "alice")).toHaveLength(20);
  expect(rows).toHaveLength(21);
});

test("a token_exchange connection says where a caller has no token that could be exchanged", async () => {
  const issuer = "https://id.example.com";
  const { signIns } = connectionsOver(await stateFor(), settingsFor(issuer, { mode: "token_exchange" }));
  const lacks = async (principal: typeof ALICE) => (await signIns.shown(principal))[0]?.lacks;
  expect(await lacks(ALICE)).toBe("token");
  expect(await lacks(withCallerToken(ALICE, "a-token", "https://other.example.com"))).toBe("token");
  expect(await lacks(withCallerToken(ALICE, "a-token", issuer))).toBeUndefined();
});

test("a client that the server has forgotten is registered anew by the next sign-in, for which the call asks", async () => {
  const provider = await startIssuer();
  let registered = 0;
  provider.state.instead = {
    "/reg": (answer) => {
      registered++;
      answer.writeHead(201, { "content-type": "application/json" });
      answer.end(JSON.stringify({ client_id: `made-${registered}` }));
    },
  };
  provider.state.metadata = {
    registration_endpoint: `${provider.issuer}/reg`,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: true,
  };
  const settings = settingsFor(provider.issuer, { mode: "per_user", client: { register: true } });
  const server = connectionsOver(await stateFor(), settings);
  const signIn = async () => {
    const { url, browser } = await server.signIns.begin("github", ALICE);
    const { searchParams } = new URL(url);
    const query = new URLSearchParams({ state: searchParams.get("state") ?? "", code: "c", iss: provider.issuer });
    const tokens = { access_token: `token-${registered}`, refresh_token: "r", token_type: "Bearer" };
    Object.assign(provider.state, { tokenStatus: 200, tokens });
    expect(await server.signIns.finish(query, browser)).toMatchObject({ kind: "connected" });
    return searchParams.get("client_id");
  };
  expect(await signIn()).toBe("made-1");
  server.refused(use(ALICE), await server.token(use(ALICE)));
  Object.assign(provider.state, { tokenStatus: 401, tokens: { error: "invalid_client" } });
  const sign_in = `${PUBLIC}/#/connections?name=github`;
  await expect(server.token(use(ALICE))).rejects.toMatchObject({
    ...MISSING,
    details: { ...MISSING.details, sign_in },
  });
  expect(await signIn()).toBe("made-2");
  expect(await server.token(use(ALICE))).toBe("token-2");
});
