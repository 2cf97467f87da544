/** Runs that jobs resume, when their calls are decided or their server has ended; and `ot.runs` and `ot.resume`. */

import { afterEach, describe, expect, test } from "vitest";
import { resume, runs } from "../../../../definitions/packs/ot.js";
import { silentLog } from "../../../../runtime/config/log.js";
import { resumeInJobs } from "../../../../runtime/run/kept/ready-runs.js";
import { stopRun } from "../../../../runtime/run/kept/stop.js";
import { listJobs } from "../../../../runtime/state/job-table.js";
import { createJobs, type Jobs } from "../../../../runtime/state/jobs.js";
import { handler, principal } from "../../gateway/fixture.js";
import { closed, toolOf } from "../../gateway/fixture-tools.js";
import { DELETE, MINUTE, onBoth, SLOW } from "./databases.js";

const shipped = { source: { kind: "local", file: "ot.ts", shipped: true }, target: "global" } as const;
const MORE = [
  toolOf({ op: "ot.runs", tool: "ot_runs", kind: "read", schema: closed({}), extra: shipped }),
  toolOf({
    op: "ot.resume",
    tool: "ot_resume",
    kind: "read",
    schema: closed({ id: { type: "string" } }, ["id"]),
    extra: shipped,
  }),
];
const OT = {
  more: MORE,
  handlers: { "ot.runs": handler((_, ctx) => runs(ctx as never)), "ot.resume": handler(resume as never) },
};

