/** Runs that are stopped: those that wait, and those under way on this or another server, on both databases. */

import { expect, test } from "vitest";
import { MAX_WAITING_RUNS } from "../../../../runtime/run/kept/approval-table.js";
import { showRun } from "../../../../runtime/run/kept/run-table.js";
import { stopRun } from "../../../../runtime/run/kept/stop.js";
import { openState } from "../../../../runtime/state/open.js";
import { principal } from "../../gateway/fixture.js";
import { DELETE, onBoth, SLOW } from "./databases.js";

const LIMIT = { timeout: SLOW };
const FREE = { approve: [] };
const SAID = { by: "anna", reason: "not needed" };
/** A program that writes, then reads and writes until something ends it. */
const ENDLESS = `n = 0
while True:
  n += 1
  try:
    onto.task.delete(task_id=f"task_{n}")
  except Exception:
    pass
  onto.task.list()`;

onBoth((at) => {
  const stop = (id: string, caller?: ReturnType<typeof principal>) => stopRun(at.state, id, SAID, at.now.at, caller);

  test("a paused run is stopped: what waits is withdrawn, and nothing runs", LIMIT, async () => {
    const { id } = await at.paused(DELETE);
    expect(await stop(id)).toBe("done");
    expect(await at.statusOf(id)).toBe("stopped");
    const details = await at.state.transaction("read", (tx) => showRun(tx, id, at.now.at));
    expect(details?.approvals).toMatchObject([{ status: "withdrawn", decided_by: "anna", reason: "not needed" }]);
    expect(await at.decided(id)).toMatchObject({ done: [] });
    expect(await at.resumed(id)).toMatchObject({ text: "Stopped by anna: not needed.", isError: true });
    expect(await stop(id)).toBe("ended");
    expect(at.sent).toEqual([]);
  });

  test("a run that ended, another caller's and an unknown one are not stopped", LIMIT, async () => {
    const { id } = await at.paused(DELETE);
    for (const who of [principal({ id: "ben" }), principal({ kind: "key" })])
      expect(await stop(id, who)).toBe("not found");
    expect(await stop("run_none")).toBe("not found");
    await at.decidedOnly(id);
    expect(await at.resumed(id)).toMatchObject({ text: "task_1" });
    expect(await stop(id, principal())).toBe("ended");
    expect((await at.resumed(id)).text).toBe("task_1");
  });

  test("a stopped run makes room for others of its caller that wait", { tags: "full", ...LIMIT }, async () => {
    const ids: string[] = [];
    for (let n = 0; n < MAX_WAITING_RUNS; n++) ids.push((await at.paused(DELETE)).id);
    expect((await at.paused(DELETE)).text).toContain("20 programs of this caller wait");
    await stop(ids[0] ?? "");
    expect((await at.paused(DELETE)).text).toMatch(/^Paused run_/);
  });

  test("a run under way is stopped: its program ends, and begins no write any more", LIMIT, async () => {
    const running = at.server(FREE).gateway.run({ command: ENDLESS }, principal());
    await expect.poll(() => at.sent.length, { timeout: SLOW }).toBeGreaterThan(1);
    const [run] = await at.runs();
    expect(await stop(run?.id ?? "")).toBe("done");
    const sent = at.sent.length;
    const text = "Stopped by anna: not needed. A write that was under way may have happened.";
    expect(await running).toMatchObject({ text, isError: true });
    // The one that was under way.
    expect(at.sent.length).toBeLessThanOrEqual(sent + 1);
    expect(await at.resumed(run?.id ?? "")).toMatchObject({ text });
    expect(await at.statusOf(run?.id ?? "")).toBe("stopped");
  });

  test("another process stops it, which only shares the database", LIMIT, async () => {
    const other = await openState({ url: at.url, root: at.root });
    try {
      const running = at
        .server(FREE)
        .gateway.run({ command: `${DELETE}\nwhile True:\n  onto.task.list()` }, principal());
      await expect.poll(async () => (await at.runs()).length, { timeout: SLOW }).toBe(1);
      const [run] = await at.runs();
      expect(await stopRun(other, run?.id ?? "", SAID, at.now.at)).toBe("done");
      expect((await running).text).toMatch(/^Stopped by anna/);
    } finally {
      await other.close();
    }
  });
});
