/** `state export` and `state import` as commands: operands, files, keys beside the database, messages and exit codes. */

import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Kysely } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { tables as onto } from "../../../definitions/onto/handlers.js";
import { shippedModules } from "../../../definitions/packs/_modules.js";
import { tables as oubliette } from "../../../definitions/packs/oubliette.js";
import { openKeys } from "../../../runtime/access/keys.js";
import { silentLog } from "../../../runtime/config/log.js";
import { isUsageError } from "../../../runtime/contract/usage-error.js";
import { openState } from "../../../runtime/state/open.js";
import { CHECKOUT, temporaryFolder, toolwright } from "../../../test/support/project.js";
import { exportCommand, importCommand, type StateStart } from "../command.js";

const SLOW = { timeout: 120_000 };

/** What a command is given, and what it prints. */
function startIn(root: string) {
  const printed = { out: "", err: "", stages: [] as (string | undefined)[] };
  const start = {
    ...{ root, version: "0", config: { sources: [], use: [] }, overrides: {} },
    shipped: async () => undefined,
    out(text: string) {
      printed.out += text;
    },
    err(text: string) {
      printed.err += text;
    },
    paint: (_: string, text: string) => text,
    progress: (stage: string | undefined) => void printed.stages.push(stage),
  } as unknown as StateStart;
  return { start, printed };
}

const refusalOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "",
    (error: unknown) => (isUsageError(error) ? error.message : String(error)),
  );

/** A project with a database and a key. */
async function projectWithKey() {
  const root = temporaryFolder();
  const state = await openState({ url: "", root });
  const keys = openKeys({ root, url: "", state: async () => state, log: silentLog, projectExists: async () => true });
  const { key } = await keys.init();
  await keys.close();
  return { root, key, state };
}

test("a database goes to a file of its owner, and into another project, with its keys", SLOW, async () => {
  const { root, key, state } = await projectWithKey();
  await state.close();
  const file = join(root, "backup.ndjson");
  const { start, printed } = startIn(root);
  expect(await exportCommand(start, file, { json: true })).toBe(0);
  expect(JSON.parse(printed.out)).toMatchObject({ rows: expect.any(Number), tables: { api_keys: 1, ledger: 0 } });
  expect(printed.stages.at(0)).toBe("api_keys");
  expect(printed.stages.at(-1)).toBeUndefined();
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, "utf8")).not.toContain(key);
  expect(await refusalOf(exportCommand(start, file, {}))).toMatch(/exists: name another one, or remove it/);

  const other = startIn(temporaryFolder());
  expect(await importCommand(other.start, file, {})).toBe(0);
  expect(other.printed.out).toMatch(/^\d+ rows of 27 tables imported\n$/);
  const again = await openState({ url: "", root: other.start.root });
  onTestFinished(() => again.close());
  const parts = { url: "", state: async () => again, log: silentLog, projectExists: async () => true };
  const keys = openKeys({ root: other.start.root, ...parts, countsUses: false });
  expect(await keys.verify(key)).toMatchObject({ grant: { level: "admin" } });
  expect(await refusalOf(importCommand(other.start, file, {}))).toMatch(/keys holds keys, so the state is not empty/);
});

test("tables of packs go along where the project has the packs: shipped ones, and its own", SLOW, async () => {
  const { root, state } = await projectWithKey();
  for (const pack of [oubliette, onto]) await state.ensure(pack);
  const row = { name: "P", description: "", created_at: "2026-01-01", updated_at: "2026-01-01" };
  await state.transaction("write", (tx) =>
    (tx as unknown as Kysely<{ oubliette_projects: typeof row & { id: string } }>)
      .insertInto("oubliette_projects")
      .values({ ...row, id: "prj_1" })
      .execute(),
  );
  await state.close();
  const file = join(root, "backup.ndjson");
  await exportCommand(startIn(root).start, file, {});
  const target = temporaryFolder();
  for (const name of ["definitions", "generated", "runtime", "node_modules", "package.json"])
    symlinkSync(join(CHECKOUT, name), join(target, name));
  const { start, printed } = startIn(target);
  const config = { sources: [{ handlers: ["onto/handlers.ts"] }] } as unknown as StateStart["config"];
  expect(await importCommand({ ...start, config, shipped: shippedModules }, file, { json: true })).toBe(0);
  const { tables } = JSON.parse(printed.out);
  expect(tables).toMatchObject({ oubliette_projects: 1, onto_tasks: 0, pack_versions: 3 });
});

test("tables of a pack need the pack, and a refused import leaves no keys", SLOW, async () => {
  const { root, state } = await projectWithKey();
  await state.ensure(oubliette);
  await state.close();
  const file = join(root, "backup.ndjson");
  await exportCommand(startIn(root).start, file, {});
  const other = startIn(temporaryFolder());
  expect(await refusalOf(importCommand(other.start, file, {}))).toMatch(
    /tables of oubliette.*add the pack, run "toolwright generate"/,
  );
  writeFileSync(file, readFileSync(file, "utf8").replace("admin", "admim"));
  expect(await refusalOf(importCommand(other.start, file, {}))).not.toBe("");
  expect(existsSync(join(other.start.root, ".onetool", "keys"))).toBe(false);
});

test("what cannot begin is refused with the remedy, and leaves no file", SLOW, async () => {
  const { start } = startIn(temporaryFolder());
  const file = join(start.root, "backup.ndjson");
  expect(await refusalOf(exportCommand(start, file, {}))).toMatch(/no \.onetool\/state\.db under .*--state/);
  expect(await refusalOf(exportCommand(start, "-", { json: true }))).toMatch(/both write to standard output/);
  expect(await refusalOf(importCommand(start, file, {}))).toMatch(/there is no file/);
  const { root, state } = await projectWithKey();
  await state.close();
  chmodSync(join(root, ".onetool", "keys"), 0o644);
  const readable = startIn(root);
  expect(await refusalOf(exportCommand(readable.start, join(root, "x"), {}))).toMatch(/chmod 600/);
  expect(existsSync(join(root, "x"))).toBe(false);
});

test("a stream through the command line, with examples in its help", SLOW, async () => {
  const { root, state } = await projectWithKey();
  await state.close();
  mkdirSync(join(root, "definitions"));
  writeFileSync(join(root, "definitions", "toolwright.yaml"), "use: []\nsources: []\n");
  const ran = await toolwright(["state", "export", "-", "--root", root]);
  expect(ran).toMatchObject({
    code: 0,
    stderr: expect.stringMatching(/rows of 27 tables exported to standard output/),
  });
  expect(ran.stdout).toMatch(/^\{"toolwright_state":1,[\s\S]*\n\{"end":true,.*\}\n$/);
  expect((await toolwright(["state", "import", "--help"])).stdout).toContain("$ toolwright state import backup.ndjson");
  expect(await toolwright(["state", "import", "nowhere", "--root", root])).toMatchObject({ code: 2, stdout: "" });
});
