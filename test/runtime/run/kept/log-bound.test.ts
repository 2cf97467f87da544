/** The log of a run has a bound: a program whose log is larger never waits for a person, since it could not go on. */

import { expect, test } from "vitest";
import { showRun } from "../../../../runtime/run/kept/run-table.js";
import { handler, principal } from "../../gateway/fixture.js";
import { DELETE, MINUTE, onBoth, SLOW } from "./databases.js";

const LIMIT = { timeout: SLOW };
const MEGABYTE = 1_000_000;
/** Each read answers with 6 MB. */
const BIG = { handlers: { "onto.task.list": handler(async () => ({ items: [], text: "x".repeat(6 * MEGABYTE) })) } };
const READS = (count: number): string => `for n in range(${count}):\n  onto.task.list()`;
const TOO_LARGE = /its log, which holds the answers to its calls, has \d+\.\d MB, and at most 20 MB are kept/;

onBoth((at) => {
  const run = async (command: string, given = {}) =>
    at.server({ ...BIG, ...given }).gateway.run({ command }, principal());

  test("a call that would wait is refused, and the program may do without it", LIMIT, async () => {
    const command = `${READS(4)}\ntry:\n  ${DELETE}\nexcept PermissionError as error:\n  said = str(error)\nsaid`;
    const { text, isError } = await run(command);
    expect({ text, isError }).toMatchObject({ isError: false, text: expect.stringMatching(TOO_LARGE) });
    expect(text).toContain("onto.task.delete failed: it needs an approval");
    expect(await at.runs()).toMatchObject([{ status: "done" }]);
    expect(at.sent).toEqual([]);
  });

  test("a call that waits already is withdrawn, and the program fails", { tags: "full", ...LIMIT }, async () => {
    const { text } = await run(
      `import asyncio\nawait asyncio.gather(onto.task.delete(task_id="task_1"), *[onto.task.list() for _ in range(4)])`,
    );
    expect(text).toMatch(TOO_LARGE);
    expect(text).not.toContain("Paused");
    const [{ id = "" } = {}] = await at.runs();
    expect(await at.statusOf(id)).toBe("failed");
    expect(await at.decided(id)).toEqual({ done: [], elsewhere: [], left: 0 });
    const details = await at.state.transaction("read", (tx) => showRun(tx, id, at.now.at));
    expect(details?.approvals).toMatchObject([{ place: "1", status: "withdrawn" }]);
    expect(await at.resumed(id)).toMatchObject({ isError: true, text });
    expect(at.sent).toEqual([]);
  });

  test("a program that cannot pause says what it has written", LIMIT, async () => {
    const create = handler(async () => ({ task: { id: "task_9" } }));
    const { text } = await run(
      `import asyncio\nonto.task.create(project_id="proj_1", title="a")\nawait asyncio.gather(${DELETE.replace('["deleted"]', "")}, *[onto.task.list() for _ in range(4)])`,
      { handlers: { ...BIG.handlers, "onto.task.create": create } },
    );
    expect(text.split("\n")).toEqual([
      expect.stringMatching(TOO_LARGE),
      "Already written: line 2 onto.task.create -> task_9",
      expect.stringMatching(/^Next: do not send these calls again: read less before /),
    ]);
  });

  test("what a program has received before its pause counts", { tags: "full", ...LIMIT }, async () => {
    const { id } = await at.paused(`${READS(3)}\n${DELETE}\n${READS(1)}\nonto.task.delete(task_id="task_2")`, BIG);
    expect(await at.decidedOnly(id)).toMatchObject({ done: ["4"] });
    const { text, isError } = await at.resumed(id, BIG);
    expect({ text, isError }).toMatchObject({ isError: true, text: expect.stringMatching(TOO_LARGE) });
    expect(at.sent).toEqual(["task_1"]);
  });

  test("without a question such a program ends as ever; a killed one is listed so, and ends", {
    ...LIMIT,
    tags: "slow",
  }, async () => {
    const free = { ...BIG, approve: [] };
    expect(await run(`${READS(4)}\n${DELETE}`, free)).toMatchObject({ text: "task_1", isError: false });
    const first = at.server({ ...free, onDelete: () => new Promise(() => undefined) });
    void first.gateway.run({ command: `${READS(4)}\n${DELETE}` }, principal());
    await expect.poll(() => at.sent.length, { timeout: SLOW }).toBe(2);
    await first.kill();
    at.now.at += MINUTE;
    const { id = "" } = (await at.runs()).find(({ status }) => status === "interrupted") ?? {};
    expect(await at.runs()).toContainEqual(expect.objectContaining({ id, halted: "too_large" }));
    expect(await at.resumed(id, free)).toMatchObject({ isError: true, text: expect.stringContaining("20 MB") });
    expect(await at.statusOf(id)).toBe("failed");
    expect(at.sent).toHaveLength(2);
  });
});
