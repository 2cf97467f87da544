/** The console's login through an identity provider: what is sent, and answers that are refused. */

import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { RESOURCE, signingKey, startIssuer } from "../../../test/support/servers/issuer.js";
import { type IssuerLogins, issuerLogins, LOGIN_SIGN_IN_S } from "../issuer-login.js";
import { oauthSettingsOf } from "../oauth-settings.js";
import type { OauthEntry } from "../settings.js";

type Provider = Awaited<ReturnType<typeof startIssuer>>;
type Entry = NonNullable<OauthEntry["issuers"]>[number];

const CLIENT_ID = "console";
const REDIRECT = "https://tools.example.com/api/login/callback";
const TO = "#/op/onto.task.list";
const KEY = "a sealing key";

const entryOf = ({ issuer }: Provider, more: Partial<Entry> = {}): Entry => ({
  issuer,
  scopes_supported: ["mcp:read"],
  login: { client_id: CLIENT_ID },
  grants: [{ when: { groups: "eng" }, level: "write" }],
  ...more,
});

function loginsOf(entries: readonly Entry[], clock: { now: number } = { now: Date.now() }, key = KEY): IssuerLogins {
  const settings = oauthSettingsOf({ resource: RESOURCE, issuers: entries }, () => "toolwright.yaml");
  if (!settings) throw new Error("no settings");
  return issuerLogins({ settings, sealingKey: async () => key, clock: () => clock.now });
}

async function begunAt(logins: IssuerLogins, { issuer }: Provider) {
  const begun = await logins.begin(issuer, { redirect: REDIRECT, to: TO });
  if (!begun) throw new Error("not begun");
  const asked = new URL(begun.url).searchParams;
  const [state, nonce] = [asked.get("state") ?? "", asked.get("nonce") ?? ""];
  return { ...begun, asked, state, nonce, query: new URLSearchParams({ code: "c", state, iss: issuer }) };
}

type Started = Awaited<ReturnType<typeof begunAt>>;

const idToken = (
  { sign, key }: Provider,
  { nonce }: Pick<Started, "nonce">,
  changes: object = {},
  by = key,
  header: object = {},
) =>
  sign({ aud: CLIENT_ID, iat: Math.floor(Date.now() / 1000), nonce, scope: undefined, ...changes }, by, {
    typ: "JWT",
    ...header,
  });

/** Lets the provider answer the code with good tokens, but for some. */
async function answering(provider: Provider, started: Started, changes: object = {}): Promise<void> {
  provider.state.tokens = {
    access_token: await provider.sign(),
    id_token: await idToken(provider, started),
    token_type: "Bearer",
    ...changes,
  };
}

test("the provider is asked with PKCE, state, nonce and the resource; the answer is a user with the grants of the token", async () => {
  const provider = await startIssuer();
  const logins = loginsOf([entryOf(provider)]);
  const started = await begunAt(logins, provider);
  expect(Object.fromEntries(started.asked)).toEqual({
    response_type: "code",
    client_id: CLIENT_ID,
    redirect_uri: REDIRECT,
    scope: "openid mcp:read",
    resource: RESOURCE,
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: "S256",
  });
  await answering(provider, started);
  expect(await logins.finish(started.sealed, started.query)).toMatchObject({
    kind: "accepted",
    principal: { kind: "user", id: `${provider.issuer}|alice`, allowWrite: true },
    name: "alice",
    to: TO,
  });
  const [{ form, authorization } = { form: new URLSearchParams(), authorization: "" }] = provider.state.redeemed;
  expect(authorization).toBeUndefined();
  expect(Object.fromEntries(form)).toMatchObject({ code: "c", client_id: CLIENT_ID, redirect_uri: REDIRECT });
  const challenge = createHash("sha256")
    .update(form.get("code_verifier") ?? "")
    .digest("base64url");
  expect(challenge).toBe(started.asked.get("code_challenge"));
});

