/** Previews of programs: what they would write, of which nothing stays. */

import { describe, expect, test } from "vitest";
import { batch, keep } from "../../../../definitions/packs/ot.js";
import { runSettingsOf } from "../../../../runtime/config/run-settings.js";
import type { Gateway } from "../../../../runtime/gateway/gateway.js";
import { queries } from "../../../../runtime/state/schema.js";
import { loadedFeatures } from "../../../support/loaded-features.js";
import { SCALE } from "../../../support/random.js";
import { addedLanguage, runSettings } from "../../../support/run/languages.js";
import { handler, principal } from "../../gateway/fixture.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";
import { type Databases, onBoth, type ServerOptions, SLOW } from "../kept/databases.js";
import { NOTES, notesServer, type Tracker } from "./notes.js";

const PREVIEW = runSettingsOf({ expose: { run_preview: "writes" }, limits: { wall_ms: SLOW, host_calls: 10_000 } });

/** Every row of every table that a run might fill. */
async function rowsOf({ state }: Databases): Promise<unknown> {
  await state.ensure(NOTES);
  return state.transaction("read", async (tx) => {
    const tables = ["ledger", "runs", "run_calls", "run_deliveries", "run_inner", "approvals", "outcomes"] as const;
    const features = ["stat_calls", "stat_hours", "stat_counters", "learned"] as unknown as readonly "audit"[];
    const rows: unknown[] = [];
    for (const table of [...tables, "audit" as const, ...features, "notes_entries" as "runs"])
      rows.push([table, await queries(tx).selectFrom(table).selectAll().execute()]);
    // The jobs of the server itself go on.
    const jobs = await queries(tx).selectFrom("jobs").select("kind").where("kind", "not like", "retention%").execute();
    return [...rows, jobs];
  });
}

function previews(at: Databases) {
  const tracker: Tracker = { seen: [] };
  const made = (more: ServerOptions) =>
    at.server(notesServer(tracker, { ...more, settings: { run: PREVIEW, ...more.settings } })).gateway;
  let usual: Gateway | undefined;
  const server = (more?: ServerOptions): Gateway => {
    if (more) return made(more);
    usual ??= made({});
    return usual;
  };
  const preview = async (command: string, more?: ServerOptions, who = principal()) => {
    tracker.seen.length = 0;
    const { text, isError, plan } = await server(more).run({ command, preview: true }, who);
    if (!plan) throw new Error(text);
    return { text, isError, plan, seen: [...tracker.seen] };
  };
  return { tracker, server, preview };
}

