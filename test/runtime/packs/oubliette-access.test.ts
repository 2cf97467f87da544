/** Access to the pack oubliette with keys of every scope, on both databases. */

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Principal } from "../../../runtime/codegen.js";
import { queries } from "../../../runtime/state/schema.js";
import type { Json } from "../../support/project.js";
import { DATABASES } from "../state/databases.js";
import { newProject, newSession, openWorld, opsOf, sameBut, type World } from "./oubliette-world.js";

const ABSENT = "a".repeat(16);

describe.each(DATABASES.filter(({ skip }) => !skip))("with $name", (database) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(database);
  });
  afterAll(() => world.close());

  test("what keys of each scope see", async () => {
    const p = await newProject(world);
    const counts = async (scope: string) => opsOf(world, await world.caller(scope)).length;
    expect(
      await Promise.all(["admin", "write", "read", "admin:ro", `project:${p}`, `project:${p}:ro`].map(counts)),
    ).toEqual([19, 16, 7, 7, 15, 7]);
    expect(opsOf(world, await world.caller("read"))).toEqual(
      [
        "project.get",
        "project.list",
        "project.options",
        "session.events",
        "session.get",
        "session.list",
        "workspace.list",
      ].map((op) => `oubliette.${op}`),
    );
  });

  test("[E1] [E2] an admin lists, a writer creates and finds it again", async () => {
    expect((await world.ok("oubliette.project.list")).projects).toBeInstanceOf(Array);
    const writer = await world.caller("write");
    const made = await world.ok("oubliette.project.create", { name: "E2", description: "D" }, writer);
    expect(made).toEqual({
      id: expect.stringMatching(/^prj_[a-z2-7]{16}$/),
      name: "E2",
      description: "D",
      created_at: made.updated_at,
      updated_at: expect.stringMatching(/Z$/),
    });
    expect((await world.ok("oubliette.project.list", {}, writer)).projects).toContainEqual(made);
    expect(await world.refused("oubliette.project.create", { name: "E2" }, writer)).toMatchObject({ code: "CONFLICT" });
  });

  test("[E3] [E4] ops that a key may not use are unknown, like those that do not exist, and nothing happens", async () => {
    const [writer, reader] = [await world.caller("write"), await world.caller("read")];
    const before = [
      (await world.keys.list({ all: true })).length,
      (await world.ok("oubliette.project.list")).projects.length,
    ];
    const tries = [
      ["oubliette.token.create", { name: "x", scope: "read" }, writer],
      ["oubliette.project.create", { name: "x" }, reader],
    ] as const;
    for (const [op, args, who] of tries) {
      const without = await openWorld(database, { beside: world, without: op });
      const hidden = await world.exec(op, args, who);
      expect(hidden.error.code).toBe("NOT_FOUND");
      expect(sameBut(hidden)).toBe(sameBut(await without.exec(op, args, who)));
      await without.close();
    }
    expect([
      (await world.keys.list({ all: true })).length,
      (await world.ok("oubliette.project.list")).projects.length,
    ]).toEqual(before);
  });

  test("[E5] [E8] a project's key reaches that project, and lists no other", async () => {
    const [p1, p2] = [await newProject(world), await newProject(world)];
    const key = await world.caller(`project:${p1}`);
    expect((await world.ok("oubliette.project.get", { project_id: p1 }, key)).id).toBe(p1);
    expect(await world.refused("oubliette.project.get", { project_id: p2 }, key)).toMatchObject({ code: "NOT_FOUND" });
    expect(await world.refused("oubliette.project.get", {}, key)).toMatchObject({ code: "VALIDATION_ERROR" });
    expect((await world.ok("oubliette.project.list", {}, key)).projects.map(({ id }: Json) => id)).toEqual([p1]);
  });

  test("[E7] foreign and missing objects are one answer to a project's key, in every op that takes an id", async () => {
    const [p1, p2] = [await newProject(world), await newProject(world)];
    const w = (await world.ok("oubliette.workspace.create", { project_id: p2, name: "W" })).id;
    const s = await newSession(world, p2);
    const key = await world.caller(`project:${p1}`);
    const ids = { project_id: p2, workspace_id: w, session_id: s } as const;
    const fill = { name: "n", text: "t" };
    let asked = 0;
    for (const op of opsOf(world, key)) {
      const tool = world.gateway.index.view(key.grant).exact(op);
      const from = tool?.project_from as keyof typeof ids | undefined;
      if (!tool || from === undefined) continue;
      const needed = tool.parameters
        .filter(({ required }) => required)
        .map(({ name }) => [name, { ...fill, ...ids }[name as "name"]]);
      const args = op.endsWith("update") ? [...needed, ["name", "n"]] : needed;
      const missing = ids[from].replace(/_.*/, `_${ABSENT}`);
      const [hidden, absent] = [ids[from], missing].map((id) =>
        world.exec(op, { ...Object.fromEntries(args), [from]: id }, key),
      );
      expect((await hidden).error.code).toBe("NOT_FOUND");
      expect(sameBut(await hidden, ids[from]), op).toBe(sameBut(await absent, missing));
      asked++;
    }
    expect(asked).toBe(13);
    // The caller's own project with a workspace of another one.
    const [hidden, absent] = [w, `wsp_${ABSENT}`].map((workspace_id) =>
      world.exec("oubliette.session.create", { project_id: p1, workspace_id }, key),
    );
    expect((await hidden).error).toMatchObject({ code: "NOT_FOUND" });
    expect(sameBut(await hidden, w)).toBe(sameBut(await absent, `wsp_${ABSENT}`));
    expect(await world.refused("oubliette.session.get", { session_id: `ses_${ABSENT}` })).toMatchObject({
      code: "NOT_FOUND",
      message: expect.stringMatching(`^No session ses_${ABSENT}\\.`),
    });
  });

  test("things of two projects in one call are refused, even to those who have both", async () => {
    const [p1, p2] = [await newProject(world), await newProject(world)];
    const w = (await world.ok("oubliette.workspace.create", { project_id: p2, name: "W" })).id;
    const both: Principal = { ...world.admin, kind: "local", grant: { level: "write", projects: [p1, p2] } };
    for (const who of [both, world.admin])
      expect(await world.refused("oubliette.session.create", { project_id: p1, workspace_id: w }, who)).toMatchObject({
        code: "NOT_FOUND",
        message: expect.stringMatching(`^No workspace ${w}\\.`),
      });
    expect(await world.ok("oubliette.session.create", { project_id: p2, workspace_id: w }, both)).toMatchObject({
      workspace_id: w,
    });
  });

  test("a key for a project of onto reaches the things in it by their own ids, and no others", async () => {
    const launch = async (name: string) => {
      const spec = { project: { name, type_key: "project.technical.product" }, entities: [], relationships: [] };
      const project_id = (await world.ok("onto.project.create", spec)).project.id;
      const { task } = await world.ok("onto.task.create", { project_id, title: "T" });
      return { project_id, task_id: task.id };
    };
    const [one, other] = [await launch("One"), await launch("Other")];
    const key = await world.caller(`project:${one.project_id}`);
    expect((await world.ok("onto.task.get", { task_id: one.task_id }, key)).task.id).toBe(one.task_id);
    const hidden = await world.exec("onto.task.get", { task_id: other.task_id }, key);
    const absent = await world.exec("onto.task.get", { task_id: "task_none" }, key);
    expect(hidden.error.code).toBe("NOT_FOUND");
    expect(sameBut(hidden, other.task_id)).toBe(sameBut(absent, "task_none"));
    // Ids of any kind.
    const ask = (entity_id: string) => world.exec("onto.entity.relationships.get", { entity_id }, key);
    expect((await ask(one.task_id)).ok).toBe(true);
    expect((await ask(other.task_id)).error.code).toBe("NOT_FOUND");
    const link = { src_kind: "task", src_id: one.task_id, dst_kind: "task", dst_id: other.task_id, rel: "depends_on" };
    expect(await world.refused("onto.edge.link", link, key)).toMatchObject({ code: "NOT_FOUND" });
  });

  test("a read key reads, and changes nothing", async () => {
    const p = await newProject(world);
    const key = await world.caller(`project:${p}:ro`);
    expect((await world.ok("oubliette.project.get", { project_id: p }, key)).open_sessions).toBe(0);
    expect(await world.refused("oubliette.session.create", { project_id: p }, key)).toMatchObject({
      code: "NOT_FOUND",
    });
  });

  test("[E15] keys are listed without their texts, and one that is revoked is dead", async () => {
    const admin = await world.caller("admin");
    const made = await world.ok("oubliette.token.create", { name: "E15", scope: "read", expires_in_days: 1 }, admin);
    expect(made).toEqual({
      key_id: expect.stringMatching(/^[a-z2-7]{10}$/),
      key: expect.stringMatching(/^oub_[a-z2-7]{10}_[\w-]{43}$/),
      name: "E15",
      scope: "read",
      expires_at: expect.any(String),
    });
    const { tokens } = await world.ok("oubliette.token.list", {}, admin);
    expect(tokens.find(({ key_id }: Json) => key_id === made.key_id)).toMatchObject({
      created_by: admin.id,
      state: "live",
    });
    expect(JSON.stringify(tokens)).not.toMatch(/oub_|digest/);
    expect(await world.keys.verify(made.key)).toMatchObject({ keyId: made.key_id });
    expect(await world.ok("oubliette.token.revoke", { key_id: made.key_id }, admin)).toEqual({
      revoked: [made.key_id],
    });
    expect(await world.keys.verify(made.key)).toBeUndefined();
    expect(JSON.stringify(await world.ok("oubliette.token.list", {}, admin))).not.toContain(made.key_id);
    expect(JSON.stringify(await world.ok("oubliette.token.list", { include_revoked: true }, admin))).toContain(
      made.key_id,
    );
  });

  test("a write that waits for the database while its key is revoked does not happen", { tags: "full" }, async () => {
    const p = await newProject(world);
    const writes = [
      ["oubliette.project.create", { name: "too late" }, {}],
      ["oubliette.project.create", { name: "too late as well" }, { idempotency_key: "late" }],
      ["oubliette.project.delete", { project_id: p }, {}],
    ] as const;
    const keys = await Promise.all(writes.map(() => world.caller("write")));
    const release = await holdWriting(world);
    const revoke = () => Promise.all(keys.map(({ id }) => world.keys.revoke(id)));
    const write = () => Promise.all(writes.map(([op, args, more], at) => world.exec(op, args, keys[at], more)));
    // Where keys are rows, the revocation waits for the database too: it is first. In the file it is done at once: the writes wait by then.
    const inFile = world.place.url === "";
    const [first, second] = inFile ? [write, revoke] : [revoke, write];
    const waiting: Promise<Json[]>[] = [first()];
    await sleep(200);
    waiting.push(second());
    await (inFile ? waiting[1] : sleep(200));
    await release();
    const answers = (await Promise.all(waiting)).flat();
    expect(answers.flatMap(({ error }) => error?.code ?? [])).toEqual(Array(3).fill("UNAUTHENTICATED"));
    expect((await world.ok("oubliette.project.get", { project_id: p })).id).toBe(p);
    expect((await world.ok("oubliette.project.list", { name_contains: "too late" })).projects).toEqual([]);
    expect(await rowsOf(world)).not.toContain('"key":"late"');
  });

  test("a write under an idempotency key happens once, and its replay is the same answer", async () => {
    const args = { name: "once only" };
    const again = { idempotency_key: "k1" };
    const first = await world.exec("oubliette.project.create", args, world.admin, again);
    const second = await world.exec("oubliette.project.create", args, world.admin, again);
    expect(second.result).toEqual(first.result);
    expect(second.meta.replayed).toBe(true);
  });

  test("the text of a key is in its answer and nowhere else: a replay is refused, naming the key", async () => {
    const told = await openWorld(database, { beside: world });
    const call = () =>
      told.exec("oubliette.token.create", { name: "told", scope: "read" }, told.admin, { idempotency_key: "k2" });
    const { result } = await call();
    const replayed = await call();
    const { key: _, ...record } = result;
    expect(replayed.error).toMatchObject({ code: "CONFLICT", details: { reason: "told_once", earlier: record } });
    const code = "print(oubliette.token_create(name='told by run', scope='read'))\nprint('x' * 60000)";
    const ran = await told.gateway.run({ command: code.replace("token_create", "token.create") }, told.admin);
    const texts = [JSON.stringify(replayed), JSON.stringify(ran), told.lines.join("\n")];
    await told.close();
    const secret = result.key.slice(15);
    for (const text of [...texts, ...keptTexts(world.place.root), await rowsOf(world)]) {
      expect(text).not.toContain(secret);
      expect(text).not.toMatch(/oub_[a-z2-7]{10}_[\w-]{43}/);
    }
    expect(await rowsOf(world)).toContain(`"op":"oubliette.token.create","key":"k2"`);
    const made = await world.keys.list();
    expect(made.filter(({ name }) => name.startsWith("told")).map(({ name }) => name)).toEqual(["told", "told by run"]);
  });
});

/** Every file below a folder, as text. */
const keptTexts = (root: string): readonly string[] =>
  readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile())
    .map((one) => readFileSync(join(one.parentPath, one.name), "latin1"));

/** Keeps every other writer of the database waiting until it is released. */
async function holdWriting({ place }: World): Promise<() => Promise<void>> {
  const state = await place.open();
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let taken = Promise.resolve();
  await new Promise<void>((resolve) => {
    taken = state.transaction("write", async () => {
      resolve();
      await held;
    });
  });
  return async () => {
    release();
    await taken;
    await state.close();
  };
}

/** What a state database holds that calls leave behind. */
async function rowsOf({ place }: World): Promise<string> {
  const state = await place.open();
  const tables = ["ledger", "stat_calls" as "ledger", "stat_counters" as "ledger", "audit", "api_keys"] as const;
  const rows = await state.transaction("read", async (tx) => {
    const found = [];
    for (const table of tables) found.push(await queries(tx).selectFrom(table).selectAll().execute());
    return found;
  });
  await state.close();
  return JSON.stringify(rows);
}
