/** Programs that wait with their plans, and are held to them. */

import { expect, test } from "vitest";
import { batch } from "../../../../definitions/packs/ot.js";
import { runSettingsOf } from "../../../../runtime/config/run-settings.js";
import type { JsonObject } from "../../../../runtime/contract/registry.js";
import { runSeal } from "../../../../runtime/run/kept/log-text.js";
import { planIn } from "../../../../runtime/run/kept/plan-table.js";
import { planRowOf } from "../../../../runtime/run/kept/run-table.js";
import { createLabels } from "../../../../runtime/run/preview/labels.js";
import { planDigest } from "../../../../runtime/run/preview/plan.js";
import { queries } from "../../../../runtime/state/schema.js";
import { SCALE } from "../../../support/random.js";
import { handler, principal } from "../../gateway/fixture.js";
import { toolOf } from "../../gateway/fixture-tools.js";
import { onBoth, type ServerOptions, SLOW } from "../kept/databases.js";
import { NOTES, notesServer, type Tracker } from "./notes.js";

const RULES = [{ ops: ["notes.remove", "tracker.*"] }];
const PLANNED = (run_preview: "always" | "writes") =>
  runSettingsOf({ expose: { run_preview }, limits: { wall_ms: SLOW, host_calls: 10_000 } });

