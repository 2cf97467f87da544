/** What `serve` refuses of a configuration: `config` and `doctor` refuse it with the same words, at the same place. */

import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { FEATURES } from "../../../features/list.js";
import { loadConfig } from "../../../generator/config/config.js";
import { Report } from "../../../generator/core/diagnostic.js";
import { printConfig } from "../../../runtime/cli/config.js";
import { settingsOrRefuse } from "../../../runtime/gateway/open-project.js";
import { loadSignIn } from "../../../runtime/gateway/sign-in-part.js";
import { temporaryFolder, toolwright } from "../../support/project.js";

const NO_OPS = { ir_version: 1, registry_version: "", tools: [], packs: [], reserved: [] } as const;
const RESOURCE = "https://tools.example.com/mcp";
const GRANTS = "grants: [{ when: { groups: eng }, level: read }]";
const issuers = (...texts: readonly string[]): string =>
  `access: { oauth: { resource: "${RESOURCE}", issuers: [${texts.map((one) => `{ ${one} }`).join(", ")}] } }`;
const GOOD = `issuer: "https://good.example.com", ${GRANTS}`;
const issuer = (text: string, url = "https://id.example.com"): string => issuers(GOOD, `issuer: "${url}", ${text}`);
const AUTH = 'issuer: "https://id.example.com", client: { id: a, secret: b }';
const KEYS = `state_encryption: { keys: [{ id: k1, from: "${Buffer.alloc(32).toString("base64")}" }] }`;
const server = (auth: string, more = ""): string =>
  `servers: { hub: { url: "https://hub.example.com/mcp", auth: { ${auth} }${more} } }`;
const source = (text: string, kind = "openapi: a.yaml"): string => `sources: [{ ${kind}, ${text} }]`;

