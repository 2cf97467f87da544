/** Programs that pause at a write that a person must approve, and go on elsewhere. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { approvalRulesOf } from "../../../../runtime/config/approval-settings.js";
import { runSettingsOf } from "../../../../runtime/config/run-settings.js";
import type { ApproveEntry } from "../../../../runtime/contract/settings/entries.js";
import type { Gateway } from "../../../../runtime/gateway/gateway.js";
import { approvalsOf, type Decision, decide } from "../../../../runtime/run/kept/approval-table.js";
import { listRuns } from "../../../../runtime/run/kept/run-table.js";
import { waitingCalls } from "../../../../runtime/run/kept/waiting-calls.js";
import { openState, type State } from "../../../../runtime/state/open.js";
import { lendSnapshots } from "../../../support/run/python-snapshots.js";
import { NO_DATABASE, startSharedDatabase } from "../../../support/shared-database.js";
import { errorOf, fixture, handler, okOf, principal } from "../../gateway/fixture.js";

const SLOW = 300_000;
/** A busy machine takes long to start an interpreter. */
const PATIENT = runSettingsOf({ limits: { wall_ms: SLOW } });
const DAY = 86_400_000;
const RULES: readonly ApproveEntry[] = [{ ops: ["onto.*.delete"], unless: { callers: ["trusted"] } }];

