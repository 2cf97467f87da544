/** Tokens of identity providers: which are accepted, what they grant, and a list of attacks that are refused. */

import { createHmac, KeyObject, sign } from "node:crypto";
import { exportJWK, exportSPKI, SignJWT } from "jose";
import { describe, expect, test } from "vitest";
import { isVisible } from "../../../runtime/contract/grant.js";
import { RESOURCE, signingKey, startIssuer } from "../../../test/support/servers/issuer.js";
import { oauthSettingsOf } from "../oauth-settings.js";
import type { OauthEntry } from "../settings.js";
import { tokenCheck } from "../token-check.js";

type Provider = Awaited<ReturnType<typeof startIssuer>>;
type Entry = NonNullable<OauthEntry["issuers"]>[number];

const GRANTS: Entry["grants"] = [
  { when: { groups: "eng" }, level: "write", projects: ["proj_a"], packs: ["onto", "git*"] },
  { when: { scope: "mcp:read" }, level: "read", ops: ["*.list", "*.get"] },
];

function settingsOf({ issuer }: Pick<Provider, "issuer">, entry: Partial<Entry> = {}) {
  const config = { resource: RESOURCE, issuers: [{ issuer, grants: GRANTS, ...entry }] };
  const settings = oauthSettingsOf(config, () => "toolwright.yaml");
  if (!settings) throw new Error("no settings");
  return settings;
}

const base64 = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
const now = (): number => Math.floor(Date.now() / 1000);

test("a token is its user, with the union of the grants that its claims match", async () => {
  const provider = await startIssuer();
  const verdict = await tokenCheck(settingsOf(provider))(await provider.sign());
  expect(verdict).toMatchObject({
    kind: "accepted",
    principal: { kind: "user", id: `${provider.issuer}|alice`, allowWrite: true },
  });
  if (verdict.kind !== "accepted") return;
  const sees = (op: string, access: "read" | "write") =>
    isVisible({ op, access, target: "project" }, verdict.principal.grant);
  expect([sees("onto.task.set", "write"), sees("web.page.get", "read"), sees("web.page.set", "write")]).toEqual([
    true,
    true,
    false,
  ]);
});

/** Signs a token whose texts a library would not write. */
function signedText(
  { key, claims }: Provider,
  header: object,
  more: object,
  encoding: BufferEncoding = "utf8",
  changeClaims = (text: string): string => text,
  changeHeader = (text: string): string => text,
): string {
  const head = changeHeader(JSON.stringify({ alg: "ES256", kid: "k1", ...header }));
  const body = changeClaims(JSON.stringify({ ...claims(), ...more }));
  const text = `${Buffer.from(head).toString("base64url")}.${Buffer.from(body, encoding).toString("base64url")}`;
  const signature = sign("sha256", Buffer.from(text), {
    key: KeyObject.from(key.privateKey),
    dsaEncoding: "ieee-p1363",
  });
  return `${text}.${signature.toString("base64url")}`;
}

test("a token of these texts is accepted, if nothing is wrong with them", async () => {
  const provider = await startIssuer();
  const token = signedText(provider, {}, { note: 'a "sub": text', list: [{ sub: "a" }, { sub: "b" }], empty: [] });
  expect(await tokenCheck(settingsOf(provider))(token)).toMatchObject({ kind: "accepted" });
});

