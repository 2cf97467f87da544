/** Runs that are stopped: those that wait, and those under way on this or another server, on both databases. */

import { expect, test } from "vitest";
import { MAX_WAITING_RUNS } from "../../../../runtime/run/kept/approval-table.js";
import { showRun } from "../../../../runtime/run/kept/run-table.js";
import { stopRun } from "../../../../runtime/run/kept/stop.js";
import { openState } from "../../../../runtime/state/open.js";
import { handler, principal } from "../../gateway/fixture.js";
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

  test("what waits in a program that has ended is withdrawn, and is not approved", LIMIT, async () => {
    const command = `import asyncio
async def fails():
  await onto.task.list()
  1 / 0
await asyncio.gather(onto.task.delete(task_id="task_1"), fails())`;
    expect((await at.paused(command)).text).toContain("ZeroDivisionError");
    const [{ id = "" } = {}] = await at.runs();
    expect(await at.statusOf(id)).toBe("failed");
    expect(await at.decided(id)).toEqual({ done: [], elsewhere: [], left: 0 });
    const details = await at.state.transaction("read", (tx) => showRun(tx, id, at.now.at));
    expect(details?.approvals).toMatchObject([{ status: "withdrawn" }]);
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
    const { text } = await at.paused(DELETE);
    expect(text).toContain("20 programs of this caller wait");
    expect(text).toContain("Next: ot.runs() lists the programs that wait: have them decided");
    expect(text).not.toContain("correct line");
    await stop(ids[0] ?? "");
    expect((await at.paused(DELETE)).text).toMatch(/^Paused run_/);
  });

  test("a run under way is stopped: its program ends, and begins no write any more", LIMIT, async () => {
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const onDelete = async () => (at.sent.length > 1 ? held.then(() => undefined) : undefined);
    const running = at.server({ ...FREE, onDelete }).gateway.run({ command: ENDLESS }, principal());
    await expect.poll(() => at.sent.length, { timeout: SLOW }).toBe(2);
    const [run] = await at.runs();
    expect(await stop(run?.id ?? "")).toBe("done");
    release();
    const text = "Stopped by anna: not needed. A write that was under way may have happened.";
    expect(await running).toMatchObject({ text, isError: true });
    expect(at.sent).toEqual(["task_1", "task_2"]);
    expect(await at.resumed(run?.id ?? "")).toMatchObject({ text });
    expect(await at.statusOf(run?.id ?? "")).toBe("stopped");
  });

  test("another process stops it, which only shares the database", { ...LIMIT, tags: "slow" }, async () => {
    const other = await openState({ url: at.url, root: at.root });
    try {
      const ended = (signal: AbortSignal) =>
        new Promise((resolve) => signal.addEventListener("abort", resolve, { once: true }));
      const handlers = { "onto.task.list": handler((_, { signal }) => ended(signal as AbortSignal)) };
      const command = `${DELETE}\nonto.task.list()`;
      const running = at.server({ ...FREE, handlers }).gateway.run({ command }, principal());
      await expect.poll(async () => (await at.runs()).length, { timeout: SLOW }).toBe(1);
      const [run] = await at.runs();
      expect(await stopRun(other, run?.id ?? "", SAID, at.now.at)).toBe("done");
      expect((await running).text).toMatch(/^Stopped by anna/);
    } finally {
      await other.close();
    }
  });

  test("a program that ends by itself in this moment is answered as stopped, too", LIMIT, async () => {
    const stopped = async () => {
      const [run] = await at.runs();
      return { items: [await stop(run?.id ?? "")] };
    };
    const handlers = { "onto.task.list": handler(stopped) };
    const command = `${DELETE}\nonto.task.list()\n1 / 0`;
    const { text } = await at.server({ ...FREE, handlers }).gateway.run({ command }, principal());
    expect(text).toMatch(/^Stopped by anna/);
  });
});
