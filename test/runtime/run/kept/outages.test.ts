/** Programs whose state database fails for a while: they go on where they were, and each write is made once. */

import { sql } from "kysely";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runSettingsOf } from "../../../../runtime/config/run-settings.js";
import type { JsonObject } from "../../../../runtime/contract/registry.js";
import { listRuns } from "../../../../runtime/run/kept/run-table.js";
import { StateFailure, UnknownOutcome } from "../../../../runtime/state/failure.js";
import type { State } from "../../../../runtime/state/open.js";
import { queries } from "../../../../runtime/state/schema.js";
import { SCALE } from "../../../support/random.js";
import { lendSnapshots } from "../../../support/run/python-snapshots.js";
import { fixture, handler, principal } from "../../gateway/fixture.js";
import { DATABASES, type Place } from "../../state/databases.js";

const SLOW = 300_000;
const PROGRAM = `first = onto.task.delete(task_id="task_1")["deleted"]
count = onto.task.list()["count"]
second = onto.task.create(project_id="proj_1", title="task_2")["created"]
third = onto.task.delete(task_id="task_3")["deleted"]
[first, count, second, third]`;
const ANSWER = '["task_1",1,"task_2","task_3"]';

/** How a transaction fails: nothing reaches the database, it is cut before its COMMIT, or its answer is lost. */
const FAULTS = ["refused", "cut", "lost"] as const;
type Fault = (typeof FAULTS)[number];

describe.each(DATABASES)("with $name", ({ skip, place }) => {
  describe.skipIf(skip)("outages", () => {
    let here: Place;
    let state: State;
    /** The number of the transaction at which the database fails next, from 1, and how. */
    let failing: { at: number; fault: Fault; left: number } = { at: 0, fault: "refused", left: 0 };
    let count = 0;
    let sent: unknown[] = [];

    beforeAll(async () => {
      here = await place();
      state = await here.open();
      await state.transaction("write", (tx) => sql`create table effects (task text)`.execute(queries(tx)));
      lendSnapshots(`${here.root}/.onetool/cache`);
    }, SLOW);
    afterAll(async () => {
      await state.close();
      await here.remove();
    });

    const away = (): StateFailure => new StateFailure("unreachable");
    /** Fails `left` times from the transaction `at` on. */
    const frail = (): State => ({
      ...state,
      close: async () => undefined,
      read: (work, until) => (isDue() ? Promise.reject(away()) : state.read(work, until)),
      async transaction(mode, work, order) {
        if (!isDue()) return state.transaction(mode, work, order);
        const { fault } = failing;
        if (fault === "refused" || mode === "read") throw away();
        await state.transaction(
          mode,
          async (tx) => {
            await work(tx);
            if (fault === "cut") throw away();
          },
          order,
        );
        throw new UnknownOutcome(new Error("the connection was cut"));
      },
    });
    const isDue = (): boolean => {
      count += 1;
      if (count < failing.at || failing.left === 0) return false;
      failing.left -= 1;
      return true;
    };

    function server(wall_ms = SLOW, callTimeoutMs = SLOW) {
      const send = async ({ task_id }: JsonObject) => {
        sent.push(task_id);
        return { deleted: task_id };
      };
      return fixture({
        project: { root: here.root },
        handlers: {
          "onto.task.list": handler(async () => ({ count: 1 })),
          "onto.task.delete": handler(send),
          "onto.task.create": {
            transactional: true,
            async run({ title }: JsonObject, { tx }: { tx: Parameters<typeof queries>[0] }) {
              await sql`insert into effects (task) values (${title})`.execute(queries(tx));
              return { created: title };
            },
          } as never,
        },
        options: { openState: async () => frail() },
        settings: { callTimeoutMs, run: runSettingsOf({ limits: { wall_ms } }) },
      }).gateway;
    }

    /** Runs the program; its answer, the writes that were made, and the number of its transactions. */
    async function ran(fault: Fault, at: number, left: number) {
      sent = [];
      await state.transaction("write", (tx) => sql`delete from effects`.execute(queries(tx)));
      const gateway = server();
      count = 0;
      failing = { at, fault, left };
      const { text } = await gateway.run({ command: PROGRAM }, principal());
      await gateway.close();
      failing = { at: 0, fault, left: 0 };
      const { rows } = await state.transaction("read", (tx) =>
        sql<{ task: string }>`select task from effects`.execute(queries(tx)),
      );
      return { text, sent, stored: rows.map(({ task }) => task), transactions: count };
    }

    const runs = () => state.transaction("read", (tx) => listRuns(tx, Date.now()));

    test.each(FAULTS)(
      "a program goes on wherever the database fails, and writes once: %s",
      { timeout: SLOW },
      async (fault) => {
        const { transactions, ...whole } = await ran(fault, 0, 0);
        expect(whole).toEqual({ text: ANSWER, sent: ["task_1", "task_3"], stored: ["task_2"] });
        expect(transactions).toBeGreaterThan(5);
        const step = SCALE < 1 ? 3 : 1;
        for (let at = 1; at <= transactions; at += step) {
          const { transactions: _, ...found } = await ran(fault, at, at % 2 === 0 ? 1 : 2);
          expect(found, `at ${at}`).toEqual(whole);
        }
        await expect.poll(async () => (await runs()).filter(({ status }) => status !== "done")).toEqual([]);
      },
    );

    test("the time of a program is over: it can be resumed, and goes on where it was", { timeout: SLOW }, async () => {
      sent = [];
      const gateway = server(3000, 1000);
      // The start of the process takes long on a busy machine.
      await expect.poll(async () => (await gateway.run({ command: "1" }, principal())).text).toBe("1");
      count = 0;
      failing = { at: 8, fault: "refused", left: Number.POSITIVE_INFINITY };
      const { text, isError } = await gateway.run({ command: PROGRAM }, principal());
      expect(isError).toBe(true);
      const [, id = ""] =
        /^Error: TimeoutError: the state database did not answer .*\nNext: "toolwright runs resume (\w+)"/.exec(text) ??
        [];
      expect(id, text).toMatch(/^run_/);
      expect(sent.length).toBeLessThan(2);
      failing = { at: 0, fault: "refused", left: 0 };
      // What the end of the program stores is stored now.
      await expect.poll(runs).toContainEqual(expect.objectContaining({ id, status: "interrupted", halted: "outage" }));
      expect(await gateway.resume(id, principal())).toMatchObject({ text: ANSWER, isError: false });
      expect(sent).toEqual(["task_1", "task_3"]);
      await gateway.close();
    });

    test("an end that cannot be stored is stored when the database answers", { timeout: SLOW }, async () => {
      const { transactions } = await ran("refused", 0, 0);
      const began = Date.now();
      const { text } = await ran("refused", transactions, 3);
      expect(text).toBe(ANSWER);
      const [last] = await runs();
      expect(last?.status).toBe("done");
      expect(Date.now() - began).toBeLessThan(20_000);
    });
  });
});
