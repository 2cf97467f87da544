/** What holds of every run that pauses, whatever happens meanwhile. */

import { describe, expect, test } from "vitest";
import { batch } from "../../../../definitions/packs/ot.js";
import type { Keys } from "../../../../runtime/access/keys.js";
import { bindingsOf } from "../../../../runtime/config/op-bindings.js";
import type { Tool } from "../../../../runtime/contract/registry.js";
import { giveBack, takeOver } from "../../../../runtime/run/kept/resume.js";
import { openState } from "../../../../runtime/state/open.js";
import { queries } from "../../../../runtime/state/schema.js";
import { eachCase } from "../../../support/each-case.js";
import { SCALE } from "../../../support/random.js";
import { handler, principal } from "../../gateway/fixture.js";
import { toolOf } from "../../gateway/fixture-tools.js";
import { DELETE, MINUTE, onBoth, type ServerOptions, SLOW } from "./databases.js";

const log = { warn: () => undefined };
const times = (full: number): number => Math.max(2, Math.round(full * SCALE));

onBoth((at) => {
  test("three approvals of one gather wait together, in any order of decisions", {
    tags: "slow",
    timeout: SLOW,
  }, async () => {
    const { id } = await at.paused(`import asyncio
made = await asyncio.gather(*[onto.task.delete(task_id=f"task_{n}") for n in (1, 2, 3)], return_exceptions=True)
[type(one).__name__ for one in made]`);
    const all = ["1: onto.task.delete", "2: onto.task.delete", "3: onto.task.delete"];
    const { text } = await at.resumed(id);
    for (const one of all) expect(text).toContain(one);
    await at.decidedOnly(id, ["3"]);
    await at.decidedOnly(id, ["1"], { status: "rejected" });
    expect((await at.resumed(id)).text).toMatch(/^Paused .*: 1 call waits/);
    await at.decidedOnly(id, ["2"]);
    expect((await at.resumed(id)).text).toBe('["PermissionError","dict","dict"]');
    expect([...at.sent].sort()).toEqual(["task_2", "task_3"]);
  });

  test("of two servers that take a run over at once, exactly one does", { timeout: SLOW }, async () => {
    const { id } = await at.paused(DELETE);
    const second = await openState({ url: at.url, root: at.root });
    const parts = [at.state, second].map((state) => ({
      state: { get: async () => state },
      clock: () => at.now.at,
      log,
    }));
    for (let n = 0; n < times(1000); n++) {
      const taken = await Promise.all(parts.map((one) => takeOver(one, id, undefined)));
      expect(taken.map(({ kind }) => kind).sort()).toEqual(["busy", "taken"]);
      const [winner] = taken.flatMap((one) => (one.kind === "taken" ? [one.run.driver] : []));
      if (winner) await giveBack({ ...(parts[0] as (typeof parts)[0]) }, winner);
    }
    await second.close();
  });

  test("of two servers that resume a run at once, exactly one carries it out", {
    timeout: SLOW * 4,
    tags: "slow",
  }, async () => {
    const servers = [at.server(), at.server()];
    for (let n = 0; n < times(50); n++) {
      at.sent = [];
      const { id } = await at.paused(DELETE);
      await at.decidedOnly(id);
      const answers = await Promise.all(servers.map(({ gateway }) => gateway.resume(id, undefined)));
      expect(answers.map(({ text }) => text)).toContain("task_1");
      expect(at.sent).toEqual(["task_1"]);
    }
  });

  test("a batch that is killed midway: only the unfinished writes run", { timeout: SLOW, tags: "slow" }, async () => {
    const schema = { type: "object", properties: { calls: { type: "array" } }, required: ["calls"] };
    const extra = { source: { kind: "local", file: "ot.ts", shipped: true }, target: "global" } as const;
    const given: ServerOptions = {
      approve: [],
      isRepeatable: true,
      more: [toolOf({ op: "ot.batch", tool: "ot_batch", kind: "read", schema, extra })],
      handlers: { "ot.batch": handler(batch as never) },
    };
    const isLate = (task: unknown): boolean => Number(String(task).slice("task_".length)) >= 10;
    const hang = (task: unknown) => (isLate(task) ? new Promise(() => undefined) : Promise.resolve(undefined));
    const first = at.server({ ...given, onDelete: hang, settings: { parallelCalls: 4 } });
    const command = `calls = [["onto.task.delete", {"task_id": f"task_{n}"}] for n in range(20)]\nlen(ot.batch(calls))`;
    void first.gateway.run({ command }, principal());
    await expect.poll(() => at.sent.length, { timeout: SLOW }).toBe(14);
    await first.kill();
    at.now.at += MINUTE;
    at.sent = [];
    const [run] = await at.runs();
    expect((await at.resumed(run?.id ?? "", given)).text).toBe("20");
    expect([...at.sent].sort()).toEqual(Array.from({ length: 10 }, (_, n) => `task_${n + 10}`));
  });

  describe("what changed while it waits", () => {
    const toolsWith = (op: string, change: Partial<Tool>): ServerOptions => {
      const { registry } = at.server().gateway.index;
      const tools = registry.tools.map((tool) => (tool.op === op ? { ...tool, ...change } : tool));
      return { project: { registry: { ...registry, tools } } };
    };
    const schema = { type: "object", properties: { task_id: { type: "string" } }, required: [] };
    const at2 = { kind: "http", file: "openapi.json" } as const;
    eachCase<readonly [string, () => ServerOptions]>(
      [
        ["the input of the op", () => toolsWith("onto.task.delete", { parameters_schema: schema })],
        ["what the op needs", () => toolsWith("onto.task.delete", { access: "admin" })],
        ["the binding of the op", () => toolsWith("onto.task.delete", { source: at2 })],
        ["where calls of the op go", () => ({ settings: { bindingOf: () => "elsewhere" } })],
        ["an op that was called before", () => toolsWith("onto.task.list", { source: at2 })],
        ["an alias", () => ({ settings: { aliases: new Map([["mine", "onto.project.list"]]) } })],
        ["the rule", () => ({ approve: [{ ops: ["onto.*.delete"], expires: "1h" }] })],
      ],
      "where calls of the op go",
      "the rule",
    )("%s: nothing is called", { timeout: SLOW }, async (_, changed) => {
      const { id } = await at.paused(`mine()\n${DELETE}`);
      await at.decidedOnly(id);
      const { text, isError } = await at.resumed(id, changed());
      expect({ text, isError }).toMatchObject({
        isError: true,
        text: expect.stringMatching(/changed|differently|Paused/),
      });
      expect(at.sent).toEqual([]);
    });

    test("another op: it goes on", { tags: "full", timeout: SLOW }, async () => {
      const { id } = await at.paused(DELETE);
      await at.decidedOnly(id);
      expect((await at.resumed(id, toolsWith("onto.task.create", { source: at2 }))).text).toBe("task_1");
    });
  });

  test("an interpreter that computes otherwise, such as one of a later version: nothing is called", {
    tags: "full",
    timeout: SLOW,
  }, async () => {
    const program = (op: string): string => `import random\n${op}(random.randint(1, 10**9))\n${DELETE}`;
    const drawn = 'onto.task.delete(task_id=f"task_{random.randint(1, 10**9)}")';
    for (const command of [program("str"), `import random\n${drawn}`, `import random\nonto.task.list()\n${drawn}`]) {
      at.sent = [];
      const { id } = await at.paused(command);
      await at.decidedOnly(id);
      await at.state.transaction("write", async (tx) => {
        // What it draws depends on the seed as it would on another generator.
        const origin = JSON.stringify({ seed: "cd".repeat(32), startedAt: at.now.at });
        await queries(tx).updateTable("runs").set({ origin }).where("id", "=", id).execute();
      });
      const { text, isError } = await at.resumed(id);
      if (command.includes("str(")) expect([text, at.sent]).toEqual(["task_1", ["task_1"]]);
      else expect([isError, text, at.sent]).toEqual([true, expect.stringMatching(/other call|another call/), []]);
    }
  });

  describe("who may not go on", () => {
    test("a key that was revoked: refused, and jobs leave the run", { timeout: SLOW, tags: "slow" }, async () => {
      const key = principal({ kind: "key", id: "abcdefghij" });
      const { id } = await at.paused(DELETE, {}, key);
      await at.decidedOnly(id);
      const ended = AbortSignal.abort();
      const keys = {
        still: async () => undefined,
        watch: () => ({ signal: ended, release: () => undefined }),
        audit: () => undefined,
      } as unknown as Keys;
      expect((await at.resumed(id, { keys })).isError).toBe(true);
      expect(at.sent).toEqual([]);
      expect(await at.runs()).toMatchObject([{ halted: "refused" }]);
    });

    test("an approval that was used, is for other arguments, or another run", {
      timeout: SLOW,
      tags: "slow",
    }, async () => {
      const { id } = await at.paused(DELETE);
      const other = await at.paused('onto.task.delete(task_id="task_2")["deleted"]');
      await at.decidedOnly(id);
      expect((await at.resumed(other.id)).text).toMatch(/^Paused/);
      await at.state.transaction("write", async (tx) => {
        const forged = { status: "approved", args_hash: "0".repeat(64) } as const;
        await queries(tx).updateTable("approvals").set(forged).where("run_id", "=", other.id).execute();
      });
      expect((await at.resumed(other.id)).text).toMatch(/PermissionError.*approved for another call/);
      await at.resumed(id);
      expect(await at.decidedOnly(id)).toEqual({ done: [], elsewhere: [], left: 0 });
      await at.resumed(id);
      expect(at.sent).toEqual(["task_1"]);
    });
  });
});

test("where calls go is a digest of the server, or of the source of the pack", () => {
  const of = (url: string, server: string) =>
    bindingsOf({ servers: { git: { url } }, sources: [{ openapi: "a.json", pack: "api", server }] });
  const tools = [
    { group: "git", source: { kind: "proxy", server: "git", file: "" } },
    { group: "api", source: { kind: "http", file: "" } },
    { group: "own", source: { kind: "local", file: "" } },
  ] as const;
  const found = (url: string, server: string) => tools.map((tool) => of(url, server)(tool));
  const [git, api, own] = found("https://a.example", "https://b.example");
  expect(own).toBe("");
  expect(found("https://a.example", "https://b.example")).toEqual([git, api, own]);
  expect(found("https://c.example", "https://b.example")).toEqual([expect.not.stringMatching(git ?? ""), api, own]);
  expect(found("https://a.example", "https://c.example")).toEqual([git, expect.not.stringMatching(api ?? ""), own]);
});