test("a client with a secret shows it in the header only; the cookie holds nothing that can be read", async () => {
  const provider = await startIssuer();
  const login = { client_id: CLIENT_ID, client_secret: "s:cret", scopes: ["groups"] };
  const logins = loginsOf([entryOf(provider, { login })]);
  const started = await begunAt(logins, provider);
  expect(started.asked.get("scope")).toBe("openid groups");
  const [header = "", ...rest] = started.sealed.split(".").map((part) => Buffer.from(part, "base64url").toString());
  expect(JSON.parse(header)).toMatchObject({ alg: "dir", enc: "A256GCM" });
  expect(rest.join()).not.toContain(started.nonce);
  await answering(provider, started);
  expect(await logins.finish(started.sealed, started.query)).toMatchObject({ kind: "accepted" });
  const [redeemed] = provider.state.redeemed;
  expect(redeemed?.authorization).toBe(`Basic ${Buffer.from("console:s%3Acret").toString("base64")}`);
  expect(redeemed?.form.toString()).not.toContain("cret&");
});

interface Stage {
  readonly provider: Provider;
  readonly started: Started;
  readonly logins: IssuerLogins;
  readonly clock: { now: number };
}
type Attack = (
  stage: Stage,
) => Promise<{ sealed?: string; query?: Record<string, string | undefined>; tokens?: object }>;

const now = (): number => Math.floor(Date.now() / 1000);
const none = (value: object): string =>
  `${Buffer.from(JSON.stringify({ alg: "none", typ: "JWT" })).toString("base64url")}.${Buffer.from(JSON.stringify(value)).toString("base64url")}.`;
const id =
  (changes: object): Attack =>
  async ({ provider, started }) => ({ tokens: { id_token: await idToken(provider, started, changes) } });
const access =
  (changes: Readonly<Record<string, unknown>>): Attack =>
  async ({ provider }) => ({ tokens: { access_token: await provider.sign(changes) } });
const query =
  (changes: Record<string, string | undefined>): Attack =>
  async () => ({ query: changes });

