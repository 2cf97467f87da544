/** Learning from calls: what is stored, by how many servers, and what is not. */

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import type { Dispatch } from "../../../runtime/call/call.js";
import type { JsonValue, Tool } from "../../../runtime/contract/registry.js";
import type { State } from "../../../runtime/state/open.js";
import { NO_RETENTION } from "../../../runtime/state/retention.js";
import { fixture, principal } from "../../../test/runtime/gateway/fixture.js";
import { DATABASES } from "../../../test/runtime/state/databases.js";
import { encode } from "../codec.js";
import { hashingWith } from "../hashing.js";
import { createLearner, type Learner, summaryOf } from "../learner.js";
import { observed, saysError } from "../observed.js";
import { judge } from "../rules.js";
import { type OpRow, readSummaries } from "../store.js";
import { variantOf } from "../variant.js";

const DAY = 86_400_000;
const START = Date.UTC(2026, 10, 22, 12);

const toolOf = (op: string, more: Partial<Tool> = {}): Tool =>
  ({
    ...{ op, parameters_schema: { type: "object", properties: {} }, digest: { input: "d1", docs: "", op: "" } },
    ...more,
  }) as Tool;
const TASKS = toolOf("demo.tasks");
const result = (i: number): JsonValue => ({
  items: [{ id: i, title: `title ${i}`, due: i % 2 ? null : "2026-11-02" }],
});