onBoth((at) => {
  const tracker: Tracker = { seen: [] };
  const given = (more: ServerOptions = {}): ServerOptions =>
    notesServer(tracker, { approve: RULES, ...more, settings: { run: PLANNED("writes"), ...more.settings } });
  const always: ServerOptions = { settings: { run: PLANNED("always") } };
  const paused = (command: string, more?: ServerOptions, who = principal()) => at.paused(command, given(more), who);
  const resumed = (id: string, more?: ServerOptions) => at.resumed(id, given(more));
  const clear = async (): Promise<void> => {
    tracker.seen.length = 0;
    await at.state.ensure(NOTES);
    await at.state.transaction("write", (tx) =>
      queries(tx)
        .deleteFrom("notes_entries" as "runs")
        .execute(),
    );
  };
  const notes = async (): Promise<readonly string[]> => {
    await at.state.ensure(NOTES);
    const rows = await at.state.transaction("read", (tx) =>
      queries(tx)
        .selectFrom("notes_entries" as "runs")
        .selectAll()
        .execute(),
    );
    return rows.map((row) => (row as unknown as { body: string }).body).sort();
  };
  const progressOf = async (id: string) => {
    const seal = await runSeal(at.state);
    const row = await at.state.transaction("read", (tx) => planRowOf(tx, id));
    return row ? planIn(row, seal) : undefined;
  };

  const PROGRAM = `made = notes.add(body="a")["note"]
notes.edit(id=made["id"], body="b")
notes.remove(id=made["id"])
issue = tracker.open(title="x")
tracker.comment(issue=issue["id"], text=f"see {issue['number']}")
notes.add(body="end")
"done"`;

  test("one approval of the plan is enough for all of its writes", { timeout: SLOW }, async () => {
    await clear();
    const { id, text } = await paused(PROGRAM);
    expect(text).toMatch(/^Paused run_\w+: its plan waits for approval\nPlan: 6 writes/);
    expect(await notes()).toEqual([]);
    expect(await at.statusOf(id)).toBe("paused");
    expect((await resumed(id)).text).toBe(text);
    await at.decidedOnly(id);
    expect(await resumed(id)).toMatchObject({ text: "done", isError: false });
    expect(await notes()).toEqual(["end"]);
    expect(tracker.seen).toEqual(["open", "comment"]);
  });

  test("a program without a write that a rule asks about does not wait", { timeout: SLOW }, async () => {
    await clear();
    expect((await paused('notes.add(body="a")["note"]["body"]')).text).toBe("a");
    const { id, text } = await paused('notes.add(body="a")["note"]["body"]', always);
    expect(text).toMatch(/its plan waits/);
    await at.decidedOnly(id);
    expect((await resumed(id, always)).text).toBe("a");
    expect((await paused('len(notes.list()["items"])', always)).text).toBe("2");
  });

  test("the world changed after the approval: it pauses before the first write that differs", {
    timeout: SLOW,
    tags: "slow",
  }, async () => {
    await clear();
    await at.server(given({ approve: [] })).gateway.run({ command: 'notes.add(body="old")' }, principal());
    const command = `notes.add(body="log")
for note in notes.list()["items"]:
  if note["body"] != "log": notes.remove(id=note["id"])
tracker.open(title="done")
"end"`;
    const { id } = await paused(command);
    await at.server(given({ approve: [] })).gateway.run({ command: 'notes.add(body="new")' }, principal());
    await at.decidedOnly(id);
    const { text } = await resumed(id);
    expect(text).toMatch(/^Paused run_\w+: diverged_from_plan: 1 call waits for approval/);
    expect(text).toMatch(/- planned: notes\.remove \{"id":"note-\w+"\}\n\+ now: notes\.remove \{"id":"note-\w+"\}/);
    expect(await notes()).toEqual(["log", "new", "old"]);
    expect(tracker.seen).toEqual([]);
    // A person agrees: what was planned goes on, what was not is asked about.
    await at.decidedOnly(id);
    expect((await resumed(id)).text).toBe("end");
    expect(await notes()).toEqual(["log"]);
    expect(tracker.seen).toEqual(["open"]);
  });

  test("a rejected plan, and a rejected difference, raise PermissionError", { timeout: SLOW }, async () => {
    await clear();
    const first = await paused(PROGRAM);
    await at.decidedOnly(first.id, [], { status: "rejected" });
    expect((await resumed(first.id)).text).toMatch(/PermissionError.*plan was rejected by anna: too old/);
    expect(await notes()).toEqual([]);
  });

  test("writes that were planned and not made are a warning", { timeout: SLOW, tags: "slow" }, async () => {
    await clear();
    const command = `notes.add(body="1")
if tracker.get(issue="x")["number"] == 1: tracker.comment(issue="x", text="t")
"end"`;
    const answer = (number: number): ServerOptions => ({
      handlers: { "tracker.get": handler(async () => ({ id: "x", number })) },
    });
    const { id } = await paused(command, answer(1));
    await at.decidedOnly(id);
    const { text, isError } = await resumed(id, answer(2));
    expect(text).toMatch(/^end\nWarning: planned and not made: tracker\.comment \{"issue":"x","text":"t"\}$/);
    expect(isError).toBe(false);
  });

  test("writes at once may be made in any order", { tags: "full", timeout: SLOW }, async () => {
    await clear();
    const command = `import asyncio
async def one(n):
  await asyncio.sleep((tracker_first if n == 1 else 0) / 10)
  await asyncio.gather(notes.add(body=f"{n}a"), notes.add(body=f"{n}b"))
tracker_first = (await asyncio.gather(tracker.get(issue="x")))[0]["number"]
await asyncio.gather(one(1), one(2))
"end"`;
    const answer = (number: number): ServerOptions => ({
      ...always,
      handlers: { "tracker.get": handler(async () => ({ id: "x", number })) },
    });
    const { id, text } = await paused(command.replace("sleep((", "sleep(0 * ("), answer(1));
    expect(text).toMatch(/its plan waits/);
    await at.decidedOnly(id);
    expect((await resumed(id, answer(1))).text).toBe("end");
  });

  test("a rule that has changed asks again about its calls", { timeout: SLOW, tags: "slow" }, async () => {
    await clear();
    const { id } = await paused('notes.add(body="a")\ntracker.open(title="x")\n"end"');
    await at.decidedOnly(id);
    const stricter = { approve: [{ ops: ["tracker.*"], by: ["console"] }] } as const;
    expect((await resumed(id, stricter)).text).toMatch(/^Paused run_\w+: 1 call waits for approval\n2: tracker\.open/);
    expect(tracker.seen).toEqual([]);
  });

  test("who may decide about a plan may decide about each of its calls", { timeout: SLOW, tags: "slow" }, async () => {
    await clear();
    const approve = [{ ops: ["tracker.*"], by: ["console"] }, { ops: ["notes.remove"] }] as const;
    const { id } = await paused(PROGRAM, { approve });
    expect(await at.decidedOnly(id)).toEqual({ done: [], elsewhere: [{ place: "0", deciders: "console" }], left: 1 });
    const apart = [
      { ops: ["tracker.*"], by: ["console"] },
      { ops: ["notes.remove"], by: ["cli"] },
    ] as const;
    // Nobody may decide about all of it: each call is asked about.
    expect((await paused(PROGRAM, { approve: apart })).text).toMatch(/1 call waits for approval\n3: notes\.remove/);
  });

  test("a server that ends in the middle: another one goes on with the plan", {
    timeout: SLOW,
    tags: "slow",
  }, async () => {
    await clear();
    let server: ReturnType<typeof at.server> | undefined;
    const killing: ServerOptions = {
      handlers: {
        "tracker.open": handler(async () => {
          tracker.seen.push("open");
          return { id: "issue-77", number: 7 };
        }),
        "tracker.comment": {
          run: async () => {
            if (tracker.seen.length === 1) await server?.kill();
            tracker.seen.push("comment");
            return {};
          },
          repeatable: true,
        } as never,
      },
    };
    const { id } = await paused(PROGRAM, killing);
    await at.decidedOnly(id);
    server = at.server(given(killing));
    await server.gateway.resume(id, undefined).catch(() => undefined);
    at.now.at += 60_000;
    expect((await resumed(id, killing)).text).toBe("done");
    expect(tracker.seen).toEqual(["open", "comment", "comment"]);
    expect(await notes()).toEqual(["end"]);
  });

  test("a tool whose effects are its calls is one of the plan, as its calls are", {
    timeout: SLOW,
    tags: "slow",
  }, async () => {
    await clear();
    const schema = { type: "object", properties: { calls: { type: "array" } }, required: ["calls"] } as const;
    const extra = { source: { kind: "local", file: "ot.ts", shipped: true }, target: "global" } as const;
    const tool: ServerOptions = {
      ...always,
      more: [toolOf({ op: "ot.several", tool: "ot_several", kind: "write", schema, extra })],
      handlers: { "ot.several": { run: batch, exactNumbers: true, repeatable: true, inPreview: "run" } as never },
    };
    const command = `ot.several(calls=[["notes.add", {"body": "a"}], ["notes.add", {"body": "b"}]])\n"end"`;
    const { id } = await paused(command, tool);
    const entries = (await progressOf(id))?.plan.plan.entries.map(({ place, op }) => [place, op]);
    expect(entries).toEqual([
      ["1", "ot.several"],
      ["1.1", "notes.add"],
      ["1.2", "notes.add"],
    ]);
    await at.decidedOnly(id);
    expect((await resumed(id, tool)).text).toBe("end");
    expect(await notes()).toEqual(["a", "b"]);
  });

  test("200 transactional writes: the run writes what has the digest of the plan", {
    timeout: SLOW,
    tags: "slow",
  }, async () => {
    await clear();
    const count = Math.max(10, Math.round(200 * SCALE));
    const command = `last = notes.add(body="first")["note"]["id"]
for n in range(${count}): last = notes.add(body=f"after {last}")["note"]["id"]
"end"`;
    const calls: { op: string; place: string; args: JsonObject; result: JsonObject }[] = [];
    const { id, text } = await paused(command, always);
    const plan = (await progressOf(id))?.plan.plan;
    expect(text).toContain(`Digest: ${plan?.digest}`);
    expect(plan).toMatchObject({ exactness: "exact" });
    await at.decidedOnly(id);
    const { handlers } = given();
    const add = handlers?.["notes.add"] as unknown as { run(args: JsonObject, ctx: object): Promise<JsonObject> };
    const watching = {
      ...add,
      run: async (args: JsonObject, ctx: object) => {
        const result = await add.run(args, ctx);
        calls.push({ op: "notes.add", place: String(calls.length + 1), args, result });
        return result;
      },
    };
    expect((await resumed(id, { ...always, handlers: { "notes.add": watching as never } })).text).toBe("end");
    const labels = createLabels(command);
    const made = calls.map(({ result, ...call }) => {
      const entry = { ...call, args: labels.apply(call.args) };
      labels.learn(call, result);
      return entry;
    });
    expect(made).toHaveLength(count + 1);
    expect(planDigest(made)).toBe(plan?.digest);
    expect((await progressOf(id))?.progress?.made).toHaveLength(count + 1);
  });
});
