/** Programs that failed after writes, and are sent again, corrected: no write is repeated, and none is lost. */

import { beforeEach, expect, test } from "vitest";
import { fail, type JsonObject, type Principal } from "../../../../runtime/codegen.js";
import { runSettingsOf } from "../../../../runtime/config/run-settings.js";
import { queries } from "../../../../runtime/state/schema.js";
import { handler, principal } from "../../gateway/fixture.js";
import { type Databases, MINUTE, onBoth, RULES, type ServerOptions, SLOW } from "./databases.js";

const DAY = 86_400_000;
const RUN = runSettingsOf({ engine: "cpython", limits: { wall_ms: SLOW, cpu_ms: SLOW } });

onBoth((at) => {
  /** The service: what was made, and how often. */
  const world = serviceOf(at);
  beforeEach(() => world.clear());
  const send = (command: string, after?: string, given: ServerOptions = {}, who: Principal = principal()) =>
    world.server(given).gateway.run(after === undefined ? { command } : { command, after }, who);

  /** Sends a program that must fail; returns the id after which it goes on, and the answer. */
  async function failed(command: string, after?: string, given: ServerOptions = {}) {
    const { text, isError } = await send(command, after, given);
    expect(isError, text).toBe(true);
    return { id: /after="(run_\w+)"/.exec(text)?.[1] ?? text, text };
  }

  test("the answer names what was written, and how to go on", { timeout: SLOW }, async () => {
    const { id, text } = await failed('a = onto.task.delete(task_id="task_1")\nb = onto.task.list()\nb["nope"]');
    expect(text.split("\n").slice(-2)).toEqual([
      `Already written (${id}): line 1 onto.task.delete`,
      `Next: correct line 3 and send the whole code with after="${id}": calls with these arguments are not made again. Or continue with what is left.`,
    ]);
    const { text: named } = await failed('onto.task.create(project_id="proj_1", title="a")\n1/0');
    expect(named).toMatch(/\): line 1 onto\.task\.create -> task_a1\n/);
    expect(named).toMatch(/: calls with these arguments are not made again\. Or continue with the ids above\.$/);
    expect(await failed("onto.task.list()\n1/0")).toMatchObject({
      text: expect.stringContaining("send the whole code again;"),
    });
  });

  test("a corrected program repeats no write, and goes on", { timeout: SLOW }, async () => {
    const steps = `a = onto.task.create(project_id="proj_1", title="a")
count = onto.task.list()["count"]
b = onto.task.create(project_id="proj_1", title=f"b{count}")`;
    const { id } = await failed(`${steps}\nb["nope"]`);
    const { text, isError } = await send(
      `${steps}\nc = onto.task.create(project_id="proj_1", title="c")\n[a["id"], b["id"], c["id"], onto.task.list()["count"]]`,
      id,
    );
    expect({ text, isError }).toEqual({ text: '["task_a1","task_b12","task_c3",3]', isError: false });
    expect(world.made).toEqual(["a", "b1", "c"]);
  });

  test("also after a second failure, and a third one", { timeout: SLOW }, async () => {
    const write = (name: string) => `onto.task.create(project_id="proj_1", title="${name}")`;
    const first = await failed([write("a"), write("b"), "1/0"].join("\n"));
    // It fails before it has asked for b.
    const second = await failed([write("a"), write("x"), "1/0", write("b")].join("\n"), first.id);
    expect(second.id).not.toBe(first.id);
    expect(second.text).toContain(
      `Already written (${second.id}): line 1 onto.task.create -> task_a1; line 2 onto.task.create -> task_x3\n`,
    );
    expect(second.text).toContain(`Already written by ${first.id}: onto.task.create -> task_b2\n`);
    const third = await failed([write("a"), write("x"), write("b"), "1/0"].join("\n"), second.id);
    const { text, notes } = await send([write("a"), write("b"), write("x"), write("c"), "'end'"].join("\n"), third.id);
    expect({ text, notes }).toEqual({ text: "end", notes: undefined });
    expect(world.made).toEqual(["a", "b", "x", "c"]);
  });

  test("a failure before anything new is written leaves the first run as it is", { timeout: SLOW }, async () => {
    const write = 'a = onto.task.create(project_id="proj_1", title="a")';
    const { id } = await failed(`${write}\n1/0`);
    expect((await failed(`${write}\na["nope"]`, id)).id).toBe(id);
    expect((await failed(`x = ]`, id)).text).toContain("SyntaxError");
    expect((await failed("1/0", id)).text).toContain(`Already written by ${id}: onto.task.create -> task_a1\n`);
    expect(await send(`${write}\na["id"]`, id)).toMatchObject({ text: "task_a1", isError: false });
    expect(world.made).toEqual(["a"]);
  });

  test("writes are known by their arguments, in any order and spelling, and each once", { timeout: SLOW }, async () => {
    const { id } = await failed(`onto.task.create(project_id="proj_1", title="a")
onto.task.create(project_id="proj_1", title="b", state_key="todo")
onto.task.create(project_id="proj_1", title="c")
1/0`);
    const { text, notes } = await send(
      `one = onto.task.create(title="b", project_id="proj_1")
two = onto.task.create("proj_1", "a", priority=3)
again = onto.task.create(project_id="proj_1", title="a")
[one["id"], two["id"], again["id"]]`,
      id,
    );
    expect(text).toBe('["task_b2","task_a1","task_a4"]');
    expect(notes).toBe(
      `Note: Already written by ${id}: onto.task.create -> task_c3; this program did not ask for it, and it stays.`,
    );
    expect(world.made).toEqual(["a", "b", "c", "a"]);
  });

  test("what is read after a new write is read anew", { timeout: SLOW }, async () => {
    const write = (name: string) => `onto.task.create(project_id="proj_1", title="${name}")`;
    const { id } = await failed(`${write("a")}\nonto.task.list()\n1/0`);
    const { text } = await send(`${write("a")}\n${write("new")}\nonto.task.list()["count"]`, id);
    expect(text).toBe("2");
  });

  test("what was read after the last write is read anew: nothing that was written came of it", {
    timeout: SLOW,
  }, async () => {
    const steps = 'onto.task.create(project_id="proj_1", title="a")\nn = onto.task.list()["count"]';
    const { id } = await failed(`${steps}\n1/0`);
    world.made.push("by somebody else");
    const { text } = await send(`${steps}\nn`, id);
    expect(text).toBe("2");
    expect(world.made).toEqual(["a", "by somebody else"]);
  });

  test("a note names answers of before that may be out of date, once something new is written", {
    timeout: SLOW,
  }, async () => {
    const create = (title: string) => `onto.task.create(project_id="proj_1", title="${title}")`;
    const steps = `n = onto.task.list()["count"]\n${create("a")}`;
    const { id } = await failed(`${steps}\n1/0`);
    world.made.push("by somebody else");
    const { notes } = await send(`${steps}\n${create("b")}\nn`, id);
    expect(notes).toBe(
      `Note: onto.task.list answered as in ${id}; if something else has been written since, look for what now exists twice.`,
    );
  });

  test("a read that a write came of answers the same after a second failure before that write", {
    timeout: SLOW,
  }, async () => {
    const steps = `n = onto.task.list()["count"]
onto.task.create(project_id="proj_1", title=f"a{n}")`;
    const first = await failed(`${steps}\n1/0`);
    const other = 'onto.task.create(project_id="proj_1", title="other")';
    const second = await failed(`${other}\n1/0\n${steps}`, first.id);
    expect(await send(`${other}\n${steps}\n"end"`, second.id)).toMatchObject({ text: "end" });
    expect(world.made).toEqual(["a0", "other"]);
  });

  test("random numbers and times are those of before, so that the writes are the same", { timeout: SLOW }, async () => {
    const steps = `import random, time, uuid
onto.task.create(project_id="proj_1", title=str(uuid.uuid4()))
onto.task.list()
onto.task.create(project_id="proj_1", title=str(random.random()) + str(time.time()))`;
    const { id } = await failed(`${steps}\n1/0`);
    at.now.at += MINUTE;
    expect(await send(`${steps}\n"end"`, id)).toMatchObject({ text: "end" });
    expect(world.made.length).toBe(2);
  });

  test("calls in parallel", { timeout: SLOW }, async () => {
    const all = (names: string): string => `import asyncio
made = await asyncio.gather(*[onto.task.create(project_id="proj_1", title=n) for n in ${names}])`;
    const { id } = await failed(`${all('["a", "b", "c"]')}\n1/0`);
    expect(await send(`${all('["c", "g", "a", "b"]')}\nlen(made)`, id)).toMatchObject({ text: "4", isError: false });
    expect([...world.made].sort()).toEqual(["a", "b", "c", "g"]);
  });

  test("a program that paused and then failed; what was approved is not asked about again", {
    timeout: SLOW,
  }, async () => {
    const rules: ServerOptions = { approve: RULES };
    const steps = 'onto.task.create(project_id="proj_1", title="a")\nonto.task.delete(task_id="task_1")';
    const { text } = await send(`${steps}\n1/0`, undefined, rules);
    const id = /^Paused (run_\w+)/.exec(text)?.[1] ?? text;
    await at.decidedOnly(id);
    const resumed = await world.server(rules).gateway.resume(id, undefined);
    expect(resumed.text).toContain(`with after="${id}"`);
    expect(await send(`${steps}["deleted"]`, id, rules)).toMatchObject({ text: "task_1", isError: false });
    expect([world.made, at.sent]).toEqual([["a"], ["task_1"]]);
  });

  test("a program that stops its interpreter again when it is resumed has failed, and is corrected", {
    timeout: SLOW,
  }, async () => {
    const write = 'onto.task.create(project_id="proj_1", title="a")';
    const { text } = await send(`${write}\nimport builtins\nbuiltins.list = None\nonto.task.list()`);
    const id = /the interpreter stopped\n.*runs resume (run_\w+)"/s.exec(text)?.[1] ?? text;
    const { text: again } = await world.server({}).gateway.resume(id, undefined);
    expect(again).toContain(`send the whole code with after="${id}"`);
    expect(await send(`${write}["id"]`, id)).toMatchObject({ text: "task_a1", isError: false });
    expect(world.made).toEqual(["a"]);
  });

  test("a corrected program that pauses goes on elsewhere, and repeats nothing", { timeout: SLOW }, async () => {
    const rules: ServerOptions = { approve: RULES };
    const write = (name: string) => `onto.task.create(project_id="proj_1", title="${name}")`;
    const { id: first } = await failed([write("a"), write("b"), "1/0"].join("\n"), undefined, rules);
    const corrected = [write("a"), 'onto.task.delete(task_id="task_1")', write("b"), write("c"), '"end"'].join("\n");
    at.now.at += DAY - MINUTE;
    const { text } = await send(corrected, first, rules);
    const id = /^Paused (run_\w+)/.exec(text)?.[1] ?? text;
    at.now.at += DAY - MINUTE;
    await at.decidedOnly(id);
    at.now.at += MINUTE;
    expect(await world.server(rules).gateway.resume(id, undefined)).toMatchObject({ text: "end" });
    expect([world.made, at.sent]).toEqual([["a", "b", "c"], ["task_1"]]);
  });

  test("a write whose outcome is unknown is not repeated, and that is said", { timeout: SLOW }, async () => {
    const program =
      'onto.task.create(project_id="proj_1", title="a")\nonto.task.create(project_id="proj_1", title="lost")';
    const { id, text } = await failed(program);
    expect(text).toContain("May have been written: line 2 onto.task.create\n");
    expect(text).toContain(
      `Next: read what may have been written, then correct line 2 and send the whole code with after="${id}"`,
    );
    const again = await failed(program, id);
    expect(again.text).toContain(
      `RuntimeError: onto.task.create failed: ${id} made this call, and whether it took effect is not known. It was not made again`,
    );
    expect(again.text).toContain(`May have been written by ${id}: onto.task.create\n`);
    expect(world.made).toEqual(["a", "lost"]);
    const without = await send('onto.task.create(project_id="proj_1", title="a")["id"]', again.id);
    expect(without).toMatchObject({
      text: "task_a1",
      notes: `Note: May have been written by ${id}: onto.task.create; the outcome is unknown, so read it before you write again.`,
    });
  });

  test("an op that may be repeated is sent again with its key", { timeout: SLOW }, async () => {
    const keys: unknown[] = [];
    const given: ServerOptions = {
      isRepeatable: true,
      onDelete: async (task, { idempotencyKey }) => {
        keys.push(idempotencyKey);
        if (keys.length === 1) throw new Error("the answer was lost");
        return { deleted: task };
      },
    };
    const program = 'onto.task.create(project_id="proj_1", title="a")\nonto.task.delete(task_id="task_1")["deleted"]';
    const { id } = await failed(program, undefined, given);
    expect(await send(program, id, given)).toMatchObject({ text: "task_1", isError: false });
    expect(keys[1]).toBe(keys[0]);
    expect(world.made).toEqual(["a"]);
  });

  test("a call that failed without an effect is made again", { timeout: SLOW }, async () => {
    const program =
      'onto.task.create(project_id="proj_1", title="a")\nonto.task.create(project_id="proj_1", title="busy")["id"]';
    const { id } = await failed(program);
    world.endBusy();
    expect(await send(program, id)).toMatchObject({ text: "task_busy2", isError: false });
    expect(world.made).toEqual(["a", "busy"]);
  });

  test("one program goes on after a run, of its caller, within a day", { timeout: SLOW }, async () => {
    const write = (name: string) => `onto.task.create(project_id="proj_1", title="${name}")`;
    const refused = async (id: string, who?: Principal) => {
      const { text, isError } = await send(`${write("a")}\n${write("z")}`, id, {}, who);
      expect(isError).toBe(true);
      return text;
    };
    const { id } = await failed(`${write("a")}\n1/0`);
    expect(await refused(id, principal({ id: "other" }))).toContain(
      `Error: NOT_FOUND: there is no run ${id} of this caller that has written something\n`,
    );
    expect(await refused("run_zzzz")).toContain("NOT_FOUND: there is no run run_zzzz");
    expect(await send(`${write("a")}\n"end"`, id)).toMatchObject({ text: "end" });
    expect(await refused(id)).toMatch(
      new RegExp(
        `^Error: NOT_FOUND: no program can go on after ${id}: (run_\\w+) has gone on after it, and has ended well\nAlready written by ${id}: onto\\.task\\.create -> task_a1\nNext: "toolwright runs resume \\1" gives its answer; `,
      ),
    );
    const late = await failed(`${write("b")}\n1/0`);
    at.now.at += DAY;
    expect(await refused(late.id)).toContain(
      `it failed more than 24 hours ago\nAlready written by ${late.id}: onto.task.create -> task_b2\n`,
    );
    expect(world.made).toEqual(["a", "b"]);
  });

  test("an id that another program has gone on after names the last of them, with all writes", {
    timeout: SLOW,
  }, async () => {
    const write = (name: string) => `onto.task.create(project_id="proj_1", title="${name}")`;
    const first = await failed(`${write("a")}\n1/0`);
    const second = await failed(`${write("a")}\n${write("b")}\n1/0`, first.id);
    const third = `${write("a")}\n${write("b")}\n${write("c")}\n"end"`;
    const { text } = await send(third, first.id);
    expect(text.split("\n")).toEqual([
      `Error: NOT_FOUND: no program can go on after ${first.id}: ${second.id} has gone on after it, and has failed`,
      expect.stringContaining("task_a1"),
      expect.stringContaining("task_b2"),
      `Next: send the whole code with after="${second.id}"`,
    ]);
    expect(await send(third, second.id)).toMatchObject({ text: "end" });
    expect((await send(third, first.id)).text).toContain("has gone on after it, and has ended well\n");
    expect(world.made).toEqual(["a", "b", "c"]);
  });

  test("of two programs that go on after a run at once, one writes", { timeout: SLOW }, async () => {
    const write = (name: string) => `onto.task.create(project_id="proj_1", title="${name}")`;
    const { id } = await failed(`${write("a")}\n1/0`);
    const both = await Promise.all(["b", "c"].map((name) => send(`${write("a")}\n${write(name)}["id"]`, id)));
    expect(both.filter(({ isError }) => isError)).toMatchObject([
      { text: expect.stringContaining(`Another program has gone on after ${id} meanwhile. Nothing was changed.`) },
    ]);
    expect(world.made.length).toBe(2);
  });

  test("a log of more than 1,000 calls is not offered, and none of it is kept", { timeout: SLOW }, async () => {
    const many = { ...RUN, limits: { ...RUN.limits, hostCalls: 2000 } };
    const { text } = await send(
      'onto.task.create(project_id="proj_1", title="a")\nfor _ in range(1000): onto.task.list()\n1/0',
      undefined,
      { settings: { run: many } },
    );
    expect(text).toContain(
      "Already written: line 1 onto.task.create -> task_a1\nNext: do not send these calls again: ",
    );
    expect(await rowsOf(at)).toBe(0);
  });

  test("the log is sealed, and its rows end with the last program", { timeout: SLOW }, async () => {
    const write = 'onto.task.create(project_id="proj_1", title="secret")';
    const { id } = await failed(`${write}\nonto.task.list()\n1/0`);
    const rows = await at.state.transaction("read", (tx) => queries(tx).selectFrom("run_calls").selectAll().execute());
    expect(rows.map(({ op }) => op)).toEqual(["onto.task.create", "onto.task.list"]);
    expect(JSON.stringify(rows)).not.toContain("secret");
    await send(`${write}\n"end"`, id);
    expect(await rowsOf(at)).toBe(0);
  });

  test("only the form of an id is taken", { timeout: SLOW }, async () => {
    for (const after of ["", "x", 'run_a" or', "run_A", 7 as never, {} as never])
      expect((await send("1", after)).text).toContain(
        "Error: TypeError: run() 'after' must be the id of a run that failed",
      );
  });
});

const rowsOf = async ({ state }: Databases): Promise<number> =>
  (await state.transaction("read", (tx) => queries(tx).selectFrom("run_calls").selectAll().execute())).length;

/** A service with tasks: it counts what it makes, loses an answer, and refuses while it is busy. */
function serviceOf(at: Databases) {
  const made: string[] = [];
  let isBusy = true;
  return {
    made,
    clear(): void {
      made.length = 0;
      isBusy = true;
    },
    endBusy(): void {
      isBusy = false;
    },
    server: (given: ServerOptions) =>
      at.server({
        approve: [],
        ...given,
        settings: { run: RUN, ...given.settings },
        handlers: {
          "onto.task.create": handler(async ({ title }: JsonObject) => {
            if (title === "busy" && isBusy) return fail("CONFLICT", "The service is busy.");
            made.push(String(title));
            if (title === "lost") throw new Error("the answer was lost");
            return { id: `task_${title}${made.length}` };
          }),
          "onto.task.list": handler(async () => ({ items: [], count: made.length })),
          ...given.handlers,
        },
      }),
  };
}
