/**
 * Hidden ops do not exist for a key: a project, and the same one without the hidden parts, give the same answers to all
 * requests.
 */

import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eachGroup } from "../../support/each-case.js";
import { keysOf } from "../../support/keys.js";
import { CHECKOUT, generatedRoot, type Json, type Served, serve, temporaryFolder } from "../../support/project.js";

const SLOW = 240_000;
const DEMO = join(CHECKOUT, "test/support/demos/access-demo/definitions");
const ADMIN_OPS = ["create_token", "list_tokens"];

/** The demo without functions, and without the aliases and snippets that name them. */
function demoWithout(functions: readonly string[], remove: (clean: () => void) => void): string {
  const folder = join(temporaryFolder(remove), "definitions");
  cpSync(DEMO, folder, { recursive: true });
  const change = (file: string, by: (text: string) => string): void =>
    writeFileSync(join(folder, file), by(readFileSync(join(DEMO, file), "utf8")));
  change("vault.ts", (text) =>
    functions.reduce((rest, name) => {
      const cut = rest.replace(
        new RegExp(`/\\*\\*(?:(?!\\*/)[^])*\\*/\\nexport function ${name}\\([^]*?\\n}\\n\\n`),
        "",
      );
      if (cut === rest) throw new Error(`no function ${name}`);
      return cut;
    }, text),
  );
  change("toolwright.yaml", (text) => text.replace("mint: vault.create_token, ", ""));
  change("snippets.yaml", (text) =>
    text
      .split(/^(?=\w)/m)
      .filter((one) => one.startsWith("show_notes"))
      .join(""),
  );
  return folder;
}

/** Names of ops that are hidden, of ones that are not there, and what is like either. */
const NAMES = [
  ...["vault.create_token", "vault.list_tokens", "vault.add_note", "vault.nothing", "vault.list_nothing"],
  ...["create_token", "list_tokens", "mint", "mimt", "vault_create_token", "VAULT.CREATE_TOKEN", "vault.create_tokens"],
  ...[
    "vault.list_token",
    "token",
    "tokens",
    "create",
    "make",
    "`vault.create_token`",
    "call vault.create_token now",
    "vault",
  ],
];
const text = (value: string): string => JSON.stringify(value);

/** What is asked: every request that has a name in it, and every list. */
const requests: readonly (readonly [what: string, ask: (served: Served, name: string) => Promise<unknown>])[] = [
  ["help", ({ call }, path) => call("tool_help", { path, format: "full", include_schemas: true })],
  ["exec", ({ call }, op) => call("tool_exec", { op, args: { name: "x" } })],
  ["exec, dry run", ({ call }, op) => call("tool_exec", { op, args: { name: "x" }, dry_run: true })],
  ["exec, keyed", ({ call }, op) => call("tool_exec", { op, args: { name: "x" }, idempotency_key: "k" })],
  ["exec, broken", ({ call }, op) => call("tool_exec", { op, args: [1], dry_run: "no" })],
  [
    "batch",
    ({ call }, name) =>
      call("tool_batch", {
        ops: [{ op: name, args: {} }, { path: name }, { op: name, id: 7 }, { op: "vault.list_notes" }, { args: name }],
      }),
  ],
  [
    "batch, parallel",
    ({ call }, op) => call("tool_batch", { ops: [{ op }, { op: "vault.list_notes" }], mode: "parallel" }),
  ],
  ["tool", ({ client }, name) => client.callTool({ name, arguments: { name: "x" } })],
  ["resource", ({ client }, name) => client.readResource({ uri: `onetool://tool/${encodeURIComponent(name)}` })],
  [
    "completion",
    ({ client }, value) =>
      client.complete({
        ref: { type: "ref/resource", uri: "onetool://tool/{name}" },
        argument: { name: "name", value: value.slice(0, 7) },
      }),
  ],
  ["ot.help", ({ client }, name) => ran(client, `ot.help(query=${text(name)}, info="full")`)],
  ["ot.tools", ({ client }, name) => ran(client, `ot.tools(pattern=${text(name)}, info="full")`)],
  ["ot.batch", ({ client }, name) => ran(client, `ot.batch(calls=[[${text(name)}, {"name": "x"}]])`)],
];
const ran = (client: Served["client"], command: string) => client.callTool({ name: "run", arguments: { command } });

