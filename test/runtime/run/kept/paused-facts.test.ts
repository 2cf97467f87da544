/** What the answer of a paused run says beside its calls: what is written, notes, and that the program was sent before. */

import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { EVERY_OP } from "../../../../runtime/catalog/advice.js";
import { pausedText } from "../../../../runtime/run/kept/paused-text.js";
import { answerRun } from "../../../../runtime/serve/answer-run.js";
import { generatedRoot, serve } from "../../../support/project.js";
import { DESK_DEMO } from "../../../support/run/run-demo.js";
import { handler, principal } from "../../gateway/fixture.js";
import { DELETE, onBoth, type ServerOptions, SLOW } from "./databases.js";

const LIMIT = { timeout: SLOW };
const CREATE = 'onto.task.create(project_id="proj_1", title="a")';

const page = { items: [{ id: "task_1" }, { id: "task_2" }], pagination: { total: 7 } };
const SERVER: ServerOptions = {
  handlers: {
    "onto.task.create": handler(async () => ({ task: { id: "task_9" } })),
    "onto.task.list": handler(async () => page),
  },
};

onBoth((at) => {
  const asked = async (command: string, given = SERVER) => {
    const { gateway } = at.server(given);
    return answerRun({ gateway, principal: principal(), input: { command }, hooks: {}, single: { arrived: 0 } });
  };

  describe("writes before a pause", () => {
    const written = "Already written: line 1 onto.task.create -> task_9";

    test("are named with their ids", LIMIT, async () => {
      const { value, structured } = await asked(`${CREATE}\n${DELETE}`);
      expect(String(value).split("\n").slice(1)).toEqual([
        '2: onto.task.delete {"task_id":"task_1"}',
        written,
        expect.stringMatching(/^Next: a person decides/),
      ]);
      expect(structured).toMatchObject({ status: "paused", written: [written] });
    });

    test("are named again when the run is resumed, and by each further pause", LIMIT, async () => {
      const { id } = await at.paused(`${CREATE}\n${DELETE}\n${DELETE}`, SERVER);
      expect((await at.resumed(id, SERVER)).text).toContain(`\n${written}\n`);
      await at.decidedOnly(id);
      const { text } = await at.resumed(id, SERVER);
      expect(text).toContain('3: onto.task.delete {"task_id":"task_1"}');
      expect(text).toContain(`\n${written}; line 2 onto.task.delete`);
    });
  });

  test("a run that has written nothing says nothing of writes, nor of a call that waits", LIMIT, async () => {
    const two = `import asyncio\nonto.task.list()\nawait asyncio.gather(${DELETE.replace('["deleted"]', "")}, onto.task.delete(task_id="task_2"))`;
    for (const command of [DELETE, `onto.task.list()\n${DELETE}`, two]) {
      const { value, structured } = await asked(command);
      expect(value).not.toMatch(/written/i);
      expect(structured).not.toHaveProperty("written");
    }
  });

  test("notes of what came before the pause are in its answer, and are said once", LIMIT, async () => {
    const { value, notes, structured } = await asked(`onto.task.list()\n${DELETE}`);
    expect(notes).toMatch(/^Note: onto\.task\.list answered 2 of 7[^\n]*\.$/);
    expect(value).not.toContain("Note: ");
    const id = String(structured?.["run"]);
    await at.decidedOnly(id);
    const { text, notes: after } = await at.resumed(id, SERVER);
    expect({ text, after }).toEqual({ text: "task_1", after: undefined });
  });

  describe("the same program, sent again while it waits", () => {
    test("the second answer names the run that waits first; that one does not name the second", LIMIT, async () => {
      const { id: first } = await at.paused(DELETE);
      at.now.at += 1000;
      const { id: second, text } = await at.paused(DELETE);
      expect(text.split("\n").slice(0, 2)).toEqual([
        `Paused ${second}: 1 call waits for approval`,
        `${first} with the same program waits already: "toolwright runs resume ${first}" goes on with it. ${second} runs the program a second time; if once is enough, a person stops it with "toolwright runs stop ${second}"`,
      ]);
      expect((await at.resumed(first)).text).not.toContain("same program");
      at.now.at += 1000;
      expect((await asked(DELETE)).structured).toMatchObject({ same_program: first });
    });

    test("another program, another caller, and a run that has been decided are not meant", LIMIT, async () => {
      const { id } = await at.paused(DELETE);
      at.now.at += 1000;
      const others = [
        await at.paused('onto.task.delete(task_id="task_2")["deleted"]'),
        await at.paused(DELETE, {}, principal({ id: "ben" })),
      ];
      for (const { text } of others) expect(text).not.toContain("same program");
      await at.decidedOnly(id);
      await at.resumed(id);
      at.now.at += 1000;
      expect((await at.paused(DELETE)).text).not.toContain("same program");
    });
  });
});

test("what a program has written is between its calls and the next step", () => {
  const waiting = [{ kind: "approval" as const, call: "2", op: "a.b", args: {} }];
  const facts = { written: ["Already written: line 1 a.c"], earlier: "run_0" };
  expect(pausedText("run_1", waiting, { address: undefined, can: EVERY_OP }, facts).split("\n")).toEqual([
    "Paused run_1: 1 call waits for approval",
    expect.stringMatching(/^run_0 with the same program waits already: /),
    "2: a.b {}",
    "Already written: line 1 a.c",
    expect.stringMatching(/^Next: /),
  ]);
});

test("a write beside a call that waits within another call may have been made", {
  ...LIMIT,
  tags: "slow",
}, async () => {
  const root = await generatedRoot(DESK_DEMO);
  appendFileSync(join(root, "definitions/toolwright.yaml"), "approve: [{ ops: [desk.hang] }]\n");
  const { client, close } = await serve(root, ["--allow-write"]);
  const command = 'ot.batch(calls=[("desk.create", {"title": "a"}), ("desk.hang", {})])';
  const { content } = await client.callTool({ name: "run", arguments: { command } });
  await close();
  expect(JSON.stringify(content)).toContain("\\nMay have been written by calls within calls: desk.create (1)\\nNext: ");
});
