/** Runs whose server ends: another one goes on with them, and each effect happens once. */

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Bound } from "../../../../runtime/codegen.js";
import { runSettingsOf } from "../../../../runtime/config/run-settings.js";
import type { Gateway } from "../../../../runtime/gateway/gateway.js";
import { listRuns } from "../../../../runtime/run/kept/run-table.js";
import { openState, type State } from "../../../../runtime/state/open.js";
import { queries } from "../../../../runtime/state/schema.js";
import { lendSnapshots } from "../../../support/run/python-snapshots.js";
import { NO_DATABASE, startSharedDatabase } from "../../../support/shared-database.js";
import { fixture, handler, principal } from "../../gateway/fixture.js";

const SLOW = 300_000;
/** A busy machine takes long to start an interpreter. */
const PATIENT = runSettingsOf({ limits: { wall_ms: SLOW } });
const MINUTE = 60_000;

describe.each([
  ["SQLite", false],
  ["PostgreSQL", true],
])("on %s", (_, isShared) => {
  describe.skipIf(isShared && NO_DATABASE !== "")(`runs${isShared ? NO_DATABASE : ""}`, () => {
    let state: State;
    let root: string;
    const cleaning: (() => unknown)[] = [];
    const gateways: Gateway[] = [];
    /** The time that all servers share. */
    const now = { at: Date.now() };
    /** The writes that reached the service, with their keys. */
    let sent: { readonly task: unknown; readonly key: string | undefined }[];

    beforeAll(async () => {
      root = await mkdtemp(join(tmpdir(), "kept-runs-"));
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
    beforeEach(async () => {
      sent = [];
      await state.transaction("write", async (tx) => {
        for (const table of ["ledger", "runs", "run_calls", "run_deliveries", "run_inner"] as const)
          await queries(tx).deleteFrom(table).execute();
      });
    });

    const runs = () => state.transaction("read", (tx) => listRuns(tx, now.at));
    const rowsOf = (table: "runs" | "run_calls") =>
      state.transaction("read", (tx) => queries(tx).selectFrom(table).selectAll().execute());

    interface Server {
      readonly gateway: Gateway;
      /** Ends as a process does that is killed: nothing is stored any more. */
      kill(): Promise<void>;
    }

    /** A server; the service does not answer for the task `lost`. */
    function server(lost?: string, change: Parameters<typeof fixture>[0] = {}): Server {
      let isDead = false;
      const mortal: State = {
        ...state,
        // The test closes it.
        close: async () => undefined,
        transaction: (...given) => (isDead ? Promise.reject(new Error("killed")) : state.transaction(...given)),
      };
      const run = handler(async ({ task_id }, { idempotencyKey }) => {
        sent.push({ task: task_id, key: idempotencyKey });
        return task_id === lost ? new Promise(() => undefined) : { deleted: task_id };
      });
      let count = 0;
      const { gateway } = fixture({
        handlers: {
          "onto.task.delete": { run, repeatable: true } as unknown as Bound<never, unknown>,
          "onto.task.list": handler(async () => ({ items: [], count: ++count })),
        },
        options: { openState: async () => mortal, clock: () => now.at },
        settings: { callTimeoutMs: SLOW, run: PATIENT },
        project: { root },
        ...change,
      });
      gateways.push(gateway);
      return {
        gateway,
        async kill() {
          isDead = true;
          await gateway.close();
        },
      };
    }

    /** Starts a program and kills its server when the service has got the last of `tasks`. */
    async function killed(command: string, tasks: readonly string[]): Promise<string> {
      const first = server(tasks.at(-1));
      const early = first.gateway.run({ command }, principal()).then((reply) => {
        throw new Error(`it ended before: ${JSON.stringify(reply)}`);
      });
      const arrived = expect.poll(() => sent.map(({ task }) => task), { timeout: SLOW }).toEqual(tasks);
      await Promise.race([arrived, early]);
      early.catch(() => undefined);
      await first.kill();
      const [run] = await runs();
      expect(run).toMatchObject({ status: "running", caller: "local" });
      now.at += MINUTE;
      expect(await runs()).toMatchObject([{ status: "interrupted" }]);
      return run?.id ?? "";
    }

    test("an exception of before has its code and details on another server too", { timeout: SLOW }, async () => {
      const program = `try:
  onto.task.list(limit=0)
except ValueError as e:
  failed = [e.code, e.details["field_errors"][0]["path"]]
onto.task.delete(task_id="task_1")
failed`;
      const id = await killed(program, ["task_1"]);
      expect(await server().gateway.resume(id, undefined)).toMatchObject({ text: '["VALIDATION_ERROR","limit"]' });
    });

    const TASKS = ["task_1", "task_2"];
    const PROGRAM = `before = onto.task.list()["count"]
onto.task.delete(task_id="task_1")
onto.task.delete(task_id="task_2")
[before, onto.task.list()["count"]]`;

    test("another server goes on: what was answered is not asked again, the lost write has its key", {
      timeout: SLOW,
    }, async () => {
      const id = await killed(PROGRAM, TASKS);
      const second = server();
      expect(await second.gateway.resume(id, undefined)).toMatchObject({ text: "[1,1]", isError: false });
      expect(sent.map(({ task }) => task)).toEqual([...TASKS, "task_2"]);
      expect(sent[2]?.key).toBe(sent[1]?.key);
      expect(await runs()).toMatchObject([{ id, status: "done" }]);
      expect(await rowsOf("run_calls")).toEqual([]);
      expect(await second.gateway.resume(id, undefined)).toMatchObject({ text: "[1,1]", isError: false });
      expect(sent.length).toBe(3);
    });

    test("CPython computes the same again, and parallel calls answer in their order", {
      timeout: SLOW,
      tags: "slow",
    }, async () => {
      const program = `import asyncio, random, time, uuid
def made():
    return [str(uuid.uuid4()), random.random(), time.time(), list({"a", "b", "c"})]
first = made()
async def one(task):
    await asyncio.sleep(0.01 if task == "task_1" else 0)
    return onto.task.list()["count"]
order = [await found for found in asyncio.as_completed([one("task_1"), one("task_3")])]
onto.task.delete(task_id="task_" + first[0])
onto.task.delete(task_id="task_2")
[first, made(), order]`;
      const first = server("task_2");
      const whole = server();
      let early: string | undefined;
      void first.gateway.run({ command: program }, principal()).then(({ text }) => {
        early = text;
      });
      await expect.poll(() => early ?? sent.length, { timeout: SLOW }).toBe(2);
      const stored = sent[0]?.task;
      await first.kill();
      now.at += MINUTE;
      const [run] = await runs();
      const { text, isError } = await whole.gateway.resume(run?.id ?? "", undefined);
      expect(isError).toBe(false);
      const [before, after, order] = JSON.parse(text);
      expect(`task_${before[0]}`).toBe(stored);
      expect(after[0]).not.toBe(before[0]);
      expect(order).toEqual([1, 2]);
      expect(sent.map(({ task }) => task)).toEqual([stored, "task_2", "task_2"]);
    });

    test("of two servers that resume at once, one does", { timeout: SLOW, tags: "slow" }, async () => {
      const id = await killed(PROGRAM, TASKS);
      const answers = await Promise.all([server(), server()].map(({ gateway }) => gateway.resume(id, undefined)));
      const texts = answers.map(({ text }) => text).sort();
      expect(texts).toEqual([expect.stringContaining("BusyError"), "[1,1]"].sort());
      expect(sent.length).toBe(3);
    });

    test("an op that has changed: nothing is called, and it can be resumed once it is back", {
      timeout: SLOW,
      tags: "slow",
    }, async () => {
      const id = await killed(PROGRAM, TASKS);
      const { registry } = server().gateway.index;
      const tools = registry.tools.map((tool) =>
        tool.op === "onto.task.delete" ? { ...tool, access: "admin" as const } : tool,
      );
      const changed = server(undefined, { project: { registry: { ...registry, tools } } });
      const refused = await changed.gateway.resume(id, undefined);
      expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("onto.task.delete changed since") });
      expect(sent.length).toBe(2);
      expect(await server().gateway.resume(id, undefined)).toMatchObject({ text: "[1,1]" });
    });

    test("only the caller who began it, or the operator", { timeout: SLOW, tags: "slow" }, async () => {
      const id = await killed(PROGRAM, TASKS);
      const refused = await server().gateway.resume(id, principal({ id: "other" }));
      expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("there is no run") });
      expect(await server().gateway.resume(id, principal())).toMatchObject({ text: "[1,1]" });
    });

    test("a program that is cancelled is interrupted at once", { timeout: SLOW, tags: "slow" }, async () => {
      const cancel = new AbortController();
      const first = server("task_1");
      const command = 'onto.task.delete(task_id="task_1")\n"end"';
      const run = first.gateway.run({ command }, principal(), { signal: cancel.signal });
      await expect.poll(() => sent.length, { timeout: SLOW }).toBe(1);
      cancel.abort();
      expect(await run).toMatchObject({ isError: true });
      await expect.poll(runs, { timeout: SLOW }).toMatchObject([{ status: "interrupted" }]);
      now.at += MINUTE;
      const [kept] = await runs();
      expect(await server().gateway.resume(kept?.id ?? "", undefined)).toMatchObject({ text: "end" });
      expect(sent.map(({ key }) => key)).toEqual([sent[0]?.key, sent[0]?.key]);
    });

    test("what is stored does not show arguments, code and answers", { timeout: SLOW }, async () => {
      await killed(PROGRAM, TASKS);
      expect(JSON.stringify([await rowsOf("runs"), await rowsOf("run_calls")])).not.toMatch(/task_1|deleted/);
    });

    test("a program that only reads stores nothing", { timeout: SLOW }, async () => {
      const report = await server().gateway.run({ command: 'onto.task.list()["count"]' }, principal());
      expect(report.text).toBe("1");
      expect([await rowsOf("runs"), await rowsOf("run_calls")]).toEqual([[], []]);
    });
  });
});
