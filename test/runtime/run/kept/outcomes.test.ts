/** Writes whose server ended while they were under way, and that may not be repeated: a person says what became of them. */

import { expect, test } from "vitest";
import { consoleApprovals } from "../../../../runtime/gateway/console-approvals.js";
import type { Resolution } from "../../../../runtime/run/kept/outcome-table.js";
import { resolveCall } from "../../../../runtime/run/kept/ready-runs.js";
import { waitingCalls } from "../../../../runtime/run/kept/waiting-calls.js";
import { eachCase } from "../../../support/each-case.js";
import { SCALE } from "../../../support/random.js";
import { principal } from "../../gateway/fixture.js";
import { type Databases, MINUTE, onBoth, type ServerOptions, SLOW } from "./databases.js";

const FREE: ServerOptions = { approve: [] };
const PROGRAM = `made = []
for task in ("task_1", "task_2"):
  made.append(onto.task.delete(task_id=task))
made`;

const MANY = `import asyncio
await asyncio.gather(*[onto.task.delete(task_id=f"task_{n}") for n in range(20)])`;

/** Starts a program and ends its server when the service has got the task `lost`. */
async function killedAt(at: Databases, lost: string): Promise<string> {
  const first = at.server({
    ...FREE,
    onDelete: (task) => (task === lost ? new Promise(() => undefined) : undefined) as never,
  });
  void first.gateway.run({ command: PROGRAM }, principal());
  await expect.poll(() => at.sent.at(-1), { timeout: SLOW }).toBe(lost);
  await first.kill();
  const id = (await at.runs()).find(({ status }) => status === "running")?.id ?? "";
  at.now.at += MINUTE;
  return id;
}