describe.each([
  ["SQLite", false],
  ["PostgreSQL", true],
])("on %s", (_, isShared) => {
  describe.skipIf(isShared && NO_DATABASE !== "")(`approvals${isShared ? NO_DATABASE : ""}`, () => {
    let state: State;
    let root: string;
    const cleaning: (() => unknown)[] = [];
    const gateways: Gateway[] = [];
    const now = { at: Date.now() };
    let sent: unknown[];
    /** What lists hold beside their items. */
    let filler: string;
    /** The title of what is deleted; empty: none is read. */
    let title: string;

    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), "approvals-"));
      const url = isShared ? (await startSharedDatabase((clean) => void cleaning.push(clean))).href : "";
      state = await openState({ url, root });
      lendSnapshots(join(root, ".onetool", "cache"));
    }, SLOW);
    afterAll(async () => {
      for (const gateway of gateways) await gateway.close();
      await state.close();
      for (const clean of cleaning.reverse()) await clean();
      await rm(root, { recursive: true });
    });
    beforeEach(() => {
      sent = [];
      filler = "";
      title = "";
    });

    /** A server whose deletions a person must approve. */
    function server(approve: readonly ApproveEntry[] = RULES) {
      const found = fixture({
        project: { root },
        handlers: {
          "onto.task.delete": handler(async ({ task_id }) => {
            sent.push(task_id);
            return { deleted: task_id };
          }),
          "onto.task.list": handler(async () => ({ items: [], filler, ...(title === "" ? {} : { title }) })),
        },
        options: { openState: async () => ({ ...state, close: async () => undefined }), clock: () => now.at },
        settings: {
          callTimeoutMs: SLOW,
          run: PATIENT,
          approvals: approvalRulesOf(approve, String),
          ops: new Map(title === "" ? [] : [["onto.task.delete", { check: "onto.task.list" }]]),
        },
      });
      gateways.push(found.gateway);
      return found;
    }

    const ANNA = { by: "anna", via: "cli", reason: "too old" } as const;
    const DELETE = 'onto.task.delete(task_id="task_1")["deleted"]';

    /** Runs a program that pauses; returns the id of its run, and the answer. */
    async function paused(command: string, approve = RULES, who = principal()) {
      const { text, isError } = await server(approve).gateway.run({ command }, who);
      expect({ text, isError }).toMatchObject({ isError: true, text: expect.stringMatching(/^Paused run_/) });
      return { id: /run_\w+/.exec(text)?.[0] ?? "", text };
    }
    const decided = (id: string, places: readonly string[], status: Decision["status"] = "approved") =>
      state.transaction("write", (tx) => decide(tx, id, places, { status, ...ANNA }, now.at)).then(({ done }) => done);
    const resumed = (id: string, approve = RULES) => server(approve).gateway.resume(id, undefined);
    const statusOf = async (id: string) => {
      const runs = await state.transaction("read", (tx) => listRuns(tx, now.at));
      return runs.find((run) => run.id === id)?.status;
    };

    test("nothing is called before the approval; then another server goes on, once", { timeout: SLOW }, async () => {
      const { id, text } = await paused(`onto.task.list()\n${DELETE}`);
      expect(text).toContain('2: onto.task.delete {"task_id":"task_1"}');
      expect(await statusOf(id)).toBe("paused");
      expect((await resumed(id)).text).toBe(text);
      expect(sent).toEqual([]);
      expect(await decided(id, ["7"])).toEqual([]);
      expect(await decided(id, ["2"])).toEqual(["2"]);
      expect(await decided(id, ["2"], "rejected")).toEqual([]);
      expect(await resumed(id)).toMatchObject({ text: "task_1", isError: false });
      expect(await resumed(id)).toMatchObject({ text: "task_1", isError: false });
      expect(sent).toEqual(["task_1"]);
      expect(await statusOf(id)).toBe("done");
    });

    test("calls have titles at each pause, whoever goes on with the program, and in what is stored", {
      timeout: SLOW,
    }, async () => {
      title = "Call Anna";
      const { id, text } = await paused(`${DELETE}\nonto.task.delete(task_id="task_2")["deleted"]`);
      expect(text).toContain('1: onto.task.delete {"task_id":"task_1"} "Call Anna"');
      expect((await resumed(id)).text).toBe(text);
      await decided(id, ["1"]);
      title = "Call Bob";
      expect((await resumed(id)).text).toContain('2: onto.task.delete {"task_id":"task_2"} "Call Bob"');
      const stored = async () => (await waitingCalls(state, now.at, { run: id })).map((one) => one.title);
      expect(await stored()).toEqual(["Call Bob"]);
      // What was read before is kept where nothing is read any more.
      title = "";
      expect((await resumed(id)).text).toContain('{"task_id":"task_2"} "Call Bob"');
      expect(await stored()).toEqual(["Call Bob"]);
    });

    test("a rejected call raises PermissionError in the program, with the reason", { timeout: SLOW }, async () => {
      const { id } = await paused(`try:\n  ${DELETE}\nexcept PermissionError as error:\n  said = str(error)\nsaid`);
      await decided(id, [], "rejected");
      expect((await resumed(id)).text).toContain("rejected by anna: too old. Nothing was changed.");
      expect(sent).toEqual([]);
    });

    test("calls that were rejected, or are made again after a pause, do not count as made", {
      timeout: SLOW,
      tags: "slow",
    }, async () => {
      const { id } = await paused(`onto.task.list()
try:
  ${DELETE}
except PermissionError:
  pass
onto.task.delete(task_id="task_2")
1 / 0`);
      await decided(id, ["2"], "rejected");
      expect((await resumed(id)).text).toMatch(/^Paused/);
      await decided(id, ["3"]);
      expect((await resumed(id)).text).toMatch(
        /\nAlready written \(run_\w+\): (?:line 6 )?onto\.task\.delete(?: -> \w+)?\nNext: correct line 7 and send .* after=/,
      );
    });

    test("a call that nobody decides about in time is refused", { timeout: SLOW }, async () => {
      const { id } = await paused(DELETE);
      now.at += DAY;
      expect(await decided(id, [])).toEqual([]);
      expect((await resumed(id)).text).toMatch(/PermissionError.*not approved in time/);
      expect(sent).toEqual([]);
    });

    test("parallel calls wait together, and one that is rejected raises only there", {
      timeout: SLOW,
      tags: "slow",
    }, async () => {
      // However long the program works before it makes the next call.
      const { id } = await paused(`import asyncio
async def work(n):
    await asyncio.sleep(0)
    sum(range(4_000_000 * (n - 1)))
    return await onto.task.delete(task_id=f"task_{n}")
made = await asyncio.gather(*[work(n) for n in (1, 2, 3)], return_exceptions=True)
[type(one).__name__ for one in made]`);
      const places = async () =>
        (await state.transaction("read", (tx) => approvalsOf(tx, id))).map(({ place }) => place);
      expect(await places()).toEqual(["1", "2", "3"]);
      expect(await decided(id, ["2"], "rejected")).toEqual(["2"]);
      expect(await decided(id, [])).toHaveLength(2);
      expect((await resumed(id)).text).toBe('["dict","PermissionError","dict"]');
      expect([...sent].sort()).toEqual(["task_1", "task_3"]);
    });

    test("a call that follows the answer of another one waits with those that wait", {
      timeout: SLOW,
      tags: "slow",
    }, async () => {
      // However long it takes to pass the answer on.
      filler = "x".repeat(3_000_000);
      const { text } = await paused(`import asyncio
async def later(n):
    await onto.task.list()
    return await onto.task.delete(task_id=f"task_{n}")
await asyncio.gather(onto.task.delete(task_id="task_1"), later(2))`);
      expect(text).toContain("2 calls wait for approval");
    });

    test("a rule that has changed asks again; without a rule the question stands", {
      timeout: SLOW,
      tags: "slow",
    }, async () => {
      const { id } = await paused(DELETE);
      await decided(id, []);
      const stricter = [{ ops: ["onto.*.delete"], by: ["console"] }] as const;
      expect((await resumed(id, stricter)).text).toMatch(/^Paused/);
      expect(await decided(id, [])).toEqual([]);
      expect((await resumed(id, [])).text).toMatch(/^Paused/);
      expect(sent).toEqual([]);
      const byConsole = { status: "approved", ...ANNA, via: "console" } as const;
      await state.transaction("write", (tx) => decide(tx, id, [], byConsole, now.at));
      expect((await resumed(id, [])).text).toBe("task_1");
      expect(sent).toEqual(["task_1"]);
    });

    test("who may decide is that of the rule", { timeout: SLOW }, async () => {
      const { id } = await paused(DELETE, [{ destructive: true, by: ["console"] }, ...RULES]);
      const by = (via: "cli" | "console") =>
        state.transaction("write", (tx) => decide(tx, id, [], { status: "approved", ...ANNA, via }, now.at));
      expect(await by("cli")).toEqual({ done: [], elsewhere: [{ place: "1", deciders: "console" }], left: 1 });
      expect(await by("console")).toEqual({ done: ["1"], elsewhere: [], left: 0 });
    });

    test("the ops of a key that a person must approve", { timeout: SLOW, tags: "slow" }, async () => {
      const key = principal({
        kind: "key",
        id: "abcdefghij",
        grant: { level: "write", projects: "*", approve: ["onto.task.*"] },
      });
      const { id } = await paused(`onto.task.list()\n${DELETE}`, [], key);
      expect((await resumed(id, [])).text).toMatch(/^Paused/);
      await decided(id, []);
      expect((await resumed(id, [])).text).toBe("task_1");
    });

    test("outside a program such a call is refused, a dry run and other callers are not", async () => {
      const { exec } = server();
      const args = { task_id: "task_1" };
      const { code, details } = errorOf(await exec("onto.task.delete", args));
      expect({ code, details }).toMatchObject({ code: "PERMISSION_DENIED", details: { reason: "needs_approval" } });
      expect(errorOf(await exec("onto.task.delete", args, { idempotency_key: "k" })).code).toBe("PERMISSION_DENIED");
      okOf(await exec("onto.task.delete", args, { dry_run: true }));
      expect(sent).toEqual([]);
      okOf(await exec("onto.task.delete", args, {}, principal({ id: "trusted" })));
      expect(sent).toEqual(["task_1"]);
    });
  });
});
