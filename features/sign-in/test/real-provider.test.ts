/** Sign-in with a real identity provider and the real SDK client: from the challenge to a call as the user. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import {
  Client,
  type OAuthClientProvider,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { MODERN, type Raw, raw } from "../../../test/support/http.js";
import { freePort } from "../../../test/support/ports.js";
import type { Json } from "../../../test/support/project.js";
import { CALLBACK, MACHINE, type Oidc, startOidc } from "../../../test/support/servers/oidc.js";
import { type ServedKeys, serveKeys } from "../../../test/support/servers/served-keys.js";

const SLOW = 400_000;
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
let oidc: Oidc;
let opaque: Oidc;
let served: ServedKeys;
let resource: string;

beforeAll(async () => {
  oidc = await startOidc({ groups: { alice: ["eng"], bob: ["sales"] } }, later);
  opaque = await startOidc({ format: "opaque" }, later);
  const port = await freePort();
  resource = `http://127.0.0.1:${port}/mcp`;
  const grants =
    '[{ when: { groups: eng }, level: write }, { when: { scope: "mcp:write" }, level: read, ops: ["*.list*"] }]';
  served = await serveKeys(
    later,
    [
      "access:",
      "  oauth:",
      `    resource: ${resource}`,
      "    issuers:",
      `      - { issuer: "${oidc.issuer}", scopes_supported: [mcp:read], grants: ${grants} }`,
      `      - issuer: ${opaque.issuer}`,
      "        tokens: introspection",
      '        principal: "{iss}|{client_id}"',
      "        introspection: { client_id: machine, client_secret: machine-secret, cache: 1s }",
      "        grants: [{ when: { client_id: machine }, level: read }]",
    ],
    [],
    port,
  );
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

/** A client program that keeps everything in memory, and whose user has a browser. */
function program(): OAuthClientProvider & { readonly asked: URL[]; token(): string } {
  const kept: Json = {};
  const asked: URL[] = [];
  return {
    asked,
    token: () => kept.tokens?.access_token ?? "",
    redirectUrl: CALLBACK,
    clientMetadata: {
      client_name: "test",
      redirect_uris: [CALLBACK],
      grant_types: ["authorization_code", "refresh_token"],
      token_endpoint_auth_method: "none",
      application_type: "native",
    },
    clientInformation: () => kept.client,
    saveClientInformation: (client) => void Object.assign(kept, { client: client }),
    tokens: () => kept.tokens,
    saveTokens: (tokens) => void Object.assign(kept, { tokens: tokens }),
    saveCodeVerifier: (verifier) => void Object.assign(kept, { verifier: verifier }),
    codeVerifier: () => kept.verifier,
    saveDiscoveryState: (state) => void Object.assign(kept, { discovery: state }),
    discoveryState: () => kept.discovery,
    redirectToAuthorization: (url) => void asked.push(url),
  };
}

/** Signs the provider's user in, and connects. */
async function signedIn(versionNegotiation: Json) {
  const authProvider = program();
  const open = () => new StreamableHTTPClientTransport(new URL(resource), { authProvider });
  const client = () => new Client({ name: "test", version: "1" }, { versionNegotiation });
  const first = open();
  await expect(client().connect(first)).rejects.toThrow(UnauthorizedError);
  const [url] = authProvider.asked;
  if (!url) throw new Error("nobody was asked");
  const answer = await oidc.browse(url);
  await first.finishAuth(answer.searchParams);
  const connected = client();
  await connected.connect(open());
  return { url, client: connected, authProvider };
}

const as = (token: string, request: Raw = {}) =>
  raw(resource, { ...request, headers: { authorization: `Bearer ${token}` } });
const call = (op: string, args: object = {}) => ({
  body: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "tool_exec", arguments: { op, args } } },
});