onBoth((at) => {
  const resolve = (id: string, resolution: Resolution, place = "2") =>
    resolveCall(at.state, { id, place }, resolution, { by: "anna", reason: "" }, at.now.at);

  test("the program pauses, and is not told before a person has resolved it", { timeout: SLOW }, async () => {
    const id = await killedAt(at, "task_2");
    const { text } = await at.resumed(id, FREE);
    expect(text).toMatch(/^Paused run_\w+: the outcome of 1 call is unknown\n2: onto\.task\.delete .*nobody knows/);
    expect(text).toContain(`toolwright runs resolve ${id} 2 happened`);
    expect((await at.resumed(id, FREE)).text).toBe(text);
    expect(await at.statusOf(id)).toBe("paused");
    expect(await waitingCalls(at.state, at.now.at)).toMatchObject([
      { run: id, kind: "outcome", caller: "local", call: "2", op: "onto.task.delete", args: { task_id: "task_2" } },
    ]);
    expect(at.sent).toEqual(["task_1", "task_2"]);
  });

  eachCase<readonly [string, Resolution, string, number]>(
    [
      [
        "it happened",
        { kind: "happened", result: { deleted: "by hand" } },
        '[{"deleted":"task_1"},{"deleted":"by hand"}]',
        2,
      ],
      ["it happened, without a result", { kind: "happened", result: null }, '[{"deleted":"task_1"},null]', 2],
      ["it is sent again", { kind: "retry" }, '[{"deleted":"task_1"},{"deleted":"task_2"}]', 3],
    ],
    "it happened",
    "it is sent again",
  )(
    "the program goes on after a person has resolved that %s",
    { timeout: SLOW },
    async (_, resolution, answer, sent) => {
      const id = await killedAt(at, "task_2");
      await at.resumed(id, FREE);
      expect(await resolve(id, resolution, "1")).toBe("not waiting");
      expect(await resolve(id, resolution)).toBe("done");
      expect(await resolve(id, resolution)).toBe("not waiting");
      expect((await at.resumed(id, FREE)).text).toBe(answer);
      expect(at.sent).toHaveLength(sent);
    },
  );

  test.each([
    ["happened", '[{"deleted":"task_1"},{"deleted":"by hand"}]'],
    ["stop", "Stopped at the call 2 by local: seen at the service. Whether that call happened is not known."],
  ] as const)("a person says in the console: %s", { timeout: SLOW, tags: "slow" }, async (decision, answer) => {
    const { waiting, decide } = consoleApprovals({
      state: async () => at.state,
      clock: () => at.now.at,
      keys: { list: async () => [] },
    });
    const run = await killedAt(at, "task_2");
    await at.resumed(run, FREE);
    const said = { run, call: "2", reason: "seen at the service", result: { deleted: "by hand" } };
    expect(await waiting(principal())).toMatchObject([{ run, kind: "outcome", call: "2" }]);
    const wrong = decide({ ...said, decision: "approved" }, principal());
    await expect(wrong).rejects.toMatchObject({ code: "NOT_FOUND" });
    await decide({ ...said, decision }, principal());
    expect(await waiting(principal())).toEqual([]);
    expect((await at.resumed(run, FREE)).text).toBe(answer);
  });

  test("a result that the op cannot have given is refused in the console", { timeout: SLOW }, async () => {
    const deleted = { type: "object", properties: { deleted: { type: "string" } }, required: ["deleted"] };
    const { waiting, decide } = consoleApprovals({
      state: async () => at.state,
      clock: () => at.now.at,
      keys: { list: async () => [] },
      toolOf: () => ({ op: "onto.task.delete", result_schema: deleted }),
    });
    const run = await killedAt(at, "task_2");
    await at.resumed(run, FREE);
    const said = { run, call: "2", decision: "happened", reason: "" } as const;
    await expect(decide({ ...said, result: { deleted: 7 } }, principal())).rejects.toMatchObject({
      code: "VALIDATION_ERROR",
      message: expect.stringMatching(/onto\.task\.delete.*deleted must be string/),
    });
    expect(await waiting(principal())).toHaveLength(1);
    await decide({ ...said, result: { deleted: "by hand" } }, principal());
    expect(await waiting(principal())).toEqual([]);
  });

  test("the run is stopped", { tags: "full", timeout: SLOW }, async () => {
    const id = await killedAt(at, "task_2");
    await at.resumed(id, FREE);
    const { runSeal } = await import("../../../../runtime/run/kept/log-text.js");
    const answer = (await runSeal(at.state)).seal("Stopped.");
    expect(await resolve(id, { kind: "stop", answer })).toBe("done");
    expect(await at.resumed(id, FREE)).toMatchObject({ text: "Stopped.", isError: true });
    expect(at.sent).toHaveLength(2);
  });

  test("one that is lost again is asked about again", { tags: "full", timeout: SLOW }, async () => {
    const id = await killedAt(at, "task_2");
    await at.resumed(id, FREE);
    await resolve(id, { kind: "retry" });
    const second = at.server({ ...FREE, onDelete: () => new Promise(() => undefined) });
    void second.gateway.resume(id, undefined);
    await expect.poll(() => at.sent.length, { timeout: SLOW }).toBe(3);
    await second.kill();
    at.now.at += MINUTE;
    expect((await at.resumed(id, FREE)).text).toMatch(/^Paused/);
    expect(at.sent).toHaveLength(3);
    await resolve(id, { kind: "retry" });
    expect((await at.resumed(id, FREE)).text).toContain("task_2");
  });

  test("an op that is declared idempotent is sent again", { timeout: SLOW }, async () => {
    const id = await killedAt(at, "task_2");
    const settings = { ops: new Map([["onto.task.delete", { idempotent: true }]]) };
    expect((await at.resumed(id, { ...FREE, settings })).text).toContain("task_2");
    expect(at.sent).toEqual(["task_1", "task_2", "task_2"]);
  });

  test("no answer that was lost is sent again silently", { tags: "full", timeout: SLOW * 4 }, async () => {
    for (let n = 0; n < Math.max(1, Math.round(25 * SCALE)); n++) {
      at.sent = [];
      const first = at.server({
        ...FREE,
        settings: { parallelCalls: 20 },
        onDelete: () => new Promise(() => undefined),
      });
      void first.gateway.run({ command: MANY }, principal());
      await expect.poll(() => at.sent.length, { timeout: SLOW }).toBe(20);
      await first.kill();
      const id = (await at.runs()).find(({ status }) => status === "running")?.id ?? "";
      at.now.at += MINUTE;
      for (let again = 0; again < 2; again++) expect((await at.resumed(id, FREE)).text).toMatch(/^Paused/);
      await expect.poll(async () => (await waitingCalls(at.state, at.now.at, { run: id })).length).toBe(20);
      expect(at.sent).toHaveLength(20);
    }
  });
});
