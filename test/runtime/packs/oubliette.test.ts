/** The ops of the pack oubliette through dispatch, on both databases. */

import { Ajv2020 } from "ajv/dist/2020.js";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Json } from "../../support/project.js";
import { runs, SCALE } from "../../support/random.js";
import { DATABASES } from "../state/databases.js";
import { newProject, newSession, openWorld, opsOf, type World } from "./oubliette-world.js";

const ABSENT = "a".repeat(16);
const HOUR_MS = 3_600_000;
const ajv = new Ajv2020({ strict: false });

/** Every item of a list, a page at a time; `between` runs after each page. */
async function walk(world: World, op: string, args: object, part: string, between = async () => {}): Promise<Json[]> {
  const items: Json[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await world.ok(op, { ...args, ...(cursor === undefined ? {} : { cursor }) });
    items.push(...page[part]);
    if (page.next_cursor === undefined) return items;
    cursor = page.next_cursor;
    await between();
  }
}

describe.each(DATABASES.filter(({ skip }) => !skip))("with $name", (database) => {
  let world: World;
  beforeAll(async () => {
    world = await openWorld(database);
  });
  afterAll(() => world.close());

  test("every op answers, and its result fits its schema", { tags: "full" }, async () => {
    const p = await newProject(world);
    const w = (await world.ok("oubliette.workspace.create", { project_id: p, name: "W" })).id;
    const s = await newSession(world, p, { workspace_id: w, title: "T" });
    const { key_id } = await world.ok("oubliette.token.create", { name: "K", scope: `project:${p}` });
    const calls: readonly (readonly [string, object])[] = [
      ["project.create", { name: "another", description: "Of ours." }],
      ["project.list", { name_contains: "anoTHER" }],
      ["project.options", {}],
      ["project.get", { project_id: p }],
      ["project.update", { project_id: p, description: "Changed." }],
      ["workspace.create", { project_id: p, name: "V" }],
      ["workspace.list", { project_id: p, limit: 1 }],
      ["session.create", { project_id: p }],
      ["session.message", { session_id: s, text: "Hello.", role: "tool" }],
      ["session.events", { session_id: s }],
      ["session.get", { session_id: s }],
      ["session.list", { project_id: p, status: "open" }],
      ["workspace.delete", { workspace_id: w }],
      ["session.end", { session_id: s }],
      ["session.cleanup", { project_id: p, older_than_hours: 0 }],
      ["token.create", { name: "L", scope: "read", no_expiry: true }],
      ["token.list", { include_revoked: true }],
      ["token.revoke", { key_id }],
      ["project.delete", { project_id: p }],
    ];
    expect(calls.map(([op]) => `oubliette.${op}`).sort()).toEqual(opsOf(world, world.admin));
    for (const [op, args] of calls) {
      const result = await world.ok(`oubliette.${op}`, args);
      const schema = world.gateway.index.view(world.admin.grant).exact(`oubliette.${op}`)?.result_schema;
      const fits = ajv.compile(schema as object);
      expect(fits(result), `${op} ${JSON.stringify([result, fits.errors])}`).toBe(true);
    }
  });

  test("a project counts what is in it, and an update keeps names unique", async () => {
    const [p, other] = [await newProject(world, "Mine"), await newProject(world, "Theirs")];
    await world.ok("oubliette.workspace.create", { project_id: p, name: "W" });
    const s = await newSession(world, p);
    await newSession(world, p);
    await world.ok("oubliette.session.end", { session_id: s });
    expect(await world.ok("oubliette.project.get", { project_id: p })).toMatchObject({
      open_sessions: 1,
      workspaces: 1,
    });
    expect(await world.refused("oubliette.project.update", { project_id: other, name: "Mine" })).toMatchObject({
      code: "CONFLICT",
    });
    expect(await world.ok("oubliette.project.update", { project_id: p, name: "Mine" })).toMatchObject({ name: "Mine" });
    expect(await world.refused("oubliette.project.update", { project_id: p })).toMatchObject({
      code: "VALIDATION_ERROR",
      details: { field_errors: [{ keyword: "at_least_one_change" }] },
    });
  });

  test("of several callers that create a project of one name at once, one succeeds", async () => {
    const beside = await openWorld(database, { beside: world });
    const make = (at: World) => at.exec("oubliette.project.create", { name: "contended" });
    const answers = await Promise.all([world, beside, world, beside].map(make));
    await beside.close();
    expect(answers.map((one) => one.error?.code ?? "made").sort()).toEqual([
      "CONFLICT",
      "CONFLICT",
      "CONFLICT",
      "made",
    ]);
  });

  test("of several updates to one name at once, one succeeds, and the others answer CONFLICT", async () => {
    const projects = await Promise.all(Array.from({ length: 8 }, () => newProject(world)));
    const done = await Promise.all(
      projects.map((project_id) => world.exec("oubliette.project.update", { project_id, name: "wanted by all" })),
    );
    expect(done.filter(({ ok }) => ok)).toHaveLength(1);
    expect(new Set(done.flatMap(({ ok, error }) => (ok ? [] : [error.code])))).toEqual(new Set(["CONFLICT"]));
  });

  test("what is added while its project is deleted is counted, or finds no project", async () => {
    const project_id = await newProject(world);
    const session_id = await newSession(world, project_id);
    const adding = (op: string, args: object) => Array.from({ length: 4 }, () => world.exec(`oubliette.${op}`, args));
    const calls = [
      ...adding("session.message", { session_id, text: "Hello." }),
      ...adding("session.create", { project_id }),
      ...adding("workspace.create", { project_id, name: "W" }),
    ];
    const gone = world.ok("oubliette.project.delete", { project_id });
    const [messages, sessions, workspaces] = await Promise.all(calls).then((done) => {
      const refusals = done.flatMap(({ ok, error }) => (ok ? [] : [error.code]));
      expect(new Set([...refusals, "NOT_FOUND"])).toEqual(new Set(["NOT_FOUND"]));
      return [0, 4, 8].map((at) => done.slice(at, at + 4).filter(({ ok }) => ok).length);
    });
    const { deleted } = await gone;
    expect(deleted).toMatchObject({ events: messages, sessions: 1 + (sessions ?? 0), workspaces });
  });

  test("a project that is deleted takes everything along, as its dry run says", async () => {
    const p = await newProject(world);
    const keep = await newSession(world, await newProject(world));
    const w = (await world.ok("oubliette.workspace.create", { project_id: p, name: "W" })).id;
    const s = await newSession(world, p, { workspace_id: w });
    for (const text of ["a", "b"]) await world.ok("oubliette.session.message", { session_id: s, text });
    const [own, ro, all] = [
      await world.caller(`project:${p}`),
      await world.caller(`project:${p}:ro`),
      await world.caller("read"),
    ];
    const deleted = { sessions: 1, workspaces: 1, events: 2, keys: 2 };
    const dry = await world.exec("oubliette.project.delete", { project_id: p }, own, { dry_run: true });
    expect(dry.result).toEqual({ dry_run: true, id: p, deleted });
    expect((await world.ok("oubliette.session.get", { session_id: s })).last_index).toBe(2);
    expect(await world.keys.still(own.id)).toBeDefined();
    // With a key for it alone, which ends with it: the answer arrives all the same.
    expect(await world.ok("oubliette.project.delete", { project_id: p }, own)).toEqual({ id: p, deleted });
    await expect.poll(() => world.keys.still(own.id)).toBeUndefined();
    expect(await world.keys.still(ro.id)).toBeUndefined();
    expect(await world.keys.still(all.id)).toBeDefined();
    for (const [op, args] of [
      ["project.get", { project_id: p }],
      ["session.get", { session_id: s }],
      ["workspace.delete", { workspace_id: w }],
      ["project.delete", { project_id: p }],
    ] as const)
      expect(await world.refused(`oubliette.${op}`, args)).toMatchObject({ code: "NOT_FOUND" });
    expect((await world.ok("oubliette.session.get", { session_id: keep })).id).toBe(keep);
  });

  test("a workspace that is deleted leaves its sessions", async () => {
    const p = await newProject(world);
    const w = (await world.ok("oubliette.workspace.create", { project_id: p, name: "W" })).id;
    const s = await newSession(world, p, { workspace_id: w });
    expect(await world.ok("oubliette.workspace.delete", { workspace_id: w })).toEqual({ id: w, sessions_detached: 1 });
    expect((await world.ok("oubliette.session.get", { session_id: s })).workspace_id).toBeNull();
  });

  test("a session that has ended takes no message, and may be ended again", async () => {
    const p = await newProject(world);
    const s = await newSession(world, p);
    const ended = await world.ok("oubliette.session.end", { session_id: s });
    expect(ended).toMatchObject({ status: "ended", ended_at: expect.any(String) });
    expect(await world.ok("oubliette.session.end", { session_id: s })).toEqual(ended);
    expect(await world.refused("oubliette.session.message", { session_id: s, text: "x" })).toMatchObject({
      code: "CONFLICT",
    });
    expect(await world.ok("oubliette.session.events", { session_id: s })).toEqual({
      events: [],
      last_index: 0,
      status: "ended",
    });
  });

  test("a message has 64 KiB at most, in bytes, and no NUL", async () => {
    const s = await newSession(world, await newProject(world));
    const say = (text: string) => world.exec("oubliette.session.message", { session_id: s, text });
    expect((await say("ä".repeat(32_768))).result).toEqual({ session_id: s, index: 1 });
    for (const text of ["ä".repeat(32_769), "a".repeat(65_537), "a\0b", ""])
      expect((await say(text)).error.code).toBe("VALIDATION_ERROR");
    const { events } = await world.ok("oubliette.session.events", { session_id: s });
    expect(events).toEqual([
      { index: 1, at: expect.any(String), type: "message", role: "user", text: "ä".repeat(32_768) },
    ]);
  });

  test("cleaning up removes sessions that ended long enough ago, and no open ones", async () => {
    const p = await newProject(world);
    const [old, recent, open] = [await newSession(world, p), await newSession(world, p), await newSession(world, p)];
    await world.ok("oubliette.session.message", { session_id: old, text: "x" });
    await world.ok("oubliette.session.end", { session_id: old });
    world.wait(25 * HOUR_MS);
    await world.ok("oubliette.session.end", { session_id: recent });
    expect(await world.ok("oubliette.session.cleanup", { project_id: p })).toEqual({ removed: 1 });
    const { sessions } = await world.ok("oubliette.session.list", { project_id: p });
    expect(sessions.map(({ id }: Json) => id).sort()).toEqual([recent, open].sort());
    expect((await world.ok("oubliette.session.list", { project_id: p, status: "ended" })).sessions).toHaveLength(1);
  });

  test("events are numbered from 1 without gaps, even with concurrent writers", async () => {
    const p = await newProject(world);
    const s = await newSession(world, p);
    const beside = await openWorld(database, { beside: world });
    const count = Math.max(20, Math.round(200 * SCALE));
    const said = await Promise.all(
      Array.from({ length: count }, (_, i) =>
        (i % 2 === 0 ? world : beside).ok("oubliette.session.message", { session_id: s, text: `m${i}` }),
      ),
    );
    await beside.close();
    const all = Array.from({ length: count }, (_, i) => i + 1);
    expect(said.map(({ index }) => index).sort((a, b) => a - b)).toEqual(all);
    const read: Json[] = [];
    for (let since_index = 0; since_index < count; since_index = read.at(-1).index)
      read.push(...(await world.ok("oubliette.session.events", { session_id: s, since_index, limit: 7 })).events);
    expect(read.map(({ index }) => index)).toEqual(all);
    for (const { index, text } of read) expect(said[Number(text.slice(1))].index).toBe(index);
    expect((await world.ok("oubliette.session.get", { session_id: s })).last_index).toBe(count);
  });

  test("paging lists each existing item once, with any concurrent additions", { tags: "full" }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 9 }), fc.integer({ min: 1, max: 4 }), async (size, limit) => {
        const p = await newProject(world);
        const there: string[] = [];
        for (let i = 0; i < size; i++) there.push(await newSession(world, p));
        const add = async () => void (await newSession(world, p));
        const listed = await walk(world, "oubliette.session.list", { project_id: p, limit }, "sessions", add);
        const ids = listed.map(({ id }) => id);
        expect(new Set(ids).size).toBe(ids.length);
        expect(there.filter((id) => !ids.includes(id))).toEqual([]);
      }),
      runs(100),
    );
  });

  test.each([
    [
      "project.list",
      "projects",
      (n: number) => world.ok("oubliette.project.create", { name: `walk%_ ${n}` }),
      { name_contains: "WALK%_" },
    ],
    [
      "token.list",
      "tokens",
      (n: number) => world.ok("oubliette.token.create", { name: `walk ${n}`, scope: "read" }),
      {},
    ],
  ] as const)("%s has pages, newest first", async (op, part, add, args) => {
    for (let n = 0; n < 5; n++) {
      await add(n);
      world.wait(1);
    }
    const all = (await world.ok(`oubliette.${op}`, { ...args, limit: 200 }))[part];
    expect(await walk(world, `oubliette.${op}`, { ...args, limit: 2 }, part)).toEqual(all);
    expect(all.slice(0, 5).map(({ name }: Json) => name.slice(-1))).toEqual(["4", "3", "2", "1", "0"]);
    if (op === "project.list") expect(all).toHaveLength(5);
  });

  test("an invalid cursor is refused", async () => {
    for (const cursor of ["", "x", Buffer.from("2026-01-01T00:00:00.000Z '").toString("base64url")])
      expect(await world.refused("oubliette.project.list", { cursor })).toMatchObject({
        code: "VALIDATION_ERROR",
        details: { field_errors: [{ path: "cursor" }] },
      });
  });

  test("inputs are closed, ids have their form, limits their range", async () => {
    const wrong: readonly (readonly [string, object])[] = [
      ["project.get", { project_id: "prj_x" }],
      ["project.get", { project_id: `proj_${ABSENT}` }],
      ["project.get", { project_id: `prj_${ABSENT}`, extra: 1 }],
      ["project.get", JSON.parse(`{"project_id":"prj_${ABSENT}","__proto__":{}}`)],
      ["session.get", { session_id: `ses_${ABSENT}'; drop table` }],
      ["project.list", { limit: 0 }],
      ["project.list", { limit: 201 }],
      ["project.create", { name: " " }],
      ["project.create", { name: " x" }],
      ["project.create", { name: "a".repeat(81) }],
      ["project.create", { name: "a\0" }],
      ["session.list", { project_id: `prj_${ABSENT}`, status: "over" }],
      ["token.create", { name: "x", scope: "root" }],
      ["token.create", { name: "x", scope: "read", expires_in_days: 0 }],
      ["token.create", { name: "x", scope: "read", expires_in_days: 3651 }],
      ["token.create", { name: "x", scope: "read", expires_in_days: 1, no_expiry: true }],
      ["token.create", { name: "x", scope: `project:prj_${ABSENT}` }],
    ];
    for (const [op, args] of wrong)
      expect(await world.refused(`oubliette.${op}`, args), JSON.stringify([op, args])).toMatchObject({
        code: "VALIDATION_ERROR",
      });
    for (const input of world.gateway.index.view(world.admin.grant).listed.filter(({ group }) => group === "oubliette"))
      expect(input.parameters_schema).toMatchObject({ type: "object", additionalProperties: false });
  });
});
