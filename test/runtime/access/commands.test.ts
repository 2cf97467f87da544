/** `toolwright keys …`, through the real command line. */

import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { queries as onto } from "../../../definitions/onto/backend/schema.js";
import { TABLES as ontoTables } from "../../../definitions/onto/tables.js";
import { type KeysCommand, type KeysFlags, type KeysStart, keysCommand } from "../../../runtime/cli/keys.js";
import { isUsageError } from "../../../runtime/contract/usage-error.js";
import { oublietteQueries as oubliette, TABLES as oublietteTables } from "../../../runtime/packs/oubliette/tables.js";
import { openState } from "../../../runtime/state/open.js";
import type { Ran } from "../../support/commands.js";
import { CHECKOUT, freshRoot, type Json, temporaryFolder, toolwright } from "../../support/project.js";
import { DATABASES, type Place } from "../state/databases.js";

const SLOW = 120_000;
const KEY = /^oub_[a-z2-7]{10}_[A-Za-z0-9_-]{43}\n$/;
const DAY = 86_400_000;

/** A project root without generated code: keys need none. */
function bareRoot(remove?: (clean: () => void) => void): string {
  const root = temporaryFolder(remove);
  mkdirSync(join(root, "definitions"));
  writeFileSync(join(root, "definitions", "toolwright.yaml"), "sources: []\n");
  return root;
}

const keys = (root: string, ...words: readonly string[]): Promise<Ran> =>
  toolwright(["keys", ...words, "--root", root]);

/** `keys check` with a text on standard input. */
function check(root: string, text: string, ...flags: readonly string[]): Promise<Ran> {
  return new Promise((resolve) => {
    const launcher = join(CHECKOUT, "generator", "launch.mjs");
    const child = spawn(process.execPath, [launcher, "keys", "check", "--root", root, ...flags]);
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (part: string) => (stdout += part));
    child.stderr.setEncoding("utf8").on("data", (part: string) => (stderr += part));
    child.once("close", (code) => resolve({ code, stdout, stderr }));
    child.stdin.end(text);
  });
}

/** One of the commands in this process. */
async function inProcess(root: string, command: KeysCommand, flags: KeysFlags, keyId?: string): Promise<Ran> {
  const [out, err]: [string[], string[]] = [[], []];
  const start: KeysStart = {
    ...{ root, config: { sources: [] }, overrides: {}, shipped: () => undefined, paint: (_, text) => text },
    out: (text) => void out.push(text),
    err: (text) => void err.push(text),
  };
  const code = await keysCommand(start, command, flags, keyId).catch((error: unknown) => {
    if (!isUsageError(error)) throw error;
    err.push(error.message);
    return 2;
  });
  return { code, stdout: out.join(""), stderr: err.join("") };
}

const json = (ran: Ran): Json => JSON.parse(ran.stdout);

test("init prints the first admin key alone on standard output, once", { timeout: SLOW }, async () => {
  const root = bareRoot();
  const first = await keys(root, "init");
  expect([first.code, first.stdout]).toEqual([0, expect.stringMatching(KEY)]);
  expect(first.stderr).toMatch(
    /^admin key [a-z2-7]{10}, expires \d{4}-\d\d-\d\d \d\d:\d\d\. The key is shown this once/,
  );
  expect(first.stderr).not.toContain(first.stdout.slice(15, 30));
  const again = await keys(root, "init");
  expect([again.code, again.stdout]).toEqual([1, ""]);
  expect(again.stderr).toContain(`The admin key ${first.stdout.slice(4, 14)} is live already.`);
});

test("init --out writes a new file of the owner alone; one that is there stays, and where no key is made none is left", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const root = bareRoot();
  const out = join(root, "admin.key");
  const made = await keys(root, "init", "--out", out);
  expect([made.code, made.stdout, statSync(out).mode & 0o777]).toEqual([0, "", 0o600]);
  expect(readFileSync(out, "utf8")).toMatch(KEY);
  expect((await check(root, readFileSync(out, "utf8"))).code).toBe(0);
  const taken = await keys(root, "init", "--out", join(root, "definitions", "toolwright.yaml"));
  expect([taken.code, taken.stderr]).toEqual([2, expect.stringContaining("is there already")]);
  const second = join(root, "second.key");
  expect((await keys(root, "init", "--out", second)).code).toBe(1);
  expect(existsSync(second)).toBe(false);
});