describe.each([
  ["the older protocol", { mode: "legacy" }],
  [MODERN, { mode: { pin: MODERN } }],
])("over %s", (_, negotiation) => {
  test("from 401 to a call as alice: metadata, registration, PKCE, resource, token", async () => {
    oidc.user = "alice";
    const { client, url } = await signedIn(negotiation);
    expect(url.origin).toBe(oidc.issuer);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      resource,
      code_challenge_method: "S256",
      scope: "mcp:read offline_access",
    });
    const file = join(served.root, "notes.txt");
    const { structuredContent } = (await client.callTool({
      name: "tool_exec",
      arguments: { op: "vault.add_note", args: { text: "from a user", file } },
    })) as Json;
    expect(structuredContent).toMatchObject({ ok: true, result: { by: `${oidc.issuer}|alice` } });
    expect(readFileSync(file, "utf8")).toContain(`${oidc.issuer}|alice: from a user`);
    await client.close();
  });
});

test("a user without a matching claim gets 403, and the log says why", async () => {
  oidc.user = "bob";
  const authProvider = program();
  const transport = new StreamableHTTPClientTransport(new URL(resource), { authProvider });
  await expect(new Client({ name: "test", version: "1" }).connect(transport)).rejects.toThrow(UnauthorizedError);
  await transport.finishAuth((await oidc.browse(authProvider.asked[0] as URL)).searchParams);
  const { status, headers } = await as(authProvider.token());
  expect([status, headers["www-authenticate"]]).toEqual([403, expect.stringContaining('error="insufficient_scope"')]);
  await expect.poll(() => served.server.stderr()).toContain('"check":"grants"');
});

test("a machine's own token has what its scope grants, and sees nothing else", async () => {
  const token = await oidc.machineToken(resource, "mcp:write");
  const listed = await as(token, call("vault.list_notes"));
  expect(listed.text).toContain('"ok":true');
  const added = await as(token, call("vault.add_note", { text: "x", file: join(served.root, "no.txt") }));
  expect(added.text).toContain('"NOT_FOUND"');
});

test("a token for another resource is refused", async () => {
  const { status } = await as(await oidc.machineToken("https://other.example.com/mcp", "mcp:write"));
  expect(status).toBe(401);
  await expect.poll(() => served.server.stderr()).toContain('"check":"aud"');
});

test("an opaque token is introspected, and ends when it is revoked", async () => {
  const token = await opaque.machineToken(resource);
  expect(token).not.toContain(".");
  expect((await as(token, call("vault.list_notes"))).text).toContain('"ok":true');
  const basic = Buffer.from(`${MACHINE.client_id}:${MACHINE.client_secret}`).toString("base64");
  await fetch(`${opaque.issuer}/token/revocation`, {
    method: "POST",
    headers: { authorization: `Basic ${basic}` },
    body: new URLSearchParams({ token }),
  });
  await expect.poll(async () => (await as(token)).status).toBe(401);
});

test("API keys work beside tokens, and neither is needed where the metadata is read", async () => {
  expect((await as(served.known.read.key)).status).toBe(200);
  const { text } = await raw(resource, { method: "GET", path: "/.well-known/oauth-protected-resource/mcp" });
  expect(JSON.parse(text)).toMatchObject({ resource, authorization_servers: [oidc.issuer, opaque.issuer] });
});

test("a token in the address or the body is no token", async () => {
  const token = await oidc.machineToken(resource, "mcp:write");
  expect((await raw(resource, { path: `/mcp?access_token=${token}` })).status).toBe(401);
  expect((await raw(resource, { body: { access_token: token } })).status).toBe(401);
});

test("a provider that is away: 503 for its tokens, keys still work, and it is asked again", async () => {
  const away = await startOidc({ format: "opaque" });
  const unknown = await away.machineToken(resource);
  await opaque.stop();
  expect((await as(unknown)).status).toBe(503);
  expect((await as(served.known.read.key)).status).toBe(200);
  await expect.poll(() => served.server.stderr()).toContain("an identity provider is away");
  expect(served.server.stderr()).not.toContain(unknown);
});