/** What an answer is changed to, and what becomes of it; `asks` where the code may reach the provider. */
const ATTACKS: Readonly<Record<string, readonly [fault: string, check: string, attack: Attack, asks?: "asks"]>> = {
  "no cookie": ["elsewhere", "attempt", async () => ({ sealed: "" })],
  "a cookie that is no JWE": ["elsewhere", "attempt", async () => ({ sealed: "x.y.z" })],
  "a cookie that is sealed by another key": [
    "elsewhere",
    "attempt",
    async ({ provider }) => ({
      sealed: (await begunAt(loginsOf([entryOf(provider)], undefined, "other"), provider)).sealed,
    }),
  ],
  "a cookie with a changed byte": [
    "elsewhere",
    "attempt",
    async ({ started: { sealed } }) => ({
      sealed: sealed.replace(/\.(.)([^.]*)$/, (_, a, b) => `.${a === "A" ? "B" : "A"}${b}`),
    }),
  ],
  "too late": [
    "elsewhere",
    "attempt",
    async ({ clock }) => {
      clock.now += (LOGIN_SIGN_IN_S + 1) * 1000;
      return {};
    },
  ],
  "no state": ["elsewhere", "state", query({ state: undefined })],
  "an empty state": ["elsewhere", "state", query({ state: "" })],
  "a guessed state": ["elsewhere", "state", query({ state: "guessed" })],
  "the state of another browser": [
    "elsewhere",
    "state",
    async ({ logins, provider }) => ({ query: { state: (await begunAt(logins, provider)).state } }),
  ],
  "no code": ["refused", "code", query({ code: undefined })],
  "an empty code": ["refused", "code", query({ code: "" })],
  "another issuer (mix-up)": ["refused", "iss", query({ iss: "https://evil.example.com" })],
  "the issuer with a slash more": [
    "refused",
    "iss",
    async ({ provider }) => ({ query: { iss: `${provider.issuer}/` } }),
  ],
  "an error of another issuer": ["refused", "iss", query({ iss: "https://evil.example.com", error: "access_denied" })],
  "a person who cancels": ["cancelled", "access_denied", query({ error: "access_denied", code: undefined })],
  "an error with markup": [
    "refused",
    "the provider says <script>alert(1)</script>\\u000d\\u000aSet-Cookie: x",
    query({ error: "<script>alert(1)</script>\r\nSet-Cookie: x" }),
  ],
  "an error beside a code": ["refused", "the provider says server_error", query({ error: "server_error" })],
  "no ID token": ["refused", "no ID token", async () => ({ tokens: { id_token: undefined } }), "asks"],
  "an ID token that is no text": ["refused", "no ID token", async () => ({ tokens: { id_token: {} } }), "asks"],
  "an ID token of 20 kB": [
    "refused",
    "ID token: length",
    async () => ({ tokens: { id_token: "x".repeat(20_000) } }),
    "asks",
  ],
  "no access token": ["refused", "no bearer token", async () => ({ tokens: { access_token: undefined } }), "asks"],
  "a token of another type": ["refused", "no bearer token", async () => ({ tokens: { token_type: "DPoP" } }), "asks"],
  "another nonce": ["refused", "ID token: nonce", id({ nonce: "other" }), "asks"],
  "no nonce": ["refused", "ID token: nonce", id({ nonce: undefined }), "asks"],
  "the nonce of another browser": [
    "refused",
    "ID token: nonce",
    async ({ logins, provider }) => ({
      tokens: { id_token: await idToken(provider, await begunAt(logins, provider)) },
    }),
    "asks",
  ],
  "an ID token for another client": ["refused", "ID token: aud", id({ aud: "other" }), "asks"],
  "an ID token for the resource": ["refused", "ID token: aud", id({ aud: RESOURCE }), "asks"],
  "an ID token for us and another client": ["refused", "ID token: azp", id({ aud: [CLIENT_ID, "other"] }), "asks"],
  "an ID token that another client asked for": ["refused", "ID token: azp", id({ azp: "other" }), "asks"],
  "an ID token of another issuer": ["refused", "ID token: iss", id({ iss: "https://evil.example.com" }), "asks"],
  "an expired ID token": ["refused", "ID token: expired", id({ exp: now() - 60 }), "asks"],
  "an ID token without an end": ["refused", "ID token: exp", id({ exp: undefined }), "asks"],
  "an ID token of the future": ["refused", "ID token: iat", id({ iat: now() + 600 }), "asks"],
  "an ID token without a user": ["refused", "ID token: sub", id({ sub: undefined }), "asks"],
  "alg none": [
    "refused",
    "ID token: algorithm",
    async ({ provider, started }) => ({
      tokens: { id_token: none({ ...provider.claims(), aud: CLIENT_ID, iat: now(), nonce: started.nonce }) },
    }),
    "asks",
  ],
  "another key with the same kid": [
    "refused",
    "ID token: signature",
    async ({ provider, started }) => ({
      tokens: { id_token: await idToken(provider, started, {}, await signingKey("k1")) },
    }),
    "asks",
  ],
  "an access token as ID token": [
    "refused",
    "ID token: type",
    async ({ provider, started }) => ({
      tokens: { id_token: await idToken(provider, started, {}, provider.key, { typ: "at+jwt" }) },
    }),
    "asks",
  ],
  "the ID token as access token": [
    "refused",
    "access token: aud",
    async ({ provider, started }) => ({ tokens: { access_token: await idToken(provider, started) } }),
    "asks",
  ],
  "an access token for another resource": ["refused", "access token: aud", access({ aud: "https://other" }), "asks"],
  "an expired access token": ["refused", "access token: expired", access({ exp: now() - 60 }), "asks"],
  "a user without a grant": ["ungranted", "grants", access({ groups: ["sales"] }), "asks"],
};

const COUNT = Object.keys(ATTACKS).length;

test(`the list has ${COUNT} answers, of at least 40`, () => {
  expect(COUNT).toBeGreaterThanOrEqual(40);
});

