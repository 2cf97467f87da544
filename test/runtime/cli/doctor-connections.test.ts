/** `toolwright doctor` checks connections: their authorization servers, clients and keys, and the stored rows. */

import { randomBytes } from "node:crypto";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { FEATURES } from "../../../features/list.js";
import { connectionFindings } from "../../../runtime/cli/doctor-connections.js";
import type { RuntimeConfig } from "../../../runtime/config/settings.js";
import { rowIdentity as rowPlace, storeConnection } from "../../../runtime/connections/rows.js";
import { createSeal } from "../../../runtime/connections/sealing.js";
import type { ServerAuth, StateEncryptionEntry } from "../../../runtime/contract/settings/entries.js";
import { temporaryFolder } from "../../support/project.js";
import { stateFor } from "../../support/servers/connections.js";
import { startIssuer } from "../../support/servers/issuer.js";
import { MACHINE, startOidc } from "../../support/servers/oidc.js";

const REDIRECT = "https://tools.example.com/connections/callback";

const KEY = randomBytes(32).toString("base64");
const PUBLIC = "https://tools.example.com";

interface Given {
  readonly root?: string;
  readonly auth: ServerAuth;
  readonly keys?: StateEncryptionEntry["keys"];
  readonly publicUrl?: string;
  readonly snapshot?: { readonly every: string; readonly principal?: string };
}

/** What the doctor finds about one connection, and the remedies. */
async function found(given: Given) {
  const { root = stateRoot(), auth, keys = [{ id: "k1", from: KEY }], publicUrl = PUBLIC, snapshot = {} } = given;
  const config = {
    sources: [],
    servers: { github: { url: "https://api.example.com/mcp", auth, snapshot } },
    access: { oauth: { issuers: [{ issuer: auth.issuer, grants: [] }] } },
    ...{ state: "", state_encryption: { keys }, public_url: publicUrl },
  };
  const findings = await connectionFindings({
    root,
    config: config as RuntimeConfig,
    overrides: {},
    features: FEATURES,
  });
  return findings.map(({ what, ok, found: text, remedy }) =>
    [what, ok ? "ok" : "FAIL", text, ...(ok ? [] : [remedy])].join(" | "),
  );
}

function stateRoot(): string {
  const root = temporaryFolder();
  mkdirSync(join(root, ".onetool"), { mode: 0o700 });
  return root;
}

const machine = (issuer: string, secret: string = MACHINE.client_secret): ServerAuth => ({
  ...{ mode: "client_credentials", issuer, scope: "mcp:read", resource: "https://api.example.com/mcp" },
  client: { id: MACHINE.client_id, secret },
});
const person = (issuer: string, client: ServerAuth["client"] = { id: "tools" }): ServerAuth => ({
  ...{ mode: "per_user", issuer, client: client ?? {} },
});

describe("at a real provider", () => {
  test("a client that gets tokens, one that is not known, and a variable that is not set", async () => {
    const { issuer } = await startOidc();
    expect(await found({ auth: machine(issuer) })).toEqual([
      "auth | ok | github: client_credentials, as the client machine, which gets tokens",
    ]);
    expect(await found({ auth: machine(issuer, "wrong") })).toEqual([
      "auth | FAIL | github: client_credentials, as the client machine, gets no token: it answers invalid_client (HTTP 401) | correct client, scope and resource, or what the authorization server allows this client",
    ]);
    expect(await found({ auth: machine(issuer, "$" + "{DOCTOR_HAS_NONE}") })).toEqual([
      "auth | FAIL | github: The connection github needs DOCTOR_HAS_NONE, which is not set. | set it in the environment or in .onetool/secrets.yaml",
    ]);
  });

  test("a document where the server takes one, else a registration, else what is missing", async () => {
    const plain = await startOidc();
    const documents = await startOidc({ document: async () => Response.json({}) });
    const auto = { metadata_url: "auto" } as const;
    expect(await found({ auth: person(documents.issuer, auto) })).toEqual([
      `auth | ok | github: per_user, as the client ${PUBLIC}/oauth/client.json`,
    ]);
    expect(await found({ auth: person(documents.issuer, auto), publicUrl: "http://127.0.0.1:8080" })).toEqual([
      "auth | FAIL | github: client.metadata_url is at no https URL | set public_url to the https URL of this server",
    ]);
    expect(await found({ auth: person(plain.issuer, { ...auto, register: true }) })).toEqual([
      "auth | ok | github: per_user, registers toolwright",
    ]);
    expect(await found({ auth: person(plain.issuer, auto) })).toEqual([
      `auth | FAIL | github: ${plain.issuer} takes no client ID metadata document | set client.id, or client.register: true`,
    ]);
    expect(await found({ auth: person(plain.issuer) })).toEqual([
      `auth | ok | github: per_user, as the client tools, with the redirect URI ${REDIRECT}`,
    ]);
  });
});

test("an issuer that is away or names itself otherwise, one without PKCE, registration or token exchange", async () => {
  const provider = await startIssuer();
  const { issuer, state } = provider;
  state.metadata = { code_challenge_methods_supported: ["plain"], grant_types_supported: ["authorization_code"] };
  expect(await found({ auth: person(issuer, { register: true }) })).toEqual([
    expect.stringContaining(`FAIL | github: ${issuer} does not say that it supports PKCE with S256`),
    expect.stringContaining(`FAIL | github: ${issuer} registers no clients | register toolwright there by hand`),
  ]);
  const exchange = { ...person(issuer), mode: "token_exchange" } as const;
  expect((await found({ auth: exchange }))[0]).toContain("does not say that it exchanges tokens");
  state.metadata = { authorization_endpoint: undefined, code_challenge_methods_supported: ["S256"] };
  expect((await found({ auth: person(issuer) }))[0]).toContain("its metadata names no authorization_endpoint");
  const localhost = issuer.replace("127.0.0.1", "localhost");
  expect((await found({ auth: person(localhost) }))[0]).toContain('of the issuer "http://127.0.0.1');
  state.isDown = true;
  expect((await found({ auth: person(issuer) }))[0]).toMatch(/FAIL .*status 502.* \| write issuer of github as/);
});