test("create and rotate with --out print no key, and replace no file and no link", { timeout: SLOW }, async () => {
  const root = bareRoot();
  const out = join(root, "made.key");
  const made = await inProcess(root, "create", { name: "a", scope: "read", out });
  expect([made.code, made.stdout, statSync(out).mode & 0o777]).toEqual([0, "", 0o600]);
  expect(readFileSync(out, "utf8")).toMatch(KEY);
  expect(made.stderr).toContain(`written to ${out}`);
  expect(made.stderr).not.toContain(readFileSync(out, "utf8").slice(15, 30));
  const link = join(root, "link.key");
  symlinkSync(join(root, "elsewhere"), link);
  for (const there of [out, link]) {
    const before = json(await inProcess(root, "list", { all: true, json: true })).keys.length;
    const refused = await inProcess(root, "create", { name: "b", scope: "read", out: there });
    expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining("is there already")]);
    expect(json(await inProcess(root, "list", { all: true, json: true })).keys).toHaveLength(before);
  }
  expect(existsSync(join(root, "elsewhere"))).toBe(false);
  const [again, [, id]] = [join(root, "rotated.key"), readFileSync(out, "utf8").split("_")];
  const rotated = await inProcess(root, "rotate", { out: again, json: true }, id);
  expect([rotated.code, rotated.stdout, statSync(again).mode & 0o777]).toEqual([0, "", 0o600]);
  expect(JSON.parse(readFileSync(again, "utf8"))).toMatchObject({ name: "a", scope: "read" });
});

test("create makes a key as the one of OUBLIETTE_API_KEY, which may not make more than itself", async () => {
  const root = bareRoot();
  onTestFinished(() => void vi.unstubAllEnvs());
  const create = (key: string, flags: KeysFlags): Promise<Ran> => {
    vi.stubEnv("OUBLIETTE_API_KEY", key);
    return inProcess(root, "create", { name: "a", json: true, ...flags });
  };
  const admin = json(await create("", { scope: "admin", ops: "onto.*,oubliette.*", expiresIn: "12h" }));
  const reader = json(await create("", { scope: "read" }));

  const made = json(await create(admin.key, { scope: "write", ops: "onto.task.*" }));
  expect(process.env["OUBLIETTE_API_KEY"]).toBeUndefined();
  expect(Date.parse(made.expires_at)).toBeLessThanOrEqual(Date.parse(admin.expires_at));

  const more = await create(admin.key, { scope: "admin" });
  expect(more).toEqual({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("--scope: no key makes one that may do"),
  });
  const longer = await create(admin.key, { scope: "read", ops: "onto.*", expiry: false });
  expect(longer).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--no-expiry: no key makes one that outlives"),
  });
  const refused = await create(reader.key, { scope: "read" });
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain(`The key ${reader.key_id} of OUBLIETTE_API_KEY makes no keys: set an admin key, or`);
  for (const none of ["oub_wrong", `${admin.key.slice(0, -4)}aaaa`]) {
    const wrong = await create(none, { scope: "read" });
    expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("OUBLIETTE_API_KEY: ") });
    expect(wrong.stderr).not.toContain(none);
  }

  const { keys: listed } = json(await inProcess(root, "list", { json: true }));
  const makers = Object.fromEntries(listed.map((one: Json) => [one.key_id, one.created_by]));
  expect(makers).toEqual({ [admin.key_id]: "local", [reader.key_id]: "local", [made.key_id]: admin.key_id });
});