/** Every way, with the path that the message names. */
const WAYS: Readonly<Record<string, readonly [text: string, message: RegExp]>> = {
  "a resource that is no URL": [
    `access: { oauth: { resource: notaurl, issuers: [{ ${GOOD} }] } }`,
    /access\.oauth\.resource must be the https URL .* not "notaurl"/,
  ],
  "a resource without issuers": ["access: { oauth: { resource: notaurl } }", /access\.oauth\.resource must be/],
  "an issuer over http": [issuer(GRANTS, "http://id.example.com"), /issuers\[1\]\.issuer must be an https URL/],
  "an issuer with a bar": [issuer(GRANTS, "https://id.example.com/a|b"), /issuers\[1\]\.issuer must hold no \|/],
  "an issuer twice": [issuers(GOOD, GOOD), /issuers\[1\]\.issuer is https:\/\/good\.example\.com once more/],
  "an algorithm with a shared secret": [
    issuer(`algorithms: [ES256, HS256], ${GRANTS}`),
    /issuers\[1\]\.algorithms\[1\] takes ES256, .* not "HS256"/,
  ],
  "no algorithm": [issuer(`algorithms: [], ${GRANTS}`), /issuers\[1\]\.algorithms is empty/],
  "introspection without its settings": [
    issuer(`tokens: introspection, ${GRANTS}`),
    /issuers\[1\]\.introspection is missing: set client_id and client_secret/,
  ],
  "introspection of JWTs": [
    issuer(`introspection: { client_id: a, client_secret: b }, ${GRANTS}`),
    /issuers\[1\]\.introspection is set, and tokens is not introspection/,
  ],
  "a time to keep introspections": [
    issuer(`tokens: introspection, introspection: { client_id: a, client_secret: b, cache: soon }, ${GRANTS}`),
    /issuers\[1\]\.introspection\.cache takes a number/,
  ],
  "a clock skew": [issuer(`clock_skew: much, ${GRANTS}`), /issuers\[1\]\.clock_skew takes a number .* not "much"/],
  "a cooldown": [issuer(`jwks: { cooldown: "1" }, ${GRANTS}`), /issuers\[1\]\.jwks\.cooldown takes a number/],
  "a principal without a claim": [
    issuer(`principal: "{nope", ${GRANTS}`),
    /issuers\[1\]\.principal names claims in braces, .* not "\{nope"/,
  ],
  "a principal with half a claim": [issuer(`principal: "{iss}|{sub", ${GRANTS}`), /issuers\[1\]\.principal names/],
  "a principal of many issuers": [
    issuer(`principal: "{email}", ${GRANTS}`),
    /issuers\[1\]\.principal must hold \{iss\}/,
  ],
  "a principal with a sign that issuers have": [
    issuer(`principal: "{iss}/{sub}", ${GRANTS}`),
    /issuers\[1\]\.principal must begin with \{iss\} and a sign that no issuer has, such as "\{iss\}\|\{sub\}"/,
  ],
  "a principal without a sign behind the issuer": [
    issuer(`principal: "{iss}", ${GRANTS}`),
    /issuers\[1\]\.principal must begin with \{iss\} and a sign/,
  ],
  "a principal that begins with a user": [
    issuer(`principal: "{sub}@{iss}", ${GRANTS}`),
    /issuers\[1\]\.principal must begin with \{iss\} and a sign/,
  ],
  "a principal of two claims without a sign": [
    issuer(`principal: "{iss}|{tid}{sub}", ${GRANTS}`),
    /issuers\[1\]\.principal needs a sign between two claims/,
  ],
  "a grant to every token": [
    issuer("grants: [{ when: { a: b }, level: read }, { when: {}, level: admin }]"),
    /issuers\[1\]\.grants\[1\]\.when is empty/,
  ],
  "a grant of a pack with a dot": [
    issuer("grants: [{ when: { a: b }, level: read, packs: [web, onto.task] }]"),
    /issuers\[1\]\.grants\[0\]\.packs\[1\] is "onto\.task", which can match nothing/,
  ],
  "a grant of a pack among ops": [
    issuer("grants: [{ when: { a: b }, level: read, ops: [onto] }]"),
    /issuers\[1\]\.grants\[0\]\.ops\[0\] is "onto", which can match nothing/,
  ],
  "a label": [issuer(`login: { client_id: a, label: ${"x".repeat(61)} }, ${GRANTS}`), /issuers\[1\]\.login\.label has/],
  "a scope of the login": [
    issuer(`login: { client_id: a, scopes: [ok, "a b"] }, ${GRANTS}`),
    /issuers\[1\]\.login\.scopes\[1\] is "a b"/,
  ],
  "a scope of an issuer": [
    issuer(`login: { client_id: a }, scopes_supported: ["a b"], ${GRANTS}`),
    /issuers\[1\]\.scopes_supported\[0\] is "a b"/,
  ],
  "a public URL with a path": ["public_url: https://tools.example.com/x", /public_url must be/],
  "a host with a port": ["http: { allowed_hosts: [a.example.com, 'b.example.com:80'] }", /http\.allowed_hosts/],
  "a network": ["http: { trusted_proxies: [10.0.0.0/8, here] }", /http\.trusted_proxies/],
  "half a certificate": ["http: { tls: { cert: a.pem } }", /http\.tls needs both/],
  "another database": ["state: mysql://db/x", /state must be a postgres:\/\/ URL/],
  "a URL to listen at without a database": [
    "state: { url: '', listen_url: 'postgres://db/x' }",
    /state\.listen_url is set without state\.url/,
  ],
  "a web provider": ["web: { provider: altavista }", /web\.provider altavista/],
  "an address of a model": ["llm: { url: example.com }", /llm\.url must be/],
  "an approval that never ends": ["approve: [{ ops: ['*'], expires: 9d }]", /expires is 9d/],
  "an approval that nobody gives": ["approve: [{ ops: ['*'], by: [elicitation] }]", /by names nobody/],
  "a condition that is empty": ["approve: [{ ops: ['*'], when: {} }]", /is empty: leave it out/],
  "a condition that is no schema": ["approve: [{ ops: ['*'], when: { a: { type: nope } } }]", /no valid JSON Schema/],
  "a condition that is a value": [
    "approve: [{ ops: ['*'], when: { a: true } }]",
    /when compares a with true: write a: {/,
  ],
  "an exception of nobody": ["approve: [{ ops: ['*'], unless: {} }]", /unless names no caller/],
  "a condition that is slow": ["approve: [{ ops: ['*'], when: { a: { pattern: '(a+)+$' } } }]", /has the pattern/],
  "a webhook": ["approvals: { webhook: { url: 'ftp://x', secret: '${HOME}' } }", /approvals\.webhook\.url must be/],
  "a webhook with a written secret": [
    "approvals: { webhook: { url: 'https://x.example.com', secret: abc } }",
    /approvals\.webhook\.secret must be the name of a secret/,
  ],
  "a connection without an issuer": [
    server('mode: shared, issuer: "http://id.example.com", client: { id: a }'),
    /servers\.hub\.auth needs issuer/,
  ],
  "a connection without a client": [
    server('mode: shared, issuer: "https://id.example.com"'),
    /servers\.hub\.auth needs client\.id/,
  ],
  "a machine without a secret": [
    server('mode: client_credentials, issuer: "https://id.example.com", client: { id: a }'),
    /servers\.hub\.auth needs client\.secret/,
  ],
  "a document over http": [
    server('mode: shared, issuer: "https://id.example.com", client: { metadata_url: "http://x.example.com" }'),
    /servers\.hub\.auth takes auto or an https URL as client\.metadata_url/,
  ],
  "a parameter of its own": [
    server(`mode: shared, ${AUTH}, authorize_params: { state: x }`),
    /servers\.hub\.auth sets state itself/,
  ],
  "an audience without exchange": [server(`mode: shared, ${AUTH}, audience: x`), /servers\.hub\.auth takes audience/],
  "a second Authorization": [
    server(`mode: client_credentials, ${AUTH}`, ", headers: { authorization: x }"),
    /servers\.hub\.auth and the header Authorization exclude/,
  ],
  "a connection of a command": [
    `servers: { hub: { command: x, auth: { mode: client_credentials, ${AUTH} } } }`,
    /servers\.hub\.auth is for servers over HTTP/,
  ],
  "a connection of another source": [
    source(`pack: a, auth: { mode: client_credentials, ${AUTH} }`, "functions: a.json"),
    /sources\[0\]\.auth takes a mode where/,
  ],
  "a connection and a bearer": [
    source(`pack: a, auth: { mode: client_credentials, bearer: x, ${AUTH} }`),
    /sources\[0\]\.auth has a mode, or bearer or basic/,
  ],
  "a connection twice": [
    `${server(`mode: client_credentials, ${AUTH}`)}\n${source(`pack: hub, auth: { mode: client_credentials, ${AUTH} }`)}`,
    /sources\[0\]\.auth is a second connection of the name hub/,
  ],
  "connections that are stored in the clear": [server(`mode: shared, ${AUTH}`), /state_encryption\.keys is missing/],
  "connections of people without a public URL": [
    `${server(`mode: per_user, ${AUTH}`)}\n${KEYS}`,
    /public_url is missing: people sign in at hub/,
  ],
  "a key of the wrong size": [
    `${server(`mode: client_credentials, ${AUTH}`)}\nstate_encryption: { keys: [{ id: k1, from: abc }] }`,
    /state_encryption\.keys\[0\] k1 is not 32 bytes/,
  ],
  "a key of the wrong size without connections": [
    "state_encryption: { keys: [{ id: k1, from: abc }] }",
    /state_encryption\.keys\[0\] k1 is not 32 bytes/,
  ],
  "a key id twice": [
    `${server(`mode: client_credentials, ${AUTH}`)}\n${KEYS.replace("[", `[{ id: k1, from: "${"a".repeat(64)}" }, `)}`,
    /state_encryption\.keys\[1\] has k1 twice/,
  ],
};

/** What `serve` says of a configuration when it starts, in this process. */
async function refused(root: string, text: string) {
  const report = new Report();
  const whole = text.includes("sources:") ? text : `sources: []\n${text}`;
  const config = loadConfig((file) => (file === "toolwright.yaml" ? whole : undefined), report, { features: FEATURES });
  if (!config) throw new Error(`no configuration: ${JSON.stringify(report.sorted())}`);
  const start = { root, config, overrides: {}, promptValues: {}, features: FEATURES };
  const signIn = await loadSignIn(start);
  return { start, serve: () => settingsOrRefuse(start, NO_OPS, signIn) };
}

test.each(Object.entries(WAYS))("config and serve refuse %s", async (_, [text, message]) => {
  const { start, serve } = await refused(temporaryFolder(), text);
  const err: string[] = [];
  const out: string[] = [];
  const paint = (_style: string, one: string): string => one;
  const streams = {
    ...{ paint, faults: async () => [] },
    out: (one: string) => void out.push(one),
    err: (one: string) => void err.push(one),
  };
  expect(await printConfig({ ...start, ...streams }, { json: true })).toBe(1);
  const { faults } = JSON.parse(out.join("")) as { readonly faults: readonly string[] };
  expect(faults).toEqual([expect.stringMatching(message)]);
  expect(err.join("")).toBe(`error serve refuses this: ${faults[0]}\n`);
  // Conditions are compiled after the settings are read.
  if (!text.includes("when: { a") && !text.includes("when: {} }]")) expect(serve).toThrow(faults[0]);
});

test("a variable that is not set is what is said, not what its absence would be refused for", async () => {
  const named = "$" + "{CONFIG_FAULTS_NONE}";
  const { serve } = await refused(
    temporaryFolder(),
    `access: { oauth: { resource: "${named}", issuers: [{ ${GOOD} }] } }`,
  );
  expect(serve).toThrow(/missing variables: CONFIG_FAULTS_NONE; set them in the environment or in \.onetool/);
  const folder = await refused(
    temporaryFolder(),
    `secrets: { from: [env, "dir: /run/secrets"] }\npublic_url: "${named}"`,
  );
  expect(folder.serve).toThrow(/set them in the environment or in the folder \/run\/secrets, or give a default/);
});

test.each(["an algorithm with a shared secret", "a condition that is slow"])(
  "the commands say the same of %s, generated or not",
  { tags: "full", timeout: 180_000 },
  async (way) => {
    const root = temporaryFolder();
    mkdirSync(join(root, "definitions"));
    const file = join(root, "definitions/toolwright.yaml");
    const [text, message] = WAYS[way] ?? ["", /^$/];
    writeFileSync(file, `use: [web]\nsources: []\n${text}\n`);
    const config = await toolwright(["config", "--root", root]);
    expect([config.code, config.stderr]).toEqual([1, expect.stringMatching(message)]);
    const before = await toolwright(["doctor", "--root", root]);
    expect([before.code, before.stdout]).toEqual([
      1,
      expect.stringMatching(new RegExp(`FAIL config .*${message.source}`)),
    ]);
    expect((await toolwright(["generate", "--root", root])).code).toBe(0);
    const [serve, doctor] = [await toolwright(["serve", "--root", root]), await toolwright(["doctor", "--root", root])];
    expect([serve.code, serve.stderr]).toEqual([2, expect.stringMatching(message)]);
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringMatching(message)]);
    expect(doctor.stdout.match(new RegExp(message, "g"))).toHaveLength(1);
  },
);