type Attack = (provider: Provider) => Promise<string> | string;
const ATTACKS: Readonly<Record<string, readonly [check: string, token: Attack]>> = {
  "another audience": ["aud", ({ sign }) => sign({ aud: "https://other.example.com/mcp" })],
  "an audience that begins like ours": ["aud", ({ sign }) => sign({ aud: `${RESOURCE}/x` })],
  "an audience with a slash more": ["aud", ({ sign }) => sign({ aud: `${RESOURCE}/` })],
  "an empty list of audiences": ["aud", ({ sign }) => sign({ aud: [] })],
  "no audience": ["aud", ({ sign }) => sign({ aud: undefined })],
  "another issuer": ["issuer", ({ sign }) => sign({ iss: "https://evil.example.com" })],
  "an issuer with a slash more": ["issuer", ({ sign, issuer }) => sign({ iss: `${issuer}/` })],
  "an issuer in upper case": ["issuer", ({ sign, issuer }) => sign({ iss: issuer.toUpperCase() })],
  "no issuer": ["form", ({ sign }) => sign({ iss: undefined })],
  expired: ["expired", ({ sign }) => sign({ exp: now() - 60 })],
  "no expiry": ["exp", ({ sign }) => sign({ exp: undefined })],
  "an expiry that is a text": ["exp", ({ sign }) => sign({ exp: "never" })],
  "valid only later": ["nbf", ({ sign }) => sign({ nbf: now() + 600 })],
  "issued in the future": ["iat", ({ sign }) => sign({ iat: now() + 600 })],
  "an ID token, by its nonce": ["id_token", ({ sign }) => sign({ nonce: "n" })],
  "an ID token, by its hash": ["id_token", ({ sign }) => sign({ at_hash: "h" })],
  "an ID token, by the claim typ": ["id_token", ({ sign }) => sign({ typ: "ID" })],
  "a refresh token": ["id_token", ({ sign }) => sign({ typ: "Refresh" })],
  "a logout token": ["type", ({ sign, key }) => sign({}, key, { typ: "logout+jwt" })],
  "a logout token that names no type": [
    "id_token",
    ({ sign, key }) =>
      sign({ events: { "http://schemas.openid.net/event/backchannel-logout": {} } }, key, { typ: "JWT" }),
  ],
  "a DPoP proof": ["type", ({ sign, key }) => sign({}, key, { typ: "dpop+jwt" })],
  "a token bound to a key of the client": ["cnf", ({ sign }) => sign({ cnf: { jkt: "x" } })],
  "another key with the same kid": ["signature", async ({ sign }) => sign({}, await signingKey("k1"))],
  "an unknown kid": ["key", async ({ sign }) => sign({}, await signingKey("k9"))],
  "a kid that is a path": ["key", ({ sign, key }) => sign({}, key, { kid: "../../etc/passwd" })],
  "alg none": ["algorithm", ({ claims }) => `${base64({ alg: "none", kid: "k1" })}.${base64(claims())}.`],
  "alg NONE": ["algorithm", ({ claims }) => `${base64({ alg: "NONE", kid: "k1" })}.${base64(claims())}.`],
  "HS256 with the public key as its secret": [
    "algorithm",
    async ({ key, claims }) => {
      const text = `${base64({ alg: "HS256", kid: "k1" })}.${base64(claims())}`;
      return `${text}.${createHmac("sha256", await exportSPKI(key.publicKey))
        .update(text)
        .digest("base64url")}`;
    },
  ],
  "an algorithm that is not listed": [
    "algorithm",
    async ({ claims }) => {
      const { kid, privateKey } = await signingKey("k1", "PS256");
      return new SignJWT(claims()).setProtectedHeader({ alg: "PS256", kid }).sign(privateKey);
    },
  ],
  "its own key in the header (jwk)": [
    "signature",
    async ({ sign }) => sign({}, await signingKey("k1"), { jwk: { kty: "EC" } }),
  ],
  "the address of its own keys in the header (jku)": [
    "signature",
    async ({ sign }) => sign({}, await signingKey("k1"), { jku: "https://evil.example.com/jwks" }),
  ],
  "the address of its own certificate in the header (x5u)": [
    "signature",
    async ({ sign }) => sign({}, await signingKey("k1"), { x5u: "https://evil.example.com/cert" }),
  ],
  "its own certificate in the header (x5c)": [
    "signature",
    async ({ sign }) => sign({}, await signingKey("k1"), { x5c: ["MIIB"] }),
  ],
  "a kid that is an address": ["key", ({ sign, key }) => sign({}, key, { kid: "https://evil.example.com/key" })],
  "a kid that is SQL": ["key", ({ sign, key }) => sign({}, key, { kid: "k1' or '1'='1" })],
  "a kid with a zero byte": ["key", ({ sign, key }) => sign({}, key, { kid: "k1\u0000" })],
  "a kid of a prototype": ["key", ({ sign, key }) => sign({}, key, { kid: "__proto__" })],
  "a kid that is an object": [
    "key",
    async ({ sign, key }) => sign({}, key, JSON.parse('{ "kid": { "toString": "k1" } }')),
  ],
  "a signature of zeros": [
    "signature",
    async ({ sign }) => (await sign()).replace(/[^.]+$/, Buffer.alloc(64).toString("base64url")),
  ],
  "an unencoded payload (b64)": [
    "signature",
    async ({ sign }) => {
      const [, claims, signature] = (await sign()).split(".");
      return `${base64({ alg: "ES256", kid: "k1", crit: ["b64"], b64: false })}.${claims}.${signature}`;
    },
  ],
  "a header that was changed": [
    "signature",
    async ({ sign }) => {
      const [, claims, signature] = (await sign()).split(".");
      return `${base64({ alg: "ES256", kid: "k1", typ: "jwt" })}.${claims}.${signature}`;
    },
  ],
  "the signature of another token": [
    "signature",
    async ({ sign }) => {
      const [mine, other] = [await sign(), await sign({ sub: "admin" })];
      return `${other.split(".").slice(0, 2).join(".")}.${mine.split(".")[2]}`;
    },
  ],
  "a secret that is the JSON of the public key (HS512)": [
    "algorithm",
    async ({ key, claims }) => {
      const text = `${base64({ alg: "HS512", kid: "k1" })}.${base64(claims())}`;
      const secret = JSON.stringify(await exportJWK(key.publicKey));
      return `${text}.${createHmac("sha512", secret).update(text).digest("base64url")}`;
    },
  ],
  "an expiry beyond the year 9999": ["exp", ({ sign }) => sign({ exp: 1e300 })],
  "an expiry that is null": ["exp", ({ sign }) => sign({ exp: null })],
  "an audience that is an object": ["aud", ({ sign }) => sign({ aud: { 0: RESOURCE } })],
  "an offline token of Keycloak": ["id_token", ({ sign }) => sign({ typ: "Offline" })],
  "an unknown critical header": [
    "form",
    async ({ sign }) => {
      const [, claims, signature] = (await sign()).split(".");
      return `${base64({ alg: "ES256", kid: "k1", crit: ["x"], x: 1 })}.${claims}.${signature}`;
    },
  ],
  "changed claims": [
    "signature",
    async ({ sign, claims }) => {
      const [header, , signature] = (await sign()).split(".");
      return `${header}.${base64({ ...claims(), sub: "admin" })}.${signature}`;
    },
  ],
  "a cut signature": ["signature", async ({ sign }) => (await sign()).slice(0, -8)],
  "no signature": ["signature", async ({ sign }) => (await sign()).replace(/[^.]+$/, "")],
  "no user": ["principal", ({ sign }) => sign({ sub: undefined })],
  "an empty user": ["principal", ({ sign }) => sign({ sub: "" })],
  "a user that is a list": ["principal", ({ sign }) => sign({ sub: ["alice"] })],
  "half of a character as a user": ["principal", ({ sign }) => sign({ sub: "\ud800" })],
  "a user with the other half of a character": ["principal", ({ sign }) => sign({ sub: "alice\udfff" })],
  "a user with a NUL": ["principal", ({ sign }) => sign({ sub: "alice\u0000" })],
  "a user that is no UTF-8": ["form", (provider) => signedText(provider, {}, { sub: "\u00ff" }, "latin1")],
  "a user twice": [
    "members",
    (provider) => signedText(provider, {}, {}, "utf8", (text) => text.replace("{", '{"sub":"admin",')),
  ],
  "a user twice, once with an escape": [
    "members",
    (provider) => signedText(provider, {}, {}, "utf8", (text) => text.replace("{", '{"s\\u0075b":"admin",')),
  ],
  "a member twice within a claim": [
    "members",
    (provider) =>
      signedText(provider, {}, { act: { sub: "a" } }, "utf8", (text) => text.replace('"act":{', '"act":{"sub":"b",')),
  ],
  "a member of the header twice": [
    "members",
    (provider) =>
      signedText(provider, { alg: "ES256" }, {}, "utf8", undefined, (text) => text.replace("{", '{"kid":"k2",')),
  ],
  "a user with a line break": ["principal", ({ sign }) => sign({ sub: "alice\nadmin" })],
  "a user of endless length": ["principal", ({ sign }) => sign({ sub: "a".repeat(5000) })],
  "a token of endless length": ["length", ({ sign }) => sign({ pad: "a".repeat(20_000) })],
  "no token at all": ["form", () => "garbage"],
  "an encrypted token": ["form", () => "a.b.c.d.e"],
  "claims that are no object": ["form", () => `${base64({ alg: "ES256" })}.${base64([1])}.AA`],
};