describe("a life of keys", () => {
  let root: string;
  let clean: () => void = () => undefined;
  beforeAll(() => {
    root = bareRoot((one) => {
      clean = one;
    });
  });
  afterAll(() => clean());

  test("create, list, check, rotate, revoke", { timeout: SLOW }, async () => {
    const started = Date.now();
    const created = json(
      await keys(root, "create", "--name", "ci", "--scope", "read", "--expires-in", "12h", "--json"),
    );
    expect(Object.keys(created)).toEqual(["key", "key_id", "name", "scope", "expires_at"]);
    expect(created).toMatchObject({ key_id: created.key.slice(4, 14), name: "ci", scope: "read" });
    const life = Date.parse(created.expires_at) - started;
    expect(life).toBeGreaterThanOrEqual(DAY / 2);
    expect(life).toBeLessThan(DAY / 2 + SLOW);

    const endless = await keys(root, "create", "--name", "b \u001b[31m", "--scope", "admin:ro", "--no-expiry");
    expect([endless.code, endless.stdout, endless.stderr]).toEqual([2, "", expect.stringContaining("--name: ")]);
    const other = await keys(root, "create", "--name", "backup", "--scope", "admin:ro", "--no-expiry");
    expect([other.code, other.stdout]).toEqual([0, expect.stringMatching(KEY)]);
    expect(other.stderr).toContain("(admin:ro), does not expire");

    const listed = await keys(root, "list");
    expect(listed.stdout.split("\n")).toEqual([
      expect.stringMatching(/^KEYID {7}NAME {4}SCOPE {5}STATE {2}CREATED {11}CREATED BY {2}EXPIRES {11}LAST USED$/),
      expect.stringMatching(new RegExp(`^${created.key_id} {2}ci {6}read {6}live {3}.* local .*-$`)),
      expect.stringMatching(new RegExp(`^${other.stdout.slice(4, 14)} {2}backup {2}admin:ro {2}live .* never .*-$`)),
      "",
    ]);

    const live = await check(root, `${created.key}\n`, "--json");
    const { key: _, ...shown } = created;
    expect([live.code, json(live)]).toEqual([0, { live: true, ...shown }]);
    for (const text of ["", "x", `${created.key.slice(0, -1)}!`, created.key_id]) {
      const refused = await check(root, text);
      expect([refused.code, refused.stdout, refused.stderr]).toEqual([1, "", "invalid or expired API key\n"]);
    }

    const rotated = await keys(root, "rotate", created.key_id, "--overlap", "0s");
    expect([rotated.code, rotated.stdout]).toEqual([0, expect.stringMatching(KEY)]);
    expect(json(await check(root, created.key, "--json"))).toEqual({ live: false });
    expect((await check(root, rotated.stdout)).stdout).toContain("is live: ci, read, expires ");

    const next = rotated.stdout.slice(4, 14);
    const revoked = await keys(root, "revoke", next, "--no-cascade");
    expect([revoked.code, revoked.stdout]).toEqual([0, `${next}\n`]);
    const twice = await keys(root, "revoke", next);
    expect([twice.code, twice.stdout, twice.stderr]).toEqual([0, "", `${next} was revoked before\n`]);
    const all = json(await keys(root, "list", "--all", "--json")).keys;
    expect(all.map(({ state }: Json) => state)).toEqual(["expired", "live", "revoked"]);
    expect(JSON.stringify(all)).not.toMatch(/digest|oub_/);

    const replaced = json(await keys(root, "rotate", other.stdout.slice(4, 14), "--json"));
    expect(replaced).toEqual({
      ...{ key: expect.stringMatching(/^oub_/), key_id: replaced.key.slice(4, 14) },
      ...{ name: "backup", scope: "admin:ro", expires_at: null },
    });
  });

  const read = { name: "n", scope: "read" };
  test.each<[KeysCommand, KeysFlags, string | undefined, number, string]>([
    ["revoke", {}, "aaaaaaaaaa", 1, "There is no key with this id."],
    ["rotate", {}, "aaaaaaaaaa", 1, "There is no key with this id."],
    ["create", { name: "n", scope: "root" }, undefined, 2, "--scope: not a scope; write one of admin, write"],
    ["create", { name: "n", scope: "project:proj_none" }, undefined, 2, "--scope: there is no project proj_none"],
    ["create", { ...read, expiresIn: "2w" }, undefined, 2, "--expires-in takes a number and s, m, h or d"],
    ["create", { ...read, expiresIn: "0d" }, undefined, 2, "--expires-in: a key lives"],
    ["create", { ...read, expiresIn: "4000d" }, undefined, 2, "up to 3650d"],
    ["create", { ...read, expiresIn: "1d", expiry: false }, undefined, 2, "not both"],
    ["rotate", { overlap: "soon" }, "aaaaaaaaaa", 2, "--overlap takes a number"],
  ])("keys %s %j %s: exit %i", async (command, flags, keyId, code, said) => {
    const path = join(root, ".onetool", "keys");
    const before = readFileSync(path, "utf8");
    const ran = await inProcess(root, command, flags, keyId);
    expect([ran.code, ran.stdout]).toEqual([code, ""]);
    expect(ran.stderr).toContain(said);
    expect(readFileSync(path, "utf8")).toBe(before);
  });

  test.each([
    [["create", "--scope", "read"], "--name"],
    [["create", "--name", "n", "--scope", "read", "--expires-in", "1d", "--no-expiry"], "not both"],
    [["revoke"], "keyid"],
    [["list", "extra"], "too many arguments"],
    [["forge"], "unknown command"],
  ])("the command line keys %j is refused", { tags: "full", timeout: SLOW }, async (words, said) => {
    expect(await keys(root, ...words)).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining(said) });
  });

  test("a key in place of an id is not repeated", { timeout: SLOW }, async () => {
    const key = `oub_abcdefghij_${"S3cret-_".repeat(6).slice(0, 43)}`;
    const ran = await keys(root, "revoke", key);
    expect([ran.code, ran.stdout]).toEqual([2, ""]);
    expect(ran.stderr).toContain("give the id of the key, not the key: abcdefghij");
    expect(ran.stderr).not.toContain("S3cret");
  });
});