describe.each([...DATABASES])("on $name", ({ skip, place }) => {
  const cleaning: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const one of cleaning.splice(0).reverse()) await one();
  });

  async function opened() {
    const made = await place();
    cleaning.push(made.remove);
    const state = await made.open();
    cleaning.push(state.close);
    const clock = { now: START };
    const lines: string[] = [];
    const line = (...said: readonly unknown[]): void => void lines.push(JSON.stringify(said));
    const log = { debug: line, info: line, warn: line, error: line };
    const server = (more = {}): Learner =>
      createLearner({ state: async () => state, log, clock: () => clock.now, retention: NO_RETENTION, ...more });
    const read = (): Promise<readonly OpRow[]> => state.transaction("read", readSummaries);
    return { root: made.root, state, clock, lines, server, read };
  }

  /** Calls from `from` on, a flush after each part, so that no call is left out. */
  async function call(learner: Learner, from: number, to: number, more: Partial<Parameters<Learner["call"]>[0]> = {}) {
    for (let i = from; i < to; i++) {
      learner.call({ tool: TASKS, args: { page: i }, result: result(i), caller: undefined, ...more });
      if (i % 50 === 49) await learner.flush();
    }
    await learner.flush();
  }

  test.skipIf(skip)("calls over two days give a locked type", async () => {
    const { clock, server, read } = await opened();
    const learner = server();
    await call(learner, 0, 20);
    clock.now += DAY;
    await call(learner, 20, 40);
    const [row] = await read();
    expect(row).toMatchObject({ op: "demo.tasks", digest: "d1", summary: { calls: 40 } });
    expect(judge((row as OpRow).summary)?.result).toEqual({
      ...{ level: "locked", calls: "30+", news: "≤1%" },
      schema: {
        type: "object",
        required: ["items"],
        properties: {
          items: {
            type: "array",
            items: {
              type: "object",
              required: ["due", "id", "title"],
              properties: {
                due: { type: ["string", "null"], description: "date" },
                id: { type: "number" },
                title: { type: "string" },
              },
            },
          },
        },
      },
    });
  });

  test.skipIf(skip)("four servers give the same bytes in any order of their writes", async () => {
    const bytes = new Set<string>();
    for (const order of [
      [0, 1, 2, 3],
      [3, 1, 0, 2],
      [2, 3, 1, 0],
    ]) {
      const { server, read, state } = await opened();
      // The key of the database would differ, and with it every fingerprint.
      const secret = { name: "learning", value: "same" };
      await state.transaction("write", async (tx) => void (await insertSecret(tx, secret)));
      for (const at of order) await call(server(), at * 3, at * 3 + 4);
      bytes.add(encode((await read())[0]?.summary as OpRow["summary"]));
    }
    expect(bytes.size).toBe(1);
    expect([...bytes][0]).toContain('"title"');
  });

  test.skipIf(skip)("no value, and no key that looks like data or that two calls had, is stored", async () => {
    const { root, server, read, lines } = await opened();
    const learner = server();
    const secretly = (i: number): JsonValue => ({
      canary_value: "canary-text-9f",
      "canary@example.com": { n: 1 },
      canary_4f9a81: 5,
      [i < 1 ? "canaryrare" : "common"]: ["canary-item"],
    });
    for (let i = 0; i < 40; i++)
      learner.call({ tool: TASKS, args: { q: "canary-argument" }, result: secretly(i), caller: "canary-caller" });
    for (let i = 0; i < 40; i++)
      learner.call({ tool: TASKS, args: { q: `canary-argument ${i}` }, result: secretly(i), caller: "canary-caller" });
    await learner.close();
    const stored = encode((await read())[0]?.summary as OpRow["summary"]);
    // A key with three calls is a name; everything else is not there.
    expect(stored.replaceAll("canary_value", "")).not.toMatch(/canary/);
    expect(stored).toContain('"common"');
    const file = await readFile(join(root, ".onetool", "state.db"), "latin1").catch(() => "");
    expect(file.replaceAll("canary_value", "")).not.toMatch(/canary/);
    expect(lines.join()).not.toMatch(/canary/);
  });

  test.skipIf(skip)("a key that is the value of an argument is not stored by name by that call", async () => {
    const { server, read } = await opened();
    const learner = server();
    for (let i = 0; i < 40; i++) {
      const [args, found] = [
        { q: "canary-word", fields: ["title"], page: i },
        { "canary-word": i, title: "t" },
      ];
      learner.call({ tool: TASKS, args, result: { found, title: "t" }, caller: undefined });
      // Other calls speak for a key that some name.
      learner.call({ tool: TASKS, args: { page: i }, result: { found: { title: "t" } }, caller: undefined });
    }
    await learner.close();
    const stored = encode((await read())[0]?.summary as OpRow["summary"]);
    expect(stored).not.toContain("canary");
    expect(stored).toContain('"title"');
  });

  test.skipIf(skip)("calls of an op without arguments are different calls in different hours", async () => {
    const { clock, server, read } = await opened();
    const tool = toolOf("demo.all", { parameters_schema: { type: "object", properties: {} } });
    const paged = toolOf("demo.paged", {
      parameters_schema: { type: "object", properties: { page: { type: "integer" } } },
    });
    const learner = server();
    for (let hour = 0; hour < 30; hour++) {
      await call(learner, 0, 2, { tool, args: {} });
      await call(learner, 0, 2, { tool: paged, args: {} });
      clock.now += DAY / 24;
    }
    const rows = await read();
    expect(rows.map(({ op, summary }) => [op, summary.args.length])).toEqual([
      ["demo.all", 30],
      ["demo.paged", 1],
    ]);
    expect(judge((rows[0] as OpRow).summary)?.result.level).toBe("locked");
  });

  test.skipIf(skip)("a result that differs from a locked type is counted, and said once an hour", async () => {
    const { clock, server, lines } = await opened();
    const drifted: string[] = [];
    const learner = server({ drifted: (op: string) => drifted.push(op) });
    const schema = { type: "object", properties: { items: { type: "array" } }, required: ["items"] };
    const locked = (level: "locked" | "hint"): Tool =>
      toolOf("demo.tasks", { learned_result: { level, calls: "100+", news: "≤1%", schema } });
    await call(learner, 0, 3, { tool: locked("locked"), result: { rows: [] } });
    await call(learner, 0, 3, { tool: locked("locked"), result: { items: [] } });
    await call(learner, 0, 3, { tool: locked("hint"), result: { rows: [] } });
    expect(drifted).toEqual(["demo.tasks", "demo.tasks", "demo.tasks"]);
    const said = () => lines.filter((line) => line.includes("learned type")).length;
    expect(lines.join()).toContain("a result of demo.tasks differs from its learned type: the key 'items' is missing");
    expect(said()).toBe(1);
    clock.now += 3_600_001;
    await call(learner, 0, 1, { tool: locked("locked"), result: { items: "text" } });
    expect(lines.join()).toContain("'items' is string, not array");
    expect(said()).toBe(2);
  });

  test.skipIf(skip)("calls are left out while the database does not answer, and learned from after that", async () => {
    const { state, server, read } = await opened();
    let isUp = false;
    const learner = server({ state: async () => (isUp ? state : Promise.reject(new Error("down"))) });
    await call(learner, 0, 5);
    isUp = true;
    await call(learner, 5, 10);
    expect((await read())[0]?.summary.calls).toBe(5);
  });
});