onBoth((at) => {
  const workers: Jobs[] = [];
  afterEach(async () => {
    for (const jobs of workers.splice(0)) await jobs.stop();
  });

  /** A server that runs jobs. */
  function worker() {
    const jobs = createJobs({ log: silentLog });
    workers.push(jobs);
    resumeInJobs(jobs, () => at.now.at, at.server().gateway);
    jobs.use(at.state);
  }
  const kindsOf = async () => (await listJobs(at.state)).jobs.filter(({ every_ms }) => every_ms === null);

  describe("jobs", () => {
    test("a run whose calls are decided is resumed, and its answer waits for whoever asks", {
      timeout: SLOW,
    }, async () => {
      const { id } = await at.paused(`${DELETE}\nonto.task.delete(task_id="task_2")["deleted"]`);
      worker();
      expect(await at.decided(id)).toMatchObject({ done: ["1"] });
      // It pauses at its second call.
      await expect.poll(async () => (await at.decided(id)).done, { timeout: SLOW }).toEqual(["2"]);
      await expect.poll(() => at.statusOf(id), { timeout: SLOW }).toBe("done");
      expect((await at.resumed(id)).text).toBe("task_2");
      expect(at.sent).toEqual(["task_1", "task_2"]);
      await expect.poll(kindsOf, { timeout: SLOW }).toEqual([]);
    });

    test("a run is resumed when the last of its calls is decided", { tags: "full", timeout: SLOW }, async () => {
      const { id } = await at.paused(
        `import asyncio\nlen(await asyncio.gather(*[onto.task.delete(task_id=f"task_{n}") for n in (1, 2)]))`,
      );
      await at.decided(id, ["1"]);
      expect(await kindsOf()).toEqual([]);
      await at.decided(id, ["2"], { status: "rejected" });
      expect(await kindsOf()).toMatchObject([{ kind: "resume a run" }]);
    });

    test("a run whose server has ended is resumed; one that its caller has left is not", {
      timeout: SLOW,
    }, async () => {
      const first = at.server({ approve: [], isRepeatable: true, onDelete: () => new Promise(() => undefined) });
      void first.gateway.run({ command: DELETE }, principal());
      await expect.poll(() => at.sent.length, { timeout: SLOW }).toBe(1);
      const cancel = new AbortController();
      const left = at.server({ approve: [], isRepeatable: true, onDelete: () => new Promise(() => undefined) });
      void left.gateway.run({ command: DELETE }, principal({ id: "other" }), { signal: cancel.signal });
      await expect.poll(() => at.sent.length, { timeout: SLOW }).toBe(2);
      cancel.abort();
      await expect.poll(at.runs, { timeout: SLOW }).toContainEqual(expect.objectContaining({ halted: "cancelled" }));
      await first.kill();
      at.now.at += MINUTE;
      const jobs = createJobs({ log: silentLog });
      workers.push(jobs);
      resumeInJobs(jobs, () => at.now.at, at.server({ approve: [], isRepeatable: true }).gateway);
      jobs.use(at.state);
      const states = async () => (await at.runs()).map(({ caller, status }) => `${caller} ${status}`).sort();
      await expect.poll(states, { timeout: SLOW }).toEqual(["local done", "other interrupted"]);
      expect(at.sent).toHaveLength(3);
    });

    test("a run that cannot go on is left for a person", { tags: "full", timeout: SLOW }, async () => {
      const { id } = await at.paused(DELETE);
      await at.decided(id);
      const { registry } = at.server().gateway.index;
      const tools = registry.tools.map((tool) => ({ ...tool, access: "admin" as const }));
      const jobs = createJobs({ log: silentLog });
      workers.push(jobs);
      resumeInJobs(jobs, () => at.now.at, at.server({ project: { registry: { ...registry, tools } } }).gateway);
      jobs.use(at.state);
      await expect.poll(at.runs, { timeout: SLOW }).toMatchObject([{ status: "interrupted", halted: "stale" }]);
      await expect.poll(kindsOf, { timeout: SLOW }).toEqual([]);
      expect((await at.resumed(id)).text).toBe("task_1");
    });
  });

  describe("the ops of the agent", () => {
    test("ot.runs lists the runs of the caller with what waits, ot.resume goes on", { timeout: SLOW }, async () => {
      const { id } = await at.paused(DELETE);
      await at.paused(DELETE, {}, principal({ id: "other" }));
      const { exec, gateway } = at.server(OT);
      const listed = {
        id,
        status: "paused",
        waiting: [{ call: "1", kind: "approval", op: "onto.task.delete", args: { task_id: "task_1" } }],
      };
      expect(await exec("ot.runs")).toMatchObject({ result: [listed] });
      const { waiting } = listed;
      const paused = { status: "paused", run: id, count: 1, waiting, resume: { op: "ot.resume", args: { id } } };
      expect(await exec("ot.resume", { id })).toMatchObject({
        error: { message: expect.stringMatching(/^Paused run_/), details: paused },
      });
      const resume = `ot.resume("${id}")`;
      const again = expect.objectContaining({ text: expect.stringMatching(/^Paused run_/), isError: true });
      expect(await gateway.run({ command: resume }, principal())).toEqual(again);
      expect(await gateway.run({ command: `x = ${resume}\nlen(x) > 9` }, principal())).toMatchObject({
        isError: false,
      });
      await at.decidedOnly(id);
      // Within a program, as the pause says.
      expect(await gateway.run({ command: resume }, principal())).toEqual(
        expect.objectContaining({ text: "task_1", isError: false }),
      );
      expect(await exec("ot.resume", { id })).toMatchObject({ result: "task_1" });
      expect(at.sent).toEqual(["task_1"]);
      expect(await exec("ot.runs")).toMatchObject({ result: [{ id, status: "done" }] });
    });

    test("ot.resume of a program that fails, or was stopped, fails; a program gets the text", {
      timeout: SLOW,
      tags: "slow",
    }, async () => {
      const { exec, gateway } = at.server(OT);
      const { id } = await at.paused(`${DELETE}\n1 / 0`);
      await at.decidedOnly(id);
      for (const _ of [1, 2, 3])
        expect(await exec("ot.resume", { id })).toMatchObject({
          ok: false,
          error: {
            code: "CONFLICT",
            details: {
              status: "failed",
              run: id,
              error: expect.stringContaining("ZeroDivisionError: division by zero"),
            },
          },
        });
      expect(await gateway.run({ command: `ot.resume("${id}")` }, principal())).toMatchObject({
        text: expect.stringMatching(/^Error at line 2: ZeroDivisionError: division by zero\n/),
        isError: true,
      });
      const command = `ot.resume("${id}").splitlines()[0]`;
      expect(await gateway.run({ command }, principal())).toMatchObject({
        text: "Error at line 2: ZeroDivisionError: division by zero",
      });
      const other = await at.paused(DELETE);
      await stopRun(at.state, other.id, { by: "anna", reason: "" }, at.now.at);
      expect(await exec("ot.resume", { id: other.id })).toMatchObject({
        error: { message: "Stopped by anna.", details: { status: "stopped", run: other.id } },
      });
    });

    test("a program that resumes itself is told so at once", { timeout: 60_000 }, async () => {
      const { gateway } = at.server({ ...OT, approve: [] });
      const command = `${DELETE}\not.resume(ot.runs()[0]["id"])`;
      expect((await gateway.run({ command }, principal())).text).toContain(
        "RuntimeError: a program cannot resume itself",
      );
    });

    test("nobody sees or resumes the runs of another caller, or with another permission", {
      timeout: SLOW,
    }, async () => {
      const { id } = await at.paused(DELETE);
      await at.decidedOnly(id);
      const { exec } = at.server(OT);
      const as = (change: Parameters<typeof principal>[0]) => exec("ot.resume", { id }, {}, principal(change));
      for (const change of [{ id: "other" }, { kind: "user", until: at.now.at + MINUTE }] as const)
        expect(await as(change)).toMatchObject({
          error: { code: "NOT_FOUND", message: expect.stringContaining(`there is no run ${id}`) },
        });
      expect(await exec("ot.runs", {}, {}, principal({ id: "other" }))).toMatchObject({ result: [] });
      const less = await as({ grant: { level: "write", projects: ["proj_1"] } });
      expect(less).toMatchObject({
        error: { message: expect.stringContaining("permission of the caller has changed"), details: { run: id } },
      });
      expect(at.sent).toEqual([]);
    });

    test("a pause names the page of the server", { timeout: SLOW }, async () => {
      const { gateway } = at.server();
      const http = { ...gateway.settings.http, publicUrl: new URL("https://tools.example.com") };
      const { id, text } = await at.paused(DELETE, { settings: { http } });
      expect(text).toContain(`Open https://tools.example.com/#/approvals/${id}, then "toolwright runs resume ${id}"`);
      expect((await at.paused(DELETE)).text).toMatch(/toolwright runs approve run_\w+.*toolwright runs resume run_/s);
    });

    test("a resumed program resumes no other one", { tags: "full", timeout: SLOW }, async () => {
      const { id } = await at.paused(DELETE);
      const outer = await at.paused(`onto.task.delete(task_id="task_2")\not.resume("${id}")`, OT);
      await at.decidedOnly(outer.id);
      const { gateway } = at.server(OT);
      const { text } = await gateway.run({ command: `ot.resume("${outer.id}")` }, principal());
      expect(text).toContain("a resumed program cannot resume another one");
    });
  });
});