test("a project of the packs onto and oubliette may be named, one that is deleted may not", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const root = freshRoot();
  const state = await openState({ url: "", root });
  const times = { created_by: "local", created_at: "2026-01-01", updated_at: "2026-01-01" };
  const texts = { name: "P", description: "", type_key: "t", state_key: "s", tree: "[]", props: "{}" };
  const row = { ...texts, ...times, tree_version: 0, version: 1 };
  for (const tables of [ontoTables, oublietteTables]) await state.ensure(tables);
  await state.transaction("write", async (tx) => {
    const insert = (id: string, deleted_at: string | null) =>
      onto(tx)
        .insertInto("onto_projects")
        .values({ ...row, id, deleted_at })
        .execute();
    await insert("proj_live", null);
    await insert("proj_gone", "2026-01-02");
    await oubliette(tx)
      .insertInto("oubliette_projects")
      .values({
        id: "prj_live2234567abcde",
        name: "P",
        description: "",
        created_at: "2026-01-01",
        updated_at: "2026-01-01",
      })
      .execute();
  });
  await state.close();
  const create = (id: string) => keys(root, "create", "--name", "p", "--scope", `project:${id}:ro`, "--json");
  expect(json(await create("proj_live"))).toMatchObject({ scope: "project:proj_live:ro" });
  expect(await create("proj_gone")).toMatchObject({ code: 2, stdout: "" });
  expect(json(await create("prj_live2234567abcde"))).toMatchObject({ scope: "project:prj_live2234567abcde:ro" });
  expect(await create("prj_gone2234567abcde")).toMatchObject({ code: 2, stdout: "" });
});

test("a project of the pack oubliette may be named, one that is not there may not", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const root = freshRoot();
  const made = await toolwright([
    ...["exec", "oubliette.project.create", "--name", "P", "--allow-write", "--json", "--root", root],
  ]);
  const { id } = json(made).result;
  const create = (one: string) => keys(root, "create", "--name", "p", "--scope", `project:${one}`, "--json");
  expect(json(await create(id))).toMatchObject({ scope: `project:${id}` });
  expect(await create(`prj_${"a".repeat(16)}`)).toMatchObject({ code: 2, stdout: "" });
});