onBoth((at) => {
  const { tracker, server, preview } = previews(at);

  test("a plan of transactional writes is exact, and nothing stays", { timeout: SLOW }, async () => {
    await server().run({ command: 'notes.add(body="old")' }, principal());
    const before = await rowsOf(at);
    const counting = server({ features: await loadedFeatures() });
    const command = `old = notes.list()["items"][0]["id"]
made = notes.add(body="new")["note"]
notes.edit(id=made["id"], body=f"see {made['id']}")
notes.remove(id=old)
len(notes.list()["items"])`;
    const { plan, text, isError } = await counting.run({ command, preview: true }, principal());
    // Statistics are written when it closes.
    await counting.close();
    if (!plan) throw new Error(text);
    expect(plan.entries).toMatchObject([
      { place: "2", op: "notes.add", args: { body: "new" }, outcome: { kind: "done" }, is_assumed: false },
      {
        place: "3",
        op: "notes.edit",
        args: { id: "‹notes.add#2.note.id›", body: "see ‹notes.add#2.note.id›" },
        outcome: { kind: "done" },
      },
      { place: "4", op: "notes.remove", args: { id: expect.stringMatching(/^note-/) } },
    ]);
    expect(plan).toMatchObject({ exactness: "exact", reads: 2, digest: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(plan.error).toBeUndefined();
    expect(text).toMatch(/^Plan: 3 writes and 2 reads, exact\. Nothing was changed\.\n1\. call 2: notes\.add/);
    expect(isError).toBe(false);
    expect(await rowsOf(at)).toEqual(before);
  });

  test("a write that fails is undone alone, and the program sees it", { timeout: SLOW }, async () => {
    const { plan, text } = await preview(`notes.add(body="a")
try:
  notes.remove(id="note-none")
except LookupError as error:
  notes.add(body="b")`);
    expect(plan.entries.map(({ op, outcome }) => [op, outcome.kind])).toEqual([
      ["notes.add", "done"],
      ["notes.remove", "fails"],
      ["notes.add", "done"],
    ]);
    expect(text).toContain("fails: NOT_FOUND: there is no note note-none");
    const failing = await preview('notes.add(body="a")\nnotes.remove(id="note-none")');
    expect(failing).toMatchObject({ isError: true, plan: { error: expect.stringContaining("no note") } });
  });

  test("200 transactional calls: no row changes, and others write meanwhile", { timeout: SLOW }, async () => {
    const count = Math.max(20, Math.round(200 * SCALE));
    await server().run({ command: 'notes.add(body="old")' }, principal());
    const before = await rowsOf(at);
    let written = 0;
    const watching: ServerOptions = {
      handlers: {
        "tracker.get": handler(async () => {
          // The preview is open now.
          const row = { name: `other ${Math.random()}`, value: "" };
          await at.state.transaction("write", (tx) => queries(tx).insertInto("server_secrets").values(row).execute());
          written += 1;
          return { id: "issue-100", number: 1 };
        }),
      },
    };
    const { plan } = await preview(
      `for n in range(${count}): notes.add(body=str(n))\ntracker.get(issue="x")\nnotes.add(body="last")`,
      watching,
    );
    expect(plan).toMatchObject({ exactness: "exact" });
    expect(plan.entries).toHaveLength(count + 1);
    expect(written).toBe(1);
    expect(await rowsOf(at)).toEqual(before);
  });

  test("what is not a transaction is never sent, and its answer is assumed", { timeout: SLOW }, async () => {
    const { plan, seen, text } = await preview(`issue = tracker.open(title="x")
tracker.comment(issue=issue["id"], text=f"see {issue['url']}")
tracker.close(number=issue["number"])
notes.add(body=issue["id"])`);
    expect(seen).toEqual([]);
    expect(plan.entries.map(({ op, args, is_assumed }) => [op, args, is_assumed])).toEqual([
      ["tracker.open", { title: "x" }, true],
      ["tracker.comment", { issue: "‹tracker.open#1.id›", text: "see ‹tracker.open#1.url›" }, true],
      ["tracker.close", { number: "‹tracker.open#1.number›" }, true],
      ["notes.add", { body: "‹tracker.open#1.id›" }, true],
    ]);
    expect(plan.exactness).toBe("assumed");
    expect(text).toContain("is not sent in a preview");
  });

  test("the planner of a write that is not sent says what it would do", { timeout: SLOW }, async () => {
    const { plan, seen, text } = await preview('tracker.close(number=7)["id"]');
    expect(seen).toEqual([]);
    expect(plan.entries).toMatchObject([{ outcome: { kind: "assumed", result: { closes: 7 } } }]);
    expect(text).toContain('its planner says {"closes":7}');
  });

  describe("assumed answers", () => {
    const partial = async (command: string) => {
      const { plan, text } = await preview(command);
      return [plan.exactness, plan.partial_from, plan.entries.length, /Partial from here/.test(text)];
    };

    test("a branch on one makes the plan partial from there", { timeout: SLOW }, async () => {
      const begin = 'notes.add(body="a")\nissue = tracker.open(title="x")\n';
      expect(await partial(`${begin}if issue["labels"]: notes.add(body="b")`)).toEqual(["partial", 3, 2, true]);
      expect(await partial(`${begin}n = issue["number"] + 1\nnotes.add(body=str(n))`)).toEqual(["partial", 3, 3, true]);
      expect(await partial(`${begin}notes.add(body=issue["id"])`)).toEqual(["assumed", undefined, 3, false]);
      // What a planner says is not recognised when it is passed on.
      expect(await partial("tracker.close(number=7)")).toEqual(["assumed", undefined, 1, false]);
      const closing = 'done = tracker.close(number=7)\nnotes.add(body=done["id"])';
      expect(await partial(closing)).toEqual(["partial", 2, 2, true]);
    });

    test("so does one in TypeScript, and a member that the type does not have", { timeout: SLOW }, async () => {
      const run = runSettings({
        ...{ run: { languages: ["typescript"] }, expose: { run_preview: "writes" } },
        limits: { wall_ms: SLOW },
      });
      const own = server({ settings: { run }, options: { languages: [addedLanguage("typescript")] } });
      const partialOf = async (command: string) => {
        const { plan } = await own.run({ command, preview: true }, principal());
        return [plan?.exactness, plan?.partial_from, plan?.entries.map(({ args }) => args["body"] ?? args["title"])];
      };
      const begin = 'const issue = await tracker.open({ title: "x" });\n';
      expect(await partialOf(`${begin}await notes.add({ body: \`see \${issue.id}\` })`)).toEqual([
        ...["assumed", undefined],
        ["x", "see ‹tracker.open#1.id›"],
      ]);
      expect(await partialOf(`${begin}if (issue.number > 5) await notes.add({ body: "b" })`)).toEqual([
        ...["partial", 2],
        ["x", "b"],
      ]);
      const absent = "await notes.add({ body: `${issue.labels}` })";
      expect(await partialOf(begin + absent)).toEqual(["partial", 2, ["x", "undefined"]]);
    });

    test("a text that is joined with one is assumed", { timeout: SLOW, tags: "slow" }, async () => {
      const { plan } = await preview(`issue = tracker.open(title="x")
see = "see " + issue["id"]
notes.add(body=see + ", " + issue["url"] + "!")
notes.add(body="%s is %d" % (issue["id"], issue["number"]))
notes.add(body="%(id)s!" % issue)`);
      expect(plan.error).toBeUndefined();
      expect(plan.entries.slice(1).map(({ args, is_assumed }) => [args["body"], is_assumed])).toEqual([
        ["see ‹tracker.open#1.id›, ‹tracker.open#1.url›!", true],
        ["‹tracker.open#1.id› is ‹tracker.open#1.number›", true],
        ["‹tracker.open#1.id›!", true],
      ]);
      expect(plan.exactness).toBe("assumed");
      const part = 'issue = tracker.open(title="x")\nnotes.add(body=("see " + issue["id"])[0])';
      expect(await partial(part)).toEqual(["partial", 2, 2, true]);
    });

    test("so does a failure of the program with one", { tags: "full", timeout: SLOW }, async () => {
      expect(await partial('issue = tracker.open(title="x")\nissue["nothing"]')).toEqual(["partial", 2, 1, true]);
    });

    test("a read about one is not sent", { timeout: SLOW }, async () => {
      const { plan, seen } = await preview(`issue = tracker.open(title="x")
found = tracker.get(issue=issue["id"])
notes.add(body=found["url"])`);
      expect(seen).toEqual([]);
      expect(plan.entries.at(-1)).toMatchObject({ args: { body: "‹tracker.get#2.url›" }, is_assumed: true });
      expect(plan).toMatchObject({ exactness: "assumed", reads: 1 });
    });

    test("a number or a date of the program is none, though a write has given the same", {
      timeout: SLOW,
    }, async () => {
      const integer = { type: "integer" };
      const properties = {
        n: integer,
        ids: { type: "array", items: integer },
        on: { type: "string" },
        priority: integer,
      };
      const schema = closed(properties);
      const number = { run: async () => ({ id: 7, on: "2026-11-27" }), transactional: true } as never;
      const more = {
        more: ["notes.number", "notes.pin"].map((op) =>
          toolOf({
            op,
            tool: op.replace(".", "_"),
            kind: "write",
            schema,
            extra: { target: "global" },
          }),
        ),
        handlers: {
          "notes.number": number,
          "notes.pin": number,
        },
      };
      const pins = 'notes.pin(n=7, ids=[8, made["id"]], on=f"{2026}-11-27", priority=3)';
      const { plan, text } = await preview(`made = notes.number()\n${pins}`, more);
      expect(plan.entries[1]).toMatchObject({
        args: { n: 7, ids: [8, 7], on: "2026-11-27", priority: 3 },
        may_be: { "/n": ["‹notes.number#1.id›"], "/ids/1": ["‹notes.number#1.id›"], "/on": ["‹notes.number#1.on›"] },
      });
      expect(text).toContain("\n   /n may be ‹notes.number#1.id›\n");
    });

    test("what writes and failures repeat of assumed answers is named, too", { timeout: SLOW }, async () => {
      const ticket = { type: "object", properties: { id: { type: "string", format: "uuid" } }, required: ["id"] };
      const open = toolOf({
        ...{ op: "tracker.ticket", tool: "tracker_ticket", kind: "write", schema: closed({}) },
        extra: { target: "global", result_schema: ticket },
      });
      const command = `made = tracker.ticket()
notes.add(body=made["id"])
notes.remove(id=made["id"])`;
      const { plan, text } = await preview(command, { more: [open] });
      const label = "‹tracker.ticket#1.id›";
      expect(plan.entries[1]?.outcome).toMatchObject({ kind: "done", result: { note: { body: label } } });
      expect(plan.entries[2]?.outcome).toMatchObject({
        kind: "fails",
        error: expect.stringContaining(`no note ${label}`),
      });
      expect(plan.error).toContain(`no note ${label}`);
      expect(text).not.toContain("00000000-0000-4000-8000");
    });

    test("a text of the program that looks like a label is none", { timeout: SLOW }, async () => {
      const { plan } = await preview('tracker.open(title="x")\nnotes.add(body="see ‹tracker.open#1.id›")');
      expect(plan.entries[1]).toMatchObject({ args: { body: "see ‹‹tracker.open#1.id›" }, is_assumed: false });
    });
  });

  test("calls of a batch are previewed one by one, and nothing is kept", { timeout: SLOW }, async () => {
    const schema = { type: "object", properties: { calls: { type: "array" } }, required: ["calls"] } as const;
    const any = { type: "object", properties: { value: {} } } as const;
    const shipped = { source: { kind: "local", file: "ot.ts", shipped: true }, target: "global" } as const;
    const { plan } = await preview(
      `made = ot.batch(calls=[["notes.add", {"body": "a"}], ["tracker.open", {"title": "x"}]])
ot.keep(value=made)
None`,
      {
        more: [
          toolOf({ op: "ot.batch", tool: "ot_batch", kind: "read", schema, extra: shipped }),
          toolOf({ op: "ot.keep", tool: "ot_keep", kind: "read", schema: any, extra: shipped }),
        ],
        handlers: {
          "ot.batch": { run: batch, exactNumbers: true, inPreview: "run" } as never,
          "ot.keep": { run: keep, exactNumbers: true, inPreview: "skip" } as never,
        },
      },
    );
    expect(plan.entries.map(({ place, op }) => [place, op])).toEqual([
      ["1.1", "notes.add"],
      ["1.2", "tracker.open"],
    ]);
    expect(tracker.seen).toEqual([]);
    expect(plan.exactness).toBe("partial");
  });

  test("writes at once are one group, and those one after the other are not", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    // The first read is under way until all of them are made: writes that are answered at once need not overlap.
    let reads = 0;
    const get = handler(async () => {
      if (++reads === 2) release();
      await released;
      return { id: "x", number: 1 };
    });
    const { plan } = await preview(
      `import asyncio
notes.add(body="1")
await asyncio.gather(tracker.get(issue="x"), *[notes.add(body=str(n)) for n in range(2, 5)], tracker.get(issue="x"))
notes.add(body="5")`,
      { handlers: { "tracker.get": get } },
    );
    expect(plan.error).toBeUndefined();
    expect(plan.entries.map(({ group }) => group)).toEqual([1, 2, 2, 2, 3]);
  });

  test("a plan says which rule asks about a write, and refusals are those of the run", { timeout: SLOW }, async () => {
    const rules: ServerOptions = { approve: [{ ops: ["notes.remove"] }] };
    const { plan, text } = await preview('made = notes.add(body="a")["note"]\nnotes.remove(id=made["id"])', rules);
    expect(plan.entries.map(({ rule }) => rule)).toEqual([undefined, "approve[0]"]);
    expect(text).toContain("[waits for approval (approve[0])]");
    const reader = principal({ allowWrite: false });
    const refused = await preview('notes.add(body="a")', undefined, reader);
    expect(refused).toMatchObject({ isError: true, plan: { entries: [], error: expect.stringContaining("writes") } });
  });

  test("the plan of the same program has the same digest", { timeout: SLOW }, async () => {
    const code = 'made = notes.add(body="a")["note"]\nnotes.edit(id=made["id"], body="b")';
    const digests = [await preview(code), await preview(code)].map(({ plan }) => plan.digest);
    expect(new Set(digests).size).toBe(1);
    expect((await preview(code.replace('"b"', '"c"'))).plan.digest).not.toBe(digests[0]);
  });

  test("without the setting there is no preview", { timeout: SLOW }, async () => {
    const { gateway } = at.server(notesServer(tracker));
    const { text } = await gateway.run({ command: 'notes.add(body="a")', preview: true }, principal());
    expect(text).toContain("unexpected argument 'preview'");
    const wrong = await server().run({ command: "1", preview: "yes" }, principal());
    expect(wrong.text).toContain("must be true or false");
    const asked = await gateway.run({ command: 'notes.add(body="a")' }, principal(), { isPreview: true });
    expect(asked.plan?.entries).toHaveLength(1);
  });

  test("a plan that is too large, and one that is cancelled, end with the reason", {
    timeout: SLOW,
    tags: "slow",
  }, async () => {
    const many = await server().run(
      { command: 'for n in range(1001): tracker.comment(issue="i", text="t")', preview: true },
      principal(),
    );
    expect(many).toMatchObject({ isError: true, text: expect.stringContaining("more than 1000 writes") });
    const cancel = new AbortController();
    const handlers = { "tracker.get": handler(async () => (cancel.abort(), { id: "x", number: 1 })) };
    const request = { command: 'notes.add(body="a")\ntracker.get(issue="x")\nnotes.add(body="b")', preview: true };
    const { text } = await server({ handlers }).run(request, principal(), { signal: cancel.signal });
    expect(text).toContain("the client cancelled the");
  });
});