async function insertSecret(
  tx: Parameters<Parameters<State["transaction"]>[1]>[0],
  row: { name: string; value: string },
) {
  const { queries } = await import("../../../runtime/state/schema.js");
  await queries(tx).insertInto("server_secrets").values(row).execute();
}

describe("what is not learned from", () => {
  test.each([
    [{ error: "no" }],
    [{ ok: false }],
    [{ success: false, message: "no" }],
    [{ errors: ["no"] }],
    [{ isError: true }],
    [{ dry_run: true, would_call: {} }],
    ["Error: no such file"],
    ["Not found"],
  ])("an answer that says an error: %j", (value) => expect(saysError(value)).toBe(true));
  test.each([[{ error: null, items: [] }], [{ errors: [] }], [[1]], ["a text about errors"], [null], [{ ok: true }]])(
    "but from %j",
    (value) => expect(saysError(value)).toBe(false),
  );
});

test("the arguments of a call are those that were meant, wherever they stand, and a text of them is not learned from", async () => {
  const { gateway } = fixture();
  const calls: unknown[] = [];
  const none = async (): Promise<void> => {};
  const learner: Learner = { call: ({ args }) => void calls.push(args), flush: none, close: none };
  const path = { index: gateway.index, dispatch: gateway.dispatch } as unknown as Dispatch;
  const wrapped = observed(path, learner, { learned: new Set(["onto.task.list"]) });
  const args = { limit: 3 };
  for (const request of [{ args }, { arguments: args }, args, { args: JSON.stringify(args) }, {}])
    expect(await wrapped.dispatch({ op: "onto.task.list", ...request }, principal())).toMatchObject({ ok: true });
  expect(calls).toEqual([args, args, args, {}]);
});

describe("variants", () => {
  const parameters_schema = {
    type: "object",
    properties: { detail: { enum: ["min", "full"], default: "min" }, all: { type: "boolean" }, q: { type: "string" } },
  };
  test("are the values of enum and boolean arguments, never other values", () => {
    expect(variantOf({ parameters_schema }, { q: "secret", detail: "full", all: true })).toBe(
      '{"all":true,"detail":"full"}',
    );
    expect(variantOf({ parameters_schema }, {})).toBe('{"detail":"min"}');
    expect(variantOf({ parameters_schema }, { detail: "secret" })).toBe("{}");
    expect(variantOf({ parameters_schema: { type: "object" } }, { q: "secret" })).toBe("");
  });
});

test("a hash depends on the key of the database", () => {
  expect(hashingWith("a").idOf("title")).toBe(hashingWith("a").idOf("title"));
  expect(hashingWith("a").idOf("title")).not.toBe(hashingWith("b").idOf("title"));
});

test("calls of an op without arguments differ by hour and caller", () => {
  const tool = toolOf("demo.me", { parameters_schema: { type: "object", properties: {} } });
  const calls = (moment: number, caller: string) =>
    summaryOf({ tool, args: {}, result: { a: 1 }, caller }, hashingWith("a"), moment).args[0];
  const [first, later] = [Date.parse("2026-11-02T10:05:00Z"), Date.parse("2026-11-02T11:05:00Z")];
  expect(calls(first, "one")).toBe(calls(first + 60_000, "one"));
  expect(new Set([calls(first, "one"), calls(later, "one"), calls(first, "other")]).size).toBe(3);
});
