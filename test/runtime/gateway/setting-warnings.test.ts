/** Settings without effect: said with their place, by the function that `serve`, `config` and `doctor` share. */

import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { loadConfig } from "../../../generator/config/config.js";
import { Report } from "../../../generator/core/diagnostic.js";
import { secretsOf } from "../../../runtime/config/secrets.js";
import type { Registry } from "../../../runtime/contract/registry.js";
import { settingWarnings, unsetSecrets } from "../../../runtime/gateway/setting-warnings.js";
import { configuredRoot, type Json, temporaryFolder, toolwright } from "../../support/project.js";

const registry = {
  packs: [{ name: "onto" }],
  tools: [{ op: "onto.task.list", kind: "read" }],
} as unknown as Registry;

test("patterns of approvals and sanitizing, and folders of secrets", () => {
  const text = `sources: []\napprove: [{ ops: [onot.*] }]\nsanitize: { ops: { "onto.tesk.*": true } }\nsecrets: { from: [env, "dir: there", "dir: gone"] }\n`;
  const config = loadConfig(() => text, new Report());
  if (!config) throw new Error("no configuration");
  const root = temporaryFolder();
  mkdirSync(join(root, "there"));
  expect(settingWarnings({ root, config }, registry)).toEqual([
    'definitions/toolwright.yaml:2:19 approve[0].ops[0] is "onot.*", which matches no op; did you mean "onto.*"?',
    'definitions/toolwright.yaml:3:20 sanitize.ops.onto.tesk.* is "onto.tesk.*", which matches no op',
    "definitions/toolwright.yaml:4:38 secrets.from[2] names the folder gone, which is not there: no secret is found in it",
  ]);
});

test("a rule for the name of a tool is told the op of the tool", () => {
  const named = {
    packs: [{ name: "onto" }],
    tools: [{ op: "onto.task.delete", tool_name: "delete_onto_task", kind: "write" }],
  } as unknown as Registry;
  const text = "sources: []\napprove: [{ ops: [delete_onto_task] }]\nsanitize: { ops: { delete_onto_task: true } }\n";
  const config = loadConfig(() => text, new Report());
  if (!config) throw new Error("no configuration");
  expect(settingWarnings({ root: temporaryFolder(), config }, named)).toEqual([
    'definitions/toolwright.yaml:2:19 approve[0].ops[0] is "delete_onto_task", which matches no op; did you mean "onto.task.delete"?',
    'definitions/toolwright.yaml:3:20 sanitize.ops.delete_onto_task is "delete_onto_task", which matches no op; did you mean "onto.task.delete"?',
  ]);
});

/** Ops with arguments, as a generated registry has them. */
const tool = (op: string, properties: Json = {}, more: Json = {}): Json => ({
  op,
  kind: "write",
  annotations: { destructiveHint: op.endsWith("delete") },
  parameters_schema: { type: "object", properties, additionalProperties: false },
  ...more,
});
const priority = { type: "integer", minimum: 1, maximum: 5 };
const state = { enum: ["todo", "done"] };
const OPS = {
  packs: [{ name: "onto" }, { name: "mail" }],
  tools: [
    tool("onto.task.list", {}, { kind: "read" }),
    tool("onto.task.create", { title: { type: "string" }, priority, state }),
    tool("onto.task.delete", { task_id: { type: "string" } }),
    tool("mail.send", {}, { parameters_schema: { type: "object", additionalProperties: true } }),
    tool("mail.draft", { to: { anyOf: [{ type: "string" }, { type: "null" }] }, tags: { type: "array" } }),
  ],
} as unknown as Registry;

