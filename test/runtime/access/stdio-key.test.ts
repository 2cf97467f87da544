/** A key on stdio and on the command line: its principal instead of the local one. */

import { chmodSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { newKey } from "../../../runtime/access/key-text.js";
import { keysOfEveryGrant } from "../../support/keys.js";
import { CHECKOUT, generatedRoot, type Json, type Served, serve, toolwright } from "../../support/project.js";

const SLOW = 120_000;
const DEMO = join(CHECKOUT, "test/support/demos/access-demo/definitions");
const cleaning: (() => unknown)[] = [];
const later = (clean: () => unknown): void => void cleaning.push(clean);
let root: string;
let known: Awaited<ReturnType<typeof keysOfEveryGrant>>;

beforeAll(async () => {
  root = await generatedRoot(DEMO, later);
  known = await keysOfEveryGrant(root);
  later(() => known.keys.close());
}, SLOW);
afterAll(async () => {
  for (const clean of cleaning.reverse()) await clean();
});

const withKey = (key: string, at = root): Promise<Served> => serve(at, [], { OUBLIETTE_API_KEY: key });
const envelope = (code: string) => ({
  isError: true,
  value: { ok: false, error: { code, help_path: "root" }, meta: { trace_id: expect.stringMatching(/^tr_/) } },
});
const names = async ({ client }: Served): Promise<readonly string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

describe("stdio", () => {
  test("a key has its own grant: it sees and may what its level allows, whatever allow_write says", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const file = join(root, "stdio-notes");
    const [writer, reader] = await Promise.all([withKey(known.write.key), withKey(known.read.key)]);
    const call = { op: "vault.add_note", args: { text: "x", file } };
    expect(await names(writer)).toContain("add_note");
    expect(await names(reader)).not.toContain("add_note");
    expect((await reader.call("tool_exec", call)).value.error.code).toBe("NOT_FOUND");
    expect(existsSync(file)).toBe(false);
    expect((await writer.call("tool_exec", call)).value.result).toEqual({ by: known.write.id, text: "x" });
    await Promise.all([writer.close(), reader.close()]);
  });

  test("no child inherits the key: it is out of the environment, and no secret of that name is there", {
    timeout: SLOW,
  }, async () => {
    const server = await withKey(known.read.key);
    const { result } = (await server.call("tool_exec", { op: "vault.environment" })).value;
    expect(result).toContain("PATH");
    expect(result).not.toContain("OUBLIETTE_API_KEY");
    await server.close();
  });

  test.each([
    ["unknown", () => newKey().text],
    ["garbage", () => "garbage"],
  ])(
    "a server whose key is %s starts, shows nothing and answers UNAUTHENTICATED",
    { tags: "full", timeout: SLOW },
    async (_what, key) => {
      const server = await withKey(key());
      const { client } = server;
      expect(client.getInstructions()).toBeUndefined();
      expect(await names(server)).toEqual([]);
      expect((await client.listResources()).resources).toEqual([]);
      expect((await client.listPrompts()).prompts).toEqual([]);
      for (const [tool, args] of [
        ["run", { command: "1 + 1" }],
        ["tool_help", {}],
        ["tool_exec", { op: "vault.list_notes" }],
        ["tool_batch", { ops: [{ op: "vault.list_notes" }] }],
        ["list_notes", {}],
        ["nothing", {}],
      ] as const) {
        const { value, isError } = await server.call(tool, args);
        expect({ value, isError }, tool).toMatchObject(envelope("UNAUTHENTICATED"));
        expect(value.error.message).toBe("invalid or expired API key");
      }
      await expect(client.readResource({ uri: "onetool://tools" })).rejects.toMatchObject({ code: -32_001 });
      await expect(client.getPrompt({ name: "show_notes" })).rejects.toMatchObject({ code: -32_001 });
      const ref = { type: "ref/resource" as const, uri: "onetool://tool/{name}" };
      await expect(client.complete({ ref, argument: { name: "name", value: "v" } })).rejects.toMatchObject({
        code: -32_001,
      });
      expect(server.stderr()).not.toContain(key());
      await server.close();
    },
  );

  test("a server that cannot read the store of keys lives on, answers UNAVAILABLE, and serves once it can", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const own = await generatedRoot(DEMO, later);
    const { keys, read } = await keysOfEveryGrant(own);
    const file = join(own, ".onetool", "keys");
    chmodSync(file, 0o644);
    const server = await withKey(read.key, own);
    expect(server.client.getInstructions()).toBeUndefined();
    const outage = { code: -32_603, message: expect.stringContaining("The key store cannot be read") };
    await expect(server.client.listTools()).rejects.toMatchObject(outage);
    expect(await server.call("list_notes")).toMatchObject(envelope("UNAVAILABLE"));
    chmodSync(file, 0o600);
    expect(await names(server)).toContain("list_notes");
    await Promise.all([server.close(), keys.close()]);
  });

  test("a key that is revoked between listing and call is refused, and a good one is not", {
    timeout: SLOW,
  }, async () => {
    const { key, record } = await known.keys.create({ name: "short", scope: "read" }, "local");
    const [server, other] = await Promise.all([withKey(key), withKey(known.read.key)]);
    expect(await names(server)).toContain("list_notes");
    await known.keys.revoke(record.key_id);
    expect(await server.call("list_notes")).toMatchObject(envelope("UNAUTHENTICATED"));
    expect(await names(server)).toEqual([]);
    expect((await other.call("tool_exec", { op: "vault.list_notes" })).value.ok).toBe(true);
    await Promise.all([server.close(), other.close()]);
  });

  test("over the rate of its key a call is RATE_LIMITED, and says how long to wait", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const own = await generatedRoot(DEMO);
    writeFileSync(
      join(own, "definitions", "toolwright.yaml"),
      "sources: [{ functions: vault.ts }]\naccess: { rate: { burst: 3, per_second: 0.001 } }\n",
    );
    const { keys, read } = await keysOfEveryGrant(own);
    const server = await serve(own, [], { OUBLIETTE_API_KEY: read.key });
    const call = () => server.call("tool_exec", { op: "vault.list_notes" });
    for (let made = 0; made < 3; made++) expect((await call()).value.ok).toBe(true);
    const refused = await call();
    expect(refused).toMatchObject(envelope("RATE_LIMITED"));
    expect(refused.value.op).toBe("vault.list_notes");
    expect(refused.value.error.details.retry_after_ms).toBeGreaterThan(0);
    await expect(server.client.listTools()).rejects.toMatchObject({ code: -32_000 });
    await Promise.all([server.close(), keys.close()]);
  });
});

