/** The programmatic API: `createGateway` over a project, in this process. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createGateway,
  type GatewayOptions,
  isToolFailure,
  isUsageError,
  type ProjectGateway,
} from "../../../generator/entry/index.js";
import { clientOf } from "../../../runtime/codegen.js";
import { CHECKOUT, generatedRoot, type Json, temporaryFolder } from "../../support/project.js";
import { makeKey, STRANGE_KEY } from "../../support/servers/socket-server.js";

const DEMO = join(CHECKOUT, "test/support/demos/access-demo/definitions");
const reader = { id: "anna", grant: { level: "read", projects: "*" } } as const;

let root = "";
let gateway: ProjectGateway;
const afterwards: (() => void)[] = [];

beforeAll(async () => {
  root = await generatedRoot(DEMO, (clean) => afterwards.push(clean));
  mkdirSync(join(root, ".onetool", "tools"), { recursive: true });
  gateway = await createGateway({ root, allowWrite: true, logLevel: "silent" });
});
afterAll(async () => {
  await gateway?.close();
  for (const clean of afterwards) clean();
});

/** Opens another gateway over the root, and closes it after the work. */
async function within<T>(options: GatewayOptions, work: (gateway: ProjectGateway) => Promise<T>): Promise<T> {
  const opened = await createGateway({ root, logLevel: "silent", ...options });
  try {
    return await work(opened);
  } finally {
    await opened.close();
  }
}

const note = (text: string) => ({ text, file: join(root, "notes") });
const codeOf = (answer: Json): string => (answer.ok ? "ok" : answer.error.code);

describe("calls", () => {
  test("an op answers with its envelope, and a failure is an answer too", async () => {
    expect(await gateway.exec("vault.list_notes")).toMatchObject({ ok: true, result: ["one", "two"] });
    const unknown = await gateway.exec("vault.list_note");
    expect(unknown).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
  });

  test("a dry run changes nothing, and an idempotency key runs a write once", async () => {
    expect(await gateway.exec("vault.add_note", note("a"), { dryRun: true })).toMatchObject({ ok: true });
    const options = { idempotencyKey: "k1" };
    const [first, second] = [
      await gateway.exec("vault.add_note", note("b"), options),
      await gateway.exec("vault.add_note", note("b"), options),
    ];
    expect([first.meta.replayed, second.meta.replayed]).toEqual([undefined, true]);
    expect(readFileSync(join(root, "notes"), "utf8")).toBe("local: b\n");
  });

  test("writes are off unless the options or the configuration switch them on", async () => {
    const answer = await within({}, (one) => one.exec("vault.add_note", note("c")));
    expect(codeOf(answer)).toBe("PERMISSION_DENIED");
  });

  test("a call ends when its signal aborts, and at its own time limit", async () => {
    const args = { file: join(root, "held"), until: join(root, "never") };
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(), 50);
    expect(codeOf(await gateway.exec("vault.hold_on", args, { signal: cancel.signal }))).toBe("CANCELLED");
    const late = await gateway.exec("vault.hold_on", args, { timeoutMs: 50 });
    expect(late).toMatchObject({ error: { code: "TIMEOUT", message: "The call took longer than 50 ms." } });
    await expect(gateway.exec("vault.list_notes", {}, { timeoutMs: 0 })).rejects.toThrow("milliseconds, over 0");
  });

  test("arguments that JSON does not have are a TypeError that names their place", async () => {
    await expect(gateway.exec("vault.add_note", { ...note("d"), text: new Date(0) })).rejects.toThrow(
      new TypeError("args.text is an instance of Date, which JSON cannot hold"),
    );
    await expect(gateway.batch({ ops: [{ op: "vault.list_notes", args: { n: 1n } }] })).rejects.toThrow(
      "request.ops[0].args.n is a bigint",
    );
    // As JSON.stringify does it.
    expect(await gateway.exec("vault.list_notes", { text: undefined })).toMatchObject({ ok: true });
  });

  test("batches, help, programs and the list of ops are those of the gateway tools", async () => {
    const batch = await gateway.batch({
      ops: [{ op: "vault.list_notes" }, { type: "help", path: "vault.list_notes" }],
    });
    expect(batch).toMatchObject({ ok: true, summary: { succeeded: 2 } });
    expect(await gateway.help()).toMatchObject({ type: "directory", path: "root" });
    expect(await gateway.help("vault.list_notes", { schemas: true, examples: false })).toMatchObject({
      type: "op",
      schema: { type: "object" },
    });
    expect(await gateway.run("len(vault.list_notes())")).toEqual({ text: "2", isError: false });
    expect((await gateway.ops()).map(({ op }) => op)).toContain("vault.add_note");
    expect(gateway.registry.tools.length).toBeGreaterThan(5);
  });

  test("a number that JavaScript cannot hold is rounded, with a warning", { tags: "full" }, async () => {
    writeFileSync(join(root, ".onetool", "tools", "big.py"), BIG);
    await gateway.reload();
    const answer = await gateway.exec("big.number");
    expect(answer).toMatchObject({ ok: true, result: 2 ** 64 });
    expect(answer.meta.warnings.join()).toContain("number_rounded: the result");
    const batch: Json = await gateway.batch({ ops: [{ op: "big.number" }] });
    expect(batch.results[0].result).toBe(2 ** 64);
  });

  test("an emitted client calls through it", { tags: "full" }, async () => {
    const client = clientOf<Json>(["vault.list_notes"], gateway.call);
    expect(await client.vault.list_notes()).toMatchObject({ ok: true, result: ["one", "two"] });
  });
});

