/**
 * Mix-ups of authorization servers (RFC 9700, 4.4): an answer counts for the server that its sign-in began at, known by
 * `iss`, or else by the callback at which it arrives.
 */

import { expect, onTestFinished, test } from "vitest";
import { silentLog } from "../../../runtime/config/log.js";
import { clientDocument } from "../../../runtime/connections/clients.js";
import { createConnections } from "../../../runtime/connections/connections.js";
import {
  connectionsOver,
  PUBLIC,
  settingsFor,
  stateFor,
  stateKey,
  TOOLS_CLIENT,
} from "../../support/servers/connections.js";
import { startIssuer } from "../../support/servers/issuer.js";
import { ADMIN, ALICE, CALLBACK, use, world } from "./sign-ins.js";

const PATH = "/connections/callback";
const REFUSED = { kind: "refused", fault: "refused" };

/** Connections at servers that do not name themselves, which answer any code with a token. */
async function silentServers(...names: readonly string[]) {
  const issuers = await Promise.all(names.map(() => startIssuer()));
  const settings = new Map(
    names.map((name, i) => {
      const { issuer, state } = issuers[i] ?? { issuer: "", state: undefined };
      if (state) {
        state.metadata = { code_challenge_methods_supported: ["S256"] };
        state.tokens = { access_token: `of-${name}`, token_type: "Bearer" };
      }
      return [name, { ...settingsFor(issuer, { mode: "per_user" }), name }];
    }),
  );
  const state = await stateFor();
  const parts = { settings, keys: [stateKey()], publicUrl: new URL(PUBLIC), log: silentLog, clock: Date.now };
  const { signIns, token } = createConnections({ ...parts, state: async () => state, secret: () => undefined });
  onTestFinished(() => undefined);
  const begun = async (name: string, before?: string) => {
    const { url, browser } = await signIns.begin(name, ALICE, { before });
    const { searchParams } = new URL(url);
    const answer = (code: string) => new URLSearchParams({ state: searchParams.get("state") ?? "", code });
    return { redirect: searchParams.get("redirect_uri"), browser, answer };
  };
  return { issuers, signIns, token, begun };
}

test("a mix-up: a provider that leads the browser to another one never gets the code of that one", async () => {
  // Registered without care: with every callback that there is.
  const clients = [{ ...TOOLS_CLIENT, redirect_uris: [CALLBACK, `${CALLBACK}/github`] }];
  const { oidc: honest } = await world({}, { clients });
  const evil = await startIssuer();
  evil.state.metadata = {
    authorization_endpoint: `${honest.issuer}/auth`,
    code_challenge_methods_supported: ["S256"],
    authorization_response_iss_parameter_supported: false,
  };
  const server = connectionsOver(await stateFor(), settingsFor(evil.issuer, { mode: "per_user" }));
  const { url, browser } = await server.signIns.begin("github", ALICE);
  const { searchParams: query } = await honest.browse(new URL(url), `${CALLBACK}/github`);
  expect(query.get("code")).toMatch(/^.{20}/);
  expect(await server.signIns.finish(query, browser, `${PATH}/github`)).toMatchObject(REFUSED);
  expect(evil.state.redeemed).toEqual([]);
});

test("a code that arrives at the callback of another connection is shown to no server", async () => {
  const { issuers, signIns, begun } = await silentServers("evil", "honest");
  for (const path of [`${PATH}/honest`, PATH, `${PATH}/evil/`, `${PATH}/EVIL`]) {
    const { redirect, browser, answer } = await begun("evil");
    expect(redirect).toBe(`${PUBLIC}${PATH}/evil`);
    // The state of the sign-in at the evil server, with a code of the honest one, where that sends its browsers.
    expect(await signIns.finish(answer("code-of-honest"), browser, path)).toMatchObject(REFUSED);
  }
  expect(issuers.map(({ state }) => state.redeemed.length)).toEqual([0, 0]);
});

test("servers that do not name themselves are signed in at, each at its own callback, in two tabs at once", async () => {
  const { issuers, signIns, token, begun } = await silentServers("one", "two");
  const one = await begun("one");
  const two = await begun("two", one.browser);
  expect(two.browser).toBe(one.browser);
  for (const [name, { answer, browser }] of Object.entries({ one, two }))
    expect(await signIns.finish(answer("c"), browser, `${PATH}/${name}`)).toEqual({ kind: "connected", name });
  expect(await Promise.all(["one", "two"].map((name) => token({ ...use(ALICE), name })))).toEqual(["of-one", "of-two"]);
  const forms = issuers.map(({ state }) => state.redeemed.map(({ form }) => form.get("redirect_uri")));
  expect(forms).toEqual([[`${PUBLIC}${PATH}/one`], [`${PUBLIC}${PATH}/two`]]);
});

test("a cookie of another form is replaced", async () => {
  const { begun } = await silentServers("one");
  for (const before of ["", "x", "x".repeat(44), "x".repeat(42) + ";"])
    expect((await begun("one", before)).browser).toMatch(/^[\w-]{43}$/);
});

test("a server that names itself keeps the callback that connections share; an answer without iss is refused", async () => {
  const { oidc, server } = await world();
  const { url, browser } = await server.signIns.begin("github", ALICE);
  expect(new URL(url).searchParams.get("redirect_uri")).toBe(CALLBACK);
  oidc.user = ALICE.id;
  const { searchParams } = await oidc.browse(new URL(url), CALLBACK);
  searchParams.delete("iss");
  expect(await server.signIns.finish(searchParams, browser)).toMatchObject(REFUSED);
});

test("admins see both redirects of a client that is registered by hand", async () => {
  const { signIns } = await silentServers("one");
  expect(await signIns.shown(ADMIN)).toMatchObject([{ redirects: [CALLBACK, `${CALLBACK}/one`] }]);
  expect((await signIns.shown(ALICE))[0]).not.toHaveProperty("redirects");
});

test("the document of a callback of its own names that callback alone", () => {
  expect(clientDocument(new URL(PUBLIC), "a-b")).toMatchObject({
    client_id: `${PUBLIC}/oauth/a-b/client.json`,
    redirect_uris: [`${CALLBACK}/a-b`],
  });
  expect(clientDocument(new URL(PUBLIC))).toMatchObject({
    client_id: `${PUBLIC}/oauth/client.json`,
    redirect_uris: [CALLBACK],
  });
});