const LISTS: readonly (readonly [what: string, ask: (served: Served) => Promise<unknown>])[] = [
  ["instructions", async ({ client }) => client.getInstructions()],
  ["tools", ({ client }) => client.listTools()],
  ["resources", ({ client }) => client.listResources()],
  ["prompts", ({ client }) => client.listPrompts()],
  ["all tools", ({ client }) => client.readResource({ uri: "onetool://tools" })],
  ["help of the root", ({ call }) => call("tool_help", { format: "full" })],
  ["help of writes", ({ call }) => call("tool_help", { path: "write" })],
  ...["make_token", "mint_one", "no_such", "show_notes"].flatMap((name) => [
    [`prompt ${name}`, ({ client }: Served) => client.getPrompt({ name })] as const,
    [`snippet ${name}`, ({ client }: Served) => ran(client, `$${name}`)] as const,
    [`snippet ${name}, help`, ({ client }: Served) => ran(client, `ot.help(query="$${name}")`)] as const,
  ]),
  ...["tools", "packs", "aliases", "snippets"].map(
    (list) => [`ot.${list}`, ({ client }: Served) => ran(client, `ot.${list}(info="full")`)] as const,
  ),
  ...["config", "health"].map((one) => [`ot.${one}`, ({ client }: Served) => ran(client, `ot.${one}()`)] as const),
  ["names in code", ({ client }) => ran(client, "sorted(dir(vault))")],
  // Each costs a look at the types of the code.
  ...["vault.create_token", "create_token", "mint", "mimt", "vault.nothing", "token"].map(
    (name) => [`run of ${name}`, ({ client }: Served) => ran(client, `${name}(name="x")`)] as const,
  ),
  ["an unknown function", ({ client }) => ran(client, "vault.nothing()")],
];

/** An answer, or how it failed, without what no two answers have in common. */
async function answerOf(asked: Promise<unknown>, root: string): Promise<string> {
  const answer = await asked.catch((error: Json) => ({ code: error.code, message: error.message, data: error.data }));
  return JSON.stringify(answer)
    .replaceAll(root, "<root>")
    .replaceAll(/tr_[0-9a-f]{16}/g, "<trace>")
    .replaceAll(/(latency_ms\\*":)\d+/g, "$1 0")
    .replaceAll(/(registry_version\\*":\\*")[0-9a-f]+/g, "$1<version>");
}

eachGroup(
  [
    ["write", ADMIN_OPS],
    ["project:proj_one", [...ADMIN_OPS, "add_note"]],
  ],
  "project:proj_one",
)("a key of scope %s", { tags: "slow" }, (scope, hidden) => {
  const cleaning: (() => unknown)[] = [];
  const later = (clean: () => unknown): void => void cleaning.push(clean);
  const sides: { readonly root: string; readonly served: Served }[] = [];
  beforeAll(async () => {
    const open = async (definitions: string) => {
      const root = await generatedRoot(definitions, later);
      const keys = keysOf(root);
      const { key } = await keys.create({ name: "k", scope }, "local");
      await keys.close();
      const served = await serve(root, [], { OUBLIETTE_API_KEY: key });
      later(() => served.close());
      return { root, served };
    };
    sides.push(...(await Promise.all([open(DEMO), open(demoWithout(hidden, later))])));
  }, SLOW);
  afterAll(async () => {
    for (const clean of cleaning.reverse()) await clean();
  });
  const both = (ask: (served: Served) => Promise<unknown>): Promise<readonly string[]> =>
    Promise.all(sides.map(({ root, served }) => answerOf(ask(served), root)));

  test.each(requests)("%s tells nothing of what it may not see", { timeout: SLOW }, async (_what, ask) => {
    for (const name of NAMES) {
      const [whole, without] = await both((served) => ask(served, name));
      expect(whole, name).toBe(without);
    }
  });

  test.each(LISTS)("%s: as where it is not there", { timeout: SLOW }, async (what, ask) => {
    const [whole, without] = await both(ask);
    expect(whole).toBe(without);
    if (!what.startsWith("run of")) for (const name of hidden) expect(whole).not.toContain(name);
  });
});