const BIG = `"""Numbers."""

def number() -> int:
    """A number beyond 2**53."""
    return 2 ** 64

number.readonly = True
`;

describe("callers", () => {
  test("a named caller has its grant and its name, and no more", async () => {
    const writer = { id: "bert", grant: { level: "write", projects: "*" } } as const;
    expect(await gateway.exec("vault.add_note", note("e"), { caller: writer })).toMatchObject({
      result: { by: "bert" },
    });
    expect(codeOf(await gateway.exec("vault.create_token", { name: "x" }, { caller: writer }))).toBe("NOT_FOUND");
    expect((await gateway.ops({ caller: writer })).map(({ op }) => op)).not.toContain("vault.create_token");
    expect(codeOf(await gateway.exec("vault.add_note", note("f"), { caller: reader }))).toBe("NOT_FOUND");
    const off = { ...writer, allowWrite: false };
    expect(codeOf(await gateway.exec("vault.add_note", note("g"), { caller: off }))).toBe("PERMISSION_DENIED");
  });

  test("the caller of the options is that of every call that names none", async () => {
    const seen = await within({ caller: reader }, async (one) => (await one.ops()).map(({ op }) => op));
    expect(seen).not.toContain("vault.add_note");
  });

  test("a key is verified at each call", async () => {
    const { key, key_id } = await makeKey(root, "write");
    const caller = { key };
    expect(await gateway.exec("vault.add_note", note("h"), { caller })).toMatchObject({ result: { by: key_id } });
    const refused = await gateway
      .exec("vault.list_notes", {}, { caller: { key: STRANGE_KEY } })
      .catch((error) => error);
    expect([isToolFailure(refused), refused.code]).toEqual([true, "UNAUTHENTICATED"]);
  });

  test.each([
    ["a reserved id", { ...reader, id: "local" }],
    ["an id with other characters", { ...reader, id: "a b" }],
    ["no level", { id: "x", grant: { level: "all", projects: "*" } }],
    ["no projects", { id: "x", grant: { level: "read" } }],
    ["nothing", {}],
  ])("%s is refused", async (_, caller) => {
    const error = await gateway.exec("vault.list_notes", {}, { caller: caller as Json }).catch((fault) => fault);
    expect(isUsageError(error)).toBe(true);
    expect(error.message).toContain("a caller is { key } or { id, grant");
    await expect(createGateway({ root, caller: caller as Json })).rejects.toThrow("a caller is");
  });
});

describe("opening and closing", () => {
  test("after closing, calls are refused, and closing again does nothing", async () => {
    const one = await createGateway({ root, logLevel: "silent" });
    await one.close();
    await one.close();
    await expect(one.exec("vault.list_notes")).rejects.toThrow("the gateway is closed: create another one");
    await expect(one.run("1")).rejects.toThrow("closed");
    await expect(one.ops()).rejects.toThrow("closed");
  });

  test("a folder without a project, and one without generated code, are named with the remedy", async () => {
    const empty = temporaryFolder();
    await expect(createGateway({ root: empty })).rejects.toThrow(/^definitions\/toolwright.yaml cannot be used:\n/);
    mkdirSync(join(empty, "definitions"));
    writeFileSync(join(empty, "definitions", "toolwright.yaml"), "sources: []\n");
    const error = await createGateway({ root: empty }).catch((fault) => fault);
    expect([isUsageError(error), error.message]).toEqual([
      true,
      expect.stringContaining('run "toolwright generate" first'),
    ]);
  });

  test("a fault of the configuration is named with its place, at the start and at a reload", async () => {
    const broken = await generatedRoot(DEMO);
    const file = join(broken, "definitions", "toolwright.yaml");
    const one = await createGateway({ root: broken, logLevel: "silent" });
    writeFileSync(file, `${readFileSync(file, "utf8")}surprise: 1\n`);
    await expect(createGateway({ root: broken })).rejects.toThrow(/toolwright.yaml:\d+ .*surprise/);
    const error = await one.reload().catch((fault) => fault);
    expect([isUsageError(error), error.message]).toEqual([true, expect.stringContaining("surprise")]);
    expect(await one.exec("vault.list_notes")).toMatchObject({ ok: true });
    await one.close();
  });

  test("the log goes to the function that is given, as lines of JSON", async () => {
    const lines: string[] = [];
    await within({ logLevel: "debug", onLog: (line) => lines.push(line) }, (one) => one.exec("vault.list_notes"));
    expect(lines.length).toBeGreaterThan(0);
    for (const line of lines) expect(JSON.parse(line)).toMatchObject({ msg: expect.any(String) });
  });
});