const COUNT = Object.keys(ATTACKS).length;

test(`the list has ${COUNT} tokens, of at least 50`, () => {
  expect(COUNT).toBeGreaterThanOrEqual(50);
});

test.each(Object.entries(ATTACKS))("refused: %s", async (_, [check, token]) => {
  const provider = await startIssuer();
  expect(await tokenCheck(settingsOf(provider))(await token(provider))).toMatchObject({ kind: "refused", check });
});

test("a user whose name looks like the id of a key, or like the owner, gets an id that no key and no other user has", async () => {
  const provider = await startIssuer();
  const check = tokenCheck(settingsOf(provider, { principal: "{sub}" }));
  const people = ["bernadette", "maximilian", "katherine7", "local", "user:bernadette", "user:", "alice", "Bernadette"];
  const ids = await Promise.all(
    people.map(async (sub) => {
      const verdict = await check(await provider.sign({ sub }));
      return verdict.kind === "accepted" ? verdict.principal.id : verdict.kind;
    }),
  );
  expect(ids).toEqual([
    ...["user:bernadette", "user:maximilian", "user:katherine7", "user:local", "user:user:bernadette", "user:user:"],
    ...["alice", "Bernadette"],
  ]);
});

test("claims that are joined: a claim that holds the sign behind it is refused", async () => {
  const provider = await startIssuer();
  const check = tokenCheck(settingsOf(provider, { principal: "{tid}/{sub}" }));
  const idOf = async (claims: Readonly<Record<string, unknown>>) => {
    const verdict = await check(await provider.sign(claims));
    return verdict.kind === "accepted" ? verdict.principal.id : verdict;
  };
  expect(await idOf({ tid: "a", sub: "b/c" })).toBe("a/b/c");
  expect(await idOf({ tid: "a/b", sub: "c" })).toMatchObject({ kind: "refused", check: "principal" });
});