describe("the command line", () => {
  const command = (key: string, ...args: string[]) =>
    toolwright([...args, "--root", root], { env: { OUBLIETTE_API_KEY: key } });
  const envelopeOf = ({ stdout }: { readonly stdout: string }): Json => JSON.parse(stdout);

  test("exec, run and help act as the key", { tags: "full", timeout: SLOW }, async () => {
    const exec = (key: string) => command(key, "exec", "vault.create_token", "--json", "--args", '{"name":"n"}');
    const [admin, write, help, ran, blank] = await Promise.all([
      exec(known.admin.key),
      exec(known.write.key),
      command(known.read.key, "help", "vault", "--json"),
      command(known.read.key, "run", "-c", "vault.list_notes()"),
      command("  ", "help", "vault.create_token", "--json"),
    ]);
    expect(envelopeOf(admin)).toMatchObject({ ok: true, result: { token: "token of n" } });
    expect({ code: write.code, error: envelopeOf(write).error.code }).toEqual({ code: 1, error: "NOT_FOUND" });
    expect(help.stdout).toContain("vault.list_notes");
    expect(help.stdout).not.toMatch(/token|add_note/);
    expect({ code: ran.code, stdout: ran.stdout.trim() }).toEqual({ code: 0, stdout: '["one","two"]' });
    // A blank key counts as no key: this is the local caller, whose level is write.
    expect(envelopeOf(blank).type).toBe("not_found");
  });

  test("with a key that is not live, nothing is done: exit 2, the reason, and never the key", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const { text } = newKey();
    const { code, stdout, stderr } = await command(text, "exec", "vault.list_notes");
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain("invalid or expired API key");
    expect(stderr).not.toContain(text);
  });
});
