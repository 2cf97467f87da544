/** Settings without effect: said with their place, by the function that `serve`, `config` and `doctor` share. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../../generator/config/config.js";
import { Report } from "../../../generator/core/diagnostic.js";
import { secretsOf } from "../../../runtime/config/secrets.js";
import type { Registry } from "../../../runtime/contract/registry.js";
import { settingWarnings, unsetSecrets } from "../../../runtime/gateway/setting-warnings.js";
import { configuredRoot, temporaryFolder, toolwright } from "../../support/project.js";

const registry = {
  packs: [{ name: "onto" }],
  tools: [{ op: "onto.task.list" }],
} as unknown as Registry;

const ACCESS = `access:
  oauth:
    resource: https://tools.example.com/mcp
    issuers:
      - issuer: https://id.example.com
        grants:
          - { when: { groups: eng }, level: read, packs: [onto, onot], ops: ["onto.*", "onto.taks.list"] }
`;

test("patterns of grants, approvals and sanitizing, and folders of secrets", () => {
  const text = `sources: []\n${ACCESS}approve: [{ ops: [onot.*] }]\nsanitize: { ops: { "onto.tesk.*": true } }\nsecrets: { from: [env, "dir: there", "dir: gone"] }\n`;
  const config = loadConfig(() => text, new Report());
  if (!config) throw new Error("no configuration");
  const root = temporaryFolder();
  mkdirSync(join(root, "there"));
  expect(settingWarnings({ root, config }, registry)).toEqual([
    'definitions/toolwright.yaml:8:65 access.oauth.issuers[0].grants[0].packs[1] is "onot", which matches no pack; did you mean "onto"?',
    'definitions/toolwright.yaml:8:88 access.oauth.issuers[0].grants[0].ops[1] is "onto.taks.list", which matches no op; did you mean "onto.task.list"?',
    'definitions/toolwright.yaml:9:19 approve[0].ops[0] is "onot.*", which matches no op; did you mean "onto.*"?',
    'definitions/toolwright.yaml:10:20 sanitize.ops.onto.tesk.* is "onto.tesk.*", which matches no op',
    "definitions/toolwright.yaml:11:38 secrets.from[2] names the folder gone, which is not there: no secret is found in it",
  ]);
});

const AUTH = `servers:
  per:
    url: https://api.example.com/mcp
    auth: { mode: per_user, issuer: https://a.example.com, client: { metadata_url: auto } }
  off:
    enabled: false
    url: https://api.example.com/mcp
    auth: { mode: client_credentials, issuer: https://a.example.com, client: { id: a, secret: "\${UNSET_OFF}" } }
  own:
    url: https://api.example.com/mcp
    auth: { mode: client_credentials, issuer: https://a.example.com, client: { id: "\${UNSET_ID:-a}", secret: "\${UNSET_SECRET}" } }
`;

test.each([
  ["issuers: []", "access.oauth.issuers is empty: no access token is accepted"],
  [
    "issuers: [{ issuer: https://id.example.com, grants: [] }]",
    "access.oauth.issuers[0].grants is empty: every token of this issuer is refused",
  ],
])("lists with which no caller gets anything: %s", (issuers, said) => {
  const text = `sources: []\naccess: { oauth: { resource: https://tools.example.com/mcp, ${issuers} } }\n`;
  const config = loadConfig(() => text, new Report());
  if (!config) throw new Error("no configuration");
  const [warning = "", ...more] = settingWarnings({ root: temporaryFolder(), config }, registry);
  expect(warning).toMatch(/^definitions\/toolwright.yaml:2:\d+ /);
  expect(warning).toContain(said);
  expect(more).toEqual([]);
});

test("a document of a client at an http address, which no authorization server takes", () => {
  const warned = (publicUrl: string, more = "") => {
    const text = `sources: []\npublic_url: ${publicUrl}\n${AUTH.replace("auto", `auto${more}`)}`;
    const config = loadConfig(() => text, new Report());
    if (!config) throw new Error("no configuration");
    return settingWarnings({ root: temporaryFolder(), config }, registry);
  };
  expect(warned("http://127.0.0.1:8080")).toEqual([
    expect.stringMatching(
      /^definitions\/toolwright.yaml:6:\d+ servers.per.auth.client.metadata_url is auto, and public_url is/,
    ),
  ]);
  expect(warned("http://127.0.0.1:8080", ", register: true")).toEqual([]);
  expect(warned("https://tools.example.com")).toEqual([]);
});

test("secrets of auth that are not set, and a place that cannot be read", () => {
  const text = `sources: [{ openapi: a.yaml, pack: a, auth: { bearer: "\${UNSET_BEARER}" } }]\n${AUTH}`;
  const config = loadConfig(() => text, new Report());
  if (!config) throw new Error("no configuration");
  const root = temporaryFolder();
  expect(unsetSecrets(config, secretsOf(root))).toEqual([
    expect.stringMatching(
      /^definitions\/toolwright.yaml:12:\d+ servers.own.auth.client.secret names UNSET_SECRET, which is not set: calls fail. Set it in the environment or in .onetool\/secrets.yaml$/,
    ),
    expect.stringMatching(/:1:\d+ sources\[0\].auth.bearer names UNSET_BEARER, /),
  ]);
  const program = secretsOf(root, { from: ["exec: ./nope.sh {name}"] });
  expect(unsetSecrets(config, program)[1]).toMatch(/client.secret: The secret UNSET_SECRET cannot be looked up/);
});

test("config, doctor and keys create say them, and none of them fails for it", {
  tags: "full",
  timeout: 180_000,
}, async () => {
  const root = configuredRoot(ACCESS);
  const config = await toolwright(["config", "--root", root]);
  expect([config.code, config.stderr]).toEqual([0, expect.stringMatching(/^warning .*packs\[1\] is "onot"/)]);
  const doctor = await toolwright(["doctor", "--root", root]);
  expect(doctor.stdout).toMatch(/ok +warnings +2 settings without effect\n {5}needs a person: .*packs\[1\] is "onot"/);
  const words = ["--name", "a", "--scope", "read", "--packs", "onot,web", "--ops", "onot.*"];
  const key = await toolwright(["keys", "create", ...words, "--root", root]);
  expect(key.code).toBe(0);
  expect(key.stdout).toMatch(/^oub_\S+\n$/);
  expect(key.stderr).toMatch(
    /^warning --packs: "onot" matches no pack; did you mean "onto"\?\nwarning --ops: "onot\.\*"/,
  );
  const never = await toolwright(["keys", "create", "--name", "b", "--scope", "read", "--ops", "onto", "--root", root]);
  expect([never.code, never.stderr]).toEqual([2, expect.stringContaining('--ops: "onto" is no pattern of ops')]);
});