describe("refused", () => {
  test.each(Object.entries(ATTACKS))(
    "by the check that is meant for it: %s",
    async (_, [fault, check, attack, asks]) => {
      const provider = await startIssuer();
      const clock = { now: Date.now() };
      const logins = loginsOf([entryOf(provider)], clock);
      const started = await begunAt(logins, provider);
      const {
        sealed = started.sealed,
        query: changed = {},
        tokens = {},
      } = await attack({ provider, started, logins, clock });
      await answering(provider, started, tokens);
      for (const [name, value] of Object.entries(changed))
        value === undefined ? started.query.delete(name) : started.query.set(name, value);
      const outcome = await logins.finish(sealed === "" ? undefined : sealed, started.query);
      expect(outcome).toMatchObject({ kind: "refused", fault, check });
      expect(provider.state.redeemed).toHaveLength(asks ? 1 : 0);
    },
  );
});

test.each(["state", "code", "iss", "error"])(
  "%s twice is refused, since two readers could read different ones",
  async (name) => {
    const provider = await startIssuer();
    const logins = loginsOf([entryOf(provider)]);
    const started = await begunAt(logins, provider);
    await answering(provider, started);
    started.query.append(name, started.query.get(name) ?? "a");
    started.query.append(name, "b");
    expect(await logins.finish(started.sealed, started.query)).toMatchObject({ kind: "refused", check: "twice" });
    expect(provider.state.redeemed).toEqual([]);
  },
);

test("no issuer, of a provider that says that it names itself", async () => {
  const provider = await startIssuer();
  provider.state.metadata = { authorization_response_iss_parameter_supported: true };
  const logins = loginsOf([entryOf(provider)]);
  const started = await begunAt(logins, provider);
  await answering(provider, started);
  started.query.delete("iss");
  expect(await logins.finish(started.sealed, started.query)).toMatchObject({ kind: "refused", check: "iss" });
});

test("with two providers, each must name itself: a code never goes to the other one", async () => {
  const [honest, other] = [await startIssuer(), await startIssuer()];
  const logins = loginsOf([entryOf(honest), entryOf(other)]);
  const started = await begunAt(logins, other);
  await answering(other, started);
  for (const iss of [undefined, honest.issuer]) {
    const answer = new URLSearchParams({ code: "of the honest one", state: started.state, ...(iss ? { iss } : {}) });
    expect(await logins.finish(started.sealed, answer)).toMatchObject({ kind: "refused", check: "iss" });
  }
  expect([honest.state.redeemed, other.state.redeemed]).toEqual([[], []]);
});

test("a code that the provider refuses, and a provider that is away", async () => {
  const provider = await startIssuer();
  const logins = loginsOf([entryOf(provider)]);
  const started = await begunAt(logins, provider);
  Object.assign(provider.state, { tokenStatus: 400, tokens: { error: "invalid_grant", error_description: "<b>" } });
  expect(await logins.finish(started.sealed, started.query)).toMatchObject({
    fault: "refused",
    check: "the provider says invalid_grant",
  });
  provider.state.tokenStatus = 302;
  await expect(logins.finish(started.sealed, started.query)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  provider.state.isDown = true;
  await expect(
    loginsOf([entryOf(provider)]).begin(provider.issuer, { redirect: REDIRECT, to: "" }),
  ).rejects.toMatchObject({ code: "UNAVAILABLE" });
});

test("no login at an issuer without a client, and none that is not configured", async () => {
  const [provider, plain] = [await startIssuer(), await startIssuer()];
  const { login: _, ...without } = entryOf(plain);
  const logins = loginsOf([entryOf(provider), without]);
  for (const name of [plain.issuer, "https://evil.example.com", "__proto__", ""])
    expect(await logins.begin(name, { redirect: REDIRECT, to: "" })).toBeUndefined();
});

test.each([
  [{ client_id: "c", label: "x".repeat(61) }, "login.label has more than 60 characters"],
  [{ client_id: "c", scopes: ["a b"] }, 'login.scopes[0] is "a b", which is no scope'],
])("the configuration %j is refused", async (login, message) => {
  const provider = await startIssuer();
  expect(() => loginsOf([entryOf(provider, { login })])).toThrow(message);
});