test.each<[string, StateEncryptionEntry["keys"], string]>([
  ["none", [], "state_encryption.keys is missing"],
  ["one of 16 bytes", [{ id: "k1", from: randomBytes(16).toString("base64") }], "k1 is not 32 bytes"],
  ["one of a variable that is not set", [{ id: "k1", from: "$" + "{DOCTOR_HAS_NONE}" }], "names DOCTOR_HAS_NONE"],
  [
    "two of one id",
    [
      { id: "k1", from: KEY },
      { id: "k1", from: KEY },
    ],
    "has k1 twice",
  ],
])("of the keys %s: a fault with its remedy, and the server is checked all the same", async (_, keys = [], text) => {
  const { issuer } = await startOidc();
  const [first, ...others] = await found({ auth: person(issuer), keys });
  expect(first).toContain(text);
  expect(first).toContain('| make 32 bytes with "openssl rand -base64 32"');
  expect(others).toEqual([`auth | ok | github: per_user, as the client tools, with the redirect URI ${REDIRECT}`]);
});

test("stored connections whose key is gone, and no connections", async () => {
  const { issuer } = await startOidc();
  const root = stateRoot();
  const state = await stateFor("", root);
  const old = randomBytes(32);
  const seal = createSeal([{ id: "k0", key: old }]);
  for (const principal of ["alice", "bob"]) {
    const key = { kind: "own", principal, server: "github", issuer } as const;
    await storeConnection(state, key, seal.close("{}", rowPlace(key)), Date.now());
  }
  expect(await found({ root, auth: person(issuer) })).toEqual([
    `auth | ok | github: per_user, as the client tools, with the redirect URI ${REDIRECT}`,
    "auth | FAIL | 2 stored connections cannot be opened: state_encryption.keys has no key k0 | put the key k0 back behind the first one; if it is lost, people sign in again",
  ]);
  const keys = [...[{ id: "k1", from: KEY }], { id: "k0", from: old.toString("hex") }];
  // The key without rows is the one that can be removed.
  expect((await found({ root, auth: person(issuer), keys })).slice(1)).toEqual([
    "auth | ok | 0 stored connections under the key k1, 2 stored connections under the key k0",
  ]);
  expect(await connectionFindings({ root, config: { sources: [] }, overrides: {} })).toEqual([]);
});

test("a key whose value is not the one that encrypted the rows which name it", async () => {
  const { issuer } = await startOidc();
  const root = stateRoot();
  const state = await stateFor("", root);
  const put = async (principal: string, value: Buffer): Promise<void> => {
    const key = { kind: "own", principal, server: "github", issuer } as const;
    await storeConnection(state, key, createSeal([{ id: "k1", key: value }]).close("{}", rowPlace(key)), Date.now());
  };
  const other = randomBytes(32);
  await put("alice", other);
  await put("bob", other);
  const remedy =
    "put the value of k1 back with which they were stored; if it is lost, give the new value another id, and people sign in again";
  expect((await found({ root, auth: person(issuer) })).slice(1)).toEqual([
    `auth | FAIL | toolwright.yaml state_encryption.keys[0]: the key k1 does not open the 2 stored connections that it encrypted: its value is another one | ${remedy}`,
  ]);
  await put("bob", Buffer.from(KEY, "base64"));
  expect((await found({ root, auth: person(issuer) }))[1]).toContain(
    "the key k1 does not open 1 of 2 stored connections under it",
  );
  await put("alice", Buffer.from(KEY, "base64"));
  expect(await found({ root, auth: person(issuer) })).toHaveLength(1);
});

test("a server that is read on a schedule, with the connection of a caller who has none", async () => {
  const { issuer } = await startOidc();
  const root = stateRoot();
  const state = await stateFor("", root);
  const key = { kind: "own", principal: "local", server: "github", issuer } as const;
  const auth = person(issuer);
  const snapshot = { every: "6h" };
  expect((await found({ root, auth, snapshot }))[1]).toMatch(
    /FAIL \| github: snapshot.every reads it with the connection of local, who is not connected \| connect it in the/,
  );
  const seal = createSeal([{ id: "k1", key: Buffer.from(KEY, "base64") }]);
  await storeConnection(state, key, seal.close("{}", rowPlace(key)), Date.now());
  expect(await found({ root, auth, snapshot })).toHaveLength(1);
  expect((await found({ root, auth, snapshot: { ...snapshot, principal: "alice" } }))[1]).toContain("of alice");
  expect(await found({ root, auth })).toHaveLength(1);
});

test("the redirect URI of an issuer that does not name itself is of one connection", async () => {
  const provider = await startIssuer();
  provider.state.metadata = { code_challenge_methods_supported: ["S256"] };
  expect(await found({ auth: person(provider.issuer) })).toEqual([
    `auth | ok | github: per_user, as the client tools, with the redirect URI ${REDIRECT}/github`,
  ]);
});
