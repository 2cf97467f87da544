/** Runs that began on the engine of earlier versions go on by replay, or say that they cannot; no effect is doubled. */

import { expect, test } from "vitest";
import { runSettingsOf } from "../../../../runtime/config/run-settings.js";
import { queries } from "../../../../runtime/state/schema.js";
import { handler } from "../../gateway/fixture.js";
import { type Databases, DELETE, onBoth, type ServerOptions, SLOW } from "./databases.js";

const LIMIT = { timeout: SLOW };

onBoth((at: Databases) => {
  let listed = 0;
  const SERVER: ServerOptions = {
    handlers: { "onto.task.list": handler(async () => ({ items: [], count: ++listed })) },
  };
  const PROGRAM = `n = onto.task.list()["count"]\n[n, ${DELETE}, onto.task.list()["count"]]`;

  /** A paused run as an earlier version has left it; `asked`: what its first call was, if not what it is now. */
  async function left(engine: string, asked?: string): Promise<string> {
    listed = 0;
    const { id } = await at.paused(PROGRAM, SERVER);
    await at.state.transaction("write", async (tx) => {
      await queries(tx).updateTable("runs").set({ engine }).execute();
      if (asked !== undefined)
        await queries(tx).updateTable("run_calls").set({ asked }).where("ordinal", "=", 1).execute();
    });
    await at.decidedOnly(id);
    return id;
  }

  test("one whose calls are the same ends with the answers that it had", LIMIT, async () => {
    const id = await left("monty");
    expect(await at.resumed(id, SERVER)).toMatchObject({ isError: false, text: '[1,"task_1",2]' });
    expect([at.sent, listed, await at.statusOf(id)]).toEqual([["task_1"], 2, "done"]);
    expect(await at.resumed(id, SERVER)).toMatchObject({ text: '[1,"task_1",2]' });
    expect(at.sent).toEqual(["task_1"]);
  });

  test("one that makes another call is stale: nothing is called, and a person decides", LIMIT, async () => {
    const id = await left("monty", "another call");
    const { text, isError } = await at.resumed(id, SERVER);
    expect([text, isError]).toEqual([
      [
        "Error: RuntimeError: stale: the run began on an engine that this version does not have. Restart it or stop it",
        "Nothing was changed since",
        "Next: toolwright runs show, then runs drop",
      ].join("\n"),
      true,
    ]);
    expect([at.sent, listed]).toEqual([[], 1]);
    expect(await at.runs()).toMatchObject([{ id, halted: "diverged" }]);
  });

  test("one that a limit ends before it has made its calls says so", LIMIT, async () => {
    const run = runSettingsOf({ limits: { wall_ms: 1 } });
    const { text } = await at.resumed(await left("monty"), { ...SERVER, settings: { run } });
    expect(text).toContain(
      "TimeoutError: the run took longer than 1 ms (limits.wall_ms) while it waited for a Python process",
    );
    expect(text).not.toContain("stale");
    expect(at.sent).toEqual([]);
  });

  test("one that began on this engine diverges as before", LIMIT, async () => {
    const { text } = await at.resumed(await left("cpython", "another call"), SERVER);
    expect(text).toContain("the program made other calls than before");
    expect(at.sent).toEqual([]);
  });
});