test.each<readonly [title: string, rules: string, warnings: readonly string[]]>([
  [
    "a pattern of reads",
    "[{ ops: [onto.task.list, onto.task.delete] }]",
    ['approve[0].ops[0] is "onto.task.list", which matches reads only: they need no approval'],
  ],
  [
    "a rule that matches no write of its kind",
    "[{ ops: [onto.task.create], destructive: true }, { ops: [onto.task.delete], destructive: false }]",
    [
      "approve[0] never applies: none of the writes that it matches may delete or overwrite",
      "approve[1] never applies: each of the writes that it matches may delete or overwrite",
    ],
  ],
  [
    "rules after those that decide",
    "[{ ops: [onto.task.*] }, { ops: [mail.*], unless: { callers: [local] } }, { ops: [onto.task.delete] }, { kind: write }, { kind: write, unless: { callers: [local] } }]",
    [
      "approve[2] never applies: approve[0] before it decides about all of its ops",
      "approve[4] never applies: approve[0], approve[1] before it decide about all of its ops",
    ],
  ],
  ["a rule after one with a condition", "[{ kind: write, when: { title: { minLength: 3 } } }, { kind: write }]", []],
  [
    "names that are no arguments",
    "[{ ops: [onto.task.*], when: { tilte: { minLength: 3 } } }, { ops: [onto.task.*], when: { anyOf: [{ required: [prio] }, { not: { properties: { x: false } } }] } }]",
    [
      'approve[0].when names "tilte", which is no argument of its ops; did you mean "title"?',
      'approve[1].when names "prio", which is no argument of its ops',
      'approve[1].when names "x", which is no argument of its ops',
    ],
  ],
  ["arguments of an op that takes any", "[{ ops: [mail.send], when: { tilte: { minLength: 3 } } }]", []],
  [
    "values that an argument never has",
    "[{ ops: [onto.task.*], when: { state: { enum: [todo, donne] }, priority: { const: high }, title: { const: 5 } } }]",
    [
      'approve[0].when compares "state" with "donne", which it never is; did you mean "done"?',
      'approve[0].when compares "priority" with "high", which it never is',
      'approve[0].when compares "title" with 5, which it never is',
    ],
  ],
  [
    "types that an argument never has",
    "[{ ops: [onto.*], when: { priority: { type: string }, title: { minimum: 5 } } }, { ops: [mail.draft], when: { to: { type: integer }, tags: { minLength: 1 } } }]",
    [
      'approve[0].when wants "priority" to be of type string, which is number',
      'approve[0].when has minimum for "title", about which it says nothing: it is string',
      'approve[1].when wants "to" to be of type integer, which is string or null',
      'approve[1].when has minLength for "tags", about which it says nothing: it is array',
    ],
  ],
  [
    "ranges that no number is in",
    "[{ ops: [onto.*], when: { priority: { minimum: 6 } } }, { ops: [onto.*], when: { priority: { maximum: 0 } } }, { ops: [onto.*], when: { priority: { exclusiveMinimum: 4, maximum: 2 } } }]",
    [
      'approve[0].when wants "priority" to be at least 6, and its ops take at most 5',
      'approve[1].when wants "priority" to be at most 0, and its ops take at least 1',
      'approve[2].when wants "priority" to be at least 4 and at most 2, which no number is',
    ],
  ],
  [
    "no condition on an argument",
    "[{ ops: [onto.*], when: { title: {} } }]",
    ['approve[0].when says nothing about "title", which any value fits'],
  ],
  [
    "a remark that is called like an argument",
    "[{ ops: [onto.*], when: { required: [state], title: Urgent, description: those that are urgent } }]",
    [
      'approve[0].when has "title" as a remark, which is an argument of its ops: write properties: { title: { const: … } }',
    ],
  ],
  [
    "conditions that may apply",
    "[{ ops: [onto.*], when: { title: { pattern: '^A' }, priority: { type: [integer, 'null'], minimum: 2 }, state: { const: done } } }]",
    [],
  ],
  [
    "callers that are nobody",
    "[{ kind: write, unless: { callers: [locl, '*', ejg6n2xkzq] } }]",
    [
      'approve[0].unless.callers[0] is "locl"; did you mean "local"?',
      'approve[0].unless.callers[1] is "*": name callers by their ids, not by patterns',
    ],
  ],
])("rules of approvals: %s", (_, rules, warnings) => {
  const config = loadConfig(() => `sources: []\napprove: ${rules}\n`, new Report());
  if (!config) throw new Error("no configuration");
  const found = settingWarnings({ root: temporaryFolder(), config }, OPS);
  expect(found.map((one) => one.replace(/^definitions\/toolwright\.yaml:2:\d+ /, ""))).toEqual(warnings);
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

test("the engine, which is still accepted", () => {
  const config = loadConfig(() => "sources: []\nengine: monty\n", new Report());
  if (!config) throw new Error("no configuration");
  expect(settingWarnings({ root: temporaryFolder(), config }, registry)).toEqual([
    "definitions/toolwright.yaml:2:1 RUN_ENGINE_IGNORED: engine has no effect: Python runs on CPython",
  ]);
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
  const root = configuredRoot("approve: [{ ops: [onot.*, onto.taks.list] }]\n");
  const config = await toolwright(["config", "--root", root]);
  expect([config.code, config.stderr]).toEqual([0, expect.stringMatching(/^warning .*ops\[0\] is "onot\.\*"/)]);
  const doctor = await toolwright(["doctor", "--root", root]);
  expect(doctor.stdout).toMatch(
    /ok +warnings +2 settings without effect\n {5}needs a person: .*ops\[0\] is "onot\.\*"/,
  );
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

test("a feature of a plugin is not served without trust", () => {
  const features = [
    { name: "quota", origin: "./quota.ts", serve: () => Promise.reject(new Error("loaded")) },
    { name: "keys", origin: "./keys.ts" },
    { name: "shipped", serve: () => Promise.reject(new Error("loaded")) },
    { name: "gone", origin: "./gone.ts", serve: () => Promise.reject(new Error("loaded")) },
  ];
  const warningsOf = (trust: "none" | "local") => {
    const config = { sources: [], plugins: ["./keys.ts", "./quota.ts"], trust };
    return settingWarnings({ root: temporaryFolder(), config, features }, OPS);
  };
  expect(warningsOf("none")).toEqual([
    "toolwright.yaml plugins[1] is ./quota.ts, whose feature quota is not served: it would run with the rights of the server. Set trust: local if you trust its code",
  ]);
  expect(warningsOf("local")).toEqual([]);
});