test("an introspection that says something twice is no answer", async () => {
  const provider = await startIssuer();
  const introspection = { client_id: "a", client_secret: "b" };
  const check = tokenCheck(settingsOf(provider, { tokens: "introspection", introspection }));
  provider.state.raw = '{"active":true,"sub":"alice","sub":"admin"}';
  await expect(check("opaque")).rejects.toMatchObject({ code: "UNAVAILABLE" });
});

describe("many issuers", () => {
  test("the key of one never vouches for the other", async () => {
    const [a, b] = [await startIssuer(), await startIssuer()];
    const issuers = [a, b].map(({ issuer }) => ({ issuer, grants: GRANTS }));
    const settings = oauthSettingsOf({ resource: RESOURCE, issuers }, () => "");
    if (!settings) throw new Error("no settings");
    const check = tokenCheck(settings);
    expect(await check(await a.sign({ iss: b.issuer }))).toMatchObject({ kind: "refused", check: "signature" });
    expect(await check(await a.sign())).toMatchObject({ principal: { id: `${a.issuer}|alice` } });
    expect(await check(await b.sign())).toMatchObject({ principal: { id: `${b.issuer}|alice` } });
  });
});

describe("the keys of an issuer", () => {
  test("12 callers at once fetch them once, and unknown keys fetch nothing within the cooldown", async () => {
    const provider = await startIssuer();
    const check = tokenCheck(settingsOf(provider));
    const token = await provider.sign();
    const verdicts = await Promise.all(Array.from({ length: 12 }, () => check(token)));
    expect(verdicts.map(({ kind }) => kind)).toEqual(Array(12).fill("accepted"));
    expect(provider.state.jwksAsked).toBe(1);
    for (let i = 0; i < 5; i++) await check(await provider.sign({}, await signingKey(`x${i}`)));
    expect(provider.state.jwksAsked).toBe(1);
  });

  test("a new key is accepted without a restart, and a removed one ends with the cache", async () => {
    const provider = await startIssuer();
    const check = tokenCheck(settingsOf(provider, { jwks: { cache: "0s", cooldown: "0s" } }));
    const next = await signingKey("k2");
    expect(await check(await provider.sign())).toMatchObject({ kind: "accepted" });
    provider.state.keys = [next];
    expect(await check(await provider.sign({}, next))).toMatchObject({ kind: "accepted" });
    expect(await check(await provider.sign())).toMatchObject({ kind: "refused", check: "key" });
  });

  test("an issuer that is away is UNAVAILABLE, and is asked again", async () => {
    const provider = await startIssuer();
    const check = tokenCheck(settingsOf(provider));
    provider.state.isDown = true;
    await expect(check(await provider.sign())).rejects.toMatchObject({ code: "UNAVAILABLE" });
    provider.state.isDown = false;
    expect(await check(await provider.sign())).toMatchObject({ kind: "accepted" });
  });
});

