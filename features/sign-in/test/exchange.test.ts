/** Token exchange at a real provider: the token of a caller becomes one for an upstream server. */

import { decodeJwt } from "jose";
import { expect, test } from "vitest";
import type { Principal } from "../../../runtime/contract/handler.js";
import {
  API,
  connectionsOver,
  settingsFor,
  signedIn,
  stateFor,
  TOOLS_CLIENT,
} from "../../../test/support/servers/connections.js";
import { EXCHANGER, type Oidc, startOidc } from "../../../test/support/servers/oidc.js";
import { listening, mcpRoute } from "../../../test/support/upstream/http.js";
import { called } from "../../../test/support/upstream/upstreams.js";
import { oauthSettingsOf } from "../oauth-settings.js";
import { tokenCheck } from "../token-check.js";

const RESOURCE = "https://tools.example.com/mcp";
const SLOW = { timeout: 180_000 };

const exchangeSettings = (issuer: string) =>
  settingsFor(issuer, {
    mode: "token_exchange",
    client: { id: EXCHANGER.client_id, secret: EXCHANGER.client_secret },
    scope: "mcp:read",
    authorizeParams: {},
  });

/** A provider, and callers who came with a token of it. */
async function world(lifeS = 300) {
  const oidc = await startOidc({ lifeS, clients: [TOOLS_CLIENT] });
  const grants = [{ when: { aud: RESOURCE }, level: "write" as const }];
  const access = { resource: RESOURCE, issuers: [{ issuer: oidc.issuer, principal: "{sub}", grants }] };
  const oauth = oauthSettingsOf(access, () => "");
  if (!oauth) throw new Error("no issuer");
  const check = tokenCheck(oauth);
  const caller = async (user: string): Promise<Principal> => {
    oidc.user = user;
    const { tokens } = await signedIn(oidc, settingsFor(oidc.issuer, { resource: RESOURCE }));
    const verdict = await check(tokens.access_token);
    if (verdict.kind !== "accepted") throw new Error(JSON.stringify(verdict));
    return verdict.principal;
  };
  const tokens = connectionsOver(await stateFor(), exchangeSettings(oidc.issuer));
  return { oidc, caller, tokens };
}

const exchanges = ({ seen }: Oidc): number => seen.filter((one) => one === "POST /token").length;

test("the token of a caller is exchanged once, for the server, and not shown to it", SLOW, async () => {
  const { oidc, caller, tokens } = await world();
  const [alice, bob] = [await caller("alice"), await caller("bob")];
  const before = exchanges(oidc);
  const use = (principal: Principal) => ({ name: "github", principal });
  const found = await Promise.all(Array.from({ length: 6 }, () => tokens.token(use({ ...alice, through: ["tool"] }))));
  expect(new Set(found).size).toBe(1);
  expect(exchanges(oidc)).toBe(before + 1);
  expect(decodeJwt(found[0] ?? "")).toMatchObject({ sub: "alice", aud: API, act: { sub: "exchanger" } });
  expect(decodeJwt(await tokens.token(use(bob)))).toMatchObject({ sub: "bob" });
  tokens.refused(use(alice), found[0] ?? "");
  expect(await tokens.token(use(alice))).not.toBe(found[0]);
});

test("a key, another issuer and a token that the provider refuses give none", SLOW, async () => {
  const { oidc, caller, tokens } = await world();
  const alice = await caller("alice");
  const key: Principal = { kind: "key", id: "abcdefghij", grant: { ...alice.grant }, allowWrite: true };
  await expect(tokens.token({ name: "github", principal: key })).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: expect.stringContaining("this caller came without one"),
  });
  await expect(tokens.token({ name: "github" })).rejects.toMatchObject({ code: "UNAVAILABLE" });
  const other = await startOidc();
  const foreign = connectionsOver(await stateFor(), exchangeSettings(other.issuer));
  await expect(foreign.token({ name: "github", principal: alice })).rejects.toMatchObject({ code: "UNAVAILABLE" });
  // The token was not shown to the other provider.
  expect(exchanges(other)).toBe(0);
  await oidc.stop();
  await expect(tokens.token({ name: "github", principal: alice })).rejects.toMatchObject({ code: "UNAVAILABLE" });
});

test("callers of one server, and one caller with two tokens, have sessions of their own", SLOW, async () => {
  const { oidc, caller, tokens } = await world();
  const shown: string[] = [];
  const web = await listening(async (request, response, body, origin) => {
    const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization ?? "") ?? [];
    if (request.url !== "/open" && token === undefined) return void response.writeHead(401).end();
    const sub = token === undefined ? "nobody" : String(decodeJwt(token).sub);
    if (token !== undefined) shown.push(token);
    const route = mcpRoute([{ name: "whoami", inputSchema: { type: "object" } }], {
      call: async () => ({ content: [{ type: "text", text: sub }] }),
    });
    return route(request, response, body, origin);
  });
  const server = { url: `${web.origin}/mcp`, auth: { mode: "token_exchange", issuer: oidc.issuer } } as const;
  const { call, pool } = await called({
    servers: { github: server },
    accepted: { github: { url: `${web.origin}/open` } },
  });
  pool.takeTokens(tokens);
  const callers = [await caller("alice"), await caller("bob"), await caller("alice")];
  const found = await Promise.all(callers.map((principal) => call("github.whoami", {}, { principal, tokens })));
  expect(found).toEqual(["alice", "bob", "alice"]);
  expect(new Set(shown).size).toBe(3);
  expect(shown.every((one) => decodeJwt(one).aud === API)).toBe(true);
});
