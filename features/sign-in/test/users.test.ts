/** Requests with tokens of identity providers: the principal, the challenge, and what the log says of a refused one. */

import { expect, onTestFinished, test, vi } from "vitest";
import { httpCallers } from "../../../runtime/serve/http/callers.js";
import { RESOURCE, startIssuer } from "../../../test/support/servers/issuer.js";
import type { OauthEntry } from "../settings.js";
import { SIGN_IN_PART } from "../sign-in-part.js";

type Provider = Awaited<ReturnType<typeof startIssuer>>;
type Entry = NonNullable<OauthEntry["issuers"]>[number];

const GRANTS: Entry["grants"] = [
  { when: { groups: "eng" }, level: "write", projects: ["proj_a"], packs: ["onto", "git*"] },
  { when: { scope: "mcp:read" }, level: "read", ops: ["*.list", "*.get"] },
];

function settingsOf({ issuer }: Pick<Provider, "issuer">) {
  const config = { resource: RESOURCE, issuers: [{ issuer, grants: GRANTS, scopes_supported: ["mcp:read"] }] };
  const settings = SIGN_IN_PART.settingsOf({ oauth: config }, () => "toolwright.yaml");
  if (!settings) throw new Error("no settings");
  return settings;
}

/** Stands for a trace id. */
const TRACE = "tr_";

async function world() {
  const provider = await startIssuer();
  const lines: string[] = [];
  const note = (message: string, fields?: object) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const principalOf = httpCallers({
    keys: () => ({ verify: async () => undefined, anyMade: async () => false }) as never,
    access: () => "auto",
    isReachable: () => false,
    publicUrl: () => undefined,
    signIn: () => settingsOf(provider),
    log: { debug: note, info: note, warn: note, error: note },
    local: () => Promise.reject(new Error("never the local caller")),
  });
  const ask = (authorization?: string) =>
    principalOf(new Request(RESOURCE, { headers: authorization === undefined ? {} : { authorization } }));
  return { provider, ask, lines };
}
const METADATA = 'resource_metadata="https://tools.example.com/.well-known/oauth-protected-resource/mcp"';

test("no header: 401 with metadata and scopes, and no error code (RFC 6750)", async () => {
  const { ask } = await world();
  const answer = (await ask()) as Response;
  expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([
    401,
    `Bearer scope="mcp:read", ${METADATA}`,
  ]);
});

test("a refused token: one answer for every reason, and the reason in the log, without the token", async () => {
  const { provider, ask, lines } = await world();
  const tokens = [await provider.sign({ aud: "x" }), await provider.sign({ exp: 1 }), "garbage!"];
  const texts: string[] = [];
  for (const token of tokens) {
    const answer = (await ask(`Bearer ${token}`)) as Response;
    const body = (await answer.text()).replace(/tr_[0-9a-f]{16}/, TRACE);
    texts.push(`${answer.status} ${answer.headers.get("www-authenticate")} ${body}`);
  }
  expect(new Set(texts).size).toBe(1);
  expect(texts[0]).toMatch(/^401 Bearer error="invalid_token"/);
  expect(texts[0]).toContain(TRACE);
  const { issuer } = provider;
  expect(lines.map((line) => line.replace(/tr_[0-9a-f]{16}/, TRACE))).toEqual([
    `a token was refused ${JSON.stringify({ check: "aud", issuer, trace_id: TRACE })}`,
    `a token was refused ${JSON.stringify({ check: "expired", issuer, trace_id: TRACE })}`,
    `a token was refused ${JSON.stringify({ check: "form", trace_id: TRACE })}`,
  ]);
});

test("an issuer that is not configured is bounded and escaped in the log, and makes no kind of its own", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { provider, ask, lines } = await world();
  const hostile = `https://evil.example.com/\n\u202e${"x".repeat(5000)}`;
  for (const iss of [hostile, ...Array.from({ length: 40 }, (_, i) => `https://${i}.example.com`)])
    await ask(`Bearer ${await provider.sign({ iss })}`);
  expect(lines).toHaveLength(1);
  const [fields] = lines.map((line) => JSON.parse(line.slice(line.indexOf("{"))) as { readonly issuer: string });
  expect(fields?.issuer).toMatch(/^https:\/\/evil\.example\.com\/\\u000a\\u202ex+$/);
  expect(fields?.issuer.length).toBeLessThan(220);
  vi.advanceTimersByTime(1000);
  expect(lines.slice(1)).toEqual([`a token was refused {"check":"issuer","suppressed":40}`]);
});

test("no grant: 403 insufficient_scope; an issuer that is away: 503, never 401", async () => {
  const { provider, ask } = await world();
  const ungranted = (await ask(`Bearer ${await provider.sign({ groups: [], scope: "email" })}`)) as Response;
  expect([ungranted.status, ungranted.headers.get("www-authenticate")]).toEqual([
    403,
    expect.stringContaining('error="insufficient_scope"'),
  ]);
  const away = await world();
  away.provider.state.isDown = true;
  const answer = (await away.ask(`Bearer ${await away.provider.sign()}`)) as Response;
  expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([503, null]);
  expect(await answer.text()).not.toContain(away.provider.issuer);
  expect(away.lines).toEqual([
    expect.stringContaining(`an identity provider is away {"error":"${away.provider.issuer}: `),
  ]);
});

test("two words more, another scheme, and a key that is not live are refused", async () => {
  const { provider, ask } = await world();
  const token = await provider.sign();
  for (const header of [`Bearer ${token} x`, `Basic ${token}`, "Bearer", `Bearer oub_abcdefghij_${"a".repeat(43)}`])
    expect(((await ask(header)) as Response).status, header.slice(0, 20)).toBe(401);
  expect(await ask(`bearer ${token}`)).toMatchObject({ kind: "user" });
});