describe("introspection", () => {
  const entry: Partial<Entry> = {
    tokens: "introspection",
    introspection: { client_id: "tools", client_secret: "s3cret", cache: "30s" },
  };

  test("an active token is its user, asked once within the cache; others are refused", async () => {
    const provider = await startIssuer();
    const check = tokenCheck(settingsOf(provider, entry));
    provider.state.active = { active: true, ...provider.claims() };
    expect(await check("opaque")).toMatchObject({ kind: "accepted", principal: { id: `${provider.issuer}|alice` } });
    expect(await check("opaque")).toMatchObject({ kind: "accepted" });
    expect(provider.state.introspected).toBe(1);
    for (const [active, fault] of [
      [{ active: false }, "inactive"],
      [{ ...provider.claims(), active: "true" }, "inactive"],
      [{ ...provider.claims(), active: true, aud: "https://other.example.com" }, "aud"],
      [{ ...provider.claims(), active: true, iss: "https://evil.example.com" }, "iss"],
      [{ ...provider.claims(), active: true, exp: 1 }, "exp"],
      [{ ...provider.claims(), active: true, token_type: "DPoP" }, "token_type"],
      [{ ...provider.claims(), active: true, token_type: "refresh_token" }, "token_type"],
      [{ ...provider.claims(), active: true, token_type: ["Bearer"] }, "token_type"],
    ] as const) {
      provider.state.active = active;
      expect(await check(`opaque ${fault} ${JSON.stringify(active).length}`)).toMatchObject({
        kind: "refused",
        check: fault,
      });
    }
    for (const token_type of ["Bearer", "bearer", "access_token"]) {
      provider.state.active = { ...provider.claims(), active: true, token_type };
      expect(await check(`of the type ${token_type}`)).toMatchObject({ kind: "accepted" });
    }
    provider.state.isDown = true;
    await expect(check("another")).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  test("12 callers at once ask once, also about a token that is not active", async () => {
    const provider = await startIssuer();
    const check = tokenCheck(settingsOf(provider, entry));
    for (const active of [{ active: true, ...provider.claims() }, { active: false }]) {
      provider.state.active = active;
      provider.state.introspected = 0;
      await Promise.all(Array.from({ length: 12 }, () => check(`token ${active.active}`)));
      expect(provider.state.introspected).toBe(1);
    }
  });

  test("a provider that was away is asked again", async () => {
    const provider = await startIssuer();
    const check = tokenCheck(settingsOf(provider, entry));
    provider.state.isDown = true;
    await expect(check("opaque")).rejects.toMatchObject({ code: "UNAVAILABLE" });
    Object.assign(provider.state, { isDown: false, active: { active: true, ...provider.claims() } });
    expect(await check("opaque")).toMatchObject({ kind: "accepted" });
  });

  test("with two such issuers, neither sees a token that names none: it may be of the other one", async () => {
    const [a, b] = [await startIssuer(), await startIssuer()];
    const issuers = [a, b].map(({ issuer }) => ({ issuer, grants: GRANTS, ...entry }));
    const settings = oauthSettingsOf({ resource: RESOURCE, issuers }, () => "");
    if (!settings) throw new Error("no settings");
    const check = tokenCheck(settings);
    expect(await check("opaque")).toMatchObject({ kind: "refused", check: "form" });
    b.state.active = { active: true, ...b.claims() };
    expect(await check(await b.sign())).toMatchObject({ principal: { id: `${b.issuer}|alice` } });
    expect([a.state.introspected, b.state.introspected]).toEqual([0, 1]);
  });
});