test("keys that others can reach: every command says what to do, and so does doctor", {
  tags: "full",
  timeout: SLOW,
}, async () => {
  const root = bareRoot();
  await keys(root, "create", "--name", "soon", "--scope", "read", "--expires-in", "6d");
  await keys(root, "create", "--name", "late", "--scope", "read");
  const line = async () =>
    json(await toolwright(["doctor", "--json", "--root", root])).findings.find(({ what }: Json) => what === "keys");
  expect(await line()).toMatchObject({
    ok: true,
    found: expect.stringMatching(/^2 live, 1 expire within 7 days: [a-z2-7]{10}$/),
  });
  chmodSync(join(root, ".onetool", "keys"), 0o644);
  const said = ".onetool/keys has mode 0644, so that others may reach it";
  for (const words of [["init"], ["list"], ["revoke", "aaaaaaaaaa"]]) {
    const ran = await keys(root, ...words);
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([2, "", expect.stringContaining(`${said}: chmod 600`)]);
  }
  expect(await line()).toMatchObject({ ok: false, found: said, remedy: expect.stringContaining("chmod 600") });
  expect(await toolwright(["keys"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("rotate [options] <keyid>"),
  });
});

const [, postgres] = DATABASES;
describe.skipIf(postgres?.skip ?? true)(`with ${postgres?.name} as state`, () => {
  test("keys are rows that servers share, and no file", { tags: "full", timeout: SLOW }, async () => {
    const place = (await postgres?.place()) as Place;
    const roots = [bareRoot(), bareRoot()] as const;
    const at = ["--state", place.url];
    const made = await keys(roots[0], "init", ...at);
    expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(KEY) });
    expect(await check(roots[1], made.stdout, ...at)).toMatchObject({ code: 0 });
    expect(await keys(roots[1], "revoke", made.stdout.slice(4, 14), ...at)).toMatchObject({ code: 0 });
    expect(await check(roots[0], made.stdout, ...at)).toMatchObject({ code: 1 });
    expect(existsSync(join(roots[0], ".onetool", "keys"))).toBe(false);
    await place.remove();
  });
});

test("a database that cannot be reached is no answer about keys", { tags: "full", timeout: SLOW }, async () => {
  const nowhere = ["--state", "postgres://nobody@127.0.0.1:9/none"];
  const key = `oub_abcdefghij_${"x".repeat(43)}`;
  for (const ran of [await check(bareRoot(), key, ...nowhere), await keys(bareRoot(), "list", ...nowhere)])
    expect(ran).toMatchObject({ code: 2, stdout: "", stderr: expect.stringContaining("the keys cannot be reached") });
});

test("create --packs --ops binds a key to what they match, and refuses what is no pattern", {
  timeout: SLOW,
}, async () => {
  const root = bareRoot();
  const made = await keys(
    root,
    "create",
    "--name",
    "bot",
    "--scope",
    "read",
    "--packs",
    "onto, git*",
    "--ops",
    "*.list",
    "--json",
  );
  expect(json(made)).toMatchObject({ scope: "read", packs: ["onto", "git*"], ops: ["*.list"] });
  expect((await keys(root, "list")).stdout).toContain("read packs=onto,git* ops=*.list");
  expect((await check(root, json(made).key)).stdout).toContain("bot, read packs=onto,git* ops=*.list,");
  const bad = await keys(root, "create", "--name", "bot", "--scope", "read", "--packs", "onto;");
  expect([bad.code, bad.stdout]).toEqual([2, ""]);
  expect(bad.stderr).toContain('--packs: "onto;" is no pattern of packs');
});

test("create --approve names the writes that wait for a person", { timeout: SLOW }, async () => {
  const root = bareRoot();
  const made = await keys(
    root,
    "create",
    "--name",
    "bot",
    "--scope",
    "write",
    "--approve",
    "billing.*,*.delete",
    "--json",
  );
  expect(json(made)).toMatchObject({ approve: ["billing.*", "*.delete"] });
  expect((await keys(root, "list")).stdout).toContain("write approve=billing.*,*.delete");
  const bad = await keys(root, "create", "--name", "bot", "--scope", "read", "--approve", "a;b");
  expect(bad.stderr).toContain('--approve: "a;b" is no pattern of approve');
});
